"""How a session goes about its work: treetalk's way, and the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import as_count, as_weight
from treetalk.chain import REPAIRS, STARTS
from treetalk.models import DirichletDiffusion
from treetalk.strategies import as_strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAPER_NOISE = 1e-4
# As many moves as take some tenth of a second on one core.
MOVES_TIMES_ITEMS, FEWEST_MOVES, MOST_MOVES = 5_000_000, 5_000, 15_000


@dataclass(frozen=True)
class Setting:
    """Choices that belong together.

    Parameters
    ----------
    name : str
        What it is called.
    start, repair, moves :
        As for `treetalk.Chain`.
    other_start : str
        Where all chains but the first start: elsewhere, for chains that agree from different starts can be trusted.
    num_chains : int
        The number of chains.
    num_moves : int, optional
        The moves of each chain between two queries; by default 15,000, and fewer for more than 330 items, down to 5,000.
    thinning : int
        A snapshot is taken after so many moves.
    num_kept : int
        So many snapshots of each chain are kept, the latest.
    strategy : str
        What is asked, where nothing else is said; see `treetalk.strategies`.
    closeness : float
        As for `treetalk.Chain`: how much weight it has that those whom the user puts together stand close.
    unsaid : float
        How much weight it has that little of what is shown is wrong beside what is said; see `treetalk.unsaid`.
    presumes : bool
        Whether answers that look like those of someone with flat classes in mind are taken for all that they imply for
        classes; see `treetalk.presuming`.
    weighs_columns : bool
        Whether columns in which those whom the user puts together are alike count for more; see `treetalk.columns`.
    outvotes : bool
        Whether an answer that several others contradict is set aside itself, and they are not; see `treetalk.outvoting`.
    summarises : bool
        Whether the tree that is shown and returned is a summary of the snapshots, or the last of them.
    has_papers_model : bool
        Whether the model, where none is given, is the paper's: half the variance of each column as the scale, noise of 1e-4.
        Otherwise it is ``DirichletDiffusion(scale="balanced", noise="balanced")``.
    asks_as_published : bool
        Whether simulated queries and users follow the code that made the published curves; see `treetalk.authors`.
    """

    name: str
    start: str = "auto"
    other_start: str = "insertion"
    repair: str = "regraft"
    moves: Mapping[str, float] | None = None
    num_chains: int = 2
    num_moves: int | None = None
    thinning: int = 500
    num_kept: int = 100
    strategy: str = "grouped"
    closeness: float = 0.5
    unsaid: float = 2.0
    presumes: bool = True
    weighs_columns: bool = True
    outvotes: bool = True
    summarises: bool = True
    has_papers_model: bool = False
    asks_as_published: bool = False

    def __post_init__(self) -> None:
        for what, known in (("start", STARTS), ("other_start", STARTS), ("repair", REPAIRS)):
            if getattr(self, what) not in known:
                raise ValueError(f"{what} must be one of {', '.join(known)}, not {getattr(self, what)!r}")
        for what, least in (("num_chains", 1), ("thinning", 1), ("num_kept", 1)):
            as_count(getattr(self, what), what, least)
        if self.num_moves is not None:
            as_count(self.num_moves, "num_moves")
        as_weight(self.closeness, "closeness")
        as_weight(self.unsaid, "unsaid")
        as_strategy(self.strategy)

    def moves_between(self, num_items: int) -> int:
        """Return the moves of each chain between two queries."""
        if self.num_moves is not None:
            return self.num_moves
        return int(np.clip(MOVES_TIMES_ITEMS // num_items, FEWEST_MOVES, MOST_MOVES))

    def model_for(self, X: NDArray[np.float64]) -> DirichletDiffusion:
        """Return the model that is used where none is given."""
        if not self.has_papers_model:
            return DirichletDiffusion(scale="balanced", noise="balanced")
        return DirichletDiffusion(scale=X.var(axis=0, ddof=1) / 2, noise=PAPER_NOISE)


PAPER = {
    "start": "random",
    "other_start": "random",
    "repair": "build",
    "closeness": 0.0,
    "unsaid": 0.0,
    "presumes": False,
    "weighs_columns": False,
    "outvotes": False,
    "strategy": "interleaved",
    "moves": {"walk": 1.0},
    "num_chains": 1,
    "num_moves": 100,
    "thinning": 1,
    "summarises": False,
    "has_papers_model": True,
}
SETTINGS = {
    "treetalk": Setting("treetalk"),
    "paper": Setting("paper", **PAPER),  # type: ignore[arg-type]
    "authors": Setting("authors", **PAPER, asks_as_published=True),  # type: ignore[arg-type]
}


def as_setting(setting: str | Setting) -> Setting:
    """Return a setting given by name, or as it is."""
    if isinstance(setting, Setting):
        return setting
    if not isinstance(setting, str) or setting not in SETTINGS:
        raise ValueError(f"there is no setting {setting!r}; there are {', '.join(SETTINGS)}")
    return SETTINGS[setting]

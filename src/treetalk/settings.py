"""How a session goes about its work: treetalk's way, and the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import as_count
from treetalk.chain import REPAIRS, STARTS
from treetalk.models import DirichletDiffusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAPER_NOISE = 1e-4


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
    num_moves : int
        The moves of each chain between two queries.
    thinning : int
        A snapshot is taken after so many moves.
    num_kept : int
        So many snapshots of each chain are kept, the latest.
    summarises : bool
        Whether the tree that is shown and returned is a summary of the snapshots, or the last of them.
    has_papers_model : bool
        Whether the model, where none is given, is the paper's: half the variance of each column as the scale, noise of 1e-4.
    asks_as_published : bool
        Whether simulated queries and users follow the code that made the published curves; see `treetalk.authors`.
    """

    name: str
    start: str = "auto"
    other_start: str = "insertion"
    repair: str = "keep"
    moves: Mapping[str, float] | None = None
    num_chains: int = 2
    num_moves: int = 5_000
    thinning: int = 500
    num_kept: int = 100
    summarises: bool = True
    has_papers_model: bool = False
    asks_as_published: bool = False

    def __post_init__(self) -> None:
        for what, known in (("start", STARTS), ("other_start", STARTS), ("repair", REPAIRS)):
            if getattr(self, what) not in known:
                raise ValueError(f"{what} must be one of {', '.join(known)}, not {getattr(self, what)!r}")
        for what, least in (("num_chains", 1), ("num_moves", 0), ("thinning", 1), ("num_kept", 1)):
            as_count(getattr(self, what), what, least)

    def model_for(self, X: NDArray[np.float64]) -> DirichletDiffusion:
        """Return the model that is used where none is given."""
        if not self.has_papers_model:
            return DirichletDiffusion()
        return DirichletDiffusion(scale=X.var(axis=0, ddof=1) / 2, noise=PAPER_NOISE)


PAPER = {
    "start": "random",
    "other_start": "random",
    "repair": "build",
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

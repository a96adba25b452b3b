"""A session put away and taken up again: copied, pickled, or kept as plain arrays, such as a file may hold."""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from treetalk.again import Repeated, what_was_repeated
from treetalk.answers import Answer, Ledger
from treetalk.arguments import NO_TRIPLETS
from treetalk.chain import Chain
from treetalk.columns import Columns, shares_of
from treetalk.flatness import flatness_of
from treetalk.heard import Heard, calls_alike, pieces_of, sorts, what_was_heard
from treetalk.loosening import LooseChain
from treetalk.models import DirichletDiffusion
from treetalk.presuming import NEXT_TO_CERTAIN, is_borne_out, presumed_of
from treetalk.settings import Setting
from treetalk.snapshots import Snapshots
from treetalk.tree import Tree
from treetalk.unsaid import MOST_PIECES, Piece

if TYPE_CHECKING:
    from numpy.typing import NDArray

Self = TypeVar("Self", bound="Resumable")
Journal = Callable[[tuple[Answer, ...]], None]


class KeptChain(NamedTuple):
    """Where a chain is."""

    parents: NDArray[np.int32]
    ages: NDArray[np.float64]
    random_state: NDArray[np.uint64]
    counts: NDArray[np.int64]  # of moves tried and accepted, by kind

    def tree(self) -> Tree:
        """Return the chain's tree."""
        return Tree(self.parents, age=self.ages)


class Kept(NamedTuple):
    """Where a session is, apart from its data, its options and its answers."""

    num_answers: int  # those that the trees have taken in, from the first on
    num_asked: int
    random_state: dict[str, Any]  # of NumPy's generator
    chains: tuple[KeptChain, ...]
    snapshots: Snapshots
    set_aside: dict[int, int]  # answers that contradict others, as the ledger has them
    is_borne_out: bool  # whether trees bear out what answers imply for flat classes, see `treetalk.presuming`

    def is_sound(self, num_items: int, num_answers: int) -> bool:
        """Return whether a session over so many items, with so many answers, can go on from here.

        What comes from a file is looked at before kernels see it.
        """
        if not self.chains or {chain.parents.shape for chain in self.chains} != {(2 * num_items - 1,)}:
            return False
        count = len(self.chains)
        parents = np.array([chain.parents for chain in self.chains])
        ages = np.array([chain.ages for chain in self.chains])
        trees = Snapshots(parents, ages, np.zeros((count, 2)), np.arange(count), np.zeros(count, bool))
        return (
            trees.are_sound
            and self.snapshots.are_sound
            and self.snapshots.num_leaves == num_items
            and bool((self.snapshots.chains < count).all())
            and 0 <= self.num_answers <= num_answers
            and self.num_asked >= 0
        )


class Resumable(ABC):
    """What a session does to be put away and taken up again."""

    _lock: threading.RLock
    _setting: Setting
    _ledger: Ledger
    _num_asked: int
    _heard: tuple[Heard, ...]  # of the answers so far, of which there were so many
    _repeated: Repeated
    _flatness: float
    _presumed: NDArray[np.int32]  # what they imply for flat classes, if trees bear it out
    _is_borne_out: bool
    _num_weighed: int
    _X: NDArray[np.float64]
    _columns: Columns
    _weights: NDArray[np.float64]  # of the columns that vary
    _model: DirichletDiffusion  # in which they have these weights
    _pieces: tuple[Piece, ...]
    _rng: np.random.Generator
    _chains: list[Chain]
    _loose: LooseChain | None
    _snapshots: Snapshots
    _held: tuple[NDArray[np.int32], NDArray[np.int32]]
    _taken_in: tuple[int, bool]  # of which standing
    _tree: Tree | None
    _known: Any
    _journal: Journal | None

    @abstractmethod
    def _take_in(self) -> None:
        """Bring chains and snapshots in line with the answers in force."""

    @abstractmethod
    def _current(self) -> Snapshots:
        """Return where the chains are, as trees to begin with: not yet draws."""

    def _weigh(self, was_borne_out: bool | None = None) -> None:
        """Have the chains weigh columns, who stands close, and what was left unsaid: also what was accepted tells.

        Whether what answers imply for classes is borne out is seen by the trees as they are, if it is not known from before.
        """
        if self._num_weighed != len(self._ledger.entries):
            triplets, num_items = self._ledger.triplets(), self._chains[0].num_items
            self._heard, self._repeated = what_was_heard(self._ledger), what_was_repeated(self._ledger)
            self._flatness = flatness_of(self._heard, triplets, num_items)
            if self._setting.presumes:
                implied = presumed_of(triplets, self._heard, num_items, self._flatness)
                trees = (chain.tree for chain in self._chains)  # made only if there is something to see by them
                self._is_borne_out = is_borne_out(implied, trees) if was_borne_out is None else was_borne_out
                self._presumed = implied if self._is_borne_out else NO_TRIPLETS
                if not (self._is_borne_out or calls_alike(self._heard) or sorts(self._heard)):
                    self._flatness = min(self._flatness, NEXT_TO_CERTAIN)
            if self._setting.weighs_columns:
                self._weights = self._columns.weights(triplets, shares_of(triplets, self._heard))
                self._model = self._columns.model_for(self._weights)
            before, self._pieces = self._pieces, pieces_of(self._heard) if self._setting.unsaid else ()
            if not {piece[:2] for piece in before} <= {piece[:2] for piece in self._pieces}:
                # What was drawn with a hint that is taken back is no draw any more.
                self._snapshots, self._tree = self._snapshots.as_stand_ins(), None
            self._num_weighed = len(self._ledger.entries)
        for chain in self._chains:
            chain.set_model(self._model, self._X)
            chain.set_flatness(self._flatness)
            chain.set_shown(self._pieces[-MOST_PIECES:], self._setting.unsaid)

    @property
    def _standing(self) -> tuple[int, bool]:
        """How often what is in force has changed, and whether something is presumed: an acceptance may bring that about."""
        return self._ledger.num_changes, len(self._presumed) > 0

    @property
    def _all_in_force(self) -> NDArray[np.int32]:
        """What all trees satisfy: what was said, and what is presumed."""
        return np.concatenate([self._chains[0].triplets, self._chains[0].presumed])

    def put_away(self) -> Kept:
        """Return where the session is; `take_up` goes on from there.

        The loose chain is not kept, here or there: it sets out anew when it is needed.
        """
        with self._lock:
            self._take_in()
            self._loose = None
            return Kept(
                len(self._ledger.entries),
                self._num_asked,
                dict(self._rng.bit_generator.state),
                tuple(KeptChain(*chain.put_away()) for chain in self._chains),
                self._snapshots,
                self._ledger.set_aside,
                self._is_borne_out,
            )

    def take_up(self, kept: Kept, answers: Sequence[Answer]) -> None:
        """Go on from where a session was put away, in a new one that starts from the kept chains' trees.

        Answers that came later, if there are any, are taken in as `answer` does.
        """
        with self._lock:
            self._ledger.restore(answers[: kept.num_answers], kept.set_aside)
            self._weigh(kept.is_borne_out)
            for chain, kept_chain in zip(self._chains, kept.chains, strict=True):
                chain.replace_triplets(self._ledger.triplets(), self._presumed)
                chain.take_up(kept_chain.random_state, kept_chain.counts)
            self._held = self._chains[0].triplets, self._presumed
            # They all satisfy these already, unless something else has changed them.
            sound = kept.snapshots.satisfying(self._all_in_force)
            self._snapshots = sound if len(sound) else self._current()
            self._taken_in = self._standing
            self._num_asked = kept.num_asked
            self._rng.bit_generator.state = kept.random_state
            self._tree = self._known = None
            self.replay(answers[kept.num_answers :])

    def replay(self, answers: Sequence[Answer]) -> None:
        """Take in answers that were recorded elsewhere, those that follow the ones that are known here."""
        with self._lock:
            self._ledger.extend(answers)
            self._take_in()

    def keep_journal(self, journal: Journal | None) -> None:
        """Have every answer written down elsewhere, before it is known here; what fails there does not come to be here."""
        self._journal = journal

    def copy(self: Self) -> Self:
        """Return a session in the same state, random numbers included, that goes its own way, and has no journal."""
        return copy.deepcopy(self)

    def __copy__(self: Self) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"} | {"_journal": None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._lock = threading.RLock()

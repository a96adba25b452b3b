"""A Markov chain over hierarchies: its trees are draws from the posterior among the trees that satisfy every triplet."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.arguments import (
    NO_TRIPLETS,
    Items,
    as_count,
    as_one_row,
    as_seed,
    as_triplets,
    as_weight,
)
from treetalk.build import as_num_leaves
from treetalk.constraints import Constraints
from treetalk.data import as_data, names_of_rows
from treetalk.models import DirichletDiffusion, as_model
from treetalk.moves import MIXTURE, MOVES, MoveCounts, cumulative
from treetalk.progress import Progress
from treetalk.regrafting import regraft_all
from treetalk.repair import rebuild, repair
from treetalk.start import names_of_items, start_auto, start_by_insertion, start_from, start_random, with_leaves
from treetalk.state import Engine, diffusion_ages
from treetalk.tree import Tree
from treetalk.triplets import check_size
from treetalk.unsaid import Piece, check_piece
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Moves are made in blocks of about so many seconds, between which Ctrl-C is heard and other threads may look.
SECONDS = 0.05
FIRST_BLOCK = 200
STARTS = {"auto": start_auto, "insertion": start_by_insertion, "random": start_random}
REPAIRS = {"keep": repair, "build": rebuild, "regraft": repair}


class Recording(NamedTuple):
    """Trees that a chain wrote down, one row each."""

    parents: NDArray[np.int32]
    ages: NDArray[np.float64]
    densities: NDArray[np.float64]  # log prior, log likelihood


class Chain:
    """A Metropolis-Hastings sampler of hierarchies that satisfy triplets.

    Each move prunes a subtree and regrafts it elsewhere, or draws times anew; see `moves`. The stationary distribution
    is the posterior of `model`, restricted to the trees with all the triplets, times the factors that `closeness` and
    `set_shown` bring in, if they do. The same seed gives the same chain, bit
    for bit, however the moves are divided into runs.

    Parameters
    ----------
    X : array of shape (num_items, num_features)
        The data, finite numbers. Columns may have any units.
    triplets : array of shape (m, 3)
        Triplets ab|c to be satisfied: item numbers, or names where `items` is given; the odd one last.
    model : DirichletDiffusion, optional
        The prior and likelihood; by default ``DirichletDiffusion()``, whose parameters are taken from the data.
    start : "auto", "insertion", "random" or Tree
        Where to start. "auto": average linkage for up to 3,000 items, insertion beyond. "insertion": items in a random
        order, each put where it fits best. "random": a tree that has nothing to do with the data. A tree without the times
        of a diffusion gets some that fit the data, and multifurcations are resolved. Wherever the start violates a
        triplet, it is repaired. Leaf i of a tree is row i of X; by name, if both the tree and `items` have names.
    seed : int
        The seed of the random numbers.
    items : sequence of str, optional
        The names of the items; by default the labels of a data frame's rows if they are strings, else the names that
        `triplets` or `start` have.
    moves : mapping of str to float, optional
        The kinds of moves and how often each is made, relative to the others: "walk" (the paper's: regraft where a new
        point would go), "guided" (the same walk, led by the likelihood), "local" (regraft near by) and "times" (draw
        the ages of a clade anew; alone it never changes the topology). By default a mixture of all.
    repair : "keep", "regraft" or "build"
        How a tree is changed to satisfy a triplet that it violates: keeping what can be kept; by the one regraft that the
        posterior likes best, if one is enough; or the paper's way, which builds everything below the meeting point of the
        three items anew.
    closeness : float
        The weight of what the triplets say beside being satisfied: the density of a tree is multiplied by the size of the
        smallest clade with both a and b, to the power of -`closeness`, for each pair that triplets ab|c put together; the
        power is shared where there are more pairs than it takes to hold a group together, see `treetalk.groups`.

    Raises
    ------
    InconsistentTriplets
        If no tree satisfies the triplets; its `conflict` is a minimal set of them that contradict each other.
    """

    def __init__(
        self,
        X: ArrayLike,
        triplets: ArrayLike = (),
        model: DirichletDiffusion | None = None,
        start: str | Tree = "auto",
        seed: int = 0,
        *,
        items: Iterable[object] | None = None,
        moves: Mapping[str, float] | None = None,
        repair: str = "keep",
        closeness: float = 0.0,
    ) -> None:
        if repair not in REPAIRS:
            raise ValueError(f"repair must be {', '.join(map(repr, REPAIRS))}, not {repair!r}")
        self._repair = repair
        self._closeness = as_weight(closeness, "closeness")
        data = as_data(X)
        fitted = as_model(model)._for_data(data)
        Z, log_units = fitted._standardise(data)
        self._set_up(Z, log_units, fitted, triplets, start, seed, names_of_rows(X) if items is None else items, moves)

    @classmethod
    def of_prior(
        cls,
        num_leaves: int,
        triplets: ArrayLike = (),
        model: DirichletDiffusion | None = None,
        start: str | Tree = "auto",
        seed: int = 0,
        *,
        items: Iterable[object] | None = None,
        moves: Mapping[str, float] | None = None,
        closeness: float = 0.0,
    ) -> Chain:
        """Return a chain without data: it samples the prior among the trees that satisfy the triplets."""
        size = as_num_leaves(num_leaves)
        if size < 2:
            raise ValueError(f"a hierarchy needs at least 2 items, not {size}")
        chain = cls.__new__(cls)
        chain._repair, chain._closeness = "keep", as_weight(closeness, "closeness")
        chain._set_up(np.empty((size, 0)), 0.0, as_model(model), triplets, start, seed, items, moves)
        return chain

    def _set_up(
        self,
        Z: NDArray[np.float64],
        log_units: float,
        model: DirichletDiffusion,
        triplets: ArrayLike,
        start: str | Tree,
        seed: int,
        items: Iterable[object] | None,
        moves: Mapping[str, float] | None,
    ) -> None:
        n = len(Z)
        self._lock = threading.RLock()  # held by whoever moves or looks, so that a chain may be looked at while it runs
        self._block = FIRST_BLOCK
        self._shown: tuple[tuple[Piece, ...], float] = (), 0.0
        self._model, self._log_units = model, log_units
        self._items = names_of_items(n, items, triplets, start)
        self._cumulative = cumulative(MIXTURE if moves is None else moves)
        none = Constraints(n, self._items)
        first = none.with_more(as_triplets(triplets, n, self._items))
        seed = as_seed(seed)
        noise = 1.0 if isinstance(model.noise, str) else model.noise
        self._engine = Engine(Z, noise, model.divergence, seed, self._closeness)
        rng = np.random.default_rng([seed, n])
        if isinstance(start, Tree):
            self._engine.set_tree(*start_from(with_leaves(start, n, self._items), Z, noise, rng))
        elif isinstance(start, str) and start in STARTS:
            STARTS[start](self._engine, Z, noise, rng)
        else:
            shown = repr(start) if isinstance(start, str) else type(start).__name__
            known = ", ".join(f'"{name}"' for name in STARTS)
            raise ValueError(f"start must be {known} or a Tree, not {shown}; Tree.from_linkage makes one")
        self._constraints = none
        self._take(first)

    # --- triplets

    @property
    def triplets(self) -> NDArray[np.int32]:
        """The triplets that every tree of the chain satisfies, of shape (m, 3), in the order in which they came."""
        return self._constraints.triplets

    @property
    def presumed(self) -> NDArray[np.int32]:
        """Triplets that every tree of the chain satisfies although nobody has said so; see `replace_triplets`."""
        return self._constraints.presumed

    def add_triplet(self, triplet: Sequence[int | str] | NDArray[np.integer]) -> None:
        """Take in one triplet (a, b, c): a and b belong together, apart from c. See `add_triplets`."""
        self.add_triplets(as_one_row(triplet))

    def add_triplets(self, triplets: ArrayLike) -> None:
        """Take in triplets. The tree is repaired where it violates them, and otherwise stays as it is.

        Raises `InconsistentTriplets`, and changes nothing, if no tree satisfies them together with those that were there.
        """
        check_size(triplets, self._engine.num_leaves)
        more = as_triplets(triplets, self._engine.num_leaves, self._items)
        with self._lock:
            self._take(self._constraints.with_more(more))

    def remove_triplet(self, triplet: Sequence[int | str] | NDArray[np.integer]) -> None:
        """Take back one triplet; the tree stays as it is, and its moves are free again. See `remove_triplets`."""
        self.remove_triplets(as_one_row(triplet))

    def remove_triplets(self, triplets: ArrayLike) -> None:
        """Take back triplets. Raises ValueError, and changes nothing, if one of them is not there."""
        fewer = as_triplets(triplets, self._engine.num_leaves, self._items)
        with self._lock:
            constraints = self._constraints
            for triplet in fewer:
                constraints = constraints.without(triplet)
            self._take(constraints)

    def replace_triplets(self, triplets: ArrayLike, presumed: NDArray[np.int32] = NO_TRIPLETS) -> None:
        """Go over to other triplets, in place of all that there were; repetitions do no harm. See `add_triplets`.

        Those `presumed` hold from then on too, but are not among `triplets`, and say nothing of who stands close.
        """
        check_size(triplets, self._engine.num_leaves)
        wanted = as_triplets(triplets, self._engine.num_leaves, self._items)
        with self._lock:
            self._take(self._constraints.replaced_by(wanted, presumed))

    def set_flatness(self, flatness: float) -> None:
        """Have the pairs that triplets put together weighed as `treetalk.groups.pair_weights` does; 0 at first."""
        with self._lock:
            if flatness != self._engine.flatness:
                self._engine.flatness = flatness
                self._constrain(self._constraints)

    def set_shown(self, pieces: Sequence[Piece], weight: float) -> None:
        """Have trees count for less the more they differ from pieces that were shown; see `treetalk.unsaid`."""
        wanted = tuple(pieces), as_weight(weight, "weight")
        with self._lock:
            if wanted != self._shown:
                for piece in wanted[0]:
                    check_piece(piece, self._engine.num_leaves)
                self._engine.set_shown(*wanted)
                self._shown = wanted

    def _take(self, constraints: Constraints) -> None:
        """Go over to other constraints, with a tree that satisfies them."""
        if constraints is self._constraints:
            return
        if not constraints.are_satisfied_by(self._engine.parents_and_ages()[0]):
            constraints.check()
            if self._repair != "regraft" or not regraft_all(self._engine, constraints):
                together = np.concatenate([constraints.needed, constraints.presumed])
                repaired = REPAIRS[self._repair](*self._engine.parents_and_ages(), together)
                # The old triplets' mrcas would be sought in the new tree.
                self._engine.set_triplets(NO_TRIPLETS)
                self._engine.set_tree(*repaired)
        self._constrain(constraints)
        self._constraints = constraints

    def _constrain(self, constraints: Constraints) -> None:
        self._engine.set_triplets(constraints.needed, constraints.presumed)

    # --- sampling

    def run(self, num_moves: int) -> Chain:
        """Make moves, and return the chain itself.

        The GIL is released: chains run on threads side by side (`run_chains`), and a chain may be looked at from another
        thread while it runs. Ctrl-C stops between two moves.
        """
        count = as_count(num_moves, "num_moves")
        with Progress(count, "Sampling") as progress:
            self._run(count, progress.advance)
        return self

    def _run(self, num_moves: int, advance: Callable[[int], None], stop: threading.Event | None = None) -> None:
        done = 0
        while done < num_moves and not (stop is not None and stop.is_set()):
            block = min(self._block, num_moves - done)
            start = time.perf_counter()
            with self._lock:
                self._engine.run(self._cumulative, block)
            if block == self._block:
                took = max(time.perf_counter() - start, 1e-6)
                self._block = max(1, int(block * min(SECONDS / took, 2.0)))
            done += block
            advance(block)

    def samples(self, num_samples: int, num_moves: int) -> Iterator[Tree]:
        """Run, and give the tree after each `num_moves` moves, `num_samples` times."""
        return self._samples(as_count(num_samples, "num_samples"), as_count(num_moves, "num_moves"))

    def _samples(self, num_samples: int, num_moves: int) -> Iterator[Tree]:
        with Progress(num_samples, "Sampling") as progress:
            for _ in range(num_samples):
                self._run(num_moves, lambda steps: None)
                progress.advance(1)
                yield self.tree

    def record(
        self,
        num_moves: Sequence[int],
        advance: Callable[[int], None] | None = None,
        stop: threading.Event | None = None,
    ) -> Recording:
        """Run, and write the tree down after each number of moves.

        `advance` is told of the moves made; once `stop` is set, no more moves are made.
        """
        count, num_nodes = len(num_moves), 2 * self.num_items - 1
        kept = Recording(np.empty((count, num_nodes), np.int32), np.empty((count, num_nodes)), np.empty((count, 2)))
        tell = advance or (lambda steps: None)
        between = np.array(num_moves, np.int64)
        begin = 0
        while begin < count:
            if between[begin] > self._block:
                self._run(int(between[begin]), tell, stop)
                between[begin] = 0
            if stop is not None and stop.is_set():
                between[begin:] = 0
            # As many rows as a block has moves for, in one call.
            end = begin + max(1, int(np.searchsorted(np.cumsum(between[begin:]), self._block, side="right")))
            rows = slice(begin, end)
            with self._lock:
                self._engine.record(
                    self._cumulative, between[rows], kept.parents[rows], kept.ages[rows], kept.densities[rows]
                )
            tell(int(between[begin:end].sum()))
            begin = end
        kept.densities[:, 1] += self._log_units
        return kept

    # --- where the chain is

    @property
    def tree(self) -> Tree:
        """The current tree, frozen: the chain goes on without it. Its times are those of the diffusion."""
        with self._lock:
            parent, ages = self._engine.parents_and_ages()
        return Tree(parent, age=ages, items=self._items)

    @property
    def log_prior(self) -> float:
        """The log prior density of the current tree, no constant dropped, the triplets left aside."""
        return self._log_densities()[0]

    @property
    def log_likelihood(self) -> float:
        """The log density of the data given the current tree, no constant dropped."""
        return self._log_densities()[1]

    @property
    def log_posterior(self) -> float:
        """The sum of `log_prior` and `log_likelihood`."""
        return sum(self._log_densities())

    @property
    def log_closeness(self) -> float:
        """The log of the factor that `closeness` brings in; 0 without it."""
        with self._lock:
            return self._engine.log_closeness

    @property
    def log_unsaid(self) -> float:
        """The log of the factor that `set_shown` brings in; 0 without it."""
        with self._lock:
            return self._engine.log_unsaid

    @property
    def log_target(self) -> float:
        """The log density that draws are from, but for a constant: the posterior with what answers say beside holding."""
        with self._lock:
            return self.log_posterior + self.log_closeness + self.log_unsaid

    def _log_densities(self) -> tuple[float, float]:
        with self._lock:
            log_prior, log_likelihood = self._engine.log_densities()
        return log_prior, log_likelihood + self._log_units

    @property
    def info(self) -> dict[str, MoveCounts]:
        """How often each kind of move was tried and accepted, since the chain began."""
        return {name: MoveCounts(*counts) for name, counts in zip(MOVES, self._engine.counts.tolist(), strict=True)}

    @property
    def model(self) -> DirichletDiffusion:
        """The model with its parameters as taken from the data."""
        return self._model

    @property
    def data(self) -> NDArray[np.float64]:
        """The data that the model sees: columns that vary, centred on the origin and divided by the root of the scale."""
        return self._engine.data

    @property
    def items(self) -> Items | None:
        """The names of the items."""
        return self._items

    @property
    def num_items(self) -> int:
        """The number of items."""
        return int(self._engine.num_leaves)

    def put_away(self) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.uint64], NDArray[np.int64]]:
        """Return where the chain is: parents, ages, the state of its random numbers, and how many moves it has made.

        The chain that goes on here and the one that `take_up` makes elsewhere make the same moves, bit for bit.
        """
        with self._lock:
            tree = self._engine.parents_and_ages()
            # The order in which nodes are stored, and rounding, depend on the moves before; a new chain knows none of them.
            self._engine.set_tree(*tree)
            self._constrain(self._constraints)
            return *tree, self._engine.random_state.copy(), self._engine.counts.copy()

    def take_up(self, random_state: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        """Go on with random numbers and counts of moves that were put away, in a chain that starts from the tree."""
        shapes = self._engine.random_state.shape, self._engine.counts.shape
        if (random_state.shape, counts.shape) != shapes or not random_state.any():
            raise ValueError("these are no random numbers and counts of moves that a chain has put away")
        with self._lock:
            self._engine.random_state[:] = random_state
            self._engine.counts[:] = counts

    def go_to(self, tree: Tree) -> None:
        """Go over to another tree with the times of a diffusion and with all the triplets, and on from there."""
        with self._lock:
            self._engine.set_triplets(NO_TRIPLETS)
            self._engine.set_tree(tree.parent, diffusion_ages(tree))
            self._constrain(self._constraints)

    def copy(self) -> Chain:
        """Return a chain in the same state, random numbers included, that goes its own way."""
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    def apart(self, key: int) -> Chain:
        """Return a copy with random numbers of its own, which depend on a key and on how many moves were made."""
        other = self.copy()
        counts = np.array(list(self.info.values()), np.int64)
        numbers = np.random.SeedSequence([key, int(counts.sum())]).generate_state(4, np.uint64)
        other.take_up(numbers.astype(np.uint64), counts)
        return other

    def listen_to(self, other: Chain) -> None:
        """Take over all that was said to another chain over the same items."""
        self.set_flatness(other._engine.flatness)
        self.set_shown(*other._shown)
        self.replace_triplets(other.triplets, other.presumed)

    def set_model(self, model: DirichletDiffusion, X: ArrayLike) -> None:
        """Sample from here on under another model of the same data, with the same divergence function.

        X are the data. The columns that vary in the model must be those that did before.
        """
        if model == self._model:
            return
        data = as_data(X)
        fitted = as_model(model)._for_data(data)
        Z, log_units = fitted._standardise(data)
        if Z.shape != self._engine.data.shape or fitted.divergence != self._model.divergence:
            raise ValueError("another model of a chain has the same divergence function and as many columns that vary")
        assert not isinstance(fitted.noise, str)
        with self._lock:
            self._model, self._log_units = fitted, log_units
            self._engine.set_data(Z, fitted.noise)

    def __copy__(self) -> Chain:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Chain:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        # Only the engine ever changes; whatever else there is, is exchanged as a whole.
        with self._lock:
            kept = {name: value for name, value in self.__dict__.items() if name != "_lock"}
            return kept | {"_engine": copy.deepcopy(self._engine)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        made = sum(counts.tried for counts in self.info.values())
        parts = [(self._engine.num_leaves, "item"), (len(self.triplets), "triplet"), (made, "move")]
        return f"<treetalk.Chain: {', '.join(counted(*part) for part in parts)} made>"

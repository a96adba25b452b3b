"""The dialogue: ask, take an answer, advance. A state machine without any input or output of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from treetalk.again import AGAIN, Repeated
from treetalk.answers import Answer, Conflict, Ledger
from treetalk.arguments import NO_TRIPLETS, C, as_count, as_items, as_rows, as_seed, as_triplets, items_of
from treetalk.arrays import frozen
from treetalk.chain import Chain, Recording
from treetalk.columns import Columns
from treetalk.data import as_data, names_of_rows
from treetalk.inquiring import Inquirer
from treetalk.locking import alone
from treetalk.loosening import LooseChain
from treetalk.models import DirichletDiffusion
from treetalk.parallel import side_by_side
from treetalk.presuming import is_still_presumed
from treetalk.progress import Progress
from treetalk.queries import Query
from treetalk.scouting import Scouts
from treetalk.settings import Setting, as_setting
from treetalk.snapshots import ENOUGH, Snapshots
from treetalk.strategies import NUM_CANDIDATES, SUBSET_SIZE, Strategy, as_strategy
from treetalk.tree import Tree
from treetalk.triplets import TripletSet
from treetalk.unsaid import clade_sizes
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Nodes of one chain's snapshots: some hundred megabytes for two chains.
MOST_NODES_KEPT, FEWEST_KEPT = 500_000, 10
# Moves times items. Less work is done sooner by one thread, and leaves the other cores to other sessions.
WORTH_A_THREAD = 5_000_000
# Has chains write trees down after numbers of moves; returns the chains as they are then, and what they wrote.
Runner = Callable[[Sequence[Chain], Sequence[int], Progress], tuple[list[Chain], list[Recording]]]


class Session(Inquirer):
    """A dialogue about the hierarchy of some items.

    The session holds draws from the posterior over hierarchies, from several chains. `ask` chooses what to show; `answer`,
    `accept`, `same` and `skip` record what the user says to it, and `retract` takes an answer back; `advance` samples.
    Every tree that is shown or returned satisfies every answer in force.

    Answers are recorded in an append-only list. One that contradicts earlier answers is recorded too, and set aside: see
    `conflicts`. Taking back one of the clashing answers brings the others back into force. Among many answers, one that
    several others contradict is set aside itself, see `treetalk.outvoting`.

    Parameters
    ----------
    X : array of shape (num_items, num_features)
        The data, finite numbers. Columns may have any units.
    items : sequence of str, optional
        The names of the items; by default the labels of a data frame's rows, if they are strings. Numbers always count
        rows from 0, whatever the labels of a data frame are.
    strategy : str or Strategy, optional
        What to ask: "grouped", "loose", or the paper's "simple", "smart", "random", "active" or "interleaved", or an object;
        see `treetalk.strategies`. By default that of the setting: "grouped", or "interleaved" in the setting "paper".
    seed : int
        The seed of everything random. The same calls give the same session.
    model : DirichletDiffusion, optional
        The prior and likelihood; by default that of the setting.
    setting : str or Setting
        "treetalk", "paper" (what the paper's system does), or one of your own; "authors" matters to `simulate` alone.
    num_chains : int, optional
        The number of chains; by default that of the setting.
    subset_size : int
        The number of items in a query.
    num_candidates : int
        The number of random subsets from which an active query is chosen.
    starts : sequence of str or Tree, optional
        Where each chain starts, as for `Chain`; by default as the setting has it.
    """

    def __init__(
        self,
        X: ArrayLike,
        items: Iterable[object] | None = None,
        strategy: str | Strategy | None = None,
        seed: int = 0,
        *,
        model: DirichletDiffusion | None = None,
        setting: str | Setting = "treetalk",
        num_chains: int | None = None,
        subset_size: int = SUBSET_SIZE,
        num_candidates: int = NUM_CANDIDATES,
        starts: Sequence[str | Tree] | None = None,
    ) -> None:
        self._setting = as_setting(setting)
        sizes = as_count(subset_size, "subset_size", 3), as_count(num_candidates, "num_candidates", 1)
        self._strategy = as_strategy(self._setting.strategy if strategy is None else strategy, *sizes)
        count = self._setting.num_chains if num_chains is None else as_count(num_chains, "num_chains", 1)
        places = [self._setting.start, *[self._setting.other_start] * (count - 1)] if starts is None else starts
        # One pass over what may be gone after it.
        names = names_of_rows(X) if items is None else as_items(items)
        data = self._X = frozen(as_data(X))
        chain = partial(
            Chain,
            data,
            model=self._setting.model_for(data) if model is None else model,
            items=names,
            moves=self._setting.moves,
            repair=self._setting.repair,
            closeness=self._setting.closeness,
        )
        seeds = np.random.SeedSequence(as_seed(seed)).spawn(len(places) + 1)
        self._rng = np.random.default_rng(seeds[0])
        self._chains = [
            chain(seed=int(each.generate_state(1)[0]), start=start)
            for each, start in zip(seeds[1:], places, strict=True)
        ]
        self._scouts = Scouts()
        self._model = self._chains[0].model
        self._columns = Columns(data, self._model)
        self._weights = np.ones(np.count_nonzero(self._model.scale))
        self._journal = None
        self._lock = threading.RLock()  # held by whoever asks, answers, samples or looks
        # Large trees are kept in smaller numbers.
        self._num_kept = min(self._setting.num_kept, max(FEWEST_KEPT, MOST_NODES_KEPT // self.num_items))
        self._ledger = Ledger(self.num_items, outvotes=self._setting.outvotes)
        self._num_asked = 0
        self._heard, self._pieces, self._flatness, self._num_weighed = (), (), 0.0, -1
        self._presumed, self._is_borne_out = NO_TRIPLETS, True
        self._repeated = Repeated()
        self._known: TripletSet | None = None
        self._tree: Tree | None = None
        self._loose: LooseChain | None = None
        self._loosened: tuple[tuple[int, int], Snapshots] | None = (
            None  # after how many moves and answers, and what it drew
        )
        self._classes, self._likeness = None, None
        self._snapshots = self._current()
        self._taken_in = self._standing
        self._held = NO_TRIPLETS, NO_TRIPLETS  # what all snapshots satisfy: what was said, and what is presumed

    # --- answers

    @alone
    def answer(self, query: Query | None, triplets: ArrayLike | Sequence[int | str]) -> tuple[Answer, ...]:
        """Record a correction: one triplet (a, b, c), the odd one last, or several; and repair the trees.

        The chains make no moves; `advance` has them make some. But one that was led astray goes on from another tree.

        Parameters
        ----------
        query : Query or None
            What was shown; None for something that the user says unasked.
        triplets : array of shape (m, 3), or one triplet
            Item numbers of X, or names; not only of items that were shown.

        Returns
        -------
        tuple of Answer
            One entry for each triplet. One that contradicts earlier answers is among `conflicts` then.
        """
        self._check_query(query, is_needed=False)
        rows = as_rows(triplets)
        if not rows:
            raise ValueError("an answer needs a triplet; use accept, same or skip to give none")
        # What knows its items by name is about these, in whatever order they stand.
        given = np.array(rows, dtype=object) if items_of(triplets) is None else triplets
        array = as_triplets(given, self.num_items, self.items)
        return self._note("triplet", query, [(a, b, c) for a, b, c in array.tolist()])

    @alone
    def accept(self, query: Query) -> Answer:
        """Record that what was shown is right. This constrains nothing, as in the paper; see `treetalk.unsaid`."""
        self._check_query(query)
        return self._note("accept", query)[0]

    @alone
    def same(self, query: Query) -> Answer:
        """Record that the items are all alike to the user. It constrains nothing; the same triple is not asked again."""
        self._check_query(query)
        return self._note("same", query)[0]

    @alone
    def skip(self, query: Query) -> Answer:
        """Record that the user does not answer."""
        self._check_query(query)
        return self._note("skip", query)[0]

    @alone
    def retract(self, answer_id: int | Answer | Sequence[int | Answer]) -> Answer:
        """Take an answer back, given by its id or as `answer` returned it; return the entry, the last of several.

        The posterior is then the one without it; `advance` samples from it.
        """
        is_one = isinstance(answer_id, Answer) or not isinstance(answer_id, Sequence)
        numbers = [self._as_retractable(each) for each in ([answer_id] if is_one else answer_id)]  # type: ignore[union-attr, arg-type]
        if not numbers:
            raise ValueError("there is no answer to take back")
        entries = self._ledger.next_retractions(list(dict.fromkeys(numbers)))
        self._write_down(entries)
        return entries[-1]

    def _as_retractable(self, answer_id: int | Answer) -> int:
        """Return the id of an answer that can be taken back."""
        number = answer_id.id if isinstance(answer_id, Answer) else as_count(answer_id, "answer_id")
        entries = self._ledger.entries
        if number >= len(entries):
            raise ValueError(f"there is no answer {number}; there are {len(entries)} answers, numbered from 0")
        if entries[number].kind == "retract":
            raise ValueError(f"answer {number} is a retraction; to undo it, give the answer again")
        if self._ledger.is_retracted(number):
            raise ValueError(f"answer {number} has been taken back already")
        return number

    @alone
    def respond(self, query: Query, response: str | ArrayLike | Sequence[int | str]) -> None:
        """Record what a user returned: "accept", "same", "skip", a triplet or several."""
        if isinstance(response, str) and response in {"accept", "same", "skip"}:
            getattr(self, response)(query)
        elif response is None or isinstance(response, str):
            raise ValueError(f'a user returns triplets, "accept", "same" or "skip", not {response!r}')
        else:
            self.answer(query, response)

    def _note(
        self, kind: str, query: Query | None, triplets: Sequence[tuple[int, int, int] | None] = (None,)
    ) -> tuple[Answer, ...]:
        if query is None:
            entries = self._ledger.next_entries(kind, None, None, triplets)
        else:
            # Of three items the odd one is asked for, and no tree is shown.
            sizes = clade_sizes(query.tree) if query.kind == "subtree" else None
            entries = self._ledger.next_entries(kind, tuple(query.leaves.tolist()), query.strategy, triplets, sizes)
        # What is said when something is asked for again counts, and not what was said before.
        revised = self._revised(query, entries) if query is not None and query.strategy == AGAIN else []
        self._write_down(entries + self._ledger.next_retractions(revised, len(entries)))
        return entries

    def _revised(self, query: Query, entries: tuple[Answer, ...]) -> list[int]:
        """Return the answers about the three items of a query that what is said to it contradicts."""
        three = frozenset(query.leaves.tolist())
        said = {entry.triplet[C] for entry in entries if entry.triplet is not None and three == set(entry.triplet)}
        if not said and entries[0].kind != "same":
            return []
        return [
            each.id
            for each in self._ledger.entries
            if each.triplet is not None
            and three == set(each.triplet)
            and each.triplet[C] not in said
            and not self._ledger.is_retracted(each.id)
        ]

    def _write_down(self, entries: tuple[Answer, ...]) -> None:
        if self._journal is not None:
            self._journal(entries)
        self._ledger.extend(entries)
        self._take_in()

    def _take_in(self) -> None:
        """Bring chains and snapshots in line with the answers in force, if they are not.

        Interrupted, it is done again by whoever looks next.
        """
        self._weigh()
        if self._taken_in == self._standing:
            return
        self._known = self._tree = None
        for chain in self._chains:
            chain.replace_triplets(self._ledger.triplets(), self._presumed)
        now, triplets = self._all_in_force, self._chains[0].triplets
        if self._setting.summarises:
            left_behind = self._scouts.lead(self._chains, len(self._ledger.entries), self._moves_so_far)
            said, presumed = self._held
            only_more = np.array_equal(triplets[: len(said)], said)
            if not only_more or not is_still_presumed(presumed, self._presumed, triplets, self.num_items):
                self._snapshots = self._snapshots.as_stand_ins()
            held = self._snapshots.without_chains(left_behind).satisfying(now[len(said) :] if only_more else now)
            self._snapshots = held if held.num_draws >= ENOUGH else held.followed_by(self._current(), self._num_kept)
        else:
            self._snapshots = self._current()
        self._held = triplets, self._presumed
        self._taken_in = self._standing

    # --- sampling

    @alone
    def advance(
        self, num_moves: int | None = None, num_snapshots: int | None = None, *, runner: Runner | None = None
    ) -> Session:
        """Make moves in every chain, by default as many as the setting makes between two queries; return the session.

        So many snapshots are taken of each chain on the way, perhaps none; by default, as the setting thins, at least one.
        The chains run here, or wherever a `runner` has them run, such as `treetalk.parallel.in_jobs`.
        """
        count = self.num_moves if num_moves is None else as_count(num_moves, "num_moves")
        if count == 0:
            return self
        thinned = max(count // self._setting.thinning, 1)
        wanted = thinned if num_snapshots is None else as_count(num_snapshots, "num_snapshots")
        taken = min(max(wanted, 1), self._num_kept)
        between = [count * (i + 1) // taken - count * i // taken for i in range(taken)]
        with Progress(count * len(self._chains), "Sampling") as progress:
            if runner is not None:
                self._chains, recordings = runner(self._chains, between, progress)
            elif count * self.num_items < WORTH_A_THREAD:
                recordings = [chain.record(between, progress.advance) for chain in self._chains]
            else:
                recordings = side_by_side(
                    self._chains, lambda chain, advance, stop: chain.record(between, advance, stop), progress
                )
        if wanted > 0:
            self._snapshots = self._snapshots.followed_by(Snapshots.of_recordings(recordings), self._num_kept)
            self._tree = None
        return self

    def _current(self) -> Snapshots:
        """Return where the chains are, as trees to begin with: not yet draws."""
        recordings = [chain.record([0]) for chain in self._chains]
        return Snapshots.of_recordings(recordings).as_stand_ins()

    # --- where the session is

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All answers in the order in which they came, retractions included."""
        return self._ledger.entries

    @property
    def in_force(self) -> tuple[Answer, ...]:
        """The answers that every tree satisfies."""
        return self._ledger.in_force

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The answers set aside, each with those in force that it contradicts."""
        return self._ledger.conflicts

    @property
    def set_aside(self) -> dict[int, int]:
        """The ids of the answers set aside, each with how many in force, from the first on, contradict it."""
        return self._ledger.set_aside

    @property
    @alone
    def triplets(self) -> NDArray[np.int32]:
        """The triplets in force, each once, of shape (m, 3)."""
        return self._chains[0].triplets

    @property
    @alone
    def held(self) -> NDArray[np.int32]:
        """What every tree satisfies: the triplets in force, and what they imply where they look like those of classes."""
        return self._all_in_force

    @property
    def num_kept(self) -> int:
        """How many snapshots of each chain are kept at most, the latest."""
        return self._num_kept

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The chains."""
        return tuple(self._chains)

    @property
    def setting(self) -> Setting:
        """How the session goes about its work."""
        return self._setting

    def __repr__(self) -> str:
        said = f"{counted(len(self.answers), 'answer')}, {counted(len(self.triplets), 'triplet')} in force"
        aside = f", {len(self.conflicts)} set aside" if self.conflicts else ""
        return f"<treetalk.Session: {counted(self.num_items, 'item')}, {said}{aside}>"

    def _repr_html_(self) -> str:
        return self._as_html(self.tree, len(self.answers), "session")

"""Sampling while people think: in slices so short that nobody waits for them, until more of it would change little."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from treetalk.checks import open_share, sureness
from treetalk.errors import TreetalkError
from treetalk.posterior import diagnosis_of
from treetalk.summary import central_tree, with_support
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treetalk.arguments import Items
    from treetalk.classes import Classes
    from treetalk.project import Project
    from treetalk.server.board import Board
    from treetalk.server.turns import Turns
    from treetalk.snapshots import Snapshots
    from treetalk.tree import Tree
    from treetalk.unsaid import Piece

log = logging.getLogger("treetalk.server")

# Seconds. A slice is so short that whoever waits for it does not notice.
LONGEST_SLICE, SHORTEST_SLICE = 0.03, 0.012
FEWEST_MOVES, MOST_MOVES = 50, 20_000
# A summary comes soon after an answer, then ever more rarely: what a person looks at must not keep changing.
FIRST_SUMMARY, LAST_SUMMARY, SLOWER = 0.15, 20.0, 1.6
# Of the time, at most a fifth is for summaries.
SHARE_OF_SUMMARIES = 0.2
# After so many rounds of moves the diagnostics are looked at; after so many seconds it rests in any case.
ROUNDS_BEFORE_REST, LONGEST_SAMPLING = 20, 60.0
SECONDS_BETWEEN_SAVES = 60.0
PATIENCE = 0.2  # seconds that a save waits for another program to let go of the file, while people wait too
# With more answers, how much they settle is found out with the next summary only.
MOST_JUDGED_AT_ONCE = 300
# Beyond that many items, the diagnosis of all draws takes too long to be made on the side.
MOST_DIAGNOSED = 5_000


class Status(NamedTuple):
    """What the sampler does."""

    state: str  # "sampling", "resting" or "failed"
    words: str
    num_moves: int  # of each chain, since something was said
    num_draws: int
    moves_per_second: int


class Sureness(NamedTuple):
    """What the answers and the draws say of all statements about three items."""

    settled: float  # the share that follows from the answers
    sure: float  # the mean share of the draws that agree with the hierarchy shown


class Found(NamedTuple):
    """A summary of the draws, and what can be said of them."""

    tree: Tree
    sureness: Sureness
    is_enough: bool  # whether more draws would change little
    seconds: float  # that it took


def found(
    last: Tree | None,
    snapshots: Snapshots,
    triplets: NDArray[np.int32],
    held: NDArray[np.int32],
    items: Items | None,
    classes: Classes | None,
    pieces: Sequence[Piece],
    num_chains: int,
) -> Found:
    """Return the summary of draws, or a given tree in its place; with a number of chains, also whether they are enough."""
    start = time.monotonic()
    tree = central_tree(snapshots, held, items=items, classes=classes, pieces=pieces) if last is None else last
    is_enough = num_chains > 0 and diagnosis_of(snapshots, num_chains).is_trustworthy
    return Found(tree, judged(tree, snapshots, triplets), is_enough, time.monotonic() - start)


def judged(tree: Tree, snapshots: Snapshots, triplets: NDArray[np.int32]) -> Sureness:
    """Return how much is settled, and how sure the draws are of a tree; with many answers it takes a while."""
    num_items = tree.num_leaves
    settled = 1.0 - open_share(TripletSet(triplets, num_items), num_items)
    # Few answers settle a share that random triples miss, but for these themselves.
    least = len(triplets) / max(math.comb(num_items, 3), 1)
    return Sureness(max(settled, least), sureness(tree, snapshots))


class Sampler:
    """A thread that samples, and puts what comes of it on the board.

    Parameters
    ----------
    project : Project
        Whose session samples.
    turns : Turns
        Who may use the session.
    board : Board
        Where the hierarchy is shown.
    tell : callable
        Called when there is something new to see.
    prepare : callable
        Called, in a turn, when the posterior has changed: so that questions can be prepared.
    """

    def __init__(
        self, project: Project, turns: Turns, board: Board, *, tell: Callable[[], None], prepare: Callable[[], None]
    ) -> None:
        self._project, self._session = project, project.session
        self._turns, self._board, self._tell, self._prepare = turns, board, tell, prepare
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._is_closing = False
        self._woken = threading.Event()
        self._is_said = False  # something was said: show it, and sample on
        self._chunk = FEWEST_MOVES
        self._num_moves = self._num_draws = 0
        self._until_snapshot = self._session.setting.thinning
        self._speed = 0.0
        self._since = self._saved = self._summarised = time.monotonic()
        self._interval, self._cost = FIRST_SUMMARY, 0.0
        self._elsewhere = ThreadPoolExecutor(1, thread_name_prefix="summaries")
        self._finding: Future[Found] | None = None  # the summary that is being made
        self._rest: str | None = None  # why it rests
        self._failure: str | None = None
        self.tree: Tree = self._session.tree  # in line with all answers, in any turn
        self._show(self.tree, self._session.snapshots)
        self.sureness = judged(self.tree, self._session.snapshots, self._session.triplets)

    # --- for others

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Say that something was said: it is to be shown, and sampled on from there."""
        self._is_said = True
        self._woken.set()

    def show_again(self) -> None:
        """Say that a name was given: it is to be shown."""
        self._woken.set()

    def stop(self) -> None:
        """Stop, and put the trees away."""
        self._is_closing = True
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()
        self._elsewhere.shutdown()
        with self._turns.person():
            self._project.save()

    def line_up(self) -> Tree:
        """Bring the tree in line with what was said, and have the session show it, within a turn."""
        self.tree = self._session.stand_in(self.tree)
        return self.tree

    @property
    def status(self) -> Status:
        """What it does."""
        if self._failure is not None:
            state, words = "failed", self._failure
        elif self._rest is not None:
            state, words = "resting", self._rest
        else:
            state, words = "sampling", f"Sampling: {self._num_moves:,} moves since the last answer."
        return Status(state, words, self._num_moves, self._num_draws, round(self._speed))

    # --- the thread

    def _run(self) -> None:
        while not self._is_closing:
            try:
                self._step()
            except Exception:
                # Answers are recorded and shown all the same; what went wrong stands in the server's log.
                log.exception("sampling stopped")
                self._failure = "Sampling stopped because of an error; answers are still recorded and shown."
                self._tell()

    def _step(self) -> None:
        if self._woken.is_set():
            self._woken.clear()
            self._show_now()
        elif self._finding is not None and self._finding.done():
            self._take_over(self._finding)
        elif self._rest is not None or self._failure is not None:
            self._woken.wait(None if self._finding is None else SHORTEST_SLICE)
        else:
            self._slice()
            now = time.monotonic()
            if self._finding is None and now - self._summarised >= self._interval:
                self._summarise()
            if now - self._saved > SECONDS_BETWEEN_SAVES:
                self._save()

    def _show_now(self) -> None:
        """Show at once what was said, before any sampling."""
        with self._turns.background():
            is_said, self._is_said = self._is_said, False
            tree, snapshots, triplets = self.line_up(), self._session.snapshots, self._session.triplets
        self._show(tree, snapshots)
        self._tell()
        if len(triplets) <= MOST_JUDGED_AT_ONCE:
            self.sureness = judged(tree, snapshots, triplets)
        if is_said:
            self._num_moves, self._rest = 0, None
            self._since = time.monotonic()
            # Not counted from now: who answers quickly is to see more than repairs of an old summary.
            self._interval = max(FIRST_SUMMARY, 2 * self._cost)
        self._tell()

    def _slice(self) -> None:
        count = min(self._chunk, self._until_snapshot)
        with self._turns.spare(LONGEST_SLICE) as is_mine:
            if not is_mine:
                return
            start = time.perf_counter()
            self._session.advance(count, 1 if count == self._until_snapshot else 0)
            seconds = time.perf_counter() - start
        self._num_moves += count
        self._until_snapshot -= count
        if self._until_snapshot == 0:
            # What is kept are the trees of the second half of the moves.
            kept = 2 * self._session.num_kept
            self._until_snapshot = max(self._session.setting.thinning, self._num_moves // kept)
        if seconds > LONGEST_SLICE:
            self._chunk = max(FEWEST_MOVES, self._chunk // 2)
        elif seconds < SHORTEST_SLICE and count == self._chunk:
            self._chunk = min(MOST_MOVES, 2 * self._chunk)
        self._speed += 0.1 * (count / max(seconds, 1e-6) - self._speed)

    # --- summaries, which are made elsewhere: people are not to wait for them

    def _summarise(self) -> None:
        """Have a summary of the draws made."""
        with self._turns.background():
            session = self._session
            may_rest = self._may_rest(session.snapshots)
            # Only who wants to know whether there are enough draws compares their densities.
            snapshots = session.comparable if may_rest else session.snapshots
            triplets, held, pieces = session.triplets, session.held, session.pieces
            tree, classes = (None, session.classes) if session.setting.summarises else (session.tree, None)
        num_chains = len(session.chains) if may_rest else 0
        try:
            known = tree, snapshots, triplets, held, session.items, classes, pieces
            self._finding = self._elsewhere.submit(found, *known, num_chains)
        except RuntimeError:
            self._is_closing = True  # Python is about to end, and lets nobody begin anything

    def _take_over(self, finding: Future[Found]) -> None:
        """Show a summary that was made, brought in line with what was said meanwhile."""
        self._finding = None
        summary = finding.result()
        with self._turns.background():
            self.tree = summary.tree
            tree, snapshots = self.line_up(), self._session.snapshots
            self._prepare()
        self._show(tree, snapshots)
        self.sureness = summary.sureness
        if time.monotonic() - self._since > LONGEST_SAMPLING:
            self._rest = "Resting after a minute; the next answer wakes it."
        elif summary.is_enough:
            self._rest = "Resting: more sampling would change little."
        if self._rest is not None:
            self._save()
        self._summarised, self._cost = time.monotonic(), summary.seconds
        self._interval = max(min(self._interval * SLOWER, LAST_SUMMARY), self._cost / SHARE_OF_SUMMARIES)
        self._tell()

    def _may_rest(self, snapshots: Snapshots) -> bool:
        """Return whether there were so many moves that it is worth asking whether they are enough."""
        is_long = self._num_moves >= ROUNDS_BEFORE_REST * self._session.num_moves
        return is_long and snapshots.num_leaves <= MOST_DIAGNOSED

    def _show(self, tree: Tree, snapshots: Snapshots) -> None:
        """Put a tree on the board, with its support and the names that people gave."""
        canvas = self._board.draw(self._project.named(with_support(tree, snapshots)))
        with self._turns.background():
            triplets = self._session.triplets
            self._num_draws = snapshots.num_draws
            # Something may have been said meanwhile: a tree that violates it is not shown, and the next one follows.
            if not tree.satisfies(triplets).all():
                return
            self._board.put(canvas)

    def _save(self) -> None:
        """Put the trees away. If the file cannot be written to just now, that can wait: answers are there already."""
        self._saved = time.monotonic()
        try:
            with self._turns.background():
                self._project.save(patience=PATIENCE)
        except TreetalkError as error:
            log.warning("the trees were not put away: %s", error)

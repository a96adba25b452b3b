"""Sampling while people think: in slices so short that nobody waits for them, until more of it would change little."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from treetalk.checks import open_share, sureness
from treetalk.posterior import diagnosis_of
from treetalk.summary import central_tree, with_support
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treetalk.project import Project
    from treetalk.server.board import Board
    from treetalk.server.turns import Turns
    from treetalk.snapshots import Snapshots
    from treetalk.tree import Tree

log = logging.getLogger("treetalk.server")

# Seconds. A slice is so short that whoever waits for it does not notice.
LONGEST_SLICE, SHORTEST_SLICE = 0.03, 0.012
FEWEST_MOVES, MOST_MOVES = 50, 20_000
# A summary comes soon after an answer, then ever more rarely: what a person looks at must not keep changing.
FIRST_SUMMARY, LAST_SUMMARY, SLOWER = 0.6, 20.0, 1.6
# Of the time, at most a fifth is for summaries.
SHARE_OF_SUMMARIES = 0.2
# After so many rounds of moves the diagnostics are looked at; after so many seconds it rests in any case.
ROUNDS_BEFORE_REST, LONGEST_SAMPLING = 20, 60.0
SECONDS_BETWEEN_SAVES = 60.0
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
        self._interval = FIRST_SUMMARY
        self._rest: str | None = None  # why it rests
        self._failure: str | None = None
        self.tree: Tree = self._session.tree  # in line with all answers, in any turn
        self.sureness = Sureness(0.0, 0.0)
        self._show(self.tree, self._session.snapshots)
        self._judge(self.tree, self._session.snapshots, self._session.triplets)

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
        try:
            while not self._is_closing:
                self._step()
        except Exception:
            # Answers are recorded all the same; what went wrong stands in the server's log.
            log.exception("sampling stopped")
            self._failure = "Sampling stopped because of an error; answers are still recorded. Start the server anew."
            self._tell()

    def _step(self) -> None:
        if self._woken.is_set():
            self._woken.clear()
            self._show_now()
        elif self._rest is not None:
            self._woken.wait()
        else:
            self._slice()
            now = time.monotonic()
            if now - self._summarised >= self._interval:
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
            self._judge(tree, snapshots, triplets)
        if is_said:
            self._num_moves, self._rest = 0, None
            self._since = self._summarised = time.monotonic()
            self._interval = FIRST_SUMMARY
        self._tell()

    def _slice(self) -> None:
        count = min(self._chunk, self._until_snapshot)
        with self._turns.background():
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

    def _summarise(self) -> None:
        start = time.monotonic()
        with self._turns.background():
            snapshots, triplets = self._session.snapshots, self._session.triplets
            tree = None if self._session.setting.summarises else self._session.tree
        if tree is None:
            tree = central_tree(snapshots, triplets, items=self._session.items)
        with self._turns.background():
            self.tree = tree  # brought in line now, if something was said meanwhile
            tree, snapshots = self.line_up(), self._session.snapshots
            self._prepare()
        self._show(tree, snapshots)
        self._judge(tree, snapshots, triplets)
        self._rest = self._reason_to_rest(snapshots)
        if self._rest is not None:
            self._save()
        self._summarised = time.monotonic()
        cost = self._summarised - start
        self._interval = max(min(self._interval * SLOWER, LAST_SUMMARY), cost / SHARE_OF_SUMMARIES)
        self._tell()

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

    def _judge(self, tree: Tree, snapshots: Snapshots, triplets: NDArray[np.int32]) -> None:
        """Find out how much is settled, and how sure the draws are of a tree; with many answers it takes a while."""
        known = TripletSet(triplets, tree.num_leaves)
        self.sureness = Sureness(1.0 - open_share(known, tree.num_leaves), sureness(tree, snapshots))

    def _reason_to_rest(self, snapshots: Snapshots) -> str | None:
        if time.monotonic() - self._since > LONGEST_SAMPLING:
            return "Resting after a minute; the next answer wakes it."
        if self._num_moves < ROUNDS_BEFORE_REST * self._session.setting.num_moves:
            return None
        if snapshots.num_leaves > MOST_DIAGNOSED:
            return None
        diagnosis = diagnosis_of(snapshots, len(self._session.chains))
        return "Resting: more sampling would change little." if diagnosis.is_trustworthy else None

    def _save(self) -> None:
        with self._turns.background():
            self._project.save()
        self._saved = time.monotonic()

"""The loop of the paper, run to the end: a session asks, a simulated user answers, the tree improves."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import Items, as_count, as_seed
from treetalk.authors import AuthorsAsking
from treetalk.metrics import triplet_distance
from treetalk.models import DirichletDiffusion
from treetalk.progress import Progress
from treetalk.session import Session
from treetalk.settings import Setting, as_setting
from treetalk.strategies import NUM_CANDIDATES, SUBSET_SIZE, Strategy
from treetalk.tree import Tree
from treetalk.users import TreeUser, User

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# So many times the moves between two queries are made before the first one, where chains start from a sensible tree.
WARM_UP = 4


@dataclass(frozen=True, repr=False)
class Simulation:
    """What happened in one run.

    Attributes
    ----------
    num_queries : int
        The number of queries.
    triplet_distance : float array of shape (num_queries + 1,)
        Of the session's tree from the user's target, before each query and at the end; NaN if the user has no target.
    log_likelihood, log_posterior : float arrays of shape (num_queries + 1,)
        Of the chains' current trees, on average, at the same moments.
    triplets : int array of shape (m, 3)
        The triplets in force at the end.
    kinds : tuple of str
        What each query was answered with: "triplet", "accept", "same", "skip", or "none" if there was nothing to ask.
    tree : Tree
        The session's tree at the end.
    strategy, setting, seed :
        As they were given.
    """

    num_queries: int
    triplet_distance: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    log_posterior: NDArray[np.float64]
    triplets: NDArray[np.int32]
    kinds: tuple[str, ...]
    tree: Tree
    strategy: str
    setting: str
    seed: int

    def __repr__(self) -> str:
        first, last = self.triplet_distance[[0, -1]]
        far = "of a user without a target" if np.isnan(first) else f"triplet distance {first:.3f} to {last:.3f}"
        return f"<treetalk.Simulation: {self.num_queries} {self.strategy} queries in setting {self.setting}, {far}>"


def simulate(
    X: ArrayLike,
    user: User,
    strategy: str | Strategy | None = None,
    num_queries: int = 100,
    setting: str | Setting = "treetalk",
    seed: int = 0,
    *,
    items: Iterable[object] | None = None,
    model: DirichletDiffusion | None = None,
    num_moves: int | None = None,
    subset_size: int = SUBSET_SIZE,
    num_candidates: int = NUM_CANDIDATES,
    progress: bool = True,
) -> Simulation:
    """Let a user answer queries, and return what became of the tree.

    Answers that contradict others, as a noisy user gives, are set aside, and the session goes on. The same arguments
    give the same run, if the user is a new one: a simulated user's random numbers go on from query to query.

    Parameters
    ----------
    X : array of shape (num_items, num_features)
        The data.
    user : User
        Who answers, such as `TreeUser`. Distances are to its `target`, if it has one.
    strategy : str or Strategy, optional
        What is asked: "grouped", "loose", "simple", "smart", "random", "active", "interleaved", or an object; "none" asks
        nothing. By default that of the setting.
    num_queries : int
        The number of queries.
    setting : str or Setting
        "treetalk", "paper" (what the paper says) or "authors" (with the query schemes of the code that made the published
        curves, which look at the user's target themselves; see `treetalk.authors`).
    seed : int
        The seed of the session.
    items, model : optional
        As for `Session`.
    num_moves : int, optional
        The moves of each chain between two queries; by default those of the setting. With 0 nothing is sampled: the tree
        changes by repair alone.
    subset_size, num_candidates : int
        As for `Session`.
    progress : bool
        Whether a progress bar may be shown.
    """
    chosen = as_setting(setting)
    strategy = chosen.strategy if strategy is None else strategy
    count = as_count(num_queries, "num_queries")
    asks = not (isinstance(strategy, str) and strategy == "none")
    _check_user(user)
    session = Session(
        X,
        items,
        strategy if asks else "random",
        seed,
        model=model,
        setting=chosen,
        subset_size=subset_size,
        num_candidates=num_candidates,
    )
    moves = session.num_moves if num_moves is None else as_count(num_moves, "num_moves")
    target = getattr(user, "target", None)
    if target is not None and target.num_leaves != session.num_items:
        raise ValueError(f"the user's target has {target.num_leaves} items, and X has {session.num_items} rows")
    authors = None
    if asks and chosen.asks_as_published:
        target = in_order_of(_known_target(user), session.items)
        authors = AuthorsAsking(strategy, target, subset_size, num_candidates, seed)

    def step() -> str:
        if authors is not None:
            return authors.step(session)
        return _step(session, user) if asks else "none"

    curves, kinds = _talk(session, target, step, count, moves, progress=progress)
    return Simulation(
        count,
        curves[0],
        curves[1],
        curves[2],
        session.triplets.copy(),
        kinds,
        session.tree,
        strategy if isinstance(strategy, str) else strategy.name,
        chosen.name,
        as_seed(seed),
    )


def _talk(
    session: Session, target: Tree | None, step: Callable[[], str], num_queries: int, num_moves: int, *, progress: bool
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Make steps and moves in turn; return distance and densities before each step and at the end, and the answers."""
    curves = np.empty((3, num_queries + 1))
    kinds = []
    if session.setting.summarises:
        session.advance(WARM_UP * num_moves)
    with Progress(num_queries if progress else 0, "Simulating queries") as bar:
        for i in range(num_queries + 1):
            distance = np.nan if target is None else triplet_distance(target, session.tree)
            curves[:, i] = distance, session.log_likelihood, session.log_posterior
            if i < num_queries:
                kinds.append(step())
                session.advance(num_moves)
                bar.advance(1)
    return curves, tuple(kinds)


def _check_user(user: object) -> None:
    if isinstance(user, type):
        raise TypeError(f"user must be an object, not a class: {user.__name__}(...)")
    if not isinstance(user, User):
        raise TypeError(f"user must have a method respond(query); {type(user).__name__} has none")


def _known_target(user: User) -> Tree:
    """Return the target of a user who would name no triplet but the target's."""
    if not isinstance(user, TreeUser):
        raise ValueError(
            'the setting "authors" looks at the target itself, so it needs a user with a target who never errs, such as '
            f"TreeUser, not {type(user).__name__}"
        )
    return user.target


def _step(session: Session, user: User) -> str:
    """Ask one query and record the answer; return its kind."""
    query = session.ask()
    if query is None:
        return "none"
    response = user.respond(query)
    session.respond(query, response)
    return response if isinstance(response, str) else "triplet"


def simulate_runs(
    X: ArrayLike, user: User, *, num_runs: int = 4, num_jobs: int | None = None, seed: int = 0, **options: Any
) -> list[Simulation]:
    """Return several runs of `simulate`, with the seeds `seed`, `seed` + 1, and so on, in parallel processes.

    Parameters
    ----------
    X, user : as for `simulate`
        Each run has a copy of the user, with a seed of its own if the user has a method `with_seed`.
    num_runs : int
        The number of runs.
    num_jobs : int, optional
        The number of processes; by default one for each core.
    seed : int
        The seed of the first run.
    options :
        Further arguments of `simulate`.
    """
    from joblib import Parallel, delayed

    if num_jobs is not None:
        as_count(num_jobs, "num_jobs", 1)
    seeds = [as_seed(seed) + run for run in range(as_count(num_runs, "num_runs"))]
    options["progress"] = False  # the bar counts runs
    jobs = (delayed(simulate)(X, for_run(user, each), seed=each, **options) for each in seeds)
    finished: dict[int, Simulation] = {}
    with Progress(len(seeds), "Simulating runs") as bar:
        for run in Parallel(n_jobs=num_jobs or -1, return_as="generator_unordered")(jobs):
            finished[run.seed] = run
            bar.advance(1)
    return [finished[each] for each in seeds]


def in_order_of(target: Tree, items: Items | None) -> Tree:
    """Return a target with its leaves in the order of the items, where both have names."""
    if items is None or target.items is None or target.items == items:
        return target
    return target.restrict(items)


def for_run(user: User, seed: int) -> User:
    """Return a copy of a user for a run with this seed."""
    reseeded: User = user.with_seed(seed) if hasattr(user, "with_seed") else copy.deepcopy(user)
    return reseeded

"""Several chains side by side: each on a thread of its own, as kernels release the GIL, or wherever joblib has its jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from treetalk.arguments import as_count
from treetalk.chain import Chain, Recording
from treetalk.progress import Progress

Result = TypeVar("Result")


def run_chains(chains: Iterable[Chain], num_moves: int) -> None:
    """Run several chains side by side, each on a thread of its own.

    Ctrl-C stops them all between two moves.
    """
    together = list(chains) if isinstance(chains, Iterable) else [chains]
    for chain in together:
        if not isinstance(chain, Chain):
            raise TypeError(f"run_chains runs chains, not {type(chain).__name__}")
    if len({id(chain) for chain in together}) < len(together):
        raise ValueError("the same chain was given twice; chain.copy() makes another one")
    count = as_count(num_moves, "num_moves")
    if not together:
        return
    with Progress(count * len(together), f"Sampling {len(together)} chains") as progress:
        side_by_side(together, lambda chain, advance, stop: chain._run(count, advance, stop), progress)


def side_by_side(
    chains: Sequence[Chain],
    work: Callable[[Chain, Callable[[int], None], threading.Event], Result],
    progress: Progress,
) -> list[Result]:
    """Do some work with every chain, each on a thread of its own; return the results.

    The work is told how to report moves, and what is set when it is to stop: on Ctrl-C, between two moves.
    """
    stop = threading.Event()
    lock = threading.Lock()

    def advance(steps: int) -> None:
        with lock:
            progress.advance(steps)

    with ThreadPoolExecutor(len(chains)) as threads:
        futures = [threads.submit(work, chain, advance, stop) for chain in chains]
        try:
            # A wait without an end might not hear Ctrl-C.
            while wait(futures, timeout=0.1).not_done:
                pass
        finally:
            stop.set()
    return [future.result() for future in futures]


def in_jobs(
    chains: Sequence[Chain], num_moves: Sequence[int], progress: Progress, *, num_jobs: int | None = None
) -> tuple[list[Chain], list[Recording]]:
    """Have every chain write trees down after numbers of moves, as joblib's jobs; return the chains as they are then, too.

    On threads, or on the backend of a `joblib.parallel_config`, which may be other processes or machines: so the chains that
    go on are others than those that were given. They make the same moves everywhere.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    if effective_n_jobs(num_jobs) == 1:
        return list(chains), [chain.record(num_moves, progress.advance) for chain in chains]
    # Large arrays would come as files that are only read.
    jobs = Parallel(n_jobs=num_jobs, prefer="threads", max_nbytes=None)
    done = jobs(delayed(_recorded)(chain, list(num_moves)) for chain in chains)
    progress.advance(sum(num_moves) * len(chains))
    return [chain.copy() for chain, _ in done], [recording for _, recording in done]


def _recorded(chain: Chain, num_moves: list[int]) -> tuple[Chain, Recording]:
    # What came from another process may be read-only memory. A copy is not.
    own = chain.copy()
    return own, own.record(num_moves)

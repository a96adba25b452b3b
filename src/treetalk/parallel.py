"""Several chains side by side, each on a thread of its own: kernels release the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from treetalk.arguments import as_count
from treetalk.chain import Chain
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

"""Linear algebra on one thread.

BLAS libraries share the work of even the smallest matrices out among threads, which then wait for each other: where the
other cores are busy, sampling for example, that takes a hundred times as long as the work itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

# Whoever limits threads while somebody else does would take the limit for what was there before.
_alone = threading.Lock()


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Have linear algebra run on one thread, for what takes milliseconds: others who want the same wait."""
    with _alone, _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  # a library of its own, which has to be there to be found

    return ThreadpoolController()

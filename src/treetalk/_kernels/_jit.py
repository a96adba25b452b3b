"""The decorators of the kernels, and the folder that keeps their compiled code.

numba decides whether cached code is fresh by looking at one source file, so a caller goes stale when a callee in another
file changes. Here the folder's name holds a hash of all kernel sources instead: any change means another folder.

``TREETALK_KERNEL_CACHE`` names the folder to use, or is ``off`` to compile anew in every process.
"""

import contextlib
import hashlib
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

# Options of numba. Without a way in from Python, which would have to unpack every argument, compiling takes half the time.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
UNCOUNTED = {"_nrt": False}

DAYS_KEPT = 30
HASH_LENGTH = 16


@cache
def cache_folder() -> Path | None:
    """Return the folder for compiled kernels, made if need be, or None where nothing is to be or can be kept."""
    setting = os.environ.get("TREETALK_KERNEL_CACHE", "")
    if setting.lower() in {"off", "0", "no", "none", "false"}:
        return None
    try:
        parent = Path(setting).expanduser() if setting else _user_cache() / "treetalk"
        folder = parent / f"kernels-{_fingerprint()}"
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home, as in some containers
        return None
    if is_new and not numba.config.DISABLE_JIT:
        _say("treetalk compiles its kernels as they are first used, once on this machine: some seconds each")
    if not os.access(folder, os.W_OK):
        return None
    _remove_unused(parent)
    return folder


def _say(message: str) -> None:
    """Tell a person, in a terminal or a notebook, why nothing happens yet; stay silent in a program's pipes."""
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(message, file=sys.stderr)


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    # numba does not tell code with bounds checks from code without in its cache.
    for fact in (numba.__version__, sys.version, numba.config.BOUNDSCHECK, numba.config.OPT):
        digest.update(repr(fact).encode())
    return digest.hexdigest()[:HASH_LENGTH]


def _remove_unused(parent: Path) -> None:
    oldest = time.time() - DAYS_KEPT * 86_400
    for folder in parent.glob("kernels-" + "[0-9a-f]" * HASH_LENGTH):
        # Another process may be removing the same folder.
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder)


def kernel(function: Function) -> Function:
    """Compile a function on its first call, without the GIL; keep the result in the cache folder.

    One whose name begins with an underscore is called by other kernels only.
    """
    return _compiled(function, **(INNER if function.__name__.startswith("_") else {}))


def hot(function: Function) -> Function:
    """Do as `kernel` does, for a function that makes no arrays, nor calls one that does.

    numba then leaves out the counting of references to arrays, with which a move of a chain takes five times longer.
    """
    return _compiled(function, **UNCOUNTED)


def part(function: Function) -> Function:
    """Do as `hot` does, for a function that only other kernels call."""
    return _compiled(function, **UNCOUNTED, **INNER)


def _compiled(function: Function, **options: Any) -> Function:
    folder = cache_folder()
    before = numba.config.CACHE_DIR
    # numba looks at the setting when the decorator is applied; other packages keep theirs.
    numba.config.CACHE_DIR = str(folder or "")
    try:
        compiled = numba.njit(nogil=True, error_model="numpy", cache=folder is not None, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
    if folder is not None and not numba.config.DISABLE_JIT:
        compiled._cache = _ForgivingCache(compiled._cache)
    return cast(Function, compiled)


class _ForgivingCache:
    """numba's cache, but for a full disk or a damaged file: then the code is compiled as if there were no cache."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return self._cache.load_overload(*arguments)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None

    def save_overload(self, *arguments: Any) -> None:
        # Overwriting a damaged index reads it first.
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            self._cache.save_overload(*arguments)

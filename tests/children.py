"""Child processes for tests: forked, so that everything is loaded already, and heard through a pipe."""

import contextlib
import os
import signal
import time
import warnings
from collections.abc import Callable
from typing import Any

NOBODY = 65534


class Child:
    """A forked process that runs a function of one argument: what to call with a line to be heard by the parent.

    An error ends it, and is its last line.
    """

    def __init__(self, function: Callable[[Callable[[str], None]], None], *, as_nobody: bool = False) -> None:
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            # Newer versions of Python warn of threads, which these children have nothing to do with.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _run(function, writing, as_nobody)
        os.close(writing)
        self._heard = b""
        self._reading = reading

    def hear(self, num_lines: int) -> None:
        """Wait until the child has said so many lines."""
        while self._heard.count(b"\n") < num_lines:
            part = os.read(self._reading, 65536)
            assert part, f"the child has ended; all that it said is {self._heard.decode()!r}"
            self._heard += part

    def kill(self) -> list[str]:
        """Kill it, if it has not ended; return all whole lines that it said."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return self.wait()

    def wait(self) -> list[str]:
        """Wait for its end; return all whole lines that it said."""
        while part := os.read(self._reading, 65536):
            self._heard += part
        os.close(self._reading)
        os.waitpid(self.pid, 0)
        return self._heard.decode(errors="replace").split("\n")[:-1]


def _run(function: Callable[[Callable[[str], None]], None], writing: int, as_nobody: bool) -> None:
    """Run a function in the child, which never returns."""

    def say(line: str) -> None:
        os.write(writing, f"{line}\n".encode())

    try:
        if as_nobody and os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        function(say)
    except BaseException as error:
        say(f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def outcome(function: Callable[[], Any], *, as_nobody: bool = False) -> str:
    """Return what a function returns in a child, as text, or its error; "nobody" is bound by permissions, as root is not."""
    return "\n".join(Child(lambda say: say(str(function())), as_nobody=as_nobody).wait())


def forever() -> None:
    """Wait to be killed."""
    while True:
        time.sleep(60)

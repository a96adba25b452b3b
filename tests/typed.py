"""What a person types, for tests of what reads lines."""

from collections.abc import Callable


def reader(*typed: str) -> Callable[[str], str]:
    """Reads one line after the other, and then the end of the input."""
    lines = iter(typed)

    def read(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        return line

    return read

"""A text being read, and where in it something stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treetalk.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Source:
    """UTF-8 text. Positions count bytes; lines and columns count from 1, and columns count characters."""

    def __init__(self, text: str | bytes, name: str | None = None) -> None:
        if not isinstance(text, str | bytes):
            raise TypeError(f"the text of a tree must be str or bytes, not {type(text).__name__}")
        self.name = name
        self.has_warned = False
        # A lone surrogate is no character; it becomes bytes that are refused below, with their place.
        encoded = text.encode(errors="surrogatepass") if isinstance(text, str) else text
        self.data = encoded.removeprefix(BYTE_ORDER_MARK)
        if not self.data.isascii():
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                raise self.error(error.start, "this is not UTF-8 text") from None
        self._ascii = self.data.decode("ascii") if self.data.isascii() else None

    @property
    def array(self) -> NDArray[np.uint8]:
        """The bytes, for kernels."""
        return np.frombuffer(self.data, np.uint8)

    def slice(self, start: int, end: int) -> str:
        """Return the text between two positions."""
        return self.data[start:end].decode()

    def slices(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[str]:
        """Return the texts between many pairs of positions."""
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        text = self._ascii
        if text is not None:
            return [text[start:end] for start, end in pairs]
        return [self.data[start:end].decode() for start, end in pairs]

    def place(self, position: int) -> tuple[int, int]:
        """Return the line and the column of a position."""
        start_of_line = self.data.rfind(b"\n", 0, position) + 1
        line = self.data.count(b"\n", 0, position) + 1
        return line, len(self.data[start_of_line:position].decode(errors="replace")) + 1

    def error(self, position: int, problem: str, *, skip_blank: bool = False) -> FormatError:
        """Return an error that says where the problem is: at the position, or at the next word after it."""
        if skip_blank:
            rest = self.data[position:]
            position += len(rest) - len(rest.lstrip())
        line, column = self.place(position)
        return FormatError(problem, line=line, column=column, source=self.name)

"""Pictures as people have them in a notebook: bytes, files, or arrays of pixels."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How files begin.
KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"BM": "image/bmp"}
# Of pixels with one, two, three and four numbers, as PNG counts them.
COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}


def as_picture(picture: object) -> tuple[bytes, str] | None:
    """Return a picture as bytes and a media type.

    Parameters
    ----------
    picture : bytes, (bytes, media type), path, array of pixels, or None
        An array has the shape (height, width), or (height, width, k) with 1 to 4 numbers for each pixel. Whole numbers go
        up to 255, fractions up to 1.
    """
    if picture is None:
        return None
    if isinstance(picture, tuple) and len(picture) == 2 and isinstance(picture[0], bytes):
        return picture[0], str(picture[1])
    if isinstance(picture, str | os.PathLike):
        return as_picture(Path(picture).read_bytes())
    if isinstance(picture, bytes):
        return picture, _kind(picture)
    return _png(_as_pixels(picture)), "image/png"


def _kind(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    for beginning, kind in KINDS.items():
        if data.startswith(beginning):
            return kind
    raise ValueError(f"a picture is a PNG, JPEG, GIF, WebP or BMP file, and this one begins with {data[:8]!r}")


def _as_pixels(picture: object) -> NDArray[np.uint8]:
    array: NDArray[Any] = np.asarray(picture)
    pixels = array[:, :, None] if array.ndim == 2 else array
    if array.dtype.kind not in "iufb" or pixels.ndim != 3 or pixels.shape[2] not in COLOURS or not pixels.size:
        raise TypeError(
            "a picture is bytes, a path, or an array of pixels of shape (height, width) or (height, width, 1 to 4), "
            f"not {type(picture).__name__} of shape {array.shape} and type {array.dtype}"
        )
    most = 255 if array.dtype.kind in "iu" else 1
    if not (np.isfinite(pixels).all() and pixels.min() >= 0 and pixels.max() <= most):
        raise ValueError(f"the numbers of a picture of type {array.dtype} go from 0 to {most}")
    return pixels.astype(np.uint8) if most == 255 else np.round(pixels * 255.0).astype(np.uint8)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels as a PNG file, as its specification (ISO/IEC 15948) has it: no filters, one compressed stream."""
    height, width, depth = pixels.shape
    lines = np.zeros((height, 1 + width * depth), np.uint8)
    lines[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, COLOURS[depth], 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )

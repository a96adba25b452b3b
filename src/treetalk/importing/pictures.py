"""Pictures read from files: a small one to show, and a tiny one whose pixels are features."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treetalk.extras import imported
from treetalk.importing.results import Image
from treetalk.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE = 32  # pixels of the tiny picture
LONGEST_SIDE = 320  # pixels of the small picture
FEW_COLOURS = 256  # drawings have few colours and stay sharp as PNG; photographs are smaller as JPEG
NUM_THREADS = 4  # decoding releases Python's lock
BATCH = 64


class Pictures(NamedTuple):
    """The pictures of all rows."""

    images: list[Image | None]
    pixels: NDArray[np.uint8]  # shape (rows, 32 * 32 * 3); zeros where there is no picture
    has_picture: NDArray[np.bool_]
    problems: dict[int, str]  # rows whose picture cannot be read, and why

    def keep(self, mask: NDArray[np.bool_]) -> Pictures:
        """Return the pictures of some of the rows."""
        images = [image for image, is_kept in zip(self.images, mask.tolist(), strict=True) if is_kept]
        moved = np.cumsum(mask) - 1
        problems = {int(moved[row]): problem for row, problem in self.problems.items() if mask[row]}
        return Pictures(images, self.pixels[mask], self.has_picture[mask], problems)

    @property
    def is_grey(self) -> bool:
        """Whether no picture has any colour."""
        colours = self.pixels.reshape(len(self.pixels), -1, 3)
        return bool((colours[:, :, 0] == colours[:, :, 1]).all() and (colours[:, :, 0] == colours[:, :, 2]).all())

    def features(self, is_grey: bool) -> NDArray[np.uint8]:
        """Return the pixels of each picture in a row, one number for each if grey, else three."""
        if not is_grey:
            return self.pixels
        colours = self.pixels.reshape(len(self.pixels), -1, 3)
        return np.asarray(colours.mean(axis=2).round(), dtype=np.uint8)


def read_pictures(paths: Sequence[Path | None]) -> Pictures:
    """Read the pictures of all rows, None for a row without one."""
    _pillow()
    pixels = np.zeros((len(paths), SIDE * SIDE * 3), np.uint8)
    has_picture = np.zeros(len(paths), bool)
    images: list[Image | None] = [None] * len(paths)
    problems: dict[int, str] = {}
    with Progress(len(paths), "reading pictures") as progress, warnings.catch_warnings():
        # Pillow warns of metadata it cannot read and of large pictures; what matters comes as an error.
        warnings.simplefilter("ignore")
        for row, result in enumerate(_read_all(paths)):
            if isinstance(result, str):
                problems[row] = result
            elif result is not None:
                images[row], pixels[row] = result
                has_picture[row] = True
            progress.advance(1)
    return Pictures(images, pixels, has_picture, problems)


def _read_all(paths: Sequence[Path | None]) -> Iterator[tuple[Image, NDArray[np.uint8]] | str | None]:
    with ThreadPoolExecutor(NUM_THREADS) as pool:
        for start in range(0, len(paths), BATCH):
            yield from pool.map(_read_one, paths[start : start + BATCH])


def _read_one(path: Path | None) -> tuple[Image, NDArray[np.uint8]] | str | None:
    """Return a small picture and the pixels of a tiny one, or what is wrong."""
    if path is None:
        return None
    pillow = _pillow()
    if not path.is_file():
        return f"there is no file {path.name!r}"
    try:
        with pillow.open(path) as opened:
            opened.draft("RGB", (2 * LONGEST_SIDE, 2 * LONGEST_SIDE))
            picture = _upright(opened)
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    except (OSError, ValueError, SyntaxError, EOFError, pillow.DecompressionBombError) as error:
        reason = "its format is not known" if type(error).__name__ == "UnidentifiedImageError" else str(error)
        return f"{path.name!r} cannot be read as a picture ({reason})"
    return _encoded(picture), _tiny(picture)


def _upright(opened: Any) -> Any:
    """Return a picture as RGB or RGBA, turned as the camera said."""
    from PIL import Image as pillow
    from PIL import ImageOps

    picture = ImageOps.exif_transpose(opened)
    if picture.mode in {"I", "F"} or picture.mode.startswith("I;"):
        # These have one byte, two bytes or a number from 0 to 1 for each pixel.
        values = np.asarray(picture, dtype=np.float64)
        largest = float(values.max())
        brightest = 65535.0 if largest > 255 or picture.mode.startswith("I;") else 255.0 if largest > 1 else 1.0
        picture = pillow.fromarray((values / brightest * 255).clip(0, 255).astype(np.uint8))
    is_transparent = "A" in picture.mode or "transparency" in picture.info
    return picture.convert("RGBA" if is_transparent else "RGB")


def _encoded(picture: Any) -> Image:
    data = io.BytesIO()
    if picture.mode == "RGBA" or picture.getcolors(FEW_COLOURS) is not None:
        picture.save(data, "PNG")
        return Image(data.getvalue(), "image/png")
    picture.save(data, "JPEG", quality=85)
    return Image(data.getvalue(), "image/jpeg")


def _tiny(picture: Any) -> NDArray[np.uint8]:
    from PIL import Image as pillow

    if picture.mode == "RGBA":
        white = pillow.new("RGBA", picture.size, "white")
        picture = pillow.alpha_composite(white, picture)
    return np.asarray(picture.convert("RGB").resize((SIDE, SIDE)), dtype=np.uint8).reshape(-1)


def _pillow() -> Any:
    return imported("PIL.Image", "reading pictures", package="pillow", extra="io")

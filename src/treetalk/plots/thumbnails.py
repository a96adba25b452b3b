"""Small pictures of items beside the leaves of a drawing."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.errors import DataNotFound, FormatError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

PIXELS = 128  # sharp in print at the size that thumbnails have, and quick


def as_thumbnail(image: Any, item: str) -> NDArray[Any] | None:
    """Return an image as an array of at most 128 x 128 pixels; None for None.

    Parameters
    ----------
    image : path, bytes, array, PIL image, or function that returns one of these
        Arrays are as matplotlib has them: (height, width), or with 3 or 4 colours, from 0 to 1 or from 0 to 255.
    item : str
        Whose image it is, for errors.
    """
    from PIL import Image, UnidentifiedImageError

    if callable(image):
        image = image()
    if image is None:
        return None
    if isinstance(image, str | os.PathLike):
        path = Path(image)
        if not path.is_file():
            raise DataNotFound(f"the image of {item!r} is not there: {path}")
        image = path.read_bytes()
    try:
        if isinstance(image, bytes):
            image = Image.open(io.BytesIO(image))
        elif not isinstance(image, Image.Image):
            image = Image.fromarray(_as_pixels(np.asarray(image), item))
        small = image.convert("RGBA")
    except (UnidentifiedImageError, OSError):
        raise FormatError(f"the image of {item!r} cannot be read") from None
    small.thumbnail((PIXELS, PIXELS))
    return np.asarray(small)


def _as_pixels(array: NDArray[Any], item: str) -> NDArray[np.uint8]:
    if array.dtype.kind not in "biuf" or array.ndim not in {2, 3} or (array.ndim == 3 and array.shape[2] not in {3, 4}):
        raise ValueError(
            f"the image of {item!r} must have the shape (height, width), or with 3 or 4 colours; "
            f"its shape is {array.shape} and its dtype {array.dtype}"
        )
    if array.dtype.kind == "b" or (array.dtype.kind == "f" and array.size and np.nanmax(array) <= 1):
        array = array * 255.0
    pixels: NDArray[np.uint8] = np.clip(np.nan_to_num(array), 0, 255).astype(np.uint8)
    return pixels


def put_thumbnails(
    ax: Axes,
    rows: NDArray[np.float64],
    images: list[NDArray[Any] | None],
    orientation: str,
    size: float,
    end: float | None = None,
) -> None:
    """Put images beside the rows of a drawing, `size` points high and wide at most, between the leaves and their names.

    The leaves end at `end`, or at the edge of the axes.
    """
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    gap = 3 + size / 2
    edge, offset = {
        "right": ((1, 0), (gap, 0)),
        "left": ((0, 0), (-gap, 0)),
        "top": ((0, 0), (0, -gap)),
        "bottom": ((0, 1), (0, gap)),
    }[orientation]
    is_flat = orientation in {"right", "left"}
    for row, image in zip(rows.tolist(), images, strict=True):
        if image is None:
            continue
        box = OffsetImage(image, zoom=size / max(image.shape[:2]), resample=True)
        along: float = edge[0 if is_flat else 1] if end is None else end
        where = (along, row) if is_flat else (row, along)
        kind = "axes fraction" if end is None else "data"
        frame = (kind, "data") if is_flat else ("data", kind)
        ax.add_artist(
            AnnotationBbox(
                box,
                where,
                xybox=offset,
                xycoords=frame,
                boxcoords="offset points",
                frameon=False,
                pad=0,
                annotation_clip=False,
            )
        )

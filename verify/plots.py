"""Pictures of what the slow tests saw, as PNG files in verify/plots."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from scipy.stats import norm

matplotlib.use("Agg")  # before pyplot is imported: no window, no display

from matplotlib import pyplot as plt
from matplotlib.axes import Axes

# Samplers that are broken on purpose draw elsewhere.
FOLDER = Path(os.environ.get("TREETALK_PLOTS", Path(__file__).with_name("plots")))


@contextmanager
def figure(
    name: str, title: str, num_rows: int, num_columns: int, *, width: float = 3.2, height: float = 2.8
) -> Iterator[np.ndarray]:
    """Give axes of shape (num_rows, num_columns) to draw on, then save the picture under a name."""
    shape = (width * num_columns, height * num_rows + 0.5)
    made, axes = plt.subplots(num_rows, num_columns, figsize=shape, squeeze=False, layout="constrained")
    try:
        yield axes
        made.suptitle(title)
        FOLDER.mkdir(exist_ok=True)
        made.savefig(FOLDER / f"{name.replace(', ', '_').replace(' ', '_')}.png", dpi=90)
    finally:
        plt.close(made)


def draw_z_scores(axis: Axes, z_scores: np.ndarray) -> None:
    """Draw a histogram of z-scores and the normal density that a right sampler gives them."""
    axis.hist(z_scores, bins=np.linspace(-5, 5, 41), density=True, color="0.7")
    x = np.linspace(-5, 5, 201)
    axis.plot(x, norm.pdf(x), color="tab:red", linewidth=1)
    axis.set_xlabel("z")
    axis.set_yticks([])

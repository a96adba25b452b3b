"""Every kind of figure against a stored image of it, in ``tests/baseline``.

After a change that is meant, look at the new images and store them::

    TREETALK_BASELINE=write python -m pytest tests/test_plots_images.py

The data are fixed, no figure depends on the sampler, and there are no letters, which are drawn otherwise by every version of
the library behind them: what is written is tested elsewhere. Lines may still differ by a few grey pixels at their edges.
"""

import os
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

from figures import ITEMS, OTHER, eight, eight_values, many
from treetalk import Tree, plots
from treetalk.simulation import Simulation

mpl.use("agg")

BASELINE = Path(__file__).parent / "baseline"
WRITES = os.environ.get("TREETALK_BASELINE") == "write"
# The root mean square of differences, of 255. Another tree makes 20, lines that are a little too thick more than 3.
TOLERANCE = 1.0
MOST_BYTES = 60_000
KINDS = ["mammal"] * 4 + ["fish"] * 2 + ["bird"] * 2


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def shades() -> list[np.ndarray]:
    across, down = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12))
    return [np.stack([across * i / 8, down, 1 - across], axis=2) for i in range(8)]


def waves() -> np.ndarray:
    """Three chains of values without any random number: the last one is apart."""
    x = np.arange(60)
    return np.stack([np.sin(x * 1.3), np.sin(x * 1.7 + 1), np.sin(x * 1.9) + 1.5])


def run(last: float) -> Simulation:
    curve = np.linspace(0.4, last, 11)
    return Simulation(10, curve, curve, curve, np.empty((0, 3), np.int32), (), eight(), "active", "treetalk", 0)


FIGURES = {
    "dendrogram": lambda: plots.dendrogram(eight(), colors=KINDS).figure,
    "dendrogram-pictures": lambda: plots.dendrogram(eight(), images=shades(), orientation="top").figure,
    "dendrogram-large": lambda: plots.dendrogram(many(400)[0], colors=4, max_rows=24).figure,
    "dendrogram-levels": lambda: plots.dendrogram(Tree.from_newick("((a,(b,c)bc),(d,e,f));")).figure,
    "diffusion": lambda: plots.diffusion(eight(), eight_values(), colors=KINDS, seed=1).figure,
    "diffusion-means": lambda: plots.diffusion(eight(), eight_values(), paths=False).figure,
    "diffusion-plane": lambda: plots.diffusion(many(40)[0], many(40)[1]).figure,
    "traces": lambda: plots.traces({"log posterior": waves()}),
    "tanglegram": lambda: plots.tanglegram(eight(), eight(OTHER), titles=("one", "other")).figure,
    "before-after": lambda: plots.before_after(
        eight(), eight("((((cat,lynx,owl)felines,(dog,wolf)),(eel,trout)),crow);"), record=[run(0.1), run(0.2)]
    ),
    "disagreement": lambda: plots.disagreement([eight(), eight(), eight(OTHER)], num_pairs=2),
}


def saved(figure: Figure, path: Path) -> Path:
    """Save a figure without its letters."""
    for text in figure.findobj(Text):
        text.set_visible(False)
    figure.savefig(path, dpi=50, metadata={"Software": None})
    return path


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_looks_as_it_did(name, tmp_path):
    stored = BASELINE / f"{name}.png"
    if WRITES:
        BASELINE.mkdir(exist_ok=True)
        saved(FIGURES[name](), stored)
        return
    # A copy, because the difference is drawn beside the images.
    expected = tmp_path / "expected.png"
    expected.write_bytes(stored.read_bytes())
    assert compare_images(str(expected), str(saved(FIGURES[name](), tmp_path / "actual.png")), tol=TOLERANCE) is None


def test_there_is_a_stored_image_of_every_figure_and_all_are_small():
    assert {path.stem for path in BASELINE.glob("*.png")} == set(FIGURES)
    assert all(path.stat().st_size < MOST_BYTES for path in BASELINE.glob("*.png"))


@pytest.mark.parametrize(
    "changed",
    [
        eight("((((cat,lynx)felines,dog),wolf),(eel,trout),(crow,owl)birds);"),
        eight(support=0.9),
        eight("((((cat,lynx)felines,(dog,wolf)),(eel,trout)),(crow,owl)birds);").restrict(ITEMS),
    ],
    ids=["another tree", "more support", "no support"],
)
def test_a_figure_of_something_else_does_not_pass(changed, tmp_path):
    stored = tmp_path / "expected.png"
    stored.write_bytes((BASELINE / "dendrogram.png").read_bytes())
    actual = saved(plots.dendrogram(changed, colors=KINDS).figure, tmp_path / "actual.png")
    assert compare_images(str(stored), str(actual), tol=TOLERANCE) is not None


def test_exchanged_groups_do_not_pass(tmp_path):
    stored = tmp_path / "expected.png"
    stored.write_bytes((BASELINE / "dendrogram.png").read_bytes())
    actual = saved(plots.dendrogram(eight(), colors=KINDS[::-1]).figure, tmp_path / "actual.png")
    assert compare_images(str(stored), str(actual), tol=TOLERANCE) is not None

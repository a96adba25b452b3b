"""Pictures in axes of the user's own stay within them; and figures that a notebook shows."""

import sys
import types

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.offsetbox import AnnotationBbox

from figures import ITEMS, OTHER, eight, eight_values, many, rows
from treetalk import Tree, plots

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def long_names() -> Tree:
    return many(60)[0].with_items([f"a rather long name of item {i}" for i in range(60)])


def outside(axes: object, texts: list[object]) -> list[str]:
    """The texts that are not within the box of the axes; half a letter is no matter."""
    axes.figure.canvas.draw()
    box = axes.get_window_extent()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [
        name
        for name, each in boxes
        if each.x0 < box.x0 - 4 or each.x1 > box.x1 + 4 or each.y0 < box.y0 - 4 or each.y1 > box.y1 + 4
    ]


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("orientation", ["right", "left", "top", "bottom"])
def test_names_of_a_dendrogram_stay_within_given_axes(orientation, layout):
    axes = plt.subplots(2, 2, figsize=(10, 8), layout=layout)[1][0, 1]
    plots.dendrogram(long_names(), ax=axes, orientation=orientation)
    is_flat = orientation in {"right", "left"}
    labels = axes.get_yticklabels() if is_flat else axes.get_xticklabels()
    assert len(labels) > 8
    assert outside(axes, labels) == []


def test_names_do_not_cover_the_tree_in_given_axes():
    axes = plt.subplots(figsize=(4, 3))[1]
    plots.dendrogram(eight(), ax=axes)
    axes.figure.canvas.draw()
    end = axes.transData.transform((1.0, 0))[0]
    assert all(label.get_window_extent().x0 >= end - 1 for label in axes.get_yticklabels())
    assert axes.get_xticks().max() <= 1.0


def test_long_names_of_clusters_stay_within_given_axes():
    tree = eight()
    named = Tree(tree.parent, age=tree.age, items=ITEMS, names=[None] * 14 + ["everything that lives here"])
    axes = plt.subplots(1, 2, figsize=(7, 3))[1][1]
    plots.dendrogram(named, ax=axes)
    assert outside(axes, axes.texts) == []


def test_pictures_stay_within_given_axes():
    axes = plt.subplots(figsize=(4, 3))[1]
    plots.dendrogram(eight(), ax=axes, images=[np.zeros((4, 4))] * 8)
    axes.figure.canvas.draw()
    box = axes.get_window_extent()
    pictures = [artist for artist in axes.get_children() if isinstance(artist, AnnotationBbox)]
    assert len(pictures) == 8
    assert all(picture.get_window_extent().x1 <= box.x1 + 2 for picture in pictures)
    assert outside(axes, axes.get_yticklabels()) == []


def test_more_rows_than_letters_have_room_for_are_not_all_named():
    axes = plt.subplots(figsize=(3, 1.2))[1]
    plots.dendrogram(many(60)[0], ax=axes, max_rows=60)
    assert 0 < sum(label != "" for label in rows(axes)) < 60


def test_a_tanglegram_stays_within_given_axes():
    axes = plt.subplots(2, 2, figsize=(10, 8))[1][0, 1]
    tree = long_names()
    plots.tanglegram(tree, tree.restrict(list(tree.items)[::-1]), ax=axes, titles=("one", "other"))
    assert len(axes.texts) > 16
    assert outside(axes, axes.texts) == []
    small = plt.subplots(2, 2, figsize=(10, 8))[1][0, 1]
    plots.tanglegram(eight(), eight(OTHER), ax=small)
    assert outside(small, small.texts) == []


def test_names_at_the_end_of_paths_stay_within_given_axes():
    axes = plt.subplots(1, 2, figsize=(8, 3))[1][0]
    plots.diffusion(eight(), eight_values(), ax=axes)
    assert len(axes.texts) == 8
    assert outside(axes, axes.texts) == []


def test_a_notebook_shows_every_figure(monkeypatch):
    shown = []

    class Canvas(FigureCanvasAgg):
        """What a notebook has: it turns interaction on with the first figure, and shows none while that is off."""

        def __init__(self, figure=None):
            super().__init__(figure)
            if not shown:
                mpl.interactive(True)
            if mpl.is_interactive():
                shown.append(figure)

    backend = types.ModuleType("notebook_like")
    backend.FigureCanvas = Canvas
    monkeypatch.setitem(sys.modules, "notebook_like", backend)
    mpl.use("module://notebook_like")
    try:
        figures = [plots.dendrogram(eight()).figure for _ in range(3)]
        assert shown == figures
    finally:
        mpl.interactive(False)
        mpl.use("agg")

"""What colours say: groups that can be told apart, clusters by size, and numbers on a scale."""

from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from figures import ITEMS, eight, found, many
from treetalk import plots
from treetalk.plots.coloring import Groups, Scale, coloring_of
from treetalk.plots.paper import GROUPS, QUIET

mpl.use("agg")

# How the colour-blind see light, after Machado, Oliveira and Fernandes (2009).
EYES = {
    "usual": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.052]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.96888]]
    ),
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def light(color: str) -> np.ndarray:
    value = np.array(to_rgb(color))
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(color: str, eyes: np.ndarray) -> np.ndarray:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(eyes @ light(color), 0, 1) / [0.9505, 1, 1.089]
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def told(axes: object) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("eyes", EYES)
def test_twenty_colors_are_told_apart_by_all_eyes(eyes):
    places = [lab(color, EYES[eyes]) for color in GROUPS]
    # A distance of about 2 is just seen, side by side.
    assert min(np.linalg.norm(one - two) for one, two in combinations(places, 2)) > 12


def test_all_colors_are_seen_on_white():
    assert min(1.05 / (light(color) @ [0.2126, 0.7152, 0.0722] + 0.05) for color in GROUPS) > 1.9


def test_twenty_groups_all_have_colors():
    tree, _ = many(40)
    axes = plots.dendrogram(tree, colors=[f"g{i // 2}" for i in range(40)])
    assert told(axes) == [f"g{i}" for i in range(20)]
    assert len({label.get_color() for label in axes.get_yticklabels()}) == 20


def test_of_more_than_twenty_groups_the_largest_have_colors_and_the_others_are_counted():
    tree, _ = many(60)
    groups = ["small" if i == 0 else f"g{i // 2}" if i < 50 else f"h{i}" for i in range(60)]
    coloring = coloring_of(tree, groups)
    assert told(plots.dendrogram(tree, colors=groups))[-1] == f"{len(coloring.names) - 20} more groups"
    sizes = {name: groups.count(name) for name in coloring.names}
    colored = [sizes[name] for name, color in zip(coloring.names, coloring.palette, strict=True) if color != QUIET]
    assert len(colored) == 20
    assert min(colored) == 2


def test_clusters_are_told_by_size():
    tree = eight()
    sizes = sorted(np.bincount(tree.cut(3)).tolist(), reverse=True)
    axes = plots.dendrogram(tree, colors=3)
    assert told(axes) == [f"{i}: {size} items" for i, size in enumerate(sizes, start=1)]


def test_many_numbers_are_a_scale_and_few_are_groups():
    tree, _ = many(40)
    assert isinstance(coloring_of(tree, np.linspace(0, 1, 40)), Scale)
    assert isinstance(coloring_of(tree, list(range(40))), Scale)
    assert isinstance(coloring_of(tree, np.arange(40) % 12), Groups)
    assert isinstance(coloring_of(tree, (np.arange(40) % 3) / 2), Groups)
    assert isinstance(coloring_of(tree, [f"{i}" for i in range(40)]), Groups)


def test_a_scale_has_a_bar_with_its_name_and_branches_have_the_color_of_their_mean():
    tree, _ = many(12)
    values = pd.Series(np.linspace(3.0, 7.5, 12), name="alcohol")
    axes = plots.dendrogram(tree, colors=values)
    (bar,) = [other for other in axes.figure.axes if other is not axes]
    assert bar.get_ylabel() == "alcohol"
    assert bar.get_ylim() == pytest.approx((3.0, 7.5))
    assert axes.get_legend() is None
    node = next(int(v) for v in tree.preorder[1:] if tree.sizes[v] > 2)
    scale = coloring_of(tree, values)
    replaced = values.to_numpy().copy()
    replaced[0] = values.iloc[tree.leaves(node)].mean()
    wanted = scale._colors(replaced, QUIET)[0]
    assert scale.of_nodes(tree, QUIET)[node] == pytest.approx(wanted)


def test_an_item_without_a_number_has_no_color_of_the_scale():
    tree, _ = many(12)
    values = [None, *np.linspace(0, 1, 11).tolist()]
    assert coloring_of(tree, values).of_leaves()[0] == QUIET
    assert plots.diffusion(tree, many(12)[1], colors=values).get_legend() is None


def test_among_thousands_of_edges_the_items_stand_out():
    def widths(num_leaves: int) -> tuple[float, float]:
        axes = plots.diffusion(*many(num_leaves))
        (edges,), (points,) = found(axes, "edges"), found(axes, "items")
        assert points.get_zorder() > edges.get_zorder()
        alpha = edges.get_alpha()
        return float(max(edges.get_linewidths())), 1.0 if alpha is None else float(np.max(alpha))

    many_edges, few_edges = widths(700), widths(20)
    assert many_edges[0] < few_edges[0]
    assert many_edges[1] < few_edges[1]


def test_a_legend_above_given_axes_has_two_rows_at_most():
    axes = plt.subplots(figsize=(3, 3))[1]
    plots.dendrogram(eight(), colors=ITEMS, ax=axes)
    axes.figure.canvas.draw()
    heights = {round(text.get_window_extent().y0) for text in axes.get_legend().get_texts()}
    assert len(heights) <= 2
    assert told(axes)[-1].endswith("more groups")

"""The dendrogram: what is drawn where, and what is said about arguments that make no sense."""

import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from matplotlib.offsetbox import AnnotationBbox
from PIL import Image

from figures import ITEMS, eight, found, many, rows, segments, words
from strategies import trees
from treetalk import Session, Tree, plots
from treetalk.errors import DataNotFound, FormatError, MissingPackage

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


# --- what is drawn where


def test_every_edge_is_a_line_with_a_corner_at_the_time_of_its_parent():
    tree = eight()
    axes = plots.dendrogram(tree)
    drawn = {tuple(np.round(segment[[0, -1], 0], 6)) for segment in segments(axes, "branches")}
    edges = [(tree.time[tree.parent[v]], tree.time[v]) for v in range(tree.num_nodes) if v != tree.root]
    assert drawn == {tuple(np.round(edge, 6)) for edge in [*edges, (0.0, tree.time[tree.root])]}
    for segment in segments(axes, "branches"):
        if len(segment) == 3:
            assert segment[1, 0] == segment[0, 0]
            assert segment[1, 1] == segment[2, 1]


def test_a_node_stands_half_way_between_its_first_and_its_last_child():
    axes = plots.dendrogram(eight())
    edges = [segment for segment in segments(axes, "branches") if len(segment) == 3]
    places = {tuple(segment[-1]) for segment in edges}
    for parent in {tuple(segment[0]) for segment in edges}:
        below = [segment[-1, 1] for segment in edges if tuple(segment[0]) == parent]
        assert parent[1] == pytest.approx((min(below) + max(below)) / 2)
        assert parent in places or parent[0] == pytest.approx(eight().time[eight().root])


def test_leaves_have_their_names_from_top_to_bottom():
    axes = plots.dendrogram(eight())
    assert rows(axes) == ITEMS
    assert axes.yaxis_inverted()


def test_names_of_clusters_and_support_below_one_are_written():
    axes = plots.dendrogram(eight(support=0.5))
    assert sorted(words(axes)) == ["0.50", "0.50", "0.50", "birds", "felines"]


def test_support_is_left_out_if_nobody_wants_it():
    assert sorted(words(plots.dendrogram(eight(), support=False))) == ["birds", "felines"]


def test_good_support_makes_a_thicker_line():
    def width_at_root(support: float) -> float:
        (lines,) = found(plots.dendrogram(eight(support=support)), "branches")
        return float(lines.get_linewidths()[-1])

    assert width_at_root(1.0) > width_at_root(0.5) > width_at_root(0.1)


def test_support_in_percents_is_taken_for_shares():
    tree = eight()
    percents = Tree(tree.parent, age=tree.age, items=ITEMS, names=tree.names, support=tree.support * 100)
    assert words(plots.dendrogram(percents)) == words(plots.dendrogram(tree))


def test_branches_of_one_group_have_its_color_and_others_none():
    kinds = ["mammal"] * 4 + ["fish"] * 2 + ["bird"] * 2
    axes = plots.dendrogram(eight(), colors=kinds)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["mammal", "fish", "bird"]
    colors = [label.get_color() for label in axes.get_yticklabels()]
    assert len(set(colors)) == 3
    assert colors[0] == colors[3] != colors[4]
    (lines,) = found(axes, "branches")
    # Six edges of mammals, the one above them included, are seven; three of each of the others; the rest is mixed.
    counts = sorted(map(tuple, lines.get_colors()), key=lambda color: color)
    assert sorted(counts.count(color) for color in set(counts)) == [2, 3, 3, 7]


def test_a_series_of_groups_is_matched_by_name_whatever_its_order():
    groups = pd.Series(["bird", "fish", "mammal"], index=["owl", "eel", "cat"]).reindex(ITEMS[::-1])
    groups = groups.fillna("other")
    axes = plots.dendrogram(eight(), colors=groups)
    plain = plots.dendrogram(eight(), colors=[groups[item] for item in ITEMS])
    assert [each.get_color() for each in axes.get_yticklabels()] == [
        each.get_color() for each in plain.get_yticklabels()
    ]


def test_a_number_of_clusters_colors_what_the_cut_gives():
    tree = eight()
    colors = [label.get_color() for label in plots.dendrogram(tree, colors=3).get_yticklabels()]
    labels = tree.cut(3)
    assert len(set(colors)) == 3
    for i in range(8):
        for j in range(8):
            assert (colors[i] == colors[j]) == (labels[i] == labels[j])


def test_a_large_tree_is_drawn_in_few_rows_with_all_its_items_counted():
    tree, _ = many(300)
    axes = plots.dendrogram(tree, max_rows=20)
    assert len(rows(axes)) == 20
    (triangles,) = found(axes, "shut branches")
    shut = [label for label in rows(axes) if label.endswith(")")]
    assert len(triangles.get_paths()) == len(shut) > 0
    counted = sum(int(label.rsplit("(", 1)[1].rstrip(")").replace(",", "")) for label in shut)
    assert counted + 20 - len(shut) == 300


def test_a_triangle_reaches_from_its_branch_to_its_last_leaf():
    tree = Tree.from_newick("((a:1,b:3):1,(c:1,d:1):2);")
    axes = plots.dendrogram(tree, max_rows=2)
    (triangles,) = found(axes, "shut branches")
    reach = [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in triangles.get_paths()]
    assert reach == [(1, 4), (2, 3)]


def test_rows_fit_into_the_axes_that_are_given():
    tree, _ = many(300)
    small, large = plt.subplots(figsize=(4, 2))[1], plt.subplots(figsize=(4, 6))[1]
    few, more = (len(rows(plots.dendrogram(tree, ax=axes))) for axes in (small, large))
    assert few < more < 60


def test_a_tree_without_times_has_no_time_axis():
    axes = plots.dendrogram(Tree.from_newick("((a,b),(c,d));"))
    assert axes.get_xlabel() == ""
    assert len(axes.get_xticks()) == 0
    assert len(segments(axes, "branches")) == 6


def test_the_axis_says_what_the_times_are():
    assert plots.dendrogram(eight()).get_xlabel() == "time"
    assert plots.dendrogram(Tree.from_newick("(a:2,b:3);")).get_xlabel() == "distance from the root"
    assert plots.dendrogram(eight(), times=False).get_xlabel() == ""


def test_leaves_that_end_early_are_led_to_their_names():
    axes = plots.dendrogram(Tree.from_newick("(a:2,b:3);"))
    assert [segment.tolist() for segment in segments(axes, "leaders")] == [[[2, 0], [3, 0]]]


@pytest.mark.parametrize("orientation", ["right", "left", "top", "bottom"])
def test_a_tree_grows_to_where_it_is_told(orientation):
    axes = plots.dendrogram(eight(), orientation=orientation)
    is_flat = orientation in {"right", "left"}
    labels = axes.get_yticklabels() if is_flat else axes.get_xticklabels()
    assert [label.get_text() for label in labels] == ITEMS
    axes.figure.canvas.draw()
    root = segments(axes, "branches")[-1][0]
    leaf = (
        segments(axes, "branches")[0][-1]
        if is_flat
        else max((segment[-1] for segment in segments(axes, "branches")), key=lambda place: place[1])
    )
    begin, end = axes.transData.transform(root), axes.transData.transform(leaf)
    grown = end[0] - begin[0] if is_flat else end[1] - begin[1]
    assert grown > 0 if orientation in {"right", "bottom"} else grown < 0


def test_dollar_signs_in_names_are_no_mathematics():
    axes = plots.dendrogram(Tree.from_newick("(('a$_1$','$'),'b^2');"))
    axes.figure.canvas.draw()
    assert not any(label.get_parse_math() for label in axes.get_yticklabels())
    assert rows(axes) == ["a$_1$", "$", "b^2"]


def test_long_names_are_cut_but_counts_are_not():
    long = [f"{'very ' * 30}long {i}" for i in range(8)]
    tree = Tree(eight().parent, names=[None] * 14 + ["everything " * 9], items=long)
    for label in rows(plots.dendrogram(tree, max_rows=4)):
        assert len(label) <= 50
        assert label.endswith("…") or label.split("…")[-1] in {" (2)", " (4)"}


@settings(max_examples=25)
@given(trees(max_leaves=9))
def test_every_tree_can_be_drawn(tree):
    axes = plots.dendrogram(tree, max_rows=6)
    assert len(rows(axes)) <= max(6, len(tree.children(tree.root)))
    assert np.isfinite([*axes.get_xlim(), *axes.get_ylim()]).all()
    plt.close(axes.figure)


# --- pictures


def test_pictures_stand_beside_their_leaves(tmp_path):
    path = tmp_path / "cat.png"
    Image.new("RGB", (40, 20), "red").save(path)
    images = {"cat": path, "dog": np.zeros((8, 8)), "owl": Image.new("L", (10, 10)), "crow": path.read_bytes()}
    axes = plots.dendrogram(eight(), images=images)
    boxes = [artist for artist in axes.get_children() if isinstance(artist, AnnotationBbox)]
    assert sorted(box.xy[1] for box in boxes) == sorted(ITEMS.index(item) for item in images)
    axes.figure.canvas.draw()
    cat = next(box for box in boxes if box.xy[1] == 0)
    assert tuple(cat.offsetbox.get_data()[0, 0]) == (255, 0, 0, 255)


def test_a_collapsed_branch_shows_the_picture_of_one_of_its_items():
    shades = [np.full((4, 4), i / 10) for i in range(8)]
    axes = plots.dendrogram(eight(), images=shades, max_rows=3)
    assert sum(isinstance(artist, AnnotationBbox) for artist in axes.get_children()) == len(rows(axes)) == 3


def test_a_picture_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataNotFound, match=r"the image of 'cat' is not there: .*nowhere\.png"):
        plots.dendrogram(eight(), images={"cat": tmp_path / "nowhere.png"})


def test_a_picture_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "cat.png"
    path.write_text("no picture")
    with pytest.raises(FormatError, match="the image of 'cat' cannot be read"):
        plots.dendrogram(eight(), images={"cat": str(path)})


# --- what is given


def test_a_session_and_whatever_has_a_tree_can_be_drawn():
    session = Session(many(12)[1], seed=1).advance(200)

    class Fitted:
        tree_ = session.tree

    assert rows(plots.dendrogram(session)) == rows(plots.dendrogram(session.tree)) == rows(plots.dendrogram(Fitted()))


def test_an_estimator_that_is_not_fitted_is_told_to_be():
    class Unfitted:
        def fit(self): ...

    with pytest.raises(ValueError, match="this Unfitted has no tree yet: call fit first"):
        plots.dendrogram(Unfitted())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"orientation": "up"}, "orientation must be one of 'right', 'left', 'top', 'bottom', not 'up'"),
        ({"max_rows": 1}, "max_rows must be"),
        ({"labels": ["a"]}, "labels has 1 values, and the tree has 8 leaves"),
        ({"colors": {"bat": 1}}, "colors: there is no item 'bat'; did you mean 'cat'?"),
        ({"colors": pd.Series([1], ["cat"])}, "colors has no value for the item 'lynx'"),
        ({"images": {9: None}}, "images: there is no item 9"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, sentence):
    with pytest.raises((ValueError, TypeError)) as error:
        plots.dendrogram(eight(), **options)
    assert sentence in str(error.value)


def test_something_without_a_tree_is_refused():
    with pytest.raises(
        TypeError, match="a Tree, or something that has one, such as a Session, is needed here, not int"
    ):
        plots.dendrogram(3)


def test_axes_that_are_given_are_drawn_into_and_nothing_else_is_opened():
    axes = plt.subplots()[1]
    before = plt.get_fignums()
    assert plots.dendrogram(eight(), ax=axes) is axes
    assert plt.get_fignums() == before


def test_a_drawing_that_fails_leaves_no_figure_behind(tmp_path):
    with pytest.raises(DataNotFound):
        plots.dendrogram(eight(), images={"cat": tmp_path / "nowhere.png"})
    assert plt.get_fignums() == []


def test_settings_of_matplotlib_are_left_alone():
    before = dict(mpl.rcParams)
    plots.dendrogram(eight())
    assert dict(mpl.rcParams) == before


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackage) as error:
        plots.dendrogram(eight())
    assert str(error.value) == 'drawing needs matplotlib, which is not installed: pip install "treetalk[plot]"'

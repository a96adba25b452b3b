"""Diffusions, traces, trees face to face, what moved, and where draws disagree: what is drawn, and what it says."""

import re
from itertools import product

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figures import ITEMS, NEWICK, OTHER, eight, eight_values, found, many, segments, words
from strategies import trees
from treetalk import DirichletDiffusion, Session, Tree, TreeUser, plots, simulate, triplet_distance
from treetalk.plots.disagreements import top_pairs
from treetalk.plots.facing import facing, ranks_of, sides_of
from treetalk.plots.moves import moved_items
from treetalk.plots.naming import spread_apart
from treetalk.plots.spread import join_spread, snapshots_of

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def session() -> Session:
    X = np.hstack([eight_values(), eight_values()[::-1] ** 2])
    return Session(X, ITEMS, seed=2, num_chains=2).advance(400, 20)


# --- diffusions


def test_straight_paths_lead_through_the_means_of_the_nodes():
    tree, X = eight(), eight_values()
    means = DirichletDiffusion().node_means(tree, X)[:, 0]
    drawn = segments(plots.diffusion(tree, X, paths=False), "paths")
    for v in range(tree.num_nodes):
        p = tree.parent[v]
        begin = (0, X.mean()) if p == -1 else (tree.time[p], means[p])
        np.testing.assert_allclose(drawn[v], [begin, (tree.time[v], means[v])], atol=1e-9)


def test_random_paths_join_and_are_the_same_for_the_same_seed():
    tree, X = eight(), eight_values()
    drawn = segments(plots.diffusion(tree, X, seed=3), "paths")
    for v in range(tree.num_nodes):
        if tree.parent[v] != -1:
            np.testing.assert_allclose(drawn[v][0], drawn[tree.parent[v]][-1])
    again, others = (segments(plots.diffusion(tree, X, seed=seed), "paths") for seed in (3, 4))
    assert all(np.array_equal(one, two) for one, two in zip(drawn, again, strict=True))
    assert not np.array_equal(drawn[0][:, 1], others[0][:, 1])


def test_random_paths_are_as_rough_as_the_model_says():
    tree, X = many(200, 1)
    model = DirichletDiffusion().for_data(X)
    paths = segments(plots.diffusion(tree, X, model=model), "paths")
    squares = np.concatenate([np.diff(path[:, 1]) ** 2 for path in paths if len(path) > 2])
    waits = np.concatenate([np.diff(path[:, 0]) for path in paths if len(path) > 2])
    assert squares.sum() / waits.sum() == pytest.approx(float(model.scale[0]), rel=0.25)


def test_two_columns_are_drawn_as_they_are_with_edges_between_means():
    tree, X = many(20)
    axes = plots.diffusion(tree, X)
    means = DirichletDiffusion().node_means(tree, X)
    (edges,) = found(axes, "edges")
    ends = {tuple(np.round(segment[1], 9)) for segment in edges.get_segments()}
    assert ends == {tuple(mean) for mean in np.round(means, 9)}
    (points,) = found(axes, "items")
    np.testing.assert_allclose(points.get_offsets(), X)
    np.testing.assert_allclose(segments(axes, "noise"), np.stack([means[:20], X], axis=1))
    assert np.sort(edges.get_array()).tolist() == np.sort(1 - tree.age).tolist()


def test_more_columns_are_drawn_by_their_principal_components():
    tree, X = many(20, 5)
    axes = plots.diffusion(tree, X)
    points = found(axes, "items")[0].get_offsets()
    explained = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    np.testing.assert_allclose(points.var(axis=0, ddof=1), explained[:2])
    assert axes.get_xlabel() == f"principal component 1 ({explained[0] / explained.sum():.0%} of the variance)"


def test_chosen_columns_are_drawn():
    tree, X = many(10, 4)
    (points,) = found(plots.diffusion(tree, X, dimensions=(3, 1)), "items")
    np.testing.assert_allclose(points.get_offsets(), X[:, [3, 1]])


def test_names_in_the_plane_do_not_overlap_and_items_in_one_place_are_named_together():
    tree, X = many(25)
    X[1] = X[0]
    tree = tree.with_items([f"item {i}" for i in range(25)])
    axes = plots.diffusion(tree, X)
    named = [text for text in axes.texts if text.get_text() != "origin"]
    assert any(text.get_text() == "item 0 and item 1" for text in named)
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in named]
    assert not any(one.overlaps(two) for i, one in enumerate(boxes) for two in boxes[:i])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 0.3))
def test_places_are_spread_apart_in_their_order(places, gap):
    before = np.array(places)
    after = spread_apart(before, gap)
    order = np.argsort(before, kind="stable")
    assert (np.diff(after[order]) >= gap - 1e-9).all()
    if (np.diff(before[order]) >= gap).all():
        np.testing.assert_allclose(after, before)
    assert after.mean() == pytest.approx(before.mean())


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        ((), {}, "diffusion needs the data: give X, with a row for each item"),
        ((np.zeros((3, 1)),), {}, "the tree has 8 leaves, and X has 3 rows"),
        ((eight_values(),), {"dimensions": [1]}, "X has no column 1: columns are numbered from 0 to 0"),
        ((eight_values(),), {"dimensions": [0, 0, 0]}, "dimensions must be one or two columns of X, not 3"),
    ],
)
def test_data_that_do_not_fit_are_refused(arguments, options, sentence):
    with pytest.raises(ValueError) as error:
        plots.diffusion(eight(), *arguments, **options)
    assert str(error.value) == sentence


def test_the_data_of_a_session_or_an_estimator_are_its_own(session):
    class Fitted:
        tree_, session_ = session.tree, session

    for source in (session, Fitted()):
        (points,) = found(plots.diffusion(source), "items")
        np.testing.assert_allclose(points.get_offsets(), session.X)


def test_a_tree_that_is_no_diffusion_is_refused():
    with pytest.raises(ValueError, match="the tree is no diffusion tree"):
        plots.diffusion(Tree.from_newick("((a,b),c);"), np.arange(3.0)[:, None])


# --- traces


def test_each_chain_has_a_trace_and_its_mean_so_far(session):
    figure = plots.traces(session)
    axes = figure.axes[0]
    drawn = [line.get_ydata() for line in found(axes, "trace")]
    rows = session.snapshots.draws_by_chain(2)
    np.testing.assert_allclose(drawn, session.snapshots.densities[rows].sum(axis=2))
    means = [line.get_ydata() for line in found(axes, "running mean")]
    np.testing.assert_allclose([mean[-1] for mean in means], [series.mean() for series in drawn])
    assert "R-hat" in axes.get_title(loc="left")
    assert figure.get_suptitle().replace("\n", " ") == session.diagnose().sentence


def test_chains_that_agree_have_equal_shares_of_all_ranks():
    values = np.stack([np.arange(0, 200, 2), np.arange(1, 200, 2)])
    for steps in found(plots.traces(values).axes[1], "ranks"):
        np.testing.assert_allclose(steps.get_data().values, 1)


def test_chains_apart_are_seen_to_be():
    values = np.random.default_rng(0).normal([[0], [50]], size=(2, 100))
    figure = plots.traces({"height": values})
    assert figure.axes[0].get_title(loc="left").startswith("Height: R-hat ")
    rhat = float(figure.axes[0].get_title(loc="left").split("R-hat ")[1].split(",")[0])
    assert rhat > 1.5
    shares = [steps.get_data().values for steps in found(figure.axes[1], "ranks")]
    assert shares[0].tolist() == [2] * 5 + [0] * 5


def test_too_few_draws_are_said_to_be():
    axes = plots.traces(np.zeros((1, 3))).axes[0]
    assert axes.get_title(loc="left") == "Values: only 3 draws of each chain, too few to judge"


def test_a_session_that_has_not_sampled_has_no_trace():
    with pytest.raises(ValueError, match="nothing was sampled under the present answers, so there is no trace"):
        plots.traces(Session(eight_values()))


# --- face to face


def crossings(order: np.ndarray, other: np.ndarray) -> int:
    ranks, others = ranks_of(order), ranks_of(other)
    pairs = product(range(len(order)), repeat=2)
    return sum(ranks[i] < ranks[j] and others[i] > others[j] for i, j in pairs)


@given(trees(min_leaves=2, max_leaves=8), st.randoms(use_true_random=False))
def test_turned_branches_cross_no_more_than_trees_as_they_are(tree, random):
    tree = tree.with_items(None)
    leaves = list(range(tree.num_leaves))
    random.shuffle(leaves)
    other = tree.restrict(leaves)
    pair = facing(tree, other)
    assert pair.num_crossings == crossings(pair.order, pair.other_order)
    assert pair.num_crossings <= crossings(tree.leaves(), other.leaves())


@given(trees(min_leaves=2, max_leaves=10))
def test_a_tree_faces_itself_without_crossings(tree):
    assert facing(tree, tree).num_crossings == 0


def test_lines_join_the_two_places_of_each_item():
    one, other = eight(), eight(OTHER).restrict(ITEMS[::-1])
    axes = plots.tanglegram(one, other)
    pair = facing(one, other)
    lines = segments(axes, "between")
    assert [line[0, 1] for line in lines] == ranks_of(pair.order).tolist()
    names = [text.get_text() for text in axes.texts]
    assert sorted(names) == sorted(ITEMS * 2)
    for text in axes.texts:
        assert text.get_position()[1] in lines[ITEMS.index(text.get_text())][:, 1]


def test_the_title_has_the_distance_both_ways():
    one, other = eight(), Tree.from_newick("((cat,lynx,dog,wolf,eel,trout),(crow,owl));")
    there, back = triplet_distance(one, other), triplet_distance(other, one)
    title = plots.tanglegram(one, other).get_title(loc="left")
    assert title == f"Triplet distance: left to right {there:.3f}, right to left {back:.3f}"
    assert plots.tanglegram(one, one).get_title(loc="left") == "Triplet distance 0.000"


def test_trees_with_different_items_are_refused_with_the_name_of_one():
    with pytest.raises(ValueError, match="the trees have different items: 'owl' is only in the first"):
        plots.tanglegram(eight(), eight().restrict(ITEMS[:-1]))
    with pytest.raises(ValueError, match="the trees have different items: the first has 2, the second 3"):
        plots.tanglegram(Tree([2, 2, -1]), Tree([3, 3, 3, -1]))


def test_large_trees_face_each_other_in_few_rows_with_all_items_counted():
    tree, _ = many(300)
    axes = plots.tanglegram(tree, many(301)[0].restrict(range(300)))
    counts = {}
    for text in axes.texts:
        label = text.get_text()
        size = int(label.rsplit("(", 1)[1].rstrip(")")) if label.endswith(")") else 1
        counts[text.get_ha()] = counts.get(text.get_ha(), 0) + size
    assert counts == {"left": 300, "right": 300}
    assert len(axes.texts) <= 120
    assert len(found(axes, "between")[0].get_paths()) > 60


def test_branches_of_both_trees_take_one_row_in_both():
    tree, _ = many(300)
    one, other = sides_of(facing(tree, tree.restrict(range(300))), 40)
    assert np.array_equal(np.sort(tree.sizes[one.nodes]), np.sort(other.tree.sizes[other.nodes]))
    axes = plots.tanglegram(tree, tree)
    # A band for each row, straight across.
    assert len(found(axes, "between")[0].get_paths()) == len(axes.texts) / 2


# --- before and after


RULE = "whose supports add up to more than 1.1 (by chance, to 1 at most)"


def without_support(newick: str) -> Tree:
    return Tree.from_newick(newick, ITEMS)


def test_what_moved_is_named_and_highlighted():
    before = eight()
    after = eight("((((cat,lynx,owl)felines,(dog,wolf)),(eel,trout)),crow);")
    figure = plots.before_after(before, after)
    axes = figure.axes[0]
    title = axes.get_title(loc="left").replace("\n", " ")
    assert title == f"1 of 8 items moved: owl. Counted are contradicting branches {RULE}."
    colors = {text.get_text(): text.get_color() for text in axes.texts}
    assert colors["owl"] != colors["cat"] == colors["crow"]
    (lines,) = found(axes, "between")
    assert np.argmax(lines.get_linewidths()) == ITEMS.index("owl")


def test_what_moved_is_matched_by_name():
    before = eight()
    assert not moved_items(before, before.restrict(ITEMS)).any()
    title = plots.before_after(before, before.restrict(ITEMS[::-1])).axes[0].get_title(loc="left").replace("\n", " ")
    assert title == f"Nothing moved: there are no contradicting branches {RULE}."
    title = plots.before_after(without_support(NEWICK), without_support(NEWICK)).axes[0].get_title(loc="left")
    assert title == "Nothing moved."


def test_what_changed_in_branches_of_little_support_did_not_move():
    after = "(((((cat,lynx),dog),wolf),(eel,trout)),(crow,owl));"
    assert moved_items(without_support(NEWICK), without_support(after)).sum() == 1
    # Pairs, such as dog and wolf before, have support 1 in these trees, others, such as cat, lynx and dog, as given.
    assert not moved_items(eight(), eight(after, support=0.05)).any()
    assert moved_items(eight(), eight(after, support=0.3)).sum() == 1


@given(trees(min_leaves=3, max_leaves=9), st.randoms(use_true_random=False))
def test_without_what_moved_nothing_is_contradicted_and_all_of_it_is_needed(tree, random):
    leaves = list(range(tree.num_leaves))
    random.shuffle(leaves)
    then, now = Tree(tree.parent), Tree(tree.with_items(None).restrict(leaves).parent)

    def are_in_agreement(kept: set[int]) -> bool:
        pairs = product(*([clade & kept for clade in each.clades()] for each in (then, now)))
        return all(not one & other or one <= other or other <= one for one, other in pairs)

    moved = set(np.flatnonzero(moved_items(then, now)).tolist())
    kept = set(leaves) - moved
    assert are_in_agreement(kept)
    assert not any(are_in_agreement(kept | {leaf}) for leaf in moved)


def test_a_session_is_drawn_against_one_without_its_answers():
    # So many columns leave no doubt about who stands with whom.
    X = np.random.default_rng(0).normal(np.repeat([[0.0], [5.0], [10.0]], 2, axis=0), 0.1, size=(6, 20))
    session = Session(X, list("abcdef"), seed=1).advance(300)
    assert plots.before_after(session).axes[0].get_title(loc="left").startswith("Nothing moved: ")
    session.answer(None, [("a", "e", "b"), ("a", "f", "b")])
    session.advance(300)
    trees_before = [tree.to_newick() for tree in session.samples]
    figure = plots.before_after(session, num_moves=1000)
    assert re.match(r"[12] of 6 items moved: a( and b)?\. ", figure.axes[0].get_title(loc="left"))
    assert [tree.to_newick() for tree in session.samples] == trees_before
    assert len(session.triplets) == 2


def test_one_tree_alone_has_no_before():
    with pytest.raises(ValueError, match="before_after needs two hierarchies, or one that has a session"):
        plots.before_after(eight())


def test_the_curve_of_a_record_is_drawn_below():
    record = simulate(eight_values(), TreeUser(eight()), num_queries=2, items=ITEMS, num_moves=20, progress=False)
    figure = plots.before_after(eight(), record.tree, record=record)
    (curve,) = figure.axes[1].lines
    np.testing.assert_allclose(curve.get_ydata(), record.triplet_distance)
    with pytest.raises(TypeError, match="a Simulation, as simulate returns it, is needed here, not Tree"):
        plots.answers_curve([eight()])
    with pytest.raises(TypeError, match="a Simulation, as simulate returns it, is needed here, not Session"):
        plots.answers_curve(Session(eight_values()))


def test_runs_that_are_alike_are_drawn_as_their_mean():
    runs = [
        simulate(eight_values(), TreeUser(eight()), num_queries=2, items=ITEMS, num_moves=20, seed=seed, progress=False)
        for seed in (1, 2)
    ]
    (curve,) = plots.answers_curve(runs).lines
    np.testing.assert_allclose(curve.get_ydata(), np.mean([run.triplet_distance for run in runs], axis=0))


# --- disagreement


def naive_spread(draws: list[Tree]) -> np.ndarray:
    n = draws[0].num_leaves
    shares = [[[tree.sizes[tree.mrca(i, j)] / n for i in range(n)] for j in range(n)] for tree in draws]
    return np.std(shares, axis=0)


@settings(max_examples=20)
@given(st.integers(3, 8), st.integers(1, 5))
def test_the_spread_is_the_deviation_of_the_share_in_the_smallest_common_clade(num_leaves, num_draws):
    draws = [DirichletDiffusion().simulate(num_leaves, 1, seed=seed)[0] for seed in range(num_draws)]
    snapshots = snapshots_of(draws)
    wanted = naive_spread(draws)
    np.testing.assert_allclose(join_spread(snapshots), wanted, atol=1e-6)
    some = np.array([2, 0])
    np.testing.assert_allclose(join_spread(snapshots, some), wanted[np.ix_(some, some)], atol=1e-6)


def test_the_most_uncertain_pairs_share_no_item():
    spread = np.zeros((5, 5))
    for (i, j), value in {(0, 1): 0.4, (0, 2): 0.3, (2, 3): 0.2, (1, 4): 0.35, (3, 4): 0.01}.items():
        spread[i, j] = spread[j, i] = value
    assert top_pairs(spread, 5) == [(0, 1), (2, 3)]
    assert top_pairs(spread, 1) == [(0, 1)]


def test_the_map_has_the_items_in_the_order_of_the_tree_and_their_spread():
    draws = [eight(), eight(), eight(OTHER)]
    figure = plots.disagreement(draws, num_pairs=2)
    axes = figure.axes[1]
    order = [ITEMS.index(label.get_text()) for label in axes.get_yticklabels()]
    wanted = naive_spread(draws)[np.ix_(order, order)]
    np.fill_diagonal(wanted, np.nan)
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan), wanted, atol=1e-6)
    told = [text.get_text() for text in figure.axes[2].texts if text.get_gid() == "pair"]
    assert len(told) == 2
    assert all(set(line.split(":")[0].split(" and ")) <= set(ITEMS[:4]) for line in told)


def test_rows_of_branches_show_the_mean_of_their_pairs():
    draws = [eight(), eight(OTHER)]
    figure = plots.disagreement(draws, max_rows=3)
    table = figure.axes[1].images[0].get_array()
    assert table.shape == (3, 3)
    labels = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    row = next(i for i, label in enumerate(labels) if "(4)" in label)
    within = naive_spread(draws)[:4, :4]
    assert table[row, row] == pytest.approx(within.sum() / 12, abs=1e-6)


def test_draws_that_agree_have_no_uncertain_pair():
    figure = plots.disagreement([eight()] * 3)
    assert words(figure.axes[2]) == ["In 3 draws, no pair of items is uncertain."]
    assert np.nanmax(figure.axes[1].images[0].get_array()) == 0


def test_a_session_that_has_not_sampled_has_no_disagreement():
    with pytest.raises(ValueError, match="nothing was sampled under the present answers, so there is no disagreement"):
        plots.disagreement(Session(eight_values(), ITEMS))


def test_of_the_pairs_between_two_rows_one_is_taken():
    spread = np.zeros((6, 6))
    for (i, j), value in {(0, 3): 0.4, (1, 4): 0.3, (2, 5): 0.2}.items():
        spread[i, j] = spread[j, i] = value
    assert top_pairs(spread, 3) == [(0, 3), (1, 4), (2, 5)]
    assert top_pairs(spread, 3, np.array([0, 0, 0, 1, 1, 2])) == [(0, 3), (2, 5)]
    assert top_pairs(spread, 3, np.array([1, 0, 0, 0, 1, 1])) == [(0, 3)]


# --- thousands of leaves


@pytest.mark.large
def test_thousands_of_leaves_take_few_rows_and_few_words():
    tree, X = many(3000)
    session = Session(X, seed=1).advance(200, 4)
    assert len(plots.dendrogram(tree).get_yticks()) == 60
    assert 20 < len(words(plots.tanglegram(tree, session))) <= 120
    assert plots.disagreement(session).axes[1].images[0].get_array().shape == (60, 60)
    assert len(words(plots.diffusion(tree, X))) == 1

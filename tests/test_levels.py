"""A few levels made of a deep tree: the best cuts, nested, with no group too small and no answer broken."""

import csv
import io
import itertools
import math
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import seeds, trees
from treetalk import InteractiveClustering, Session, Tree
from treetalk.leveling import Group, best_cut, levels, qualities, shaped
from treetalk.leveling.cutting import most_groups
from treetalk.start import random_tree

# Two cats, two dogs, and three fish with one that falls off.
ANIMALS = "(((cat:1,lynx:1)0.9:3,(dog:1,wolf:1)0.8:3)1.0:4,((eel:1,cod:1)0.5:2,pike:3)0.7:5)1.0;"


# --- references that can be trusted by reading


def naive_cuts(tree: Tree, node: int, min_size: int) -> list[list[int]]:
    """All cuts of what stands below a node."""
    large = [v for v in tree.children(node).tolist() if tree.sizes[v] >= min_size]
    below = [naive_cuts(tree, v, min_size) for v in large]
    joined = [list(itertools.chain(*parts)) for parts in itertools.product(*below)] if large else []
    return [[node], *(cut for cut in joined if len(cut) > 1)]


def naive_best(tree: Tree, every: list[list[int]], wanted: int) -> float:
    """The best score; if there cannot be more groups than are wanted, then of the cuts with the most groups."""
    most = max(map(len, every))
    return max(naive_score(tree, cut, wanted) for cut in every if wanted < most or len(cut) == most)


def naive_score(tree: Tree, cut: list[int], wanted: int) -> float:
    quality = qualities(tree)
    mean = sum(tree.sizes[v] * quality[v] for v in cut) / tree.num_leaves
    return float(mean - abs(math.log(len(cut) / wanted)))


def clumps(sizes: list[int]) -> Tree:
    """A root with a child for each size: a leaf, or a node with so many leaves."""
    num_leaves, inner = sum(sizes), [size for size in sizes if size > 1]
    root = num_leaves + len(inner)
    above = itertools.count(num_leaves)
    parent = [v for size in sizes for v in [root if size == 1 else next(above)] * size]
    return Tree([*parent, *[root] * len(inner), -1])


def is_contradicted(labels: np.ndarray, a: int, b: int, c: int) -> bool:
    return any((column[c] == column[a]) != (column[c] == column[b]) for column in labels.T if column[a] != column[b])


# --- the cut


@given(trees(min_leaves=1, max_leaves=9), st.integers(1, 6), st.integers(1, 4))
def test_the_cut_is_the_best_of_all(tree, wanted, min_size):
    (cut,) = best_cut(tree, [tree.root], wanted, qualities(tree), min_size=min_size)
    every = naive_cuts(tree, tree.root, min_size)
    assert sorted(cut) in [sorted(each) for each in every]
    assert naive_score(tree, cut, wanted) == pytest.approx(naive_best(tree, every, wanted))
    assert most_groups(tree, min_size) == max(map(len, every))


@given(trees(min_leaves=4, max_leaves=9), st.integers(1, 6), st.integers(1, 3))
def test_the_cut_below_several_nodes_is_the_best_of_all(tree, wanted, min_size):
    roots = tree.children(tree.root).tolist()
    cut = best_cut(tree, roots, wanted, qualities(tree), min_size=min_size)
    below = [naive_cuts(tree, v, min_size) for v in roots]
    every = [list(itertools.chain(*parts)) for parts in itertools.product(*below)]
    best = naive_best(tree, every, wanted)
    assert naive_score(tree, list(itertools.chain(*cut)), wanted) == pytest.approx(best)


@given(st.lists(st.integers(1, 3), min_size=2, max_size=9), st.integers(1, 12), st.integers(1, 2))
def test_the_cut_of_a_node_with_many_children_is_the_best_of_all(sizes, wanted, min_size):
    tree = clumps(sizes)
    (cut,) = best_cut(tree, [tree.root], wanted, qualities(tree), min_size=min_size)
    every = naive_cuts(tree, tree.root, min_size)
    assert naive_score(tree, cut, wanted) == pytest.approx(naive_best(tree, every, wanted))


@pytest.mark.parametrize(("num_cherries", "wanted"), [(12, 4), (140, 50)])
def test_far_more_groups_than_wanted_are_better_than_one(num_cherries, wanted):
    assert levels(clumps([2] * num_cherries), wanted).num_groups == (num_cherries,)


def test_a_node_with_very_many_children_is_no_trouble():
    assert levels(clumps([1] * 3000), 100).num_groups == (3000,)
    assert levels(clumps([2] * 1000), 2).num_groups == (1,)


def test_a_node_that_must_stay_whole_is_not_cut():
    tree = Tree.from_newick(ANIMALS)
    pets = tree.mrca("cat", "dog")
    (cut,) = best_cut(tree, [tree.root], 7, qualities(tree), uncut=[pets])
    assert pets in cut
    assert len(cut) == 4


def test_quality_is_support_weighed_by_how_much_tighter_a_node_is():
    tree = Tree.from_newick(ANIMALS)
    quality = qualities(tree)
    # The cats are 1 high below a node that is 4 high, their support is 0.9.
    assert quality[tree.mrca("cat", "lynx")] == pytest.approx(0.9 * (1 + 3 / 4) / 2)
    assert quality[tree.root] == pytest.approx(0.5)
    assert quality[: tree.num_leaves].tolist() == [0] * 7
    assert qualities(Tree(tree.parent))[tree.mrca("cat", "lynx")] == pytest.approx((1 + 1 / 2) / 2)


def test_support_in_percent_is_told_as_a_share():
    shares = Tree.from_newick(ANIMALS)
    percents = Tree(shares.parent, time=shares.time, items=shares.items, support=shares.support * 100)
    assert qualities(percents) == pytest.approx(qualities(shares))
    found, same = levels(percents, [2, 3], min_size=2), levels(shares, [2, 3], min_size=2)
    assert repr(found) == repr(same)
    assert [group.support for group in found.groups] == pytest.approx([group.support for group in same.groups])


def test_a_group_of_one_item_is_sure():
    found = levels(Tree.from_newick(ANIMALS), 7)
    assert [group.support for group in found.groups] == [1.0] * 7


def test_of_two_splits_the_one_with_support_is_made():
    for left, right, together in ((0.9, 0.1, ("c", "d")), (0.1, 0.9, ("a", "b"))):
        text = f"(((a:1,a2:1){left}:1,(b:1,b2:1){left}:1)1.0:2,((c:1,c2:1){right}:1,(d:1,d2:1){right}:1)1.0:2)1.0;"
        tree = Tree.from_newick(text)
        labels = levels(tree, 3).labels[:, 0]
        x, y = (tree.items.numbers[item] for item in together)
        assert labels[x] == labels[y]
        assert len(set(labels)) == 3


# --- what always holds


@given(trees(min_leaves=1, max_leaves=20), st.sets(st.integers(1, 9), min_size=1, max_size=3), st.integers(1, 4))
def test_levels_are_nested_partitions_with_no_group_too_small(tree, wanted, min_size):
    found = levels(tree, sorted(wanted), min_size=min_size)
    assert found.labels.shape == (tree.num_leaves, len(wanted))
    for level in range(found.num_levels):
        groups = found.level(level)
        assert (
            [group.number for group in groups]
            == list(range(len(groups)))
            == sorted(set(found.labels[:, level].tolist()))
        )
        for group in groups:
            assert group.leaves == tuple(np.flatnonzero(found.labels[:, level] == group.number).tolist())
            assert group.size == len(group.leaves) >= min(min_size, tree.num_leaves)
            above = set(found.labels[list(group.leaves), level - 1].tolist()) if level else {None}
            assert above == {group.parent}
            # A group is a clade, but for what it took in.
            items = tree.items or tuple(map(str, range(tree.num_leaves)))
            own = {items[leaf] for leaf in group.leaves} - set(group.taken_in)
            assert own == {items[leaf] for leaf in tree.leaves(group.node).tolist()}
            assert set(group.representatives) <= own
        assert len({group.name for group in groups}) == len(groups)


@given(seeds, st.integers(2, 4), st.integers(2, 3), st.sampled_from([0.02, 0.1, 0.5]))
def test_no_answer_that_the_tree_satisfies_is_ever_broken(seed, wanted, min_size, share):
    tree = Tree(random_tree(14, np.random.default_rng(seed))[0])
    every = np.array(list(itertools.permutations(range(tree.num_leaves), 3)))
    held = every[tree.satisfies(every)]
    chosen = held[np.random.default_rng(seed).random(len(held)) < share]
    found = levels(tree, [wanted, wanted + 3], min_size=min_size, triplets=chosen)
    assert not any(is_contradicted(found.labels, *triplet) for triplet in chosen.tolist())
    if min(group.size for group in found.groups) < min_size:
        assert any("has groups of fewer than" in note for note in found.notes)


@given(trees(min_leaves=2, max_leaves=12), st.integers(1, 4))
def test_the_tree_of_levels_has_exactly_the_groups_for_its_clusters(tree, min_size):
    found = levels(tree, [2, 4, 7], min_size=min_size)
    every = {frozenset(group.leaves) for group in found.groups if group.size > 1} | {frozenset(range(tree.num_leaves))}
    made = found.tree
    assert {made.clades()[v] for v in range(made.num_leaves, made.num_nodes)} == every
    assert made.items == tree.items
    names = {frozenset(group.leaves): group.name for group in reversed(found.groups)}
    for v in range(made.num_leaves, made.num_nodes):
        if v != made.root:
            assert made.names[v] == names[made.clades()[v]]


# --- what is told


def test_names_are_those_that_people_gave_or_are_made_of_central_items():
    tree = Tree.from_newick("((cat:1,lynx:1,((dog:1,wolf:1):1,fox:2):2)carnivores:1,(eel:1,cod:1):1);")
    found = levels(tree, 2)
    assert [(group.name, group.is_named, group.size) for group in found.groups] == [
        ("carnivores", True, 5),
        ("eel, cod", False, 2),
    ]
    assert found.groups[0].representatives[:2] == ("dog", "wolf")


def test_names_that_people_gave_twice_are_told_apart():
    tree = Tree.from_newick("((a,b)pets,(c,d)pets,(e,f)pets);")
    assert [group.name for group in levels(tree, 3).groups] == ["pets", "pets (2)", "pets (3)"]


def test_a_representative_is_the_item_that_joins_the_others_lowest():
    tree = Tree.from_newick("((a:3,(b:2,(c:1,d:1):1):1):1,e:4);")
    assert levels(tree, 1).groups[0].representatives == ("c", "d", "b")


def test_what_cannot_be_had_is_a_sentence():
    tree = Tree.from_newick(ANIMALS)
    assert levels(tree, [3]).notes == ()
    assert levels(tree, [6], min_size=2).notes == (
        "Level 1 has 3 groups, where about 6 were wanted; with no group under 2 items, the tree has at most 3.",
    )
    assert levels(tree, 1, min_size=9).notes == ("There are 7 items in all, so no group has 9 or more.",)


@given(trees(min_leaves=1, max_leaves=9), st.integers(0, 90), st.integers(1, 3))
def test_there_are_as_many_groups_as_there_can_be_where_that_is_not_more_than_wanted(tree, more, min_size):
    most = most_groups(tree, min_size)
    assert levels(tree, most + more, min_size=min_size).num_groups == (most,)


def test_a_single_one_is_counted_as_one():
    (note,) = levels(Tree.from_newick("((a,b),(c,d));"), 100).notes
    assert note == (
        "Level 1 has 4 groups, where about 100 were wanted; with no group under 1 item, the tree has at most 4."
    )
    assert levels(Tree([-1]), 1, min_size=2).notes == ("There is 1 item in all, so no group has 2 or more.",)
    assert repr(levels(Tree.from_newick(ANIMALS), 1)).startswith("7 items on 1 level: 1 group\n")


def test_levels_in_print_are_an_outline():
    assert repr(levels(Tree.from_newick(ANIMALS), [2, 3], min_size=2)) == (
        "7 items on 2 levels: 2 and 3 groups\n"
        "  cat, dog …: 4 items, 100 % sure\n"
        "    cat, lynx: 2 items, 90 % sure\n"
        "    dog, wolf: 2 items, 80 % sure\n"
        "  eel, cod, pike: 3 items, 70 % sure"
    )


class _Elements(HTMLParser):
    """Which element each text stands in; an element that is not closed in its turn is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((" ".join(self.open), data))


def test_levels_in_a_notebook_are_a_nested_list():
    found = levels(Tree.from_newick("(((cat:1,'<b>&':1)0.9:3,(dog:1,wolf:1)0.8:3)1.0:4,(eel:1,cod:1)0.7:5);"), [2, 3])
    assert _Elements(found._repr_html_()).texts == [
        ("p", "6 items on 2 levels: 2 and 3 groups"),
        ("ul li", "cat, dog …: 4 items, 100 % sure"),
        ("ul li ul li", "cat, <b>&: 2 items, 90 % sure"),
        ("ul li ul li", "dog, wolf: 2 items, 80 % sure"),
        ("ul li", "eel, cod: 2 items, 70 % sure"),
    ]
    assert "<b>" not in found._repr_html_()


@given(trees(min_leaves=1, max_leaves=20), st.sets(st.integers(1, 9), min_size=1, max_size=3))
def test_the_nested_list_has_the_same_lines_as_the_outline(tree, wanted):
    found = levels(tree, sorted(wanted))
    texts = [data for _, data in _Elements(found._repr_html_()).texts]
    assert texts == [line.strip() for line in repr(found).splitlines()]


def test_a_long_list_ends_with_how_many_more_there_are():
    found = levels(Tree([70] * 70 + [-1]), 70)
    assert _Elements(found._repr_html_()).texts[-1] == ("p", "and 10 more groups")
    assert repr(found).splitlines()[-1] == "  and 10 more groups"


def test_levels_are_equal_if_their_groups_are():
    tree = Tree.from_newick(ANIMALS)
    found = levels(tree, [2, 3], min_size=2)
    again = levels(Tree.from_newick(ANIMALS), [2, 3], min_size=2)
    assert found == again
    assert hash(found) == hash(again)
    assert found != levels(tree, [2, 4], min_size=1)
    assert found != levels(tree.with_items(list("abcdefg")), [2, 3], min_size=2)
    assert found != found.labels.tolist()
    # Support that is not known is the same nowhere, but it is no difference.
    plain = Tree.from_newick("((a,b),(c,d));")
    assert math.isnan(levels(plain, 2).groups[0].support)
    assert levels(plain, 2) == levels(Tree.from_newick("((a,b),(c,d));"), 2)
    assert levels(plain, 4) == levels(plain, 100)


def test_there_are_as_many_levels_as_were_wanted_and_each_is_its_groups():
    found = levels(Tree.from_newick(ANIMALS), [2, 3])
    assert len(found) == 2
    assert list(found) == [found.level(0), found.level(1)]


def test_tables_have_a_row_for_each_item_and_for_each_group(tmp_path):
    pandas = pytest.importorskip("pandas")
    found = levels(Tree.from_newick(ANIMALS), [2, 3], min_size=2)
    frame = found.to_frame()
    assert list(frame.columns) == ["item", "level_1", "level_2"]
    assert frame["level_2"].tolist() == ["cat, lynx"] * 2 + ["dog, wolf"] * 2 + ["eel, cod, pike"] * 3
    text = found.to_csv(tmp_path / "levels.csv")
    assert (tmp_path / "levels.csv").read_text() == text
    assert list(csv.reader(io.StringIO(text)))[1] == ["cat", "cat, dog …", "cat, lynx"]
    pandas.testing.assert_frame_equal(pandas.read_csv(tmp_path / "levels.csv", dtype="string"), frame)
    groups = found.groups_to_frame()
    assert groups["parent"].tolist() == [pandas.NA, pandas.NA, 0, 0, 1]
    assert groups["support"].tolist() == [1.0, 0.7, 0.9, 0.8, 0.7]


def test_levels_never_change():
    found = levels(Tree.from_newick(ANIMALS), 2)
    with pytest.raises(AttributeError, match="never changes"):
        found.labels = None
    with pytest.raises(ValueError, match="read-only"):
        found.labels[0, 0] = 5
    assert isinstance(found.groups[0], Group)


@pytest.mark.parametrize(
    ("groups", "options", "problem"),
    [
        ([12, 4], {}, "the numbers of groups must grow, from coarse to fine; 4 comes after 12"),
        ([0], {}, "a number of groups must be 1 or more, not 0"),
        ([], {}, "levels need at least one number of groups"),
        ([2], {"min_size": 0}, "min_size must be 1 or more, not 0"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(groups, options, problem):
    with pytest.raises(ValueError, match=problem):
        levels(Tree.from_newick(ANIMALS), groups, **options)


def test_levels_of_something_else_are_refused():
    with pytest.raises(TypeError, match="made of a session, a project, a fitted estimator, a tree or several trees"):
        levels("zoo", 3)
    with pytest.raises(ValueError, match="there is no level 5: levels are numbered from 0 to 0"):
        levels(Tree.from_newick(ANIMALS), 3).level(5)


# --- of a session


@pytest.mark.large
def test_levels_of_a_session_have_the_support_of_its_draws_and_break_no_answer():
    X = np.random.default_rng(5).normal(size=(40, 2))
    session = Session(X, seed=1).advance(3_000)
    said = [(0, 1, 2), (3, 4, 5), (0, 6, 3), (10, 11, 12), (20, 30, 39)]
    session.answer(None, said)
    session.advance(3_000)
    found = levels(session, [3, 8], min_size=3)
    assert not any(is_contradicted(found.labels, *triplet) for triplet in said)
    for group in found.groups:
        own = session.tree.leaves(group.node)
        assert group.support == pytest.approx(session.clade_support(own.tolist()))
    np.testing.assert_array_equal(levels(session, [3, 8], min_size=3).labels, found.labels)
    assert levels(session.snapshots, 4).num_items == levels(session.samples, 4).num_items == 40
    again = shaped(session.tree, [3, 8], min_size=3, triplets=said, draws=session.snapshots.draws())
    np.testing.assert_array_equal(again.labels, found.labels)


@pytest.mark.large
def test_levels_of_a_fitted_estimator_are_those_of_its_session():
    X = np.random.default_rng(5).normal(size=(20, 2))
    model = InteractiveClustering(random_state=1, n_moves=2_000)
    with pytest.raises(TypeError, match="a fitted estimator"):
        levels(model, 3)
    model.fit(X, triplets=[(0, 1, 2)])
    found = levels(model, [3, 6], min_size=2)
    assert found == levels(model.session_, [3, 6], min_size=2)
    assert not is_contradicted(found.labels, 0, 1, 2)

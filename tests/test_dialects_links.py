"""Must-links and cannot-links with levels, and trees as backbones."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from strategies import trees
from treetalk import FormatError, Tree, TripletSet, build
from treetalk.dialects import from_links, from_newick, read_triplets, to_newick

FILES = Path(__file__).parent / "dialects"
ANIMALS = ["cat", "lynx", "dog", "wolf", "carp"]
NUM_ITEMS = 4

pairs = st.lists(
    st.tuples(st.permutations(range(NUM_ITEMS)).map(lambda order: tuple(order[:2])), st.integers(1, 2)), max_size=4
)


def partitions(items):
    """Yield every division of items into groups, as the group of each."""
    if not items:
        yield {}
        return
    for rest in partitions(items[1:]):
        for group in range(max(rest.values(), default=-1) + 2):
            yield rest | {items[0]: group}


def two_levels():
    """Yield every coarse division of the items with every finer one."""
    for coarse in partitions(tuple(range(NUM_ITEMS))):
        for fine in partitions(tuple(range(NUM_ITEMS))):
            if all(coarse[a] == coarse[b] for a, b in itertools.combinations(fine, 2) if fine[a] == fine[b]):
                yield {1: coarse, 2: fine}


HIERARCHIES = list(two_levels())


def links_hold(levels, must, cannot):
    return all(levels[level][a] == levels[level][b] for (a, b), level in must) and all(
        levels[level][a] != levels[level][b] for (a, b), level in cannot
    )


def says(levels, a, b, c):
    return any(groups[a] == groups[b] != groups[c] for groups in levels.values())


def of_links(must, cannot, **options):
    return from_links(
        [pair for pair, _ in must],
        [pair for pair, _ in cannot],
        must_levels=[level for _, level in must] or 1,
        cannot_levels=[level for _, level in cannot] or 1,
        **options,
    )


@given(pairs, pairs)
def test_links_imply_what_holds_in_all_hierarchies_that_respect_them(must, cannot):
    possible = [levels for levels in HIERARCHIES if links_hold(levels, must, cannot)]
    if not possible:
        with pytest.raises(ValueError, match="cannot be in one group, but these hold them together"):
            of_links(must, cannot, num_leaves=NUM_ITEMS)
        return
    said = TripletSet(of_links(must, cannot, num_leaves=NUM_ITEMS).distinct(), NUM_ITEMS)
    for a, b, c in itertools.permutations(range(NUM_ITEMS), 3):
        assert said.implied((a, b, c)) == all(says(levels, a, b, c) for levels in possible)


def test_a_file_of_links_is_read_with_its_levels():
    said = read_triplets(FILES / "links.csv", "links", items=ANIMALS)
    tree = build(said.distinct(), 5)
    assert tree.same_topology(Tree.from_newick((FILES / "backbone.nwk").read_text(), ANIMALS).with_items(None))


def test_without_levels_all_links_are_at_one(tmp_path):
    (tmp_path / "links.csv").write_text("kind,a,b\nmust-link,cat,lynx\ncannot link,lynx,dog\n")
    assert read_triplets(tmp_path / "links.csv", "links", items=ANIMALS).triplets.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("must", "cannot", "reason"),
    [
        ([((0, 1), 1)], [], "must-links need a cannot-link to say anything"),
        ([], [((0, 1), 1)], "cannot-links need a must-link to say anything"),
        (
            [((0, 1), 1)],
            [((1, 2), 2)],
            "only if they share an item, and the must-link is at the same level or a finer one",
        ),
        ([((0, 1), 1)], [((2, 3), 1)], "only if they share an item"),
    ],
)
def test_some_links_imply_nothing_and_it_is_said_why(must, cannot, reason):
    said = of_links(must, cannot)
    assert len(said) == len(said.distinct()) == 0
    assert reason in said.note
    assert said.note in repr(said)
    assert said.distinct().note == said.note
    assert said.num_left_out == len(must) + len(cannot)


@given(pairs, pairs)
def test_links_that_say_nothing_are_counted(must, cannot):
    try:
        said = of_links(must, cannot)
    except ValueError:
        return
    # A must-link speaks if a cannot-link parts something from its group, a cannot-link if it parts a group from something.
    num_speaking = sum(
        any(link[1] >= level and set(pair) & group_of(link, must, level) for pair, level in cannot) for link in must
    )
    num_speaking += sum(
        any(len(group_of(((item, item), level), must, level)) > 1 for item in pair) for pair, level in cannot
    )
    assert said.num_left_out == len(must) + len(cannot) - num_speaking
    assert (said.note is None) == (bool(len(said)) or not must + cannot)


def group_of(link, must, level):
    """Return all that must-links at a level or finer hold together with a link's items."""
    group = set(link[0])
    for _ in must:
        for pair, at in must:
            if at >= level and group & set(pair):
                group |= set(pair)
    return group


def test_a_contradiction_is_refused_with_the_shortest_chain_of_links(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text(
        "a,b,kind,level\ncat,lynx,must-link,1\nlynx,dog,must-link,2\ndog,wolf,must-link,2\ncat,dog,must-link,3\n"
        "cat,wolf,cannot-link,1\n"
    )
    with pytest.raises(FormatError) as error:
        read_triplets(path, "links", items=ANIMALS)
    assert str(error.value) == (
        "links.csv: cannot-link, line 6, level 1: cat and wolf cannot be in one group, but these hold them together: "
        "cat and dog (must-link, line 5, level 3); dog and wolf (must-link, line 4, level 2)"
    )


def test_an_item_linked_with_itself_is_refused():
    with pytest.raises(ValueError, match="must-link 1 links 2 with itself"):
        from_links([(0, 1), (2, 2)])


# --- backbones


@given(trees(min_leaves=3))
def test_the_triplets_of_a_tree_determine_it(tree):
    said = from_newick(tree)
    again = TripletSet(said, tree.num_leaves, items=tree.items)
    assert again.tree.same_topology(tree)
    assert len(again.reduce()) == len(again)


@given(st.integers(3, 10).flatmap(lambda num_leaves: st.permutations(range(num_leaves))), st.randoms())
def test_a_binary_tree_over_n_leaves_needs_n_minus_2_triplets(tops, random):
    parent = {}
    while len(tops) > 1:
        node = len(parent) + len(tops)
        parent |= dict.fromkeys(tops[:2], node)
        tops = [*tops[2:], node]
        random.shuffle(tops)
    tree = Tree.from_parents([parent.get(v, -1) for v in range(len(parent) + 1)])
    assert tree.is_binary
    assert len(from_newick(tree)) == tree.num_leaves - 2


@given(trees(min_leaves=3), st.randoms(use_true_random=False))
def test_a_tree_makes_the_way_there_and_back_over_more_items_in_another_order(tree, random):
    assume(tree.num_nodes > tree.num_leaves + 1)
    named = tree.with_items([f"item {leaf}" for leaf in range(tree.num_leaves)])
    items = [*named.items, "another", "one more"]
    random.shuffle(items)
    said = from_newick(named, items=items)
    named_again = Tree.from_newick(to_newick(said))
    assert named_again.same_topology(named.restrict(named_again.items).with_items(named_again.items))
    assert said.items == tuple(items)


def test_lengths_support_and_missing_items_do_not_matter():
    said = read_triplets(FILES / "backbone.nwk", "newick", items=["ant", *ANIMALS])
    assert TripletSet(said, 6, items=["ant", *ANIMALS]).implied(("wolf", "cat", "carp"))
    assert 0 not in said.triplets


def test_a_polytomy_says_nothing():
    assert len(from_newick("(a,b,c,d);")) == 0


@pytest.mark.large
def test_a_deep_tree_is_no_trouble():
    num_leaves = 5_000
    parent = np.concatenate([[0], np.arange(num_leaves - 1), np.arange(1, num_leaves)]) + num_leaves
    parent[-1] = -1
    assert len(from_newick(Tree.from_parents(parent))) == num_leaves - 2

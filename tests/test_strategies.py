"""What is asked: tree-distance variance, the five schemes, and strategies of one's own."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import clades_of
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, Query, Session, SortingUser, Tree, _kernels, tree_distance_variance
from treetalk.heard import ACCEPTED, CORRECTED, Heard, tells_most
from treetalk.snapshots import Snapshots
from treetalk.strategies import Active, Grouped, Interleaved, Loose, Random, View, as_strategy, subset_variances

X = DirichletDiffusion().simulate(14, 2, seed=1)[1]


def naive_num_edges(tree: Tree, leaves, u: int, v: int) -> int:
    """Clades of the restriction that hold one of u and v but not the other: each is one edge on the path between them."""
    clades = {clade & frozenset(leaves) for clade in clades_of(tree)} - {frozenset()}
    return sum((u in clade) != (v in clade) for clade in clades)


def naive_variance(trees, leaves) -> float:
    return max(np.var([naive_num_edges(tree, leaves, u, v) for tree in trees]) for u in leaves for v in leaves if u < v)


def some_trees(num_leaves: int, num_trees: int, seed: int) -> list[Tree]:
    return [DirichletDiffusion().simulate(num_leaves, 0, seed + i)[0] for i in range(num_trees)]


@given(seeds, st.integers(2, 12), st.integers(1, 6))
def test_the_tree_distance_variance_is_that_of_the_definition(seed, num_leaves, num_trees):
    rng = np.random.default_rng(seed)
    trees = some_trees(num_leaves, num_trees, seed)
    size = int(rng.integers(2, num_leaves + 1))
    subsets = np.array([rng.choice(num_leaves, size, replace=False) for _ in range(3)])
    expected = [naive_variance(trees, subset.tolist()) for subset in subsets]
    parents = np.array([tree.parent for tree in trees])
    np.testing.assert_allclose(subset_variances(parents, subsets), expected, atol=1e-12)
    assert tree_distance_variance(trees, subsets[0]) == pytest.approx(expected[0])


def odd_one(tree: Tree, triple) -> int:
    """The one of three that is outside of the smallest clade with two of them."""
    clade = min((clade for clade in clades_of(tree) if len(clade & set(triple)) == 2), key=len)
    return next(iter(set(triple) - clade))


@given(seeds, st.integers(3, 12), st.integers(1, 6))
def test_the_disagreement_is_the_share_of_triples_about_which_two_of_the_trees_differ(seed, num_leaves, num_trees):
    rng = np.random.default_rng(seed)
    trees = some_trees(num_leaves, num_trees, seed)
    size = int(rng.integers(3, num_leaves + 1))
    subsets = np.array([rng.choice(num_leaves, size, replace=False) for _ in range(3)])
    expected = [
        np.mean(
            [
                odd_one(one, triple) != odd_one(other, triple)
                for triple in combinations(subset.tolist(), 3)
                for one in trees
                for other in trees
            ]
        )
        for subset in subsets
    ]
    parents = np.array([tree.parent for tree in trees])
    found = _kernels.snapshots.disagreements(parents, subsets.astype(np.int32))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_differences_are_those_of_the_triples_of_each_tree_from_one():
    chain = Chain(X, seed=1)
    trees = [chain.run(40).tree for _ in range(6)]
    subsets = np.array([np.random.default_rng(seed).choice(len(X), 6, replace=False) for seed in range(5)])
    shown, others = trees[0], trees[1:]
    expected = [
        np.mean(
            [odd_one(shown, triple) != odd_one(other, triple) for triple in combinations(subset, 3) for other in others]
        )
        for subset in subsets.tolist()
    ]
    parents = np.array([tree.parent for tree in others])
    found = _kernels.snapshots.differences(parents, shown.parent, subsets.astype(np.int32))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert len(set(expected)) > 1


def test_edges_that_the_restriction_does_not_have_are_not_counted():
    one = Tree.from_newick("((a,b),((c,d),e));", items=list("abcde"))
    other = Tree.from_newick("((((a,b),c),d),e);", items=list("abcde"))
    # Without c and d, both are ((a,b),e).
    assert tree_distance_variance([one, other], ["a", "b", "e"]) == 0
    assert tree_distance_variance([one, other], range(5)) == naive_variance([one, other], range(5))


def view_of(num_items: int, num_asked: int = 0, num_trees: int = 20) -> View:
    chain = Chain(X[:num_items], seed=2)
    snapshots = Snapshots.of_recordings([chain.record([30] * num_trees)])
    return View(chain.tree, snapshots, num_asked)


def test_active_prefers_the_subset_with_the_largest_variance():
    view = view_of(14)
    strategy = Active(subset_size=5, num_candidates=8)
    candidates = strategy.candidates(view, np.random.default_rng(0))
    trees = [view.snapshots.tree(i) for i in range(20)]
    variances = [naive_variance(trees, next(candidates).tolist()) for _ in range(8)]
    assert variances == sorted(variances, reverse=True)
    assert variances[0] > variances[-1]


def test_interleaved_is_random_and_active_in_turn():
    drawn = {}
    for num_asked in (0, 1):
        view = view_of(14, num_asked)
        for strategy in (Interleaved(5, 8), Random(5), Active(5, 8)):
            first = next(strategy.candidates(view, np.random.default_rng(3))).tolist()
            drawn[num_asked, strategy.name] = first
    assert drawn[0, "interleaved"] == drawn[0, "random"] != drawn[0, "active"]
    assert drawn[1, "interleaved"] == drawn[1, "active"] != drawn[1, "random"]


def test_loose_prefers_where_loose_draws_disagree_and_where_they_differ_from_what_is_shown_in_turn():
    loose = Snapshots.of_recordings([Chain(X[:14], seed=9).record([30] * 10)])
    views = [view_of(14, num_asked)._replace(loose=lambda: loose) for num_asked in (0, 1)]
    found = [[next(candidates) for _ in range(8)] for candidates in map(candidates_of_loose, views)]
    trees = [loose.tree(i) for i in range(10)]
    variances = [naive_variance(trees, subset.tolist()) for subset in found[0]]
    subsets = np.array(found[1], np.int32)
    differences = _kernels.snapshots.differences(loose.parents, views[1].tree.parent, subsets).tolist()
    for values in (variances, differences):
        assert values == sorted(values, reverse=True)
        assert values[0] > values[-1]
    assert np.array(found[0]).tolist() != subsets.tolist()


def candidates_of_loose(view: View, size: int = 5):
    return Loose(size, 8).candidates(view, np.random.default_rng(3))


@pytest.mark.parametrize("num_asked", [0, 1])
def test_loose_looks_at_recent_trees_where_there_are_no_others_and_at_all_items_where_there_are_few(num_asked):
    view = view_of(14, num_asked)
    same = view._replace(loose=lambda: view.snapshots)
    assert next(candidates_of_loose(view)).tolist() == next(candidates_of_loose(same)).tolist()
    assert sorted(next(candidates_of_loose(view, 20)).tolist()) == list(range(14))
    assert len(next(candidates_of_loose(view, 2))) == 2


# Items 0 to 4 sorted as ((((0,1),2),3),4), and one thing said of them.
SORTED_COMB = Heard(CORRECTED, (0, 1, 2, 3, 4), tuple((a, b, c) for a, b, c in combinations(range(5), 3)))
ONE_THING = Heard(CORRECTED, (0, 1, 2, 3, 4), ((0, 1, 2),))


def test_who_goes_through_a_piece_tells_most_of_it_and_who_corrects_one_thing_or_accepts_does_not():
    assert not tells_most([])
    assert not tells_most([ONE_THING])
    assert not tells_most([SORTED_COMB, ONE_THING])
    assert tells_most([ONE_THING, SORTED_COMB])
    assert tells_most([SORTED_COMB, Heard(ACCEPTED, (5, 6, 7))])  # there was nothing to say
    assert not tells_most([Heard(ACCEPTED, (5, 6, 7))])
    five_of_ten = SORTED_COMB._replace(said=SORTED_COMB.said[:5])
    assert tells_most([five_of_ten])
    assert not tells_most([five_of_ten._replace(said=(*five_of_ten.said[:4], (1, 0, 2), (7, 8, 9)))])  # four of its own


def test_who_goes_through_pieces_of_a_hierarchy_is_asked_where_trees_differ_most_on_the_whole():
    view = view_of(14)._replace(heard=[SORTED_COMB])
    candidates = Grouped(5, 2).candidates(view, np.random.default_rng(0))
    subsets = np.array([next(candidates) for _ in range(10)], np.int32)
    disagreements = _kernels.snapshots.disagreements(view.snapshots.parents, subsets).tolist()
    assert disagreements == sorted(disagreements, reverse=True)
    assert disagreements[0] > disagreements[-1]


@pytest.mark.parametrize(("heard", "size"), [([ONE_THING], 5), ([SORTED_COMB], 21)])
def test_others_and_whoever_is_shown_very_much_are_asked_as_by_loose(heard, size):
    chain = Chain(np.random.default_rng(0).normal(size=(30, 2)), seed=2)
    view = View(chain.tree, Snapshots.of_recordings([chain.record([30] * 5)]), 1, heard=heard)
    found = next(Grouped(size, 2).candidates(view, np.random.default_rng(0))).tolist()
    rng = np.random.default_rng(0)
    rng.random()  # does it look like classes?
    assert found == next(Loose(size, 2).candidates(view, rng)).tolist()


def test_a_session_with_someone_who_sorts_pieces_of_a_hierarchy_goes_on_to_the_end():
    target = DirichletDiffusion().simulate(14, 0, seed=5)[0]
    session, user = Session(X, subset_size=6, seed=0), SortingUser(target, seed=0)
    for _ in range(100):
        query = session.ask()
        if query is None:
            break
        session.respond(query, user.respond(query))
    assert query is None
    assert session.tree.same_topology(target)


@pytest.mark.parametrize(
    ("strategy", "kind", "size"),
    [("simple", "triple", 3), ("smart", "subtree", 14), ("random", "subtree", 10), ("active", "subtree", 10)],
)
def test_a_query_shows_the_restriction_of_the_sessions_tree(strategy, kind, size):
    session = Session(X, strategy=strategy, seed=3).advance(50)
    query = session.ask()
    assert (query.kind, len(query.leaves), query.strategy) == (kind, size, strategy)
    assert len(set(query.leaves.tolist())) == size
    assert query.tree == session.tree.restrict(query.leaves)


def test_a_session_takes_sizes_of_subsets_and_candidates():
    session = Session(X, strategy="active", subset_size=4, num_candidates=2)
    assert len(session.ask().leaves) == 4
    with pytest.raises(ValueError, match="subset_size must be 3 or more, not 2"):
        Session(X, subset_size=2)


def test_a_strategy_of_ones_own_is_one_small_object():
    class Pairs:
        name, kind = "first four", "subtree"

        def candidates(self, view, rng):
            yield range(4)

    query = Session(X, strategy=Pairs()).ask()
    assert query.leaves.tolist() == [0, 1, 2, 3]
    assert query.strategy == "first four"


def test_a_query_over_items_without_names_is_drawn_with_their_numbers():
    query = Query("subtree", [40, 20, 70], Tree([3, 3, 4, 4, -1]))
    assert [line.split()[-1] for line in str(query).splitlines()[1:]] == ["40", "20", "70"]


def test_strategies_that_are_none_are_explained():
    class Junk:
        name, kind = "junk", "subtree"

        def candidates(self, view, rng):
            return 3

    with pytest.raises(TypeError, match="strategy 'junk': candidates must yield sets of items, not 3"):
        Session(X, strategy=Junk()).ask()
    with pytest.raises(ValueError, match=r"a strategy is an object, not a class: Active\(\)"):
        Session(X, strategy=Active)


def test_an_unknown_strategy_is_named():
    with pytest.raises(ValueError, match="there is no strategy 'best'; there are simple, smart, random, active, inter"):
        as_strategy("best")


def test_a_query_has_its_question_in_words():
    tree = Tree.from_newick("((cat,lynx),dog);")
    assert Query("triple", [4, 2, 0], tree).question == "Which is the odd one: cat, lynx or dog?"
    assert str(Query("subtree", [4, 2, 0], tree)).startswith("Is this right for these 3 items?\n")
    with pytest.raises(ValueError, match='a query is a "subtree" or a "triple", not \'pair\''):
        Query("pair", [0, 1, 2], tree)
    with pytest.raises(ValueError, match="a triple is three items, not 4"):
        Query("triple", range(4), Tree.from_newick("((a,b),c,d);"))
    with pytest.raises(ValueError, match="2 items were given for a tree with 3 leaves"):
        Query("triple", [0, 1], tree)

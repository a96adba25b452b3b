"""What is asked: tree-distance variance, the five schemes, and strategies of one's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import clades_of
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, Query, Session, Tree, tree_distance_variance
from treetalk.queries import Active, Interleaved, Random, View, as_strategy, subset_variances
from treetalk.snapshots import Snapshots

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

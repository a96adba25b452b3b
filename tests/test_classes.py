"""Draws of who is of one class with whom, as far as the answers alone tell."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from exact import LEVEL
from strategies import seeds
from treetalk import Chain, DirichletDiffusion, LabelUser, Session, SortingUser, Tree, _kernels, triplet_distance
from treetalk.classes import (
    ABOVE,
    ACCEPTED_APART,
    BESIDE,
    MOST_ITEMS,
    MOST_OF_A_CLASS,
    SINGLE,
    Classes,
    classes_of,
    drawn,
    hints_of,
)
from treetalk.groups import class_labels
from treetalk.heard import ACCEPTED, ALIKE, CORRECTED, SORTED, Heard
from treetalk.metrics import tree_of_labels
from treetalk.summary import central_tree
from treetalk.unsaid import Piece, clade_sizes

NO_TRIPLETS = np.empty((0, 3), np.int32)
Partition = frozenset[frozenset[int]]


# --- the exact distribution


def partitions_of(elements: list[int]) -> list[Partition]:
    if not elements:
        return [frozenset()]
    first, *rest = elements
    return [
        (one - {part}) | {part | {first}}
        for one in partitions_of(rest)
        for part in [frozenset(), *one]
        if part in one or not part
    ]


def rising(x: float, k: int) -> float:
    return math.prod(x + i for i in range(k))


def prior(partition: Partition, sizes: list[int]) -> float:
    """Gnedin's probability of a partition, whose elements stand for so many items each."""
    n, t = sum(sizes), len(partition)
    weight = math.factorial(t - 1) * rising(1 - SINGLE, t - 1) * rising(SINGLE, n - t)
    weight *= math.prod(math.factorial(sum(sizes[g] for g in part)) for part in partition)
    return weight / (math.factorial(n - 1) * rising(1 + SINGLE, n - 1))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_the_prior_is_one(n):
    assert sum(prior(each, [1] * n) for each in partitions_of(list(range(n)))) == pytest.approx(1)


def drawn_partitions(sizes, pairs, weights, num_draws: int) -> list[Partition]:
    """Draws that have nothing to do with each other."""
    rows = np.array(pairs, np.intp).reshape(-1, 2)
    found = []
    for seed in range(num_draws):
        classes = drawn(np.array(sizes), rows, np.array(weights, float), 25, 1, seed)[0]
        found.append(frozenset(frozenset(np.flatnonzero(classes == k).tolist()) for k in set(classes.tolist())))
    return found


CASES = {
    "the prior": ([1, 1, 1, 1], [], []),
    "groups": ([3, 1, 2, 1, 1], [], []),
    "hints": ([1, 2, 1, 1, 1], [(0, 1), (1, 2), (0, 1), (3, 4)], [-0.5, -2.0, -0.5, -1.5]),
    "apart": ([2, 2, 1, 1, 1], [(0, 1), (1, 2), (3, 4), (0, 3)], [-np.inf, -np.inf, -0.5, -np.inf]),
}


@pytest.mark.large
@pytest.mark.parametrize("case", CASES)
def test_draws_of_classes_have_the_exact_distribution(case):
    sizes, pairs, weights = CASES[case]
    every = partitions_of(list(range(len(sizes))))
    exact = np.array([prior(each, sizes) for each in every])
    for (g, h), weight in zip(pairs, weights, strict=True):
        exact *= [math.exp(weight) if any({g, h} <= part for part in each) else 1.0 for each in every]
    exact /= exact.sum()
    draws = drawn_partitions(sizes, pairs, weights, 4_000)
    counts = np.array([draws.count(each) for each in every])
    assert counts[exact == 0].sum() == 0
    # Those that are seldom expected count together.
    is_rare = exact * len(draws) < 10
    observed, expected = ([*x[~is_rare], x[is_rare].sum()] for x in (counts, exact * len(draws)))
    observed, expected = (x if expected[-1] >= 5 else x[:-1] for x in (observed, expected))
    pvalue = float(chisquare(observed, np.array(expected) * sum(observed) / sum(expected)).pvalue)
    assert pvalue > LEVEL


# --- what answers hint at


@st.composite
def shown_and_corrected(draw) -> tuple[Tree, tuple[int, int, int]]:
    """A tree, and a triplet that it violates."""
    num_leaves = draw(st.integers(4, 10))
    tree = DirichletDiffusion().simulate(num_leaves, 0, seed=draw(seeds))[0]
    three = draw(st.permutations(range(num_leaves)))[:3]
    orders = [(*(x for x in three if x != odd), odd) for odd in three]
    wrong = [order for order, fits in zip(orders, tree.satisfies(orders), strict=True) if not fits]
    return tree, draw(st.sampled_from(wrong))


def naive_hints(tree: Tree, said: tuple[int, int, int]) -> dict[tuple[int, int], float]:
    """Go up from the split that was corrected: those on its two sides, and on the two sides of each one above it."""
    a, b, _ = said
    hints = {}
    v, weight = tree.mrca(a, b), BESIDE
    while v >= 0:
        left, right = (tree.leaves(u).tolist() for u in tree.children(v))
        hints |= {(min(x, y), max(x, y)): -weight for x in left for y in right if {x, y} != {a, b}}
        v, weight = int(tree.parent[v]), ABOVE
    return hints


@given(shown_and_corrected())
def test_who_corrects_a_split_has_seen_nobody_of_one_class_on_the_two_sides_of_those_above(given_case):
    tree, said = given_case
    leaves = tuple(range(tree.num_leaves))
    heard = [Heard(CORRECTED, leaves, (said,), clade_sizes(tree))]
    pairs, weights = hints_of(NO_TRIPLETS, heard, np.arange(tree.num_leaves))
    found = {(min(pair), max(pair)): weight for pair, weight in zip(pairs.tolist(), weights.tolist(), strict=True)}
    assert found == naive_hints(tree, said)


def test_who_says_what_the_piece_has_already_tells_nothing_more_by_it():
    tree = Tree.from_newick("((0,1),(2,3));", items=map(str, range(4)))
    heard = [Heard(CORRECTED, (0, 1, 2, 3), ((0, 1, 2),), clade_sizes(tree))]
    assert len(hints_of(NO_TRIPLETS, heard, np.arange(4))[0]) == 0


def test_what_is_accepted_has_nobody_of_one_class_far_apart():
    tree = Tree.from_newick("(((0,1),2),((3,4),(5,6)));", items=map(str, range(7)))
    pairs, weights = hints_of(NO_TRIPLETS, [Heard(ACCEPTED, tuple(range(7)), sizes=clade_sizes(tree))], np.arange(7))
    far = {(x, y) for x, y in combinations(range(7), 2) if tree.sizes[tree.mrca(x, y)] > MOST_OF_A_CLASS}
    assert set(map(tuple, pairs.tolist())) == far
    assert set(weights.tolist()) == {-ACCEPTED_APART}


def test_groups_that_a_triplet_or_a_sorted_piece_has_apart_are_never_of_one_class():
    triplets = np.array([(0, 1, 2), (5, 6, 7)], np.int32)
    labels = class_labels(triplets, 9)
    pairs, weights = hints_of(triplets, [Heard(SORTED, (0, 5, 8))], labels)
    found = {frozenset(pair) for pair, weight in zip(pairs.tolist(), weights, strict=True) if np.isneginf(weight)}
    expected = [(0, 2), (5, 7), (0, 5), (0, 8), (5, 8)]
    assert found == {frozenset(labels[list(pair)].tolist()) for pair in expected}


def test_who_sorts_has_everyone_apart_whom_he_does_not_put_together():
    piece, one_pair = tuple(range(6)), tuple((0, 1, odd) for odd in range(2, 6))
    heard = [Heard(CORRECTED, piece, one_pair), Heard(ACCEPTED, (6, 7, 8)), Heard(ALIKE, (9, 10, 11))]
    labels = class_labels(np.array(one_pair, np.int32), 12)
    pairs, weights = hints_of(NO_TRIPLETS, heard, labels)
    assert np.isneginf(weights).all()
    expected = {frozenset(pair) for pair in [*combinations([0, 2, 3, 4, 5], 2), *combinations([6, 7, 8], 2)]}
    assert {frozenset(pair) for pair in pairs.tolist()} == {frozenset(labels[list(pair)].tolist()) for pair in expected}


# --- what follows


def sorted_classes(num_classes: int, size: int) -> tuple[np.ndarray, list[Heard]]:
    """Items of classes that were sorted, one piece for each two of them, but for the last item, of which nothing is said."""
    labels = np.repeat(np.arange(num_classes), size)
    heard, triplets = [], []
    for k, m in combinations(range(num_classes), 2):
        piece = tuple(np.flatnonzero((labels == k) | (labels == m)).tolist())
        said = tuple(
            (a, b, c)
            for a, b in combinations(piece, 2)
            for c in piece
            if labels[a] == labels[b] and labels[c] != labels[a]
        )
        heard.append(Heard(SORTED, piece, said))
        triplets += said
    return np.array(triplets, np.int32), heard


def test_who_is_in_none_of_the_other_classes_is_in_the_one_that_is_left():
    triplets, heard = sorted_classes(4, 6)
    newcomer = 24
    before = classes_of(triplets, heard, 25)
    apart = [Heard(SORTED, (6 * k, newcomer)) for k in range(3)]
    after = classes_of(triplets, [*heard, *apart], 25)

    def share(classes: Classes, k: int) -> float:
        return float((classes.draws[:, classes.labels[newcomer]] == classes.draws[:, classes.labels[6 * k]]).mean())

    assert all(0.05 < share(before, k) < 0.5 for k in range(4))
    assert [share(after, k) for k in range(3)] == [0, 0, 0]
    assert share(after, 3) > 0.8


def test_the_same_answers_give_the_same_draws():
    triplets, heard = sorted_classes(3, 4)
    one, other = (classes_of(triplets, heard, 15) for _ in range(2))
    assert (one.draws == other.draws).all()


def some_classes(num_groups: int = 12, num_draws: int = 40, num_classes: int = 5, seed: int = 0) -> Classes:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(num_groups), rng.integers(num_groups, size=8)])
    return Classes(labels, rng.integers(num_classes, size=(num_draws, num_groups)).astype(np.int32), are_sorted=False)


@pytest.mark.parametrize("seed", range(3))
def test_mean_sizes_are_those_of_the_classes(seed):
    classes = some_classes(seed=seed)
    n = len(classes.labels)
    expected = np.zeros((n, n))
    for draw in classes.draws[:, classes.labels]:
        for i, j in combinations(range(n), 2):
            expected[i, j] += (draw == draw[i]).sum() if draw[i] == draw[j] else n
    expected = (expected + expected.T) / len(classes.draws)
    assert classes.mean_sizes() == pytest.approx(expected)


def test_a_kernel_takes_as_many_classes_as_groups():
    draws = np.arange(6, dtype=np.int32)[None] + 1
    sizes = _kernels.partitions.mean_sizes(draws, np.arange(6))
    assert (sizes == 6 * (1 - np.eye(6))).all()


def test_there_are_many_classes_if_ten_items_are_hardly_ever_of_few():
    def with_classes(num_classes: int) -> Classes:
        return Classes(np.arange(200), (np.arange(200) % num_classes)[None].astype(np.int32), are_sorted=False)

    assert not with_classes(2).are_many(10)
    assert not with_classes(10).are_many(10)  # of ten items 6.5 on average
    assert with_classes(20).are_many(10)  # 8.0
    assert with_classes(10).are_many(5)  # of five, 4.1


def test_what_is_asked_are_groups_of_which_it_is_open_who_goes_with_whom():
    # Groups 0 and 1 are of one class in half of the draws, and so are 2 and 3; all others never are.
    draws = np.tile(np.arange(30, dtype=np.int32), (40, 1))
    draws[::2, 1], draws[:20, 3] = 0, 2
    classes = Classes(np.concatenate([np.arange(30), np.arange(30)]), draws, are_sorted=False)
    found = [
        classes.labels[items]
        for _, items in zip(range(60), classes.subsets(10, np.random.default_rng(0)), strict=False)
    ]
    assert all(len(set(groups.tolist())) == 10 for groups in found)
    seconds = {int(groups[0]): int(groups[1]) for groups in found}
    assert {first: seconds[first] for first in range(4)} == {0: 1, 1: 0, 2: 3, 3: 2}


def test_if_there_are_fewer_groups_than_items_asked_for_some_have_several():
    classes = Classes(np.repeat(np.arange(4), 5), np.zeros((3, 4), np.int32), are_sorted=False)
    items = next(classes.subsets(10, np.random.default_rng(0)))
    assert len(set(items.tolist())) == 10
    assert set(classes.labels[items].tolist()) == {0, 1, 2, 3}


# Two classes, to which trees of two others stand at right angles.
MEANT, OTHERS = np.arange(16) // 8, np.arange(16) % 2


def tree_of_two(labels: np.ndarray) -> Tree:
    """Return a binary tree with the times of a diffusion, whose two topmost clades are two classes."""
    return central_tree(Chain(labels[:, None] + 0.0, seed=0).run(2_000).samples(10, 100))


def shown_of(tree: Tree, count: int) -> list[Piece]:
    """Return pieces of a tree that were accepted."""
    rng = np.random.default_rng(0)
    every = [np.sort(rng.choice(tree.num_leaves, 8, replace=False)).tolist() for _ in range(count)]
    return [Piece(tuple(leaves), clade_sizes(tree.restrict(leaves))) for leaves in every]


def test_draws_of_classes_are_left_aside_if_they_have_what_was_accepted_otherwise():
    trees = [tree_of_two(MEANT)] * 5
    classes = Classes(np.arange(16), np.tile(OTHERS.astype(np.int32), (20, 1)), are_sorted=False)
    assert classes.weight > 0.5
    assert triplet_distance(OTHERS, central_tree(trees, classes=classes)) == 0
    pieces = shown_of(trees[0], 10)
    assert triplet_distance(MEANT, central_tree(trees, classes=classes, pieces=pieces)) == 0
    # What was accepted was shown by the classes; the trees have it otherwise.
    others = shown_of(tree_of_two(OTHERS), 10)
    assert triplet_distance(OTHERS, central_tree(trees, classes=classes, pieces=others)) == 0


# --- in a session


# Many classes of which the features know nothing.
NUM_ITEMS, NUM_CLASSES = 60, 15
LABELS = np.arange(NUM_ITEMS) % NUM_CLASSES
FEATURES = np.random.default_rng(1).normal(size=(NUM_ITEMS, 3))


def talked(user, num_queries: int, **options) -> Session:
    session = Session(FEATURES, seed=0, **options).advance(1_000)
    for _ in range(num_queries):
        query = session.ask()
        session.respond(query, user.respond(query))
        session.advance(600)
    return session


@pytest.mark.large
def test_a_tree_of_many_classes_goes_by_the_answers_and_satisfies_them():
    session = talked(SortingUser(tree_of_labels(LABELS)), 14)
    classes = session.classes
    assert classes is not None
    assert classes.are_sorted
    assert session.tree.satisfies(session.held).all()
    trees_alone = central_tree(session.snapshots, session.held)
    assert triplet_distance(LABELS, session.tree) < triplet_distance(LABELS, trees_alone)


@pytest.mark.large
def test_many_classes_are_found_sooner_than_by_random_pieces():
    def distance(strategy) -> float:
        return triplet_distance(LABELS, talked(LabelUser(LABELS), 45, strategy=strategy).tree)

    assert distance("grouped") < distance("random")


@pytest.mark.large
def test_a_session_with_many_classes_goes_on_as_if_it_had_not_been_put_away():
    one = talked(SortingUser(tree_of_labels(LABELS)), 6)
    assert one.classes is not None
    other = Session(FEATURES, seed=0, starts=[chain.tree for chain in one.chains])
    other.take_up(one.put_away(), one.answers)
    for _ in range(3):
        queries = one.ask(), other.ask()
        assert queries[0].leaves.tolist() == queries[1].leaves.tolist()
        assert queries[0].tree.to_newick() == queries[1].tree.to_newick()
        for session, query in zip((one, other), queries, strict=True):
            session.respond(query, SortingUser(tree_of_labels(LABELS)).respond(query))
            session.advance(300)


def test_nobody_is_taken_to_have_classes_in_mind_who_has_not_said_so():
    session = Session(FEATURES, seed=0)
    assert session.classes is None
    # Groups that have no odd one inside may be those of a hierarchy, of which nothing was asked inside of them.
    linked = [(i, i + NUM_CLASSES) for i in range(2 * NUM_CLASSES)]
    session.answer(
        None, [(a, b, odd) for a, b in linked for odd in range(NUM_CLASSES) if odd not in {a, a % NUM_CLASSES}]
    )
    for _ in range(6):
        session.accept(session.ask())
    assert session._flatness > 0
    assert session.classes is None
    session.same(session.ask_about([0, 15, 30]))
    assert session.classes is not None


def test_of_very_many_items_there_are_no_draws_of_classes():
    session = Session(np.random.default_rng(0).normal(size=(MOST_ITEMS + 1, 2)), seed=0)
    assert session._class_draws() is None

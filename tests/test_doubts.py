"""Whom to ask about when it is not clear with which group somebody goes."""

import numpy as np
import pytest

from treetalk import Session, SortingUser, Tree, _kernels
from treetalk.doubts import doubtful_subset, has_few_classes
from treetalk.heard import SORTED, Heard
from treetalk.metrics import tree_of_labels
from treetalk.models import DirichletDiffusion
from treetalk.strategies import Grouped, View


def naive_share(trees: list[Tree], leaf: int, anchors: list[int], own: int) -> list[float]:
    """The share of trees in which the smallest clade that has the leaf and another anchor has each of the anchors."""
    shares = np.zeros(len(anchors))
    others = {anchor: k for k, anchor in enumerate(anchors) if k != own}
    for tree in trees:
        clades = [set(tree.leaves(v).tolist()) for v in range(tree.num_nodes)]
        smallest = min((clade for clade in clades if leaf in clade and clade & others.keys()), key=len)
        found = [others[anchor] for anchor in smallest & others.keys()]
        shares[found] += 1 / len(found)
    return (shares / len(trees)).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_shares_are_those_of_the_smallest_clades(seed):
    rng = np.random.default_rng(seed)
    trees = [DirichletDiffusion().simulate(20, 0, seed=100 * seed + i)[0] for i in range(7)]
    anchors = rng.choice(20, 5, replace=False).astype(np.int32)
    leaves = np.arange(20, dtype=np.int32)
    own = np.full(20, -1)
    own[anchors] = np.arange(5)
    parents = np.array([tree.parent for tree in trees])
    found = _kernels.snapshots.nearest_shares(parents, leaves, anchors, own)
    for leaf in range(20):
        assert found[leaf] == pytest.approx(naive_share(trees, leaf, anchors.tolist(), own[leaf]))
    assert found.sum(axis=1) == pytest.approx(1)


# Items 0 to 4 and 5 to 9 are groups; 10 goes with the one or with the other, all others always with the first.
NUM_ITEMS = 26
LABELS = np.concatenate([np.zeros(5, int), np.ones(5, int), np.arange(2, NUM_ITEMS - 8)])
NOT_SEEN = np.zeros((NUM_ITEMS - 8, NUM_ITEMS - 8))


def some_trees() -> np.ndarray:
    first, second, rest = list(range(5)), list(range(5, 10)), list(range(11, NUM_ITEMS))
    ten_first = comb([comb([*first, 10, *rest]), comb(second)])
    ten_second = comb([comb([*first, *rest]), comb([*second, 10])])
    return np.array(
        [Tree.from_newick(newick + ";", items=map(str, range(NUM_ITEMS))).parent for newick in (ten_first, ten_second)]
    )


def comb(parts: list) -> str:
    newick = str(parts[0])
    for part in parts[1:]:
        newick = f"({newick},{part})"
    return newick


def test_whoever_goes_now_here_now_there_is_asked_about_with_both_groups():
    rng = np.random.default_rng(0)
    found = [doubtful_subset(some_trees(), LABELS, NOT_SEEN, 10, rng) for _ in range(50)]
    assert all(len(set(one.tolist())) == 10 for one in found)
    assert all(len(set(LABELS[one].tolist())) == 10 for one in found)
    for one in found:
        assert 10 in one
        assert {0, 1} <= set(LABELS[one].tolist())
    assert set(np.concatenate(found).tolist()) == set(range(NUM_ITEMS))


def test_who_is_known_not_to_belong_to_one_of_two_is_no_longer_in_doubt():
    apart = NOT_SEEN.copy()
    apart[LABELS[10], 1] = 10.0
    rng = np.random.default_rng(0)
    found = [doubtful_subset(some_trees(), LABELS, apart, 10, rng) for _ in range(50)]
    assert sum(10 in one for one in found) < 45


def test_there_is_nothing_to_tell_without_two_groups_or_with_few_items():
    rng = np.random.default_rng(0)
    alone = np.arange(NUM_ITEMS)
    assert doubtful_subset(some_trees(), alone, np.zeros((NUM_ITEMS, NUM_ITEMS)), 10, rng) is None
    assert doubtful_subset(some_trees(), LABELS, NOT_SEEN, len(NOT_SEEN), rng) is None


PIECE = tuple(range(15, 25))
IN_TWO = tuple((15, i, 20) for i in range(16, 20)) + tuple((20, i, 15) for i in range(21, 25))


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ([], False),
        ([Heard(SORTED, PIECE, IN_TWO)], True),
        ([Heard(SORTED, PIECE, IN_TWO), Heard("accepted", PIECE)], False),
        ([Heard(SORTED, PIECE, ((15, 16, 20), (20, 21, 15), (22, 23, 15)))], True),  # seven parts
        ([Heard(SORTED, PIECE, ((15, 16, 20), (20, 21, 15)))], False),  # eight
    ],
)
def test_there_are_few_classes_if_the_last_piece_was_sorted_into_few_parts(heard, expected):
    assert has_few_classes(heard) is expected


def test_only_those_who_sort_are_asked_where_the_doubtful_belong():
    session = Session(np.random.default_rng(0).normal(size=(NUM_ITEMS, 2)), seed=0)
    triplets = np.array([(i, i + 1, 20) for i in (0, 1, 2, 3, 5, 6, 7, 8)], np.int32)
    view = View(session.tree, session.snapshots, 0, triplets, [Heard(SORTED, PIECE, IN_TWO)], 1.0)
    doubtful = [next(Grouped().candidates(view, np.random.default_rng(i))).tolist() for i in range(20)]
    other = view._replace(heard=[Heard("corrected", PIECE)])
    others = [next(Grouped().candidates(other, np.random.default_rng(i))).tolist() for i in range(20)]
    assert doubtful != others
    assert all({0, 1} <= set(LABELS[one].tolist()) for one in doubtful)


@pytest.mark.large
def test_a_sorting_user_is_done_sooner_than_by_random_pieces():
    from sklearn.datasets import load_wine

    X, classes = load_wine(return_X_y=True)
    target = tree_of_labels(classes)

    def num_pieces(strategy) -> int:
        session, user = Session(X, strategy=strategy, seed=0), SortingUser(target, seed=0)
        for number in range(40):
            if session.tree.is_refinement_of(target):
                return number
            query = session.ask()
            session.respond(query, user.respond(query))
            session.advance()
        return 40

    assert num_pieces("grouped") < num_pieces("random")

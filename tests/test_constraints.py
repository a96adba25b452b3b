"""Which triplets a chain's moves have to look at, of many."""

import numpy as np
import pytest

from reference import random_tree, triplets_of
from treetalk import InconsistentTriplets, TripletSet
from treetalk.arguments import NO_TRIPLETS
from treetalk.constraints import MANY_PER_ITEM, Constraints

NUM_LEAVES = 12


@pytest.fixture
def triplets():
    """All triplets of a tree, in a random order: most are implied by others."""
    rng = np.random.default_rng(0)
    return rng.permutation(np.array(sorted(triplets_of(random_tree(NUM_LEAVES, rng))), np.int32))


def in_batches(triplets, ends):
    constraints = Constraints(NUM_LEAVES)
    for begin, end in zip([0, *ends], [*ends, len(triplets)], strict=True):
        constraints = constraints.with_more(triplets[begin:end])
        assert len(constraints.needed) <= len(constraints.triplets)
    return constraints


def test_what_is_needed_implies_all_and_is_less(triplets):
    needed = in_batches(triplets, []).needed
    rest = TripletSet(needed, NUM_LEAVES)
    assert len(needed) <= MANY_PER_ITEM * NUM_LEAVES < len(triplets)
    assert all(rest.implied(triplet) for triplet in triplets)


@pytest.mark.parametrize("ends", [[1], [50, 51, 130], [*range(1, 200)]])
def test_what_is_needed_does_not_depend_on_how_many_triplets_came_at_a_time(triplets, ends):
    at_once = in_batches(triplets, []).needed
    assert np.array_equal(in_batches(triplets, ends).needed, at_once)
    before = in_batches(triplets[: ends[-1]], [])
    assert np.array_equal(before.replaced_by(triplets, NO_TRIPLETS).needed, at_once)


def test_other_triplets_are_sorted_out_anew(triplets):
    other = triplets[::-1]
    replaced = in_batches(triplets, []).replaced_by(other, NO_TRIPLETS)
    assert np.array_equal(replaced.triplets, other)
    assert np.array_equal(replaced.needed, in_batches(other, []).needed)


def test_a_conflict_among_many_triplets_names_the_rows_given(triplets):
    a, b, c = triplets[0].tolist()
    wrong = np.concatenate([triplets, [[a, c, b]]]).astype(np.int32)
    with pytest.raises(InconsistentTriplets) as caught:
        _ = in_batches(triplets[:100], []).replaced_by(wrong, NO_TRIPLETS).needed
    assert len(triplets) in caught.value.rows.tolist()
    assert np.array_equal(wrong[caught.value.rows], caught.value.conflict)

"""cblearn's arrays. The files were made by cblearn 0.4 from one random draw of triplets."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from treetalk import FormatError, TripletSet
from treetalk.dialects import from_cblearn, from_metric_learn, from_triplets, read_triplets, to_cblearn

FILES = Path(__file__).parent / "dialects"
ORDER = np.load(FILES / "cblearn_order.npy")
NUM_ITEMS = 8

queries = st.lists(st.permutations(range(NUM_ITEMS)).map(lambda order: order[:3]), min_size=1, max_size=10)


def as_set(triplets):
    return {(frozenset((a, b)), c) for a, b, c in np.asarray(triplets).tolist()}


def test_the_pivot_and_the_one_it_is_nearer_to_belong_together():
    assert from_cblearn(ORDER).triplets.tolist() == ORDER.tolist()
    assert from_cblearn([("cat", "lynx", "dog")], items=["dog", "cat", "lynx"]).triplets.tolist() == [[1, 2, 0]]


@pytest.mark.parametrize(
    ("file", "dialect"),
    [
        ("cblearn_order.npy", "cblearn"),
        ("cblearn_order.csv", "cblearn"),
        ("cblearn_count.npz", "cblearn-count"),
        ("cblearn_count.csv", "cblearn-count"),
        ("cblearn_boolean.npz", "cblearn-boolean"),
    ],
)
def test_files_of_all_forms_say_the_same(file, dialect):
    said = read_triplets(FILES / file, dialect, num_leaves=NUM_ITEMS)
    assert as_set(said) == as_set(ORDER)
    assert len(said) == len(ORDER)


@pytest.mark.parametrize("is_flat", [False, True])
def test_a_sparse_array_says_the_same(is_flat):
    stored = np.load(FILES / "cblearn_tensor.npz")
    i, j, k = stored["coords"]
    tensor = sparse.coo_array((stored["data"], (i, j, k)), shape=tuple(stored["shape"]))
    if is_flat:
        tensor = sparse.csr_array((stored["data"], (i, j * NUM_ITEMS + k)), shape=(NUM_ITEMS, NUM_ITEMS**2))
    assert as_set(from_cblearn(tensor)) == as_set(ORDER)


def test_the_odd_one_stands_first():
    stored = np.load(FILES / "cblearn_odd_one_out.npz")
    said = from_cblearn(stored["queries"], form="odd-one-out")
    # What cblearn makes of the same queries has each pair in both orders, and every pair.
    for query, lines in itertools.groupby(zip(said.lines, said, strict=True), key=lambda pair: pair[0]):
        together = TripletSet([triplet for _, triplet in lines], NUM_ITEMS)
        odd = int(stored["queries"][query, 0])
        others = set(stored["queries"][query, 1:].tolist())
        made = [row for row in stored["triplets"].tolist() if row[2] == odd and {row[0], row[1]} <= others]
        assert made
        assert all(together.implied(triplet) for triplet in made)


def test_a_response_tells_the_column_of_the_odd_one():
    assert from_cblearn([[5, 6, 7], [1, 2, 3]], [2, 1], form="odd-one-out").triplets.tolist() == [[5, 6, 7], [1, 3, 2]]
    with pytest.raises(ValueError, match="query 1: column 3 is not there; columns are numbered from 0 to 2"):
        from_cblearn([[5, 6, 7], [1, 2, 3]], [2, 3], form="odd-one-out")


def test_a_negative_response_swaps_the_last_two_and_0_says_nothing():
    said = from_cblearn([[0, 1, 2], [3, 4, 5], [0, 3, 6]], [2, -1, 0])
    assert said.triplets.tolist() == [[0, 1, 2], [3, 5, 4]]
    assert (said.lines, said.num_left_out) == ((0, 1), 1)


def test_masked_queries_and_responses_are_left_out():
    rows = np.ma.masked_array([[0, 1, 2], [-1, 4, 5], [0, 3, 6]], mask=[[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    assert from_cblearn(rows).triplets.tolist() == [[0, 1, 2], [0, 3, 6]]
    said = from_cblearn(rows, np.ma.masked_array([True, True, False], mask=[1, 0, 0]))
    assert said.triplets.tolist() == [[0, 6, 3]]
    assert said.num_left_out == 2
    unanswered = from_cblearn(rows, np.ma.masked_all(3, dtype=bool))
    assert (len(unanswered), unanswered.num_left_out) == (0, 3)


@pytest.mark.parametrize(
    ("queries", "responses", "form"),
    [
        ([[0, 1, 2], [3, 4, 5]], np.ma.masked_invalid([1, np.nan]), "list-count"),
        ([[0, 1, 2], [3, 4, 5]], np.ma.masked_array([1, 0], mask=[0, 1]), None),
        ([[0, 1, 2], [3, 4, 5]], np.ma.masked_array([1, 7], mask=[0, 1]), "list-boolean"),
        (np.ma.masked_invalid([[0, 1, 2], [np.nan, 4, 5]]), None, None),
        (np.ma.masked_invalid([[0, 1, 2, 1], [3, 4, 5, np.nan]]), None, "list-count"),
        (np.ma.masked_equal(np.array([[0, 1, 2, 1], [3, 4, 5, None]], object), None), None, "list-count"),
        ([[2, 0, 1], [3, 4, 5]], np.ma.masked_invalid([0, np.nan]), "odd-one-out"),
        ([[2, 0, 1], [3, 4, 5]], np.ma.masked_array([0, 7], mask=[0, 1]), "odd-one-out"),
    ],
)
def test_what_is_behind_a_mask_does_not_count(queries, responses, form):
    said = from_cblearn(queries, responses, form=form)
    assert said.triplets.tolist() == [[0, 1, 2]]
    assert said.num_left_out == 1


@pytest.mark.parametrize(
    ("dialect", "rows"),
    [
        ("cblearn-count", np.array([[0, 1, 2, 2], [3, 4, 5, -1], [0, 3, 6, 0]])),
        ("cblearn-boolean", [[0, 1, 2, True], [3, 4, 5, False]]),
        ("cblearn-count", np.ma.masked_equal([[0, 1, 2, 2], [3, 4, 5, -1], [0, 3, 6, 9]], 9)),
        ("cblearn-boolean", np.array([[0, 1, 2, True], [3, 4, 5, False]], dtype=object)),
    ],
)
def test_responses_may_be_the_fourth_column_of_an_array_as_they_are_in_a_file(dialect, rows):
    said = read_triplets(rows, dialect, num_leaves=NUM_ITEMS)
    assert said.triplets.tolist() == [[0, 1, 2], [3, 5, 4]]
    assert said.num_left_out == len(rows) - 2


def test_responses_may_stand_next_to_names():
    rows = [["cat", "lynx", "dog", -1]]
    assert from_cblearn(rows, form="list-count", items=["dog", "cat", "lynx"]).triplets.tolist() == [[1, 0, 2]]


def test_a_fourth_column_that_nobody_explained_is_refused_with_the_forms_that_have_one():
    with pytest.raises(
        ValueError, match=r"shape is \(1, 4\); if the fourth column are responses, say form='list-count'"
    ):
        from_cblearn([[0, 1, 2, 1]])


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[0.0, 1.0, 2.0]], "their dtype is float64; make integers of them: .astype(int)"),
        ([[0.0, 1.0, 2.0], [0.0, np.nan, 2.0]], "their dtype is float64, and in row 1 one is missing"),
    ],
)
@pytest.mark.parametrize("take", [from_cblearn, from_metric_learn, from_triplets, lambda rows: TripletSet(rows, 3)])
def test_item_numbers_are_integers_whoever_takes_them(take, rows, sentence):
    with pytest.raises(TypeError) as error:
        take(rows)
    assert str(error.value).endswith(f"s must hold item numbers (integers) or item names; {sentence}")
    assert "querys" not in str(error.value)


def test_names_become_numbers_on_the_way_out_too():
    items = ["dog", "cat", "lynx"]
    assert to_cblearn([("cat", "lynx", "dog")], items=items).tolist() == [[1, 2, 0]]
    said = from_cblearn([("cat", "lynx", "dog")], items=items)
    assert to_cblearn(said, items=items[::-1]).tolist() == [[1, 0, 2]]


def test_zeros_and_ones_are_booleans_or_counts_only_if_that_is_said():
    rows = [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="0 and 1, which may be booleans or counts with undecided ones"):
        from_cblearn(rows, [1, 0])
    assert from_cblearn(rows, [1, 0], form="list-boolean").triplets.tolist() == [[0, 1, 2], [3, 5, 4]]
    assert from_cblearn(rows, [1, 0], form="list-count").triplets.tolist() == [[0, 1, 2]]
    assert from_cblearn(rows, [True, False]).triplets.tolist() == [[0, 1, 2], [3, 5, 4]]


def test_most_central_is_refused_since_it_contradicts_itself_in_a_hierarchy():
    with pytest.raises(ValueError, match=r"most-central responses cannot be taken in: .* contradict each other"):
        from_cblearn([[0, 1, 2]], form="most-central")
    # a, b, c with b most central, as cblearn's triplets_from_mostcentral has it.
    assert not TripletSet([(0, 1, 2), (2, 1, 0)], 3).is_consistent


@given(queries, st.sampled_from(["list-order", "list-boolean", "list-count", "odd-one-out"]))
def test_arrays_make_the_way_there_and_back(rows, form):
    made = to_cblearn(rows, form=form)
    said = from_cblearn(*made, form=form) if isinstance(made, tuple) else from_cblearn(made, form=form)
    assert [({a, b}, c) for a, b, c in said] == [({a, b}, c) for a, b, c in rows]


def test_queries_with_responses_are_written_in_ascending_order_as_cblearn_has_them():
    stored = np.load(FILES / "cblearn_count.npz")
    compared, responses = to_cblearn(ORDER, form="list-count")
    assert compared.tolist() == stored["triplets"].tolist()
    assert responses.tolist() == stored["responses"].tolist()


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (
            ([[0, 1, 2], [0, 1, 8]],),
            {"num_leaves": 8},
            "query 1 (0, 1, 8): there is no item 8; items are numbered from 0 to 7",
        ),
        (([[0, 1, 2], [0, -1, 2]],), {}, "query 1 (0, -1, 2): there is no item -1; items are numbered from 0 on"),
        (([[0, 1, 2], [4, 4, 2]],), {}, "query 1 (4, 4 | 2) names an item twice"),
        (([[0, 1]],), {}, "queries must have the shape (m, 3); their shape is (1, 2)"),
        (([[0, 1, 2]], [1, 1]), {}, "there must be a response to each of the 1 queries; the shape is (2,)"),
        (([[0, 1, 2]], [1]), {"form": "list-order"}, "the form 'list-order' has no responses"),
        (([[0, 1, 2]],), {"form": "list-count"}, "the form 'list-count' needs responses"),
        (([[0, 1, 2]],), {"form": "list"}, "form must be one of 'list-order', 'list-boolean'"),
        (([["cat", "dog", "wolf"]],), {"items": ["cat", "dog"]}, "query 0 (cat, dog, wolf): there is no item 'wolf'"),
        (([["cat", "dog", "wolf"]],), {}, "query 0 (cat, dog, wolf): 'cat' is a name, but the items have no names"),
    ],
)
def test_a_fault_in_an_array_is_named_with_its_row(arguments, options, sentence):
    with pytest.raises(ValueError) as error:
        from_cblearn(*arguments, **options)
    assert str(error.value).startswith(sentence)


def test_an_archive_without_queries_is_refused_with_what_is_in_it(tmp_path):
    np.savez(tmp_path / "said.npz", answers=ORDER)
    with pytest.raises(FormatError, match=r"said.npz: there is no array 'triplets' of queries; there is 'answers'"):
        read_triplets(tmp_path / "said.npz", "cblearn")


def test_each_triplet_of_a_file_knows_its_line(tmp_path):
    (tmp_path / "said.csv").write_text("i,j,k,response\n\n0,1,2,1\n0,3,4,0\n5,6,7,-1\n")
    said = read_triplets(tmp_path / "said.csv", "cblearn-count", num_leaves=NUM_ITEMS)
    assert list(zip(said.lines, said, strict=True)) == [(3, (0, 1, 2)), (5, (5, 7, 6))]
    assert said.num_left_out == 1

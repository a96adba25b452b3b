"""Salmon's responses and metric-learn's tuples."""

from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treetalk import FormatError
from treetalk.dialects import from_metric_learn, from_salmon, read_triplets, to_metric_learn, to_salmon

FILES = Path(__file__).parent / "dialects"
ANIMALS = ["cat", "lynx", "dog", "wolf", "carp"]
SAID = [[0, 1, 2], [3, 2, 4], [4, 1, 0], [1, 0, 3]]
X = np.array([[0, 1], [0, 2], [5, 1], [5, 2], [20, 20.0]])

rows_of_three = st.lists(st.permutations(range(5)).map(lambda order: order[:3]), min_size=1, max_size=8)


def test_head_and_winner_belong_together_apart_from_the_loser():
    said = from_salmon(FILES / "salmon.csv", num_leaves=5)
    assert said.triplets.tolist() == SAID
    assert said.lines == (2, 3, 4, 5)


def test_who_answered_when_and_in_how_many_seconds_is_kept():
    said = from_salmon(FILES / "salmon.csv", items=ANIMALS)
    assert said.circumstances["who"] == ["u1", "u1", "u2", "u2"]
    assert said.circumstances["seconds"] == [1.731, 2.05, None, 4.25]  # -1 is Salmon's way to say that it is not known
    assert said.circumstances["comment"][3] == "received by Salmon 2021-03-05T08:00:09.750000"


@pytest.mark.parametrize("ending", ["", ".png"])
def test_targets_are_looked_up_by_name_with_or_without_the_ending_of_a_picture(ending):
    items = [name + ending for name in ANIMALS[::-1]]
    said = from_salmon(FILES / "salmon.csv", items=items, by="name")
    assert [[4 - item for item in row] for row in said.triplets.tolist()] == SAID


def test_numbers_are_refused_where_the_names_beside_them_are_those_of_other_items():
    with pytest.raises(FormatError) as error:
        from_salmon(FILES / "salmon.csv", items=ANIMALS[::-1])
    assert str(error.value).startswith(
        "salmon.csv: line 2: head is 0, which is 'carp' here, but the file calls it 'cat.png': the items stand in another "
        "order than Salmon's targets, so look them up by name"
    )


def test_a_data_frame_of_responses_is_read_as_the_file_is():
    said = from_salmon(pandas.read_csv(FILES / "salmon.csv"), items=ANIMALS)
    assert said.triplets.tolist() == SAID
    assert said.circumstances["who"] == ["u1", "u1", "u2", "u2"]
    frame = pandas.DataFrame({"head": [0, 1], "winner": [1, 1], "loser": [2, 2]})
    with pytest.raises(FormatError, match=r"^row 1: lynx, lynx \| dog names an item twice"):
        from_salmon(frame, items=ANIMALS)
    with pytest.raises(ValueError, match="Salmon's responses have the columns head, winner and loser"):
        from_salmon(frame.drop(columns="loser"))


def test_a_name_that_no_item_has_is_named_with_the_nearest_one():
    with pytest.raises(
        FormatError, match=r"salmon.csv: line 3: there is no item 'wolf.png'; did you mean 'wolfs'; line 5.*\?$"
    ):
        from_salmon(FILES / "salmon.csv", items=["cat", "lynx", "dog", "wolfs", "carp"], by="name")


@given(rows_of_three)
def test_responses_make_the_way_there_and_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("salmon") / "responses.csv"
    path.write_text(to_salmon(rows, items=ANIMALS))
    assert from_salmon(path, items=ANIMALS).triplets.tolist() == rows
    assert from_salmon(path, items=ANIMALS, by="name").triplets.tolist() == rows


# --- metric-learn


def test_anchor_and_positive_belong_together_apart_from_the_negative():
    assert from_metric_learn([(0, 1, 2)]).triplets.tolist() == [[0, 1, 2]]
    assert from_metric_learn([("cat", "lynx", "dog")], items=ANIMALS).triplets.tolist() == [[0, 1, 2]]


@given(rows_of_three)
def test_points_are_found_among_the_rows_of_the_data(rows):
    assert from_metric_learn(to_metric_learn(rows), num_leaves=5).triplets.tolist() == rows
    assert from_metric_learn(to_metric_learn(rows, X=X), X=X).triplets.tolist() == rows


def test_names_become_rows_on_the_way_to_metric_learn():
    assert to_metric_learn([("cat", "lynx", "dog")], items=ANIMALS).tolist() == [[0, 1, 2]]
    assert to_metric_learn([("cat", "lynx", "dog")], items=ANIMALS, X=X).tolist() == [X[:3].tolist()]


def test_what_metric_learn_makes_of_labels_is_taken_in():
    labels = np.array([0, 0, 1, 1, 1])
    # Made by metric-learn 0.7: Constraints(labels).generate_knntriplets(X, k_genuine=1, k_impostor=1)
    said = read_triplets(FILES / "metric_learn.npy", "metric-learn", X=X)
    assert len(said) == 5
    assert all(labels[a] == labels[b] != labels[c] for a, b, c in said)
    points = X[np.load(FILES / "metric_learn.npy")]
    assert from_metric_learn(points, X=X).triplets.tolist() == said.triplets.tolist()


def test_quadruplets_of_metric_learn_are_refused_unless_their_pairs_share_an_item():
    # Made by metric-learn 0.7: Constraints(labels).positive_negative_pairs(3, same_length=True), put side by side
    with pytest.raises(FormatError, match=r"metric_learn_quadruplets.npy: quadruplet \d: it compares"):
        read_triplets(FILES / "metric_learn_quadruplets.npy", "metric-learn", X=X)


def test_a_point_must_be_exactly_one_row():
    with pytest.raises(ValueError, match="triplet 0: point 2 is equal to no row of X"):
        from_metric_learn([[X[0], X[1], X[2] + 1e-9]], X=X)
    twice = np.vstack([X, X[1]])
    with pytest.raises(ValueError, match="triplet 0: point 1 is equal to rows 1 and 5 of X; give row numbers instead"):
        from_metric_learn([[X[0], X[1], X[2]]], X=twice)
    with pytest.raises(ValueError, match="the tuples hold points, so X is needed"):
        from_metric_learn([[X[0], X[1], X[2]]])


@pytest.mark.parametrize(
    ("four", "three"),
    [((0, 1, 0, 2), [0, 1, 2]), ((1, 0, 0, 2), [0, 1, 2]), ((0, 1, 2, 0), [0, 1, 2]), ((1, 0, 2, 0), [0, 1, 2])],
)
def test_a_quadruplet_whose_pairs_share_an_item_is_a_triplet(four, three):
    assert from_metric_learn([four]).triplets.tolist() == [three]


@pytest.mark.parametrize(
    ("tuples", "sentence"),
    [
        ([(0, 1, 0, 2), (0, 1, 2, 3)], "quadruplet 1: it compares 0 and 1 with 2 and 3; which of two pairs without"),
        ([(0, 1, 1, 0)], "quadruplet 0: it compares 0 and 1 with 1 and 0, and so says nothing about three different items"),
        ([(0, 0, 0, 1)], "quadruplet 0: it compares 0 and 0 with 0 and 1, and so says nothing about three different items"),
        ([(0, 1)], "tuples must have the shape (m, 3) or (m, 4), of item numbers, or (m, 3, d) or (m, 4, d), of points; "
         "their shape is (1, 2); pairs are must-links and cannot-links: from_links"),
        ([(0, 1, 1)], "triplet 0 (0, 1 | 1) names an item twice"),
        ([(0, 1, 9)], "triplet 0 (0, 1, 9): there is no item 9; items are numbered from 0 to 4"),
    ],
)  # fmt: skip
def test_tuples_that_say_nothing_are_refused_with_the_reason(tuples, sentence):
    with pytest.raises(ValueError) as error:
        from_metric_learn(tuples, num_leaves=5)
    assert str(error.value).startswith(sentence)


def test_a_file_of_tuples_needs_no_header(tmp_path):
    path = tmp_path / "triplets.csv"
    path.write_text("anchor,positive,negative\n0,1,2\n3,2,4\n")
    said = read_triplets(path, "metric-learn", num_leaves=5)
    path.write_text("0,1,2\n3,2,4\n")
    assert read_triplets(path, "metric-learn", num_leaves=5).triplets.tolist() == said.triplets.tolist() == SAID[:2]
    np.save(tmp_path / "triplets.npy", X[np.array(SAID)])
    assert read_triplets(tmp_path / "triplets.npy", "metric-learn", X=X).triplets.tolist() == SAID


def test_zero_is_zero_whatever_its_sign():
    signed = X.copy()
    signed[0, 0] = -0.0
    points = [[X[0], X[1], X[2]]]
    assert X[0, 0] == 0
    assert from_metric_learn(points, X=signed).triplets.tolist() == [[0, 1, 2]]
    assert from_metric_learn([[signed[0], X[1], X[2]]], X=X).triplets.tolist() == [[0, 1, 2]]

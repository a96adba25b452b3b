"""Triplets as data frames, whose columns have names; and as files of arrays, which have none."""

import itertools
import json

import numpy as np
import pandas
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import invoke
from treetalk import FormatError, InteractiveClustering, Project, Session, TripletSet
from treetalk.dialects import (
    DIALECTS,
    from_cblearn,
    from_metric_learn,
    from_triplets,
    read_triplets,
    to_newick,
    write_triplets,
)

ANIMALS = ["cat", "lynx", "dog", "wolf", "carp"]
X = np.array([[0, 1], [0, 2], [5, 1], [5, 2], [20, 20.0]])
OF_ARRAYS = ["cblearn", "cblearn-boolean", "cblearn-count", "cblearn-odd-one-out", "metric-learn"]
SAID = {"a": ["cat", "dog"], "b": ["lynx", "wolf"], "c": ["carp", "cat"]}
NUMBERS = [[0, 1, 4], [2, 3, 0]]
ORDERS = [list(order) for order in itertools.permutations("abc")]

rows_of_three = st.lists(st.permutations(range(5)).map(lambda order: tuple(order[:3])), min_size=1, max_size=8)


def of_fit(frame):
    """Return what an estimator was told, by way of its tree."""
    labelled = pandas.DataFrame(X, index=ANIMALS)
    fitted = InteractiveClustering(n_moves=20, n_draws=2).fit(labelled, triplets=frame)
    assert fitted.tree_.satisfies(NUMBERS).all()
    return NUMBERS


WAYS = {
    "read_triplets": lambda frame: read_triplets(frame, "treetalk", items=ANIMALS).triplets.tolist(),
    "from_triplets": lambda frame: from_triplets(frame, items=ANIMALS).triplets.tolist(),
    "TripletSet": lambda frame: TripletSet(frame, 5, items=ANIMALS).triplets.tolist(),
    "answer": lambda frame: [list(each.triplet) for each in Session(X, ANIMALS).answer(None, frame)],
    "fit": of_fit,
}


@pytest.mark.parametrize("order", ORDERS, ids="".join)
@pytest.mark.parametrize("way", WAYS)
def test_the_columns_of_a_data_frame_count_by_their_names(way, order):
    assert WAYS[way](pandas.DataFrame(SAID)[order]) == NUMBERS


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_are_only_numbered_stand_in_our_order(way):
    assert WAYS[way](pandas.DataFrame(list(zip(*SAID.values(), strict=True)))) == NUMBERS


@pytest.mark.parametrize("way", WAYS)
def test_columns_of_other_names_are_refused(way):
    frame = pandas.DataFrame(SAID).rename(columns={"c": "odd"})
    with pytest.raises(ValueError, match=r"the columns (of triplets are )?a, b and c.*'odd'"):
        WAYS[way](frame)


@pytest.mark.parametrize("way", ["TripletSet", "answer"])
def test_arrow_tables_and_structured_arrays_have_names_of_columns_too(way):
    frame = pandas.DataFrame(SAID)[["c", "a", "b"]]
    assert WAYS[way](pyarrow.Table.from_pandas(frame)) == NUMBERS
    assert WAYS[way](frame.to_records(index=False)) == NUMBERS


def test_a_row_of_a_data_frame_is_a_triplet():
    frame = pandas.DataFrame(SAID)[["c", "a", "b"]]
    (answer,) = Session(X, ANIMALS).answer(None, frame.iloc[0])
    assert list(answer.triplet) == NUMBERS[0]


def test_numbers_in_a_data_frame_stay_numbers():
    frame = pandas.DataFrame(NUMBERS, columns=["a", "b", "c"])[["c", "b", "a"]]
    assert TripletSet(frame, 5).triplets.tolist() == NUMBERS
    assert from_triplets(frame).triplets.tolist() == NUMBERS
    assert to_newick(frame.head(1)) == to_newick(NUMBERS[:1])


def test_columns_that_an_answer_cannot_keep_are_refused_with_what_keeps_them():
    frame = pandas.DataFrame(SAID | {"who": ["anna", None], "comment": [None, "sure"]})
    with pytest.raises(ValueError, match=r"here 'who', 'comment' would be lost: .*read_triplets\(frame, 'treetalk'"):
        Session(X, ANIMALS).answer(None, frame)
    said = read_triplets(frame, "treetalk", items=ANIMALS)
    assert said.triplets.tolist() == NUMBERS
    assert said.circumstances == {"who": ["anna", None], "comment": [None, "sure"]}
    assert said.lines == (0, 1)


def test_a_data_frame_says_what_the_same_csv_file_says(tmp_path):
    text = (
        "id,kind,c,a,b,who,retracts,remark\n"
        "1,triplet,carp,cat,lynx,anna,,x\n2,triplet,cat,dog,wolf,,,\n3,accept,,,,anna,,\n4,retract,,,,anna,1,\n"
    )
    (tmp_path / "all.csv").write_text(text)
    frame = pandas.read_csv(tmp_path / "all.csv")
    from_file = read_triplets(tmp_path / "all.csv", "treetalk", items=ANIMALS)
    said = read_triplets(frame, "treetalk", items=ANIMALS)
    assert said.triplets.tolist() == from_file.triplets.tolist() == [NUMBERS[1]]
    with pytest.raises(ValueError, match="triplet 3: it takes an answer back, but columns id and retracts do not say"):
        read_triplets(frame.drop(columns="id"), "treetalk", items=ANIMALS)


def test_anchors_count_by_the_names_of_their_columns():
    frame = pandas.DataFrame({"negative": SAID["c"], "anchor": SAID["a"], "positive": SAID["b"], "who": ["me", "me"]})
    said = read_triplets(frame, "anchor-positive-negative", items=ANIMALS)
    assert said.triplets.tolist() == NUMBERS
    assert said.circumstances["who"] == ["me", "me"]
    assert from_metric_learn(frame.drop(columns="who"), items=ANIMALS).triplets.tolist() == NUMBERS
    with pytest.raises(ValueError, match="there must be the columns anchor, positive and negative"):
        read_triplets(pandas.DataFrame(SAID), "anchor-positive-negative", items=ANIMALS)


def test_queries_of_cblearn_count_by_the_names_of_their_columns():
    frame = pandas.DataFrame({"k": [4, 3], "response": [True, False], "i": [0, 2], "j": [1, 0]})
    assert read_triplets(frame, "cblearn-boolean", num_leaves=5).triplets.tolist() == NUMBERS
    assert from_cblearn(pandas.DataFrame(NUMBERS)).triplets.tolist() == NUMBERS
    with pytest.raises(ValueError, match=r"called \(i, j, k\) or .*, and response; these are 'x', 'y', 'z'"):
        from_cblearn(pandas.DataFrame(NUMBERS, columns=["x", "y", "z"]))


@pytest.mark.parametrize("has_names", [True, False])
def test_links_are_read_from_a_data_frame_as_from_a_file(has_names):
    items = [("cat", "lynx"), ("lynx", "dog")] if has_names else [(0, 1), (1, 2)]
    frame = pandas.DataFrame(items, columns=["b", "a"]).assign(kind=["must-link", "cannot-link"], level=[2, 1])
    assert read_triplets(frame, "links", items=ANIMALS).triplets.tolist() == [[0, 1, 2]]
    frame.loc[1, "level"] = 3
    assert len(read_triplets(frame, "links", items=ANIMALS)) == 0
    with pytest.raises(FormatError, match="row 1: kind is 'maybe'; it must be must-link or cannot-link"):
        read_triplets(frame.assign(kind=["must-link", "maybe"]), "links", items=ANIMALS)


@pytest.mark.parametrize("nothing", [None, np.nan, pandas.NA])
def test_an_item_that_is_missing_is_called_so(nothing):
    frame = pandas.DataFrame({"a": ["cat", "dog"], "b": ["lynx", nothing], "c": ["carp", "cat"]}, dtype=object)
    with pytest.raises(ValueError, match=r"triplet 1 \(dog, , cat\): an item is missing"):
        from_triplets(frame, items=ANIMALS)
    for take in (WAYS["TripletSet"], WAYS["answer"]):
        with pytest.raises(ValueError, match="triplet 1: b is missing"):
            take(frame)


def test_a_number_among_names_that_no_item_has_is_named_with_its_row():
    with pytest.raises(ValueError, match=r"triplet 1 \(dog, 9, cat\): there is no item 9; .* from 0 to 4"):
        from_triplets([("cat", "lynx", "dog"), ("dog", 9, "cat")], items=ANIMALS)


# --- files of arrays


@pytest.mark.parametrize("ending", [".npy", ".npz", ".NPY", ".tsv", ".csv", ""])
@pytest.mark.parametrize("dialect", OF_ARRAYS)
@settings(max_examples=15)
@given(rows=rows_of_three)
def test_the_ending_says_what_is_written_and_it_is_read_again(tmp_path_factory, dialect, ending, rows):
    path = tmp_path_factory.mktemp("arrays") / f"said{ending}"
    write_triplets(path, rows, dialect, num_leaves=5)
    said = read_triplets(path, dialect, num_leaves=5)
    assert [({a, b}, c) for a, b, c in said] == [({a, b}, c) for a, b, c in rows]
    if ending.lower() == ".npy":
        assert np.load(path).shape == (len(rows), 4 if dialect in {"cblearn-boolean", "cblearn-count"} else 3)


@pytest.mark.parametrize(
    ("name", "dialect"),
    [("said.npy", "treetalk"), ("said.npy", "salmon"), ("said.xlsx", "cblearn"), ("tree.csv", "newick")],
)
def test_an_ending_that_a_dialect_does_not_have_is_refused_and_nothing_written(tmp_path, name, dialect):
    with pytest.raises(ValueError, match=f"{name}: a file of the dialect '{dialect}' ends with '.*, not with"):
        write_triplets(tmp_path / name, NUMBERS, dialect)
    assert not (tmp_path / name).exists()


def test_salmon_responses_are_separated_as_the_ending_says(tmp_path):
    write_triplets(tmp_path / "said.tsv", NUMBERS, "salmon", items=ANIMALS)
    assert (tmp_path / "said.tsv").read_text().startswith("head\twinner\tloser\t")
    assert read_triplets(tmp_path / "said.tsv", "salmon", items=ANIMALS).triplets.tolist() == NUMBERS


# --- the command


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "zoo.treetalk"
    Project.create(path, X, ANIMALS).close()
    return path


@pytest.mark.parametrize("dialect", [None, *sorted(set(DIALECTS) - set(OF_ARRAYS))])
def test_a_file_of_an_array_needs_a_dialect_that_has_arrays(capsys, project, tmp_path, dialect):
    np.save(tmp_path / "ml.npy", np.array(NUMBERS))
    said = invoke(
        capsys, "add", project, tmp_path / "ml.npy", *(() if dialect is None else ("--dialect", dialect))
    ).said
    assert "a .npy file has no names of columns, so its dialect must be said, with --dialect" in said
    assert all(repr(name) in said for name in OF_ARRAYS)


def test_a_file_of_another_tool_is_checked_in_its_dialect(capsys, project, tmp_path):
    path = tmp_path / "ml.npy"
    np.save(path, np.array([[0, 1, 2], [0, 2, 1]]))
    said = invoke(capsys, "check", project, path).said
    assert "a .npy file has no names of columns, so its dialect must be said, with --dialect" in said
    assert all(repr(name) in said for name in OF_ARRAYS)
    done = invoke(capsys, "check", project, path, "--dialect", "cblearn")
    assert done.code == 2
    assert "(row 1) contradicts" in done.printed
    assert "(row 0)" in done.printed
    (tmp_path / "tree.nwk").write_text("((cat,dog),lynx);")
    assert invoke(capsys, "check", project, tmp_path / "tree.nwk", "--dialect", "newick").code == 0


def test_a_file_of_an_array_that_is_not_there_is_called_so(capsys, project, tmp_path):
    done = invoke(capsys, "add", project, tmp_path / "missing.npy")
    assert done.said.strip() == f"{tmp_path / 'missing.npy'}: No such file or directory."


def test_a_dialect_in_other_letters_is_suggested(capsys, project, tmp_path):
    done = invoke(capsys, "add", project, tmp_path / "said.csv", "--dialect", "Salmon")
    assert done.code == 2
    assert "there is no dialect 'Salmon'; did you mean" in done.said
    assert "'salmon'?" in done.said


def test_links_that_say_nothing_are_told_with_the_reason(capsys, project, tmp_path):
    (tmp_path / "links.csv").write_text("a,b,kind\ncat,lynx,must-link\ndog,wolf,must-link\n")
    done = invoke(capsys, "add", project, tmp_path / "links.csv", "--dialect", "links")
    assert done.code == 0
    assert "No triplets added" in done.printed
    assert "2 rows of the file said nothing" in done.printed
    assert done.said.startswith("Must-links need a cannot-link to say anything")
    done = invoke(capsys, "add", project, tmp_path / "links.csv", "--dialect", "links", "--json")
    assert json.loads(done.printed)["left_out"] == 2

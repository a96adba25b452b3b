"""Comparisons in the dialects of other tools: what they have in common, and the command."""

import json
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import invoke
from treetalk import Chain, FormatError, Project, Session, TripletSet, open_project
from treetalk.cli.add import DialectName
from treetalk.dialects import DIALECTS, Said, from_cblearn, from_triplets, read_triplets, write_triplets

FILES = Path(__file__).parent / "dialects"
ANIMALS = ["cat", "lynx", "dog", "wolf", "carp"]
X = np.array([[0, 1], [0, 2], [5, 1], [5, 2], [20, 20.0]])
NUM_ITEMS = 6

triplets_of_numbers = st.lists(
    st.permutations(range(NUM_ITEMS)).map(lambda order: tuple(order[:3])), min_size=1, max_size=8
)


def same_triplets(first, second):
    return [({a, b}, c) for a, b, c in first] == [({a, b}, c) for a, b, c in second]


@pytest.mark.parametrize("dialect", sorted(set(DIALECTS) - {"links", "newick"}))
@given(triplets=triplets_of_numbers, has_names=st.booleans())
def test_what_is_written_in_a_dialect_is_read_in_it(tmp_path_factory, dialect, triplets, has_names):
    path = tmp_path_factory.mktemp("dialect") / "said.csv"
    items = [f"item, {number}" for number in range(NUM_ITEMS)] if has_names else None
    write_triplets(path, triplets, dialect, items=items, num_leaves=NUM_ITEMS)
    said = read_triplets(path, dialect, items=items, num_leaves=NUM_ITEMS)
    assert same_triplets(said, triplets)


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("dialect", sorted(set(DIALECTS) - {"links", "newick"}))
def test_no_triplets_are_written_and_read_as_none(tmp_path, dialect, ending):
    path = tmp_path / f"said{ending}"
    write_triplets(path, [], dialect, num_leaves=NUM_ITEMS)
    assert len(read_triplets(path, dialect, num_leaves=NUM_ITEMS)) == 0
    assert path.read_text()


def test_names_in_a_file_are_refused_where_the_items_have_none(tmp_path):
    (tmp_path / "said.csv").write_text("a,b,c\ncat,lynx,dog\n")
    with pytest.raises(FormatError, match=r"line 2: a is 'cat', and no item number.*items must hold the names"):
        read_triplets(tmp_path / "said.csv", "treetalk", num_leaves=5)


def test_who_said_it_and_how_long_it_took_survive_the_way_through_a_file(tmp_path):
    said = read_triplets(FILES / "salmon.csv", "salmon", items=ANIMALS)
    write_triplets(tmp_path / "again.csv", said, "salmon")
    again = read_triplets(tmp_path / "again.csv", "salmon", items=ANIMALS)
    assert again.circumstances["who"] == said.circumstances["who"]
    assert again.circumstances["seconds"] == said.circumstances["seconds"] == [1.731, 2.05, None, 4.25]


def test_columns_named_anchor_positive_and_negative_may_stand_in_any_order():
    said = read_triplets(FILES / "anchors.csv", "anchor-positive-negative", items=ANIMALS)
    assert said.triplets.tolist() == [[0, 1, 2], [3, 0, 4]]
    assert said.circumstances == {"who": ["anna", None]}
    assert said.lines == (2, 3)


def test_a_session_takes_what_was_said_as_an_answer():
    session = Session(X)
    first, second = session.answer(None, from_cblearn([[0, 1, 2], [2, 3, 4]]))
    assert (first.triplet, second.triplet) == ((0, 1, 2), (2, 3, 4))
    assert session.tree.satisfies([(0, 1, 2), (2, 3, 4)]).all()


def test_names_count_where_the_items_of_a_session_stand_in_another_order():
    session = Session(X, ANIMALS)
    said = from_cblearn([[0, 1, 2]], items=ANIMALS[::-1])
    (answer,) = session.answer(None, said)
    assert answer.in_words(ANIMALS) == "carp, wolf | dog"


def test_a_chain_and_a_set_take_what_was_said():
    said = from_triplets([("cat", "lynx", "dog"), ("lynx", "cat", "dog"), ("dog", "wolf", "carp")], items=ANIMALS)
    assert len(said.distinct()) == 2
    assert len(TripletSet(said.distinct(), 5)) == 2
    assert Chain(X, said.distinct()).tree.satisfies(np.asarray(said)).all()


def test_what_was_said_never_changes():
    said = from_triplets([(0, 1, 2)])
    with pytest.raises(ValueError, match="read-only"):
        said.triplets[0, 0] = 3
    with pytest.raises(AttributeError, match="never changes"):
        said._items = None


def test_a_project_records_the_circumstances(tmp_path):
    said = read_triplets(FILES / "salmon.csv", "salmon", items=ANIMALS)
    with Project.create(tmp_path / "p.treetalk", X, ANIMALS) as project:
        project.answer(None, said, **said.circumstances)
        records = list(project.records)
    assert [(record.who, record.seconds) for record in records] == [
        ("u1", 1.731),
        ("u1", 2.05),
        ("u2", None),
        ("u2", 4.25),
    ]
    assert records[0].comment == "received by Salmon 2021-03-04T10:12:31.120000"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("salmn", "there is no dialect 'salmn'; did you mean 'salmon'"),
        (
            "cblearn-most-central",
            "dialect 'cblearn-most-central' cannot be taken in: that b is the most central of a, b and c",
        ),
    ],
)
def test_a_dialect_is_one_of_those_that_there_are(name, sentence):
    with pytest.raises(ValueError) as error:
        read_triplets([(0, 1, 2)], name)
    assert str(error.value).startswith(sentence)


def test_an_option_that_a_dialect_does_not_have_is_refused_with_those_that_it_has():
    with pytest.raises(TypeError, match="dialect 'salmon' takes by, encoding here, not 'form'"):
        read_triplets(FILES / "salmon.csv", "salmon", items=ANIMALS, form="list-order")


def test_a_dialect_of_files_takes_no_arrays():
    with pytest.raises(TypeError, match="dialect 'links' is that of a file, so its path must be given, not list"):
        read_triplets([(0, 1)], "links")


def test_an_array_is_read_in_the_dialect_that_is_named():
    frame = pandas.DataFrame({"loser": [2], "winner": [1], "head": [0]})
    assert read_triplets(frame, "salmon").triplets.tolist() == [[0, 1, 2]]
    assert read_triplets(np.array([[0, 1, 2]]), "cblearn-odd-one-out").triplets.tolist() == [[1, 2, 0]]
    assert read_triplets([("cat", "lynx", "dog")], "treetalk", items=ANIMALS).triplets.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("dialect", "text", "sentence"),
    [
        ("cblearn", "0,1,2\n0,1,9\n", "said.csv: line 2: there is no item 9: items are numbered from 0 to 4"),
        ("cblearn", "0,1\n", "said.csv: line 1: there are 2 cells, and 3 are needed"),
        ("cblearn", "0,1,2,1\n", "said.csv: line 1: there are 4 cells, and 3 are needed; say which form has responses"),
        ("cblearn", "i,j,k\n0,1,1\n", "said.csv: line 2: 0, 1, 1 names an item twice"),
        ("cblearn", "cat,lynx,dog\n", "said.csv: line 1: cell 1 is 'cat', and no item number"),
        ("cblearn-count", "0,1,2,maybe\n", "said.csv: line 1: the response is 'maybe'"),
        ("metric-learn", "0,1,2,3\n", "said.csv: line 1: it compares cat and lynx with dog and wolf"),
        ("metric-learn", "0,1\n", "said.csv, line 1: there are 2 cells, and 3 or 4 are needed"),
        ("salmon", "head,winner\n0,1\n", "said.csv, line 1: the header has no column 'loser': it is 'head,winner'"),
        ("salmon", "head,winner,loser\n0,1,\n", "said.csv: line 2: loser is empty"),
        ("salmon", "head,winner,loser,response_time\n0,1,2,soon\n", "said.csv: line 2: response_time is 'soon'"),
        ("anchor-positive-negative", "anchor,positive,negative\ncat,lynx,dogg\n",
         "said.csv: line 2: there is no item 'dogg'; did you mean 'dog'?"),
        ("links", "a,b,kind\ncat,lynx,should\n", "said.csv: line 2: kind is 'should'; it must be must-link or cannot-link"),
        ("links", "a,b,kind,level\ncat,lynx,must-link,fine\n", "said.csv: line 2: level is 'fine'"),
        ("newick", "((cat,lynx),unicorn);", "said.csv: the tree has a leaf 'unicorn', but there is no item 'unicorn'"),
        ("newick", "((cat,lynx),dog);\n(cat,lynx,dog);", "said.csv: one tree is needed, and there are several"),
        ("newick", "((cat,cat),dog);", "{path}, line 1, column 7: the leaf 'cat' occurs twice"),
    ],
)  # fmt: skip
def test_a_fault_in_a_file_is_named_with_its_place(tmp_path, dialect, text, sentence):
    path = tmp_path / "said.csv"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        read_triplets(path, dialect, items=ANIMALS)
    assert str(error.value).startswith(sentence.replace("{path}", str(path)))


def test_files_may_name_items_that_have_the_names_of_columns(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("i,j,k\n")
    assert read_triplets(path, "cblearn", items=["k", "j", "i"], by="name").triplets.tolist() == [[2, 1, 0]]


def test_a_said_tells_how_many_there_are():
    assert repr(Said([(0, 1, 2)], num_left_out=2)) == "<treetalk.dialects.Said: 1 triplet, 2 rows left out>"


# --- the command


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "zoo.treetalk"
    Project.create(path, X, ANIMALS).close()
    return path


def test_the_command_knows_every_dialect():
    assert {str(name) for name in DialectName} == set(DIALECTS)


@pytest.mark.parametrize(
    ("dialect", "file", "more", "num_added"),
    [
        ("salmon", "salmon.csv", ["--by", "name"], 4),
        ("anchor-positive-negative", "anchors.csv", [], 2),
        ("links", "links.csv", [], 5),
        ("newick", "backbone.nwk", [], 3),
    ],
)
def test_a_file_of_another_tool_is_added(capsys, project, dialect, file, more, num_added):
    done = invoke(capsys, "add", project, FILES / file, "--dialect", dialect, *more, "--json")
    assert json.loads(done.printed)["added"] == num_added
    assert done.code in {0, 2}


def test_who_answered_a_salmon_question_is_recorded_by_the_command(capsys, project):
    invoke(capsys, "add", project, FILES / "salmon.csv", "--dialect", "salmon")
    with open_project(project) as opened:
        assert [(each.who, each.seconds) for each in opened.records][:2] == [("u1", 1.731), ("u1", 2.05)]


def test_a_file_that_is_not_there_is_named(capsys, project, tmp_path):
    for dialect in DIALECTS:
        done = invoke(capsys, "add", project, tmp_path / "missing.csv", "--dialect", dialect)
        assert (done.code, done.said.strip()) == (1, f"{tmp_path / 'missing.csv'}: No such file or directory.")


def test_an_array_that_holds_no_items_is_refused(capsys, project, tmp_path):
    for dialect in ("cblearn", "metric-learn"):
        np.save(tmp_path / "said.npy", np.array([[0.5, 1.5, 2.5]]))
        done = invoke(capsys, "add", project, tmp_path / "said.npy", "--dialect", dialect)
        assert done.code == 1
        assert "must hold item numbers (integers) or item names; their dtype is float64" in done.said


def test_nothing_is_added_from_a_file_with_a_fault(capsys, project, tmp_path):
    (tmp_path / "bad.csv").write_text("0,1,2\n0,1,7\n")
    done = invoke(capsys, "add", project, tmp_path / "bad.csv", "--dialect", "cblearn")
    assert done.code == 1
    assert "line 2: there is no item 7" in done.said
    with open_project(project) as opened:
        assert not opened.answers


def test_what_a_tree_says_against_the_answers_is_set_aside(capsys, project, tmp_path):
    (tmp_path / "one.csv").write_text("a,b,c\ncat,dog,lynx\n")
    assert invoke(capsys, "add", project, tmp_path / "one.csv").code == 0
    done = invoke(capsys, "add", project, FILES / "backbone.nwk", "--dialect", "newick")
    assert done.code == 2
    assert "What backbone.nwk says is set aside" in done.said

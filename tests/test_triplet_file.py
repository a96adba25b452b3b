"""Files of triplets."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treetalk import FormatError, Project
from treetalk.arguments import Items
from treetalk.importing.triplet_file import read_triplet_file

ANIMALS = Items(["cat", "lynx", "dog", "house cat", "a,b"])


def read(folder, text, items=ANIMALS, **options):
    path = folder / "triplets.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_triplet_file(path, items, **options)


def test_the_odd_one_is_in_column_c_wherever_that_stands(tmp_path):
    (one,) = read(tmp_path, "comment,c,b,a,who\nsure,dog,lynx,cat,anna\n")
    assert one == ((0, 1, 2), 2, "anna", "sure")


@pytest.mark.parametrize(
    "text",
    [
        "A;B;C\r\ncat;lynx;dog\r\n",
        "a\tb\tc\ncat\tlynx\tdog\n",
        "a, b, c\ncat, lynx, dog",
        "\ufeffa,b,c\n\ncat,lynx,dog\n\n",
        "a,b,c\ncat,lynx,dog\n".encode("utf-16"),
    ],
)
def test_separators_line_ends_blanks_and_byte_order_marks_do_not_matter(tmp_path, text):
    assert [each.triplet for each in read(tmp_path, text)] == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cat,lynx,dog\n", "triplets.csv, line 1: the header has no column 'a': it is 'cat,lynx,dog'; the first line must "
         "be a,b,c, where c is the odd one, for without it nobody can tell which of the three that is"),
        ("a,b\ncat,lynx\n", "triplets.csv, line 1: the header has no column 'c': it is 'a,b'"),
        ("a,b,c,a\n", "triplets.csv, line 1: the header has the column 'a' twice"),
        ("", "triplets.csv: the file is empty; its first line must be a,b,c, the odd one last"),
        ("a,b,c\ncat,lynxx,dog\n", "triplets.csv: line 2: there is no item 'lynxx'; did you mean 'lynx'"),
        ("a,b,c\ncat,Lynx,dog\n", "triplets.csv: line 2: there is no item 'Lynx'; did you mean 'lynx'"),
        ("a,b,c\ncat,lynx\n", "triplets.csv: line 2: c is empty"),
        ("a,b,c\ncat,dog,cat\n", "triplets.csv: line 2: cat, dog | cat names an item twice"),
        ('a,b,c\n"cat,lynx,dog\n', "triplets.csv, line 2: unexpected end of data"),
        (b"a,b,c\ncat,l\xffnx,dog\n", "triplets.csv, line 2, column 6: the byte 0xff is not UTF-8 text"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(tmp_path, text, sentence):
    with pytest.raises(FormatError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(sentence)


def test_all_faults_are_named_up_to_ten(tmp_path):
    with pytest.raises(FormatError, match=r"line 2: .*line 11: .*; and 3 more$"):
        read(tmp_path, "a,b,c\n" + "cat,lynx,cow\n" * 13)


def test_of_everything_that_was_ever_said_only_triplets_count(tmp_path):
    text = "id,kind,a,b,c\n0,accept,,,\n1,triplet,cat,lynx,dog\n2,skip,,,\n"
    assert [(each.triplet, each.line) for each in read(tmp_path, text)] == [((0, 1, 2), 3)]


@pytest.mark.parametrize("retracts", ["1", "1.0"])
def test_what_was_taken_back_does_not_come_back_unless_it_was_said_again(tmp_path, retracts):
    rows = ["1,triplet,cat,lynx,dog,", f"2,retract,,,,{retracts}", "3,triplet,cat,dog,lynx,", "4,triplet,cat,lynx,dog,"]
    text = "\n".join(["id,kind,a,b,c,retracts", *rows])
    assert [(each.triplet, each.line) for each in read(tmp_path, text)] == [((0, 2, 1), 4), ((0, 1, 2), 5)]
    assert read(tmp_path, "\n".join(text.splitlines()[:3])) == ()


def test_of_an_export_of_everything_what_is_in_force_is_read(tmp_path, treetalk):
    with Project.create(tmp_path / "a.treetalk", [[0.0], [1.0], [5.0], [2.0], [9.0]], ANIMALS) as project:
        first, _ = project.answer(None, [("cat", "lynx", "dog"), ("cat", "house cat", "dog")])
        project.retract(first)
    assert treetalk("answers", tmp_path / "a.treetalk", "--export", tmp_path / "all.csv", "--all").code == 0
    assert [each.triplet for each in read_triplet_file(tmp_path / "all.csv", ANIMALS)] == [(0, 3, 2)]


@pytest.mark.parametrize(
    "text", ["id,kind,a,b,c\n1,triplet,cat,lynx,dog\n2,retract,,,\n", "kind,a,b,c,retracts\n\nretract,,,,0\n"]
)
def test_a_retraction_that_does_not_say_what_it_takes_back_is_refused(tmp_path, text):
    with pytest.raises(FormatError) as error:
        read(tmp_path, text)
    assert str(error.value) == (
        "triplets.csv: line 3: it takes an answer back, but columns id and retracts do not say which one"
    )


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=3, max_size=8, unique=True),
    st.lists(st.permutations(range(3)), max_size=6),
)
def test_whatever_is_written_as_csv_is_read_back(tmp_path_factory, names, order):
    names = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if len(names) < 3:
        return
    folder = tmp_path_factory.mktemp("triplets")
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("a", "b", "c"), *([names[i] for i in three] for three in order)])
    found = read_triplet_file(folder / "t.csv", Items(names))
    assert [each.triplet for each in found] == [tuple(three) for three in order]

"""What a simulated user has in mind."""

import pytest

from treetalk import Tree, TreetalkError
from treetalk.arguments import Items
from treetalk.targets import columns_with_groups, target_from

ITEMS = Items(["cat", "lynx", "dog", "eel"])
COLUMNS = [{"kind": "feline"}, {"kind": "feline"}, {"kind": "canine"}, {"kind": "fish"}]
GROUPS = Tree.from_newick("((cat,lynx),dog,eel);", ITEMS)


def test_a_column_of_groups_is_a_target():
    assert target_from("kind", ITEMS, COLUMNS) == GROUPS


def test_a_tree_in_a_file_is_a_target_over_the_projects_items_in_their_order(tmp_path):
    path = tmp_path / "tree.nwk"
    path.write_text("((eel,trout),((dog,lynx),cat));")
    assert target_from(str(path), ITEMS, []) == Tree.from_newick("(eel,((dog,lynx),cat));", ITEMS)


def test_a_table_of_items_and_clusters_is_a_target(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,cluster\nlynx,1\ncat,1\neel,2\ndog,3\n")
    assert target_from(str(path), ITEMS, []) == GROUPS


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.nwk", "(cat,dog);", "{path} lacks 2 of the 4 items, the first of them 'lynx'"),
        ("t.nwk", "(cat,dog);(cat,dog);", "{path} must hold one tree to aim at; it has 2"),
        ("t.csv", "cat,1\n", "t.csv, line 1: the first line must be item,cluster"),
        ("t.csv", "item,cluster\ncatt,1\n", "t.csv, line 2: there is no item 'catt'; did you mean 'cat'?"),
        ("t.csv", "item,cluster\ncat,1,2\n", "t.csv, line 2: there are 3 cells, but the header has 2"),
        ("t.csv", "item,cluster\ncat,1\ndog\n", "t.csv, line 3: there is 1 cell, but the header has 2"),
        ("t.csv", "item,cluster,item\ncat,1,dog\n", "t.csv, line 1: the first line must be item,cluster"),
        ("t.csv", "\n", "t.csv: the file is empty"),
        (
            "t.csv",
            'item,cluster,note\ncat,1,\nlynx,1,"so\nlong"\ncat,2,\n',
            "t.csv, line 5: the item 'cat' is in cluster '2' here, but in cluster '1' on line 2",
        ),
        ("t.csv", "item,cluster\ncat,1\n", "{path} lacks 3 of the 4 items, the first of them 'lynx'"),
    ],
)
def test_a_file_that_is_no_target_is_named_with_its_fault(tmp_path, name, text, sentence):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(TreetalkError) as error:
        target_from(str(path), ITEMS, [])
    assert str(error.value) == sentence.format(path=path)


def test_a_column_with_an_empty_value_and_what_is_not_there_are_refused():
    with pytest.raises(TreetalkError, match="column 'kind' has no value for 'cat', so it does not say where"):
        target_from("kind", ITEMS, [{"kind": None}, *COLUMNS[1:]])
    with pytest.raises(
        TreetalkError, match="there is neither a column nor a file 'class' to aim at; columns are 'kind'"
    ):
        target_from("class", ITEMS, COLUMNS)


def test_columns_with_groups_are_those_whose_values_are_shared():
    columns = [{"half": i % 2, "own": i, "one": 1, "gaps": None if i else 1} for i in range(6)]
    assert columns_with_groups(columns) == ["half"]


@pytest.mark.parametrize(
    "text",
    [
        'note,Cluster,item\nold,1,cat\n"two\nlines",1,lynx\n\nnew,3,dog\n,2,eel\n',
        "item;cluster\r\ncat;1\r\nlynx; 1\r\ndog;3\r\neel;2\r\ncat;1\r\n",
        "item,cluster,note\ncat,1," + "x" * 200_000 + "\nlynx,1,\ndog,3,\neel,2,\n",
    ],
)
def test_further_columns_quoted_and_long_cells_and_other_separators_do_not_matter(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text, newline="")
    assert target_from(str(path), ITEMS, []) == GROUPS


def test_a_table_in_another_encoding_is_refused_with_its_line(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes("item,cluster\ncat,1\nbär,1\n".encode("latin-1"))
    with pytest.raises(TreetalkError, match=r"^labels\.csv, line 3, column 2: the byte 0xe4 is not UTF-8 text"):
        target_from(str(path), ITEMS, [])

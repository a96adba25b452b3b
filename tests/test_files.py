from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import trees
from treetalk import FormatError, Tree, read_trees, write_trees

NEXUS = """#NEXUS
[a comment; with [nested; ones and] BEGIN TREES; in it]
Begin taxa;
  Dimensions ntax=3;
  Taxlabels cat 'house dog' eel o'brien;
End;
BEGIN TREES;
  Title 'some trees';
  [note [1990]] Translate 1 cat, 2 "house dog", 3 eel;
  TREE one = [&R] ((1:1,2:1)[&posterior=0.8]:1,3:2);
  utree 'tree two' = (1,(2,3));
  Tree three = (1,(2,
     3));
END;
Begin something; end;
"""


@pytest.fixture
def nexus_file(tmp_path):
    path = tmp_path / "trees.nex"
    path.write_text(NEXUS)
    return path


def test_nexus_trees_are_read_with_their_translation(nexus_file):
    one, two, three = read_trees(nexus_file)
    assert one.items == ("cat", "house dog", "eel")
    assert one.time.tolist() == [2, 2, 2, 0, 1]
    assert one.support[4] == 0.8
    assert two == three == Tree.from_newick("(cat,('house dog',eel));")


def test_quoted_punctuation_is_a_name(tmp_path):
    path = tmp_path / "trees.nex"
    path.write_text("#NEXUS\nbegin trees;\ntranslate 1 ',', 2 'end', 3 ';';\ntree t = ((1,2),3);\nend;\n")
    (tree,) = read_trees(path)
    assert tree.items == (",", "end", ";")


def test_items_number_the_leaves_of_every_tree(nexus_file):
    for tree in read_trees(nexus_file, items=["eel", "cat", "house dog"]):
        assert tree.items == ("eel", "cat", "house dog")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("#NEXUS\nbegin data;\nend;\n", "the file has no TREES block"),
        ("#NEXUS\nbegin trees;\ntree a = (b,c);\n", "line 4, column 1: the TREES block has no END;"),
        ("#NEXUS\nbegin trees;\ntree a (b,c);\nend;", "line 3, column 6: a TREE command without '='"),
        ("#NEXUS\nbegin trees;\ntranslate 1 a b, 2 c;\nend;", "line 3, column 11: an entry of TRANSLATE"),
        ("#NEXUS\nbegin trees;\ntranslate 1 a, 2 b", "line 3, column 16: the TRANSLATE command has no ';'"),
        ("#NEXUS\nbegin trees;\ntree a = (b,c;\nend;", "line 3, column 14: the tree ends while"),
        ("#NEXUS\nbegin data;\nmatrix 1 2;", "line 3, column 1: the DATA block has no END;"),
        ("#NEXUS\nbegin trees;\ntranslate 1 'x;", "line 3, column 13: a quoted name begins here"),
        ("#NEXUS\nbegin trees;\ntree [x [y] = (a,b);", "line 3, column 6: a comment begins here"),
        ("#NEXUS\nbegin trees\ntree a = (b,c); end;", "line 3, column 1: BEGIN trees is not followed by ';'"),
        ("#NEXUS\nbegin trees;\ntre a = (b,c);\nend;", "line 3, column 1: the TREES block has no TREE command"),
        ("#NEXUS\nbegin trees;\ntranslate 1 a, 1 b; end;", "line 3, column 16: TRANSLATE gives the label '1' twice"),
    ],
)
def test_malformed_nexus_is_refused_with_file_line_and_column(tmp_path, text, problem):
    path = tmp_path / "bad.nex"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        list(read_trees(path))
    assert str(path) in str(caught.value)
    assert problem in str(caught.value)


def test_several_newick_trees_are_read_one_after_the_other(tmp_path):
    path = tmp_path / "trees.nwk"
    path.write_text("(a,b);(c,(d,e)); [x]\n\n(f,g);\n[the end]\n")
    assert [tree.items for tree in read_trees(path)] == [("a", "b"), ("c", "d", "e"), ("f", "g")]


def test_a_fault_in_a_later_tree_has_the_line_of_the_file(tmp_path):
    path = tmp_path / "trees.nwk"
    path.write_text("(a,b);\n(c,d);\n(e,f\n")
    trees = read_trees(path)
    assert next(trees).items == ("a", "b")
    assert next(trees).items == ("c", "d")
    with pytest.raises(FormatError, match=r"trees\.nwk, line 4, column 1: the tree ends while"):
        next(trees)


def test_an_empty_file_holds_no_tree(tmp_path):
    path = tmp_path / "empty.nwk"
    path.write_text("")
    with pytest.raises(FormatError, match=r"empty\.nwk, line 1, column 1: there is no tree here"):
        list(read_trees(path))


@pytest.mark.parametrize("ending", ["nwk", "nex"])
@given(drawn=st.lists(trees(), min_size=1, max_size=3))
def test_written_trees_are_read_back(tmp_path_factory, ending, drawn):
    named = [tree if tree.items is not None else tree.with_items(range(tree.num_leaves)) for tree in drawn]
    path = tmp_path_factory.mktemp("trees") / f"trees.{ending}"
    write_trees(path, named)
    read = list(read_trees(path))
    assert len(read) == len(named)
    for before, after in zip(named, read, strict=True):
        # Times are written as differences, so that Newick text is read back as it is, not the times themselves.
        assert after == Tree.from_newick(before.to_newick())
        assert (after.support is None) == (before.support is None)


def test_a_missing_file_is_reported_at_once(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_trees(tmp_path / "none.nwk")


def test_links_modes_and_devices_stay_what_they_are(tmp_path):
    tree = Tree.from_newick("(a,b);")
    real, link = tmp_path / "real.nwk", tmp_path / "link.nwk"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_trees(link, tree)
    assert link.is_symlink()
    assert real.read_text() == "(a,b);\n"
    assert real.stat().st_mode & 0o777 == 0o600
    write_trees("/dev/null", tree)
    assert not Path("/dev/null").is_file()
    with pytest.raises(FileNotFoundError):
        write_trees(tmp_path / "no" / "folder.nwk", tree)


def test_what_is_no_tree_is_not_written(tmp_path):
    for name in ("trees.nwk", "trees.nex"):
        with pytest.raises(TypeError, match="a Tree is needed here, not str"):
            write_trees(tmp_path / name, ["(a,b);"])
    assert list(tmp_path.iterdir()) == []


def test_a_failure_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "trees.nwk"
    write_trees(path, Tree.from_newick("(a,b);"))

    def broken():
        yield Tree.from_newick("(c,d);")
        raise RuntimeError("the disk is full, say")

    with pytest.raises(RuntimeError):
        write_trees(path, broken())
    assert [tree.items for tree in read_trees(path)] == [("a", "b")]
    assert [p.name for p in tmp_path.iterdir()] == ["trees.nwk"]

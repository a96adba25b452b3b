import json

import pytest
from hypothesis import given

import reference
from strategies import trees
from treetalk import FormatError, Tree


@given(trees())
def test_flat_json_is_read_back_bit_for_bit(tree):
    again = Tree.from_json(tree.to_json())
    assert again == tree
    assert again.parent.tolist() == tree.parent.tolist()


@given(trees())
def test_nested_json_is_read_back_as_the_same_tree(tree):
    again = Tree.from_json(tree.to_nested_json())
    assert again == (tree if tree.items is not None else tree.with_items(range(tree.num_leaves)))


def test_nested_json_is_what_d3_reads():
    tree = Tree.from_newick("((cat:1,lynx:1)cats:1,dog:2);")
    assert json.loads(tree.to_nested_json()) == {
        "time": 0.0,
        "children": [
            {
                "name": "cats",
                "time": 1.0,
                "children": [{"name": "cat", "time": 2.0}, {"name": "lynx", "time": 2.0}],
            },
            {"name": "dog", "time": 2.0},
        ],
    }


def test_a_node_with_a_single_child_is_collapsed_in_nested_json():
    tree = Tree.from_json('{"children": [{"name": "x", "children": [{"name": "a"}]}, {"name": "b"}]}')
    assert tree == Tree.from_newick("(a,b);")


def test_a_tree_too_deep_for_nested_json_is_written_flat():
    tree = reference.caterpillar(3000)
    with pytest.raises(ValueError, match="too deep for nested JSON"):
        tree.to_nested_json()
    assert Tree.from_json(tree.to_json()) == tree


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"parent": [1, }', "line 1, column 16: "),
        ("[1, 2]", "is an object, not list"),
        ('{"nme": "x", "chidren": []}', "neither 'parent' (flat) nor 'children' nor 'name'"),
        ('{"parent": [2, 2, -1], "items": ["a", null]}', "that of item 1 is None"),
        ('{"parent": [1, 1, 1]}', "no node has the parent -1"),
        ('{"parent": [2, 2, -1], "colour": 3}', "no key 'colour'"),
        ('{"parent": [2, 2, -1], "format": "other"}', "the format is 'other'"),
        ('{"children": [{"name": "a"}, {}]}', "leaf 1 has no name"),
        ('{"children": ["a", "b"]}', "is an object, not 'a'"),
        ('{"children": "ab"}', "must be a list"),
        ('{"children": [{"name": "a", "time": "x"}, {"name": "b"}]}', "time must be a number, not 'x'"),
        ('{"children": [{"name": "a", "time": 1}, {"name": "b"}]}', "time must be finite"),
        (b"\xff\xfe\xfd", "not UTF-8"),
        ('{"parent": [' + "9" * 5000 + "]}", "digits"),
        ('{"children": ' * 20_000, "too deep"),
    ],
)
def test_json_that_is_no_tree_is_refused(text, problem):
    with pytest.raises(FormatError) as caught:
        Tree.from_json(text)
    assert problem in str(caught.value)

"""Outlines are read back with markdown-it, a reader of CommonMark."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import reference
from strategies import trees
from treetalk import Tree
from treetalk.formats.outline import escaped, to_outline

READER = MarkdownIt("gfm-like", {"linkify": False, "maxNesting": 100})


def listed(text: str) -> list[tuple[int, str]]:
    """Return the depth and the text of each entry of a nested list, as a reader of Markdown shows them."""
    found, depth = [], -1
    for token in READER.parse(text):
        if token.type == "inline":
            assert {child.type for child in token.children} <= {"text", "text_special"}
            found.append((depth, "".join(child.content for child in token.children)))
        elif token.type.endswith("_list_open"):
            depth += 1
        elif token.type.endswith("_list_close"):
            depth -= 1
        else:
            assert token.type.startswith(("list_item", "paragraph")), token.type
    return found


def test_an_outline_has_the_names_the_sizes_and_the_support_of_clusters():
    tree = Tree(
        [5, 5, 6, 7, 7, 6, 8, 8, -1],
        items=["cat", "lynx", "dog", "crow", "dove"],
        names=[None] * 5 + ["felines", None, None, "animals"],
        support=[1] * 5 + [0.974, 0.5, float("nan"), 1],
    )
    assert to_outline(tree) == (
        "- animals: 5 items\n"
        "  - 3 items, 50 % sure\n"
        "    - felines: 2 items, 97 % sure\n"
        "      - cat\n"
        "      - lynx\n"
        "    - dog\n"
        "  - 2 items\n"
        "    - crow\n"
        "    - dove\n"
    )
    assert to_outline(tree, max_depth=1) == (
        "- animals: 5 items\n  - 3 items, 50 % sure: cat, lynx, dog\n  - 2 items: crow, dove\n"
    )


def test_support_in_percent_is_told_as_a_share():
    assert "2 items, 95 % sure" in to_outline(Tree.from_newick("((a,b)95,(c,d)80)100;"))


def test_a_collapsed_cluster_names_the_first_ten_of_its_items():
    tree = Tree([12] * 11 + [13, 13, -1])
    assert to_outline(tree, max_depth=1) == "- 12 items\n  - 11 items: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …\n  - 11\n"
    assert to_outline(tree, max_depth=0) == "- 12 items: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …\n"


def test_a_single_item_is_one_line():
    assert to_outline(Tree.from_newick("a;")) == "- a\n"


@given(trees(max_leaves=20))
def test_a_reader_of_markdown_finds_the_same_hierarchy(tree):
    depths_and_texts = listed(to_outline(tree.with_items(f"item{i}" for i in range(tree.num_leaves))))
    assert [depth for depth, _ in depths_and_texts] == tree.depths[tree.preorder].tolist()
    found = [int(text[4:]) if text.startswith("item") else None for _, text in depths_and_texts]
    assert found == [v if v < tree.num_leaves else None for v in tree.preorder.tolist()]


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\\`*_{}[]()#+-.!|<>&~$:=1 \t\n\"'"), max_size=12))
@example("# 1")
@example("12) b")
@example("[x] done")
@example("<b>&amp;</b>")
@example("![a](b)")
@example("---")
@example("=")
@example("```")
@example("|-|")
def test_a_name_is_shown_as_it_is_whatever_signs_it_has(name):
    shown = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    tree = Tree([3, 3, 4, 4, -1], items=[name, "b" + name, "c" + name], names=[None] * 3 + [name, None])
    texts = [text for _, text in listed(to_outline(tree))]
    assert texts[2] == (shown or '""')
    assert texts[1] == (f"{shown}: 2 items" if shown else "2 items")


def test_names_without_any_letter_are_still_seen():
    assert escaped("\n ") == '""'


def test_a_deep_tree_can_be_outlined():
    lines = to_outline(reference.caterpillar(2000), max_depth=1500).splitlines()
    assert len(lines) == 2 * 1500 + 1
    assert all(line.lstrip().startswith("- ") for line in itertools.islice(lines, 0, None, 100))


def test_a_depth_that_is_no_number_of_levels_is_refused():
    with pytest.raises(ValueError, match="max_depth must be 0 or more, not -1"):
        to_outline(Tree.from_newick("(a,b);"), max_depth=-1)

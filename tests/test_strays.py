"""Items that are too few for a group, and the answers and the draws that decide where they go."""

import numpy as np
import pytest

from treetalk import Tree
from treetalk.leveling import Levels, levels, shaped
from treetalk.leveling.strays import is_broken

# Two diffusions over the same items; the second has its leaves in another order.
ONE = "((a:0.25,b:0.25):0.25,(c:0.25,d:0.25):0.25):0.5;"
OTHER = "((c:0.25,b:0.25):0.25,(a:0.25,d:0.25):0.25):0.5;"


def test_a_small_clade_goes_where_most_draws_have_it():
    # The one that falls off stands beside both groups in the tree; two of three draws have it with the second.
    tree = Tree.from_newick("((((a1,a2),a3),((b1,b2),b3)),s);")
    draws = [
        Tree.from_newick(text, tree.items)
        for text in (
            "(((a1,a2),a3),(((b1,b2),b3),s));",
            "(((a1,a2),a3),((b1,b2),(b3,s)));",
            "((((a1,a2),a3),s),((b1,b2),b3));",
        )
    ]
    for trees_, home in ((draws, "b1"), (draws[2:], "a1")):
        found = _with_draws(tree, trees_, 2, min_size=2)
        labels = dict(zip(tree.items, found.labels[:, 0].tolist(), strict=True))
        assert labels["s"] == labels[home]
        assert found.num_taken_in == (1,)
        assert [group.taken_in for group in found.groups if group.taken_in] == [("s",)]


def _with_draws(tree, draws, groups, **options) -> Levels:
    """Levels with the votes of draws that have no times, which nothing but the votes looks at."""
    from treetalk.leveling.levels import _Part, _Shaping

    shaping = _Shaping(tree, draws, np.array(options.get("triplets", []), np.int32).reshape(-1, 3), options["min_size"])
    parts, _, _ = shaping.refined([_Part(tree.root, (), None)], groups)
    order, column = shaping.numbered(parts)
    return Levels(column[:, None], tuple(shaping.groups(0, [parts[i] for i in order], None)), tree.items)


def test_what_a_group_took_in_goes_on_to_one_of_its_parts():
    tree = Tree.from_newick("((((a1,a2),(a3,a4)),((b1,b2),(b3,b4))),s);")
    found = levels(tree, [2, 4], min_size=2)
    assert found.num_groups == (2, 4)
    assert found.num_taken_in == (1, 1)
    assert [sorted(group.size for group in found.level(level)) for level in (0, 1)] == [[4, 5], [2, 2, 2, 3]]


def test_an_answer_that_no_place_respects_leaves_the_whole_whole():
    tree = Tree.from_newick("((((a1,a2),a3),((b1,b2),b3)),s);")
    assert levels(tree, 2, min_size=2).num_groups == (2,)
    found = levels(tree, 2, min_size=2, triplets=[("a1", "b1", "s")])
    assert found.num_groups == (1,)
    assert found.num_taken_in == (0,)
    assert found.notes == (
        "Level 1 has 1 group, where about 2 were wanted; with more, an answer would be broken, or a group have fewer than 2 "
        "items.",
    )


def test_what_answers_keep_apart_stands_alone_rather_than_to_lose_most_groups():
    tree = Tree.from_newick("(s,(((a1,a2),(a3,a4)),((b1,b2),(b3,b4))));")
    answers = [("a1", "b1", "s"), ("a3", "b3", "s")]
    found = levels(tree, 4, min_size=2, triplets=answers)
    assert sorted(group.size for group in found.groups) == [1, 2, 2, 2, 2]
    assert found.notes == (
        "Level 1 has groups of fewer than 2 items, because answers keep s apart from every other group.",
    )
    # With a place that breaks nothing, it goes there.
    found = levels(tree, 4, min_size=2, triplets=answers[:1])
    assert [(group.size, group.taken_in) for group in found.groups if group.size > 2] == [(3, ("s",))]


def test_a_triplet_is_broken_by_a_group_with_the_odd_one_and_one_of_the_others():
    labels = np.array([0, 0, 1, 2, -1])
    triplets = np.array([[0, 1, 2], [0, 2, 1], [2, 0, 1], [0, 2, 3], [0, 2, 4]], np.int32)
    assert is_broken(triplets, labels).tolist() == [False, True, True, False, False]


def test_each_item_of_a_small_clade_has_one_vote_whatever_it_is_near_to():
    # One item stands with one group in a small clade, two with all of the other in a large one.
    tree = Tree.from_newick("((((a1,a2),a3),((b1,b2),b3)),(s1,s2));")
    near = "(((a1,a2),a3),(((b1,s1),s2),(b2,b3)));"
    far = "((((a1,a2),a3),(s1,s2)),((b1,b2),b3));"
    for texts, home in (((near, near, far), "b1"), ((near, far, far), "a1")):
        found = _with_draws(tree, [Tree.from_newick(text, tree.items) for text in texts], 2, min_size=3)
        labels = dict(zip(tree.items, found.labels[:, 0].tolist(), strict=True))
        assert labels["s1"] == labels["s2"] == labels[home]


@pytest.mark.parametrize("text", ["(((a1,a2),(a3,a4)),(b1,b2),s);", "((b1,b2),((a1,a2),(a3,a4)),s);"])
def test_where_votes_are_equal_the_largest_group_takes_it_in(text):
    tree = Tree.from_newick(text)
    one = "((((a1,a2),(a3,a4)),s),(b1,b2));"
    other = "(((a1,a2),(a3,a4)),((b1,b2),s));"
    found = _with_draws(tree, [Tree.from_newick(each, tree.items) for each in (one, other)], 2, min_size=2)
    labels = dict(zip(tree.items, found.labels[:, 0].tolist(), strict=True))
    assert labels["s"] == labels["a1"] != labels["b1"]


# --- by name


def test_draws_with_the_items_in_another_order_support_what_they_have_by_name():
    tree, other = Tree.from_newick(ONE), Tree.from_newick(OTHER)
    assert list(other.items) == list("cbad")
    assert [group.support for group in shaped(tree, 2, draws=[other, other]).groups] == [0.0, 0.0]
    again = tree.restrict(list("cbad"))
    assert [group.support for group in shaped(tree, 2, draws=[again, again]).groups] == [1.0, 1.0]


def test_draws_with_the_items_in_another_order_vote_by_name():
    tree = Tree.from_newick("((((a1:1,a2:1):1,a3:2):2,((b1:1,b2:1):1,b3:2):2):1,s:5);")
    draw = Tree.from_newick("(((a1:0.2,a2:0.2):0.2,a3:0.4):0.4,(((b1:0.2,b2:0.2):0.2,b3:0.4):0.2,s:0.6):0.2):0.2;")
    for items in (list(tree.items), ["b1", "b2", "b3", "a1", "a2", "a3", "s"]):
        found = shaped(tree, 2, min_size=2, draws=[draw.restrict(items)])
        labels = dict(zip(tree.items, found.labels[:, 0].tolist(), strict=True))
        assert labels["s"] == labels["b1"]


def test_draws_over_other_items_are_refused():
    with pytest.raises(ValueError, match="the trees have different leaves: 'a' is only in one, 'x' in the other"):
        shaped(Tree.from_newick(ONE), 2, draws=[Tree.from_newick(ONE.replace("a", "x"))])


# --- answers that the tree itself breaks


def test_an_answer_that_the_tree_contradicts_is_refused_by_name():
    tree = Tree.from_newick(ONE)
    for triplet in (("a", "c", "b"), ("c", "a", "b")):
        shown = f"{triplet[0]}, {triplet[1]} \\| b"
        with pytest.raises(ValueError, match=f"the levels cannot keep the answer {shown}, for the tree"):
            levels(tree, 2, triplets=[("a", "b", "c"), triplet])


def test_an_answer_that_the_tree_leaves_open_is_kept():
    tree = Tree.from_newick("(a,b,c,(d,e));")
    answer = [("a", "b", "c")]
    for wanted in (1, 2, 4):
        found = levels(tree, wanted, triplets=answer)
        numbers = np.array([[tree.items.numbers[item] for item in answer[0]]], np.int32)
        assert not is_broken(numbers, found.labels[:, 0]).any()

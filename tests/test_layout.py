"""Pieces and windows: where nodes stand, what is open, what is written beside them, what a branch is called later."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import seeds, topologies, trees
from treetalk import Tree, tree_of_labels
from treetalk.layout import Canvas, piece, piece_of, steady_order
from treetalk.layout.labels import shortened
from treetalk.layout.visible import MOST_ON_TRAIL

NUM_LEAVES = 50_000
CATS = "(((lion,lynx),(tiger,leopard)),(dog,(wolf,fox)));"


@pytest.fixture
def canvas() -> Canvas:
    return Canvas(Tree.from_newick(CATS), revision=5)


def branch(canvas: Canvas, *items: str) -> str:
    return canvas.key(canvas.tree.mrca(*items))


def rows(view: dict) -> list[str]:
    return [node["label"] for node in view["nodes"] if node["state"] != "open"]


def check_places(nodes: list[dict], num_rows: int, name: str) -> None:
    """Every node stands where its children say; `name` is the field that tells nodes apart."""
    by_name = {node[name]: node for node in nodes}
    children: dict = {node[name]: [] for node in nodes}
    for node in nodes[1:]:
        children[node["parent"]].append(node)
    height: dict = {}
    for node in reversed(nodes):
        below = children[node[name]]
        height[node[name]] = 1 + max(height[child[name]] for child in below) if below else 0
        if below:
            assert node["y"] == pytest.approx((below[0]["y"] + below[-1]["y"]) / 2, abs=1e-4)
            assert (node["first"], node["last"]) == (below[0]["first"], below[-1]["last"])
    for node in nodes[1:]:
        above = by_name[node["parent"]]["x"]
        assert node["x"] == pytest.approx(above + (1 - above) / (height[node[name]] + 1), abs=1e-4)
    tips = [node for node in nodes if not children[node[name]]]
    assert [node["y"] for node in tips] == [node["first"] for node in tips] == list(range(num_rows))
    assert {node["x"] for node in tips} == {1}
    assert nodes[0]["parent"] is None
    assert nodes[0]["x"] == (0 if len(nodes) > 1 else 1)


@given(topologies(max_leaves=15), st.data())
def test_a_piece_is_the_restriction_with_every_node_in_its_place(parent, data):
    tree = Tree(parent)
    leaves = data.draw(st.lists(st.integers(0, tree.num_leaves - 1), min_size=1, unique=True))
    ranks = data.draw(st.one_of(st.none(), st.permutations(range(tree.num_leaves))))
    drawing = piece(tree, leaves, None if ranks is None else np.array(ranks))
    small = Tree(drawing["parents"])
    assert small.same_topology(tree.restrict(leaves))
    assert drawing["num_rows"] == len(leaves)
    nodes = drawing["nodes"]
    assert {node["node"]: -1 if node["parent"] is None else node["parent"] for node in nodes} == dict(
        enumerate(drawing["parents"])
    )
    assert [node["size"] for node in nodes] == small.sizes[[node["node"] for node in nodes]].tolist()
    assert all(node["leaf"] == (leaves[node["node"]] if node["node"] < len(leaves) else None) for node in nodes)
    check_places(nodes, len(leaves), "node")
    assert json.loads(json.dumps(drawing)) == drawing


def test_a_piece_follows_the_order_of_the_hierarchy():
    tree = Tree.from_newick(CATS)
    ranks = np.arange(7)[::-1].copy()
    drawing = piece(tree, ["lion", "dog", "tiger", "fox"], ranks)
    assert [node["leaf"] for node in drawing["nodes"] if node["leaf"] is not None] == [6, 4, 2, 0]


def test_a_rearranged_piece_needs_no_whole_tree():
    drawing = piece_of(Tree([3, 4, 3, 4, -1]), [70, 50, 60])
    assert drawing["parents"] == [3, 4, 3, 4, -1]
    assert [(node["leaf"], node["x"], node["y"]) for node in drawing["nodes"]] == [
        (None, 0, 1.25),
        (None, 0.5, 0.5),
        (70, 1, 0),
        (60, 1, 1),
        (50, 1, 2),
    ]
    with pytest.raises(ValueError, match="2 items were given for a piece with 3 leaves"):
        piece_of(Tree([3, 4, 3, 4, -1]), [1, 2])


def test_the_largest_branches_are_open_as_far_as_there_are_rows(canvas):
    assert rows(canvas.view(detail=1)) == ["lion, tiger, lynx … (4)", "wolf, dog, fox (3)"]
    assert rows(canvas.view(detail=4)) == ["lion, lynx (2)", "tiger, leopard (2)", "dog", "wolf, fox (2)"]
    assert rows(canvas.view(detail=7)) == ["lion", "lynx", "tiger", "leopard", "dog", "wolf", "fox"]


def test_a_branch_with_more_children_than_there_are_rows_stays_shut():
    canvas = Canvas(Tree.from_newick("((a,b),(c,d,e,f,g,h));"))
    assert rows(canvas.view(detail=4)) == ["a", "b", "c, d, e … (6)"]


def test_what_is_asked_for_is_open_with_all_that_stands_above_it(canvas):
    asked = canvas.view(detail=2, open=[branch(canvas, "tiger", "leopard")])
    assert rows(asked) == ["lion, lynx (2)", "tiger", "leopard", "wolf, dog, fox (3)"]


def test_what_is_shut_stays_shut_whatever_is_asked_for_below_it(canvas):
    cats, pair = branch(canvas, "lion", "tiger"), branch(canvas, "tiger", "leopard")
    dogs = ["dog", "wolf", "fox"]
    assert rows(canvas.view(detail=7, shut=[cats])) == ["lion, tiger, lynx … (4)", *dogs]
    assert rows(canvas.view(detail=7, open=[pair], shut=[cats])) == ["lion, tiger, lynx … (4)", *dogs]
    assert rows(canvas.view(detail=7, open=[pair], shut=[pair])) == ["lion", "lynx", "tiger, leopard (2)", *dogs]


def test_opening_or_shutting_one_branch_leaves_the_others_as_they_are(canvas):
    dogs, pair = branch(canvas, "dog", "wolf"), branch(canvas, "lion", "lynx")
    before = rows(canvas.view(detail=4))
    assert rows(canvas.view(detail=4, shut=[dogs])) == [*before[:2], "wolf, dog, fox (3)"]
    assert rows(canvas.view(detail=4, open=[pair])) == ["lion", "lynx", *before[1:]]


def test_the_focus_is_the_root_of_what_is_seen_and_always_open(canvas):
    dogs = branch(canvas, "dog", "wolf")
    view = canvas.view(dogs, detail=1, shut=[dogs], open=[branch(canvas, "lion", "lynx")])
    assert rows(view) == ["dog", "wolf, fox (2)"]
    assert view["focus"] == dogs == view["nodes"][0]["branch"]
    assert view["nodes"][0]["parent"] is None
    assert [step["size"] for step in view["trail"]] == [7, 3]
    assert [step["branch"] for step in view["trail"]] == [canvas.key(canvas.tree.root), dogs]


def test_the_focus_may_be_an_item(canvas):
    view = canvas.view(canvas.key(3))
    assert rows(view) == ["leopard"]
    assert view["num_rows"] == 1


def test_an_unknown_focus_is_refused_and_other_unknown_keys_are_passed_over(canvas):
    with pytest.raises(ValueError, match="there is no branch 'feedfeedfeedfeed' in revision 5 of the tree"):
        canvas.view("feedfeedfeedfeed")
    assert canvas.view(open=["feedfeedfeedfeed", "nonsense", ""], shut=["é" * 16]) == canvas.view()


@given(trees(max_leaves=20), st.data())
def test_a_window_has_what_meets_it_of_the_whole_view_and_nothing_else(tree, data):
    canvas = Canvas(tree)
    keys = [canvas.key(v) for v in range(tree.num_nodes)]
    some = st.lists(st.sampled_from(keys), max_size=4)
    options = {"detail": data.draw(st.integers(1, 20)), "open": data.draw(some), "shut": data.draw(some)}
    focus = data.draw(st.sampled_from([None, *keys]))
    offset, limit = data.draw(st.integers(0, 12)), data.draw(st.integers(1, 12))
    whole = canvas.view(focus, limit=100, **options)
    check_places(whole["nodes"], whole["num_rows"], "branch")
    window = canvas.view(focus, offset=offset, limit=limit, **options)
    meets = [node for node in whole["nodes"] if node["first"] < offset + limit and node["last"] >= offset]
    assert window == whole | {"offset": offset, "nodes": meets}
    assert json.loads(json.dumps(whole)) == whole


@given(trees(max_leaves=20), st.data())
def test_a_branch_says_how_large_sure_and_marked_it_is(tree, data):
    canvas = Canvas(tree)
    marks = data.draw(st.lists(st.integers(0, tree.num_leaves - 1), unique=True))
    moved = np.array(data.draw(st.lists(st.booleans(), min_size=tree.num_leaves, max_size=tree.num_leaves)))
    view = canvas.view(detail=data.draw(st.integers(1, 20)), mark=marks, moved=moved)
    assert view["num_moved"] == moved.sum()
    for seen in view["nodes"]:
        v = canvas.node(seen["branch"])
        assert v is not None
        under = tree.leaves(v).tolist()
        assert seen["size"] == len(under)
        assert seen["item"] == (v if v < tree.num_leaves else None)
        assert seen["marked"] == len(set(marks) & set(under))
        assert seen["moved"] == (2 * moved[under].sum() >= len(under))
        assert seen["name"] == (None if tree.names is None else tree.names[v])
        known = tree.support is not None and not np.isnan(tree.support[v])
        assert seen["support"] == (tree.support[v] if known else None)


def test_wrong_numbers_are_refused(canvas):
    for options in ({"detail": 0}, {"offset": -1}, {"limit": 0}, {"mark": [7]}):
        with pytest.raises(ValueError, match=re.escape(str(next(iter(options.values()))).strip("[]"))):
            canvas.view(**options)


def test_names_that_people_gave_come_before_lists_of_items():
    tree = Tree.from_newick("((lion,lynx)cats,(dog,fox));")
    assert rows(Canvas(tree).view(detail=2)) == ["cats", "dog, fox (2)"]


def test_labels_come_from_a_sequence_a_function_the_items_or_the_numbers():
    parent = [2, 2, -1]
    for labels, expected in ((["A", " B\n"], ["A", "B"]), (lambda leaf: f"no. {leaf}", ["no. 0", "no. 1"])):
        assert rows(Canvas(Tree(parent, items=["x", "y"]), labels=labels).view()) == expected
    assert rows(Canvas(Tree(parent, items=["x", "\t"])).view()) == ["x", "item 1"]
    assert rows(Canvas(Tree(parent)).view()) == ["0", "1"]


def test_long_labels_are_shortened_where_they_share_a_row():
    canvas = Canvas(Tree.from_newick(f"(({'a' * 60},{'b' * 60},c),d);"))
    assert rows(canvas.view(detail=2)) == [f"{'a' * 27}…, {'b' * 27}… … (3)", "d"]


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("abcdef", "abcdef"),
        ("abcdefg", "abcde…"),
        ("abcd efg", "abcd…"),
        ("abcde\u0301fg", "abcd…"),
        ("abcd\U0001f44b\U0001f3fdfg", "abcd…"),
        ("abc\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", "abc\U0001f1eb\U0001f1f7…"),
        ("abcd\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", "abcd…"),
    ],
)
def test_no_letter_is_cut_in_two(text, short):
    assert shortened(text, 6) == short


def test_the_path_of_an_item_leads_from_the_root_to_its_parent(canvas):
    steps = [{"branch": branch(canvas, *items), "label": label, "size": size} for items, label, size in (
        (("dog", "lion"), "lion, wolf, tiger … (7)", 7),
        (("dog", "wolf"), "wolf, dog, fox (3)", 3),
        (("wolf", "fox"), "wolf, fox (2)", 2),
    )]  # fmt: skip
    assert canvas.path(6) == steps
    assert Canvas(Tree([-1])).path(0) == []


def test_a_very_long_path_keeps_the_root_and_what_is_nearest():
    canvas = Canvas(reference.caterpillar(500))
    sizes = [step["size"] for step in canvas.path(0)]
    assert sizes == [500, *range(MOST_ON_TRAIL, 1, -1)]


def test_keys_stay_the_same_while_a_branch_has_the_same_items(canvas):
    other = Canvas(Tree.from_newick("((dog,(fox,wolf)),(lion,((leopard,tiger),lynx)));", canvas.tree.items))
    assert branch(other, "tiger", "leopard") == branch(canvas, "tiger", "leopard")
    assert branch(other, "lion", "lynx") == branch(canvas, "lion", "lynx", "tiger")
    assert other.node(branch(canvas, "lion", "lynx")) is None
    assert re.fullmatch("[0-9a-f]{16}", canvas.key(0))


def test_a_branch_that_changed_is_found_again_if_more_than_half_is_left(canvas):
    items = canvas.tree.items
    later = Canvas(Tree.from_newick("((lion,(tiger,leopard)),((dog,lynx),(wolf,fox)));", items), revision=6)
    assert later.resolve(branch(canvas, "tiger", "leopard"), [canvas]) == branch(canvas, "tiger", "leopard")
    assert later.resolve(branch(canvas, "lion", "tiger"), [canvas]) == branch(later, "lion", "tiger")
    assert later.resolve(branch(canvas, "dog", "wolf"), [canvas]) == branch(later, "dog", "wolf")
    assert later.resolve(branch(canvas, "lion", "lynx"), [canvas]) is None  # half is not enough
    assert later.resolve("feedfeedfeedfeed", [canvas]) is None
    assert later.resolve(branch(canvas, "dog", "wolf")) is None


def test_items_that_are_gone_make_a_branch_less_alike():
    former = Canvas(Tree.from_newick("((a,b,c,d),e);", list("aebcd")))
    small = Canvas(Tree.from_newick("((a,b),e);", list("aeb")), revision=1)
    assert small.resolve(branch(former, "a", "b"), [former]) is None
    larger = Canvas(Tree.from_newick("((a,b,c),e);", list("aebc")), revision=1)
    assert larger.resolve(branch(former, "a", "b"), [former]) == branch(larger, "a", "b")


@given(seeds, st.integers(2, 12))
def test_the_most_alike_branch_is_the_one_that_comparing_with_every_clade_finds(seed, num_leaves):
    rng = np.random.default_rng(seed)
    former = Canvas(reference.random_tree(num_leaves, rng, 0.3))
    now = Canvas(reference.random_tree(num_leaves, rng, 0.3), revision=1)
    for clade in former.tree.clades():
        key = former.key(former.tree.mrca(*clade))
        alike = {now.key(v): len(clade & other) / len(clade | other) for v, other in enumerate(now.tree.clades())}
        found = now.resolve(key, [former])
        assert (max(alike.values()) > 0.5) == (found is not None)
        assert found is None or alike[found] == max(alike.values())


def test_orders_that_take_a_branch_apart_are_refused():
    tree = Tree([3, 3, 4, 4, -1])
    with pytest.raises(ValueError, match="takes the leaves under node 3 apart"):
        Canvas(tree, [0, 2, 1])
    with pytest.raises(ValueError, match="each of the 3 leaves once"):
        Canvas(tree, [0, 0, 1])


def test_a_canvas_never_changes(canvas):
    with pytest.raises(AttributeError, match="never changes"):
        canvas.tree = None
    with pytest.raises(ValueError, match="read-only"):
        canvas.order[0] = 1
    assert steady_order(canvas.tree, canvas.ranks).tolist() == canvas.order.tolist()


@pytest.mark.large
@pytest.mark.parametrize("shape", ["deep", "wide", "bushy"])
def test_windows_onto_fifty_thousand_items_have_only_what_they_show(shape):
    if shape == "deep":
        tree = reference.caterpillar(NUM_LEAVES)
    elif shape == "wide":
        tree = tree_of_labels(np.arange(NUM_LEAVES) % 7)
    else:
        tree = reference.random_tree(NUM_LEAVES, np.random.default_rng(0))
    canvas = Canvas(tree)
    assert canvas.view(detail=40)["num_rows"] == (7 if shape == "wide" else 40)
    every = canvas.view(detail=NUM_LEAVES, offset=100, limit=50)
    assert every["num_rows"] == NUM_LEAVES
    assert [node["y"] for node in every["nodes"] if node["state"] == "item"] == list(range(100, 150))
    opened = canvas.view(detail=1, open=[canvas.key(v) for v in range(NUM_LEAVES, tree.num_nodes)], limit=10)
    assert opened["num_rows"] == NUM_LEAVES
    assert canvas.path(0)[0]["size"] == NUM_LEAVES

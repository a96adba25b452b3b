"""What was shown and left unsaid: which pieces count, and how many of their triplets a tree has otherwise."""

import sqlite3
from itertools import combinations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains import triplets_of
from strategies import seeds
from treetalk import (
    Chain,
    DirichletDiffusion,
    Project,
    ProjectError,
    Query,
    Session,
    Tree,
    TreeUser,
    _kernels,
    open_project,
)
from treetalk.answers import Ledger
from treetalk.heard import ACCEPTED, CORRECTED, SORTED, Heard, pieces_of, what_was_heard
from treetalk.settings import Setting
from treetalk.unsaid import MOST_PIECES, Piece, clade_sizes, in_order, logs_unsaid
from treetalk.users import violated_triplet

ITEMS = ("ant", "bee", "cat", "dog", "eel", "fly", "gnu", "hen")
X = DirichletDiffusion().simulate(8, 2, seed=1)[1]


def random_tree(num_leaves: int, seed: int) -> Tree:
    return DirichletDiffusion().simulate(num_leaves, 0, seed=seed)[0]


def num_otherwise(tree: Tree, piece: Tree, leaves: tuple[int, ...]) -> int:
    """How many triplets of a piece, whose leaf i is leaf leaves[i] of a tree, the tree has otherwise: asked one by one."""
    pairs = combinations(range(piece.num_leaves), 2)
    every = np.array([(a, b, c) for a, b in pairs for c in range(piece.num_leaves) if c not in {a, b}])
    shown = every[piece.satisfies(every)]
    return int((~tree.satisfies(np.array(leaves)[shown])).sum())


def some_pieces(num_leaves: int, rng: np.random.Generator, count: int = 5) -> list[tuple[Piece, Tree]]:
    """Random pieces, of which nothing was said, and the tree that each shows."""
    pieces = []
    for _ in range(count):
        size = int(rng.integers(4, min(num_leaves, 9) + 1))
        leaves = tuple(rng.choice(num_leaves, size, replace=False).tolist())
        tree = random_tree(size, int(rng.integers(1_000_000)))
        sizes = clade_sizes(tree)
        assert sizes is not None
        pieces.append((Piece(leaves, sizes), tree))
    return pieces


# --- how a piece is written down


@given(st.integers(4, 20), seeds, seeds)
def test_the_sizes_of_clades_are_the_tree(num_leaves, one, other):
    first, second = random_tree(num_leaves, one), random_tree(num_leaves, other)
    sizes = clade_sizes(first)
    expected = [int(first.sizes[first.mrca(a, b)]) for a, b in combinations(range(num_leaves), 2)]
    assert sizes == tuple(expected)
    assert (sizes == clade_sizes(second)) == first.same_topology(second)


@pytest.mark.parametrize(
    ("newick", "why"),
    [
        ("((a,b),c);", "with three items, nothing is left unsaid"),
        ("((a,b,c),d);", "not binary: it shows nothing of a, b and c"),
        ("(" * 20 + "a0" + "".join(f",a{i})" for i in range(1, 21)) + ";", "21 items nobody looks through"),
    ],
)
def test_some_pieces_are_not_written_down(newick, why):
    assert clade_sizes(Tree.from_newick(newick)) is None, why


# --- which pieces count


SIZES = (2, 4, 4, 4, 4, 2)


@pytest.mark.parametrize(
    ("heard", "counts"),
    [
        (Heard(ACCEPTED, (0, 1, 2, 3), (), SIZES), True),
        (Heard(CORRECTED, (0, 1, 2, 3), ((0, 2, 1),), SIZES), True),
        (Heard(CORRECTED, (0, 1, 2, 3), (), SIZES), False),  # what was said is set aside
        (Heard(SORTED, (0, 1, 2, 3), ((0, 2, 1), (1, 3, 0)), SIZES), False),  # nothing is left
        (Heard(ACCEPTED, (0, 1, 2, 3)), False),  # nobody knows how it was shown
    ],
)
def test_pieces_count_if_something_may_be_left_unsaid(heard, counts):
    assert bool(pieces_of([heard])) == counts


def test_the_same_piece_accepted_twice_counts_once_in_whatever_order_its_items_are():
    once = Heard(ACCEPTED, (0, 1, 2, 3), (), SIZES)
    turned = Heard(ACCEPTED, (2, 0, 3, 1), (), (4, 2, 4, 4, 2, 4))
    other = Heard(CORRECTED, (0, 1, 2, 3), ((0, 2, 1),), SIZES)
    assert pieces_of([once, other, turned]) == pieces_of([other, once])
    assert len(pieces_of([once, other])) == 2


@given(seeds)
def test_a_piece_in_order_shows_the_same(seed):
    (piece, tree), *_ = some_pieces(12, np.random.default_rng(seed), 1)
    turned = in_order(piece)
    assert list(turned.leaves) == sorted(piece.leaves)
    assert turned.sizes == clade_sizes(tree.restrict(np.argsort(piece.leaves)))


def test_corrections_of_the_same_items_shown_otherwise_are_two():
    ledger = Ledger(8)
    for sizes, triplet in ((SIZES, (0, 2, 1)), ((4, 2, 4, 4, 2, 4), (0, 1, 3))):
        ledger.extend(ledger.next_entries("triplet", (0, 1, 2, 3), "random", [triplet], sizes))
    assert [piece.said for piece in pieces_of(what_was_heard(ledger))] == [((0, 2, 1),), ((0, 1, 3),)]


def test_the_latest_pieces_count():
    data = DirichletDiffusion().simulate(30, 2, seed=1)[1]
    session = Session(data, seed=0)
    rng = np.random.default_rng(0)
    asked = [np.sort(rng.choice(30, 5, replace=False)) for _ in range(MOST_PIECES + 5)]
    for leaves in asked:
        session.accept(session.ask_about(leaves.tolist()))
    counted = session.chains[0]._engine._state.shown.items[:, :5]
    assert counted.tolist() == [leaves.tolist() for leaves in asked[-MOST_PIECES:]]


# --- counting


@given(seeds)
def test_moves_keep_the_counts_right(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 14))
    data = DirichletDiffusion().simulate(n, 2, seed=seed)[1]
    pieces = some_pieces(n, rng)
    chain = Chain(data, seed=seed, repair="regraft")
    chain.set_shown([piece for piece, _ in pieces], 1.5)
    target = random_tree(n, seed + 1)
    for triplets in ([], triplets_of(target, rng, 2), triplets_of(target, rng, 2), []):
        # Repaired, or put elsewhere, the tree is another one before any move.
        chain.replace_triplets(triplets)
        if not triplets:
            chain.go_to(Chain(data, start="insertion", seed=seed).tree)
        chain.run(20)
        tree = chain.tree
        counts = [num_otherwise(tree, shown, piece.leaves) for piece, shown in pieces]
        assert chain._engine._state.shown.num_unsaid.tolist() == counts
        assert chain.log_unsaid == pytest.approx(-1.5 * np.log1p(counts).sum())


@given(seeds, st.integers(1, 4))
def test_what_some_trees_leave_unsaid_is_counted_for_each_of_them(seed, num_trees):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 14))
    trees = [random_tree(n, seed + i) for i in range(num_trees)]
    shown = some_pieces(n, rng)
    pieces = []
    for piece, tree in shown:
        triplet = violated_triplet(trees[0], tree, np.array(piece.leaves), rng)
        pieces.append(piece if triplet is None else piece._replace(said=(triplet,)))
    found = logs_unsaid(np.array([tree.parent for tree in trees]), np.array([tree.age for tree in trees]), pieces)
    for tree, total in zip(trees, found.tolist(), strict=True):
        counts = [
            num_otherwise(tree, each, piece.leaves) - len(piece.said)
            for piece, (_, each) in zip(pieces, shown, strict=True)
        ]
        # Not all trees have what was said: nothing is left unsaid, then, and never less.
        assert total == pytest.approx(np.log1p(np.maximum(counts, 0)).sum())


@given(seeds)
def test_what_was_said_is_not_counted(seed):
    rng = np.random.default_rng(seed)
    target = random_tree(8, seed)
    (piece, shown), *_ = some_pieces(8, rng, 1)
    wrong = [
        (piece.leaves[a], piece.leaves[b], piece.leaves[c])
        for three in combinations(range(len(piece.leaves)), 3)
        for a, b, c in (three, (three[0], three[2], three[1]), (three[1], three[2], three[0]))
        if target.satisfies([(piece.leaves[a], piece.leaves[b], piece.leaves[c])])[0]
        and not shown.satisfies([(a, b, c)])[0]
    ]
    said = wrong[:2]
    chain = Chain(X, said, seed=seed)
    # Once more, the other way round, and what the piece says nothing of, changes nothing.
    again = [(b, a, c) for a, b, c in said] + ([(0, 1, 2)] if not {0, 1, 2} <= set(piece.leaves) else [])
    chain.set_shown([piece._replace(said=(*said, *again))], 1.0)
    chain.run(50)
    found = int(chain._engine._state.shown.num_unsaid[0])
    assert found == num_otherwise(chain.tree, shown, piece.leaves) - len(said)


@pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="without the compiler, the parts of a move can be called alone"
)
@given(seeds, st.booleans())
def test_the_change_of_the_factor_is_what_counting_before_and_after_gives(seed, has_triplets):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 20))
    target = random_tree(n, seed)
    triplets = [each for each in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] if has_triplets and target.satisfies([each])[0]]
    chain = Chain.of_prior(n, triplets, seed=seed).run(3)
    chain.set_shown([piece for piece, _ in some_pieces(n, rng)], 1.0)
    state, kernels = chain._engine._state, _kernels.chain
    for _ in range(20):
        before = _kernels.unsaid.log_unsaid(state)
        # The same steps as those of a move, which is accepted whatever it costs.
        with np.errstate(over="ignore"):
            cut = kernels.prune_somewhere(state)
            place, _ = kernels.walk(state, cut)
            if not kernels.is_between(state, cut, place):
                continue
            change, num_changed = _kernels.unsaid.change_of_log_unsaid(state, cut, place)
            _kernels.unsaid.take_over(state, num_changed)
            _, count = kernels.price(state, cut, place, 0)
            kernels.carry_out(state, cut, place, count)
        kept = state.shown.num_unsaid.copy()
        _kernels.unsaid.count_unsaid(state)
        assert kept.tolist() == state.shown.num_unsaid.tolist()
        assert _kernels.unsaid.log_unsaid(state) - before == pytest.approx(change, abs=1e-9)


# --- in a session


@pytest.mark.large
def test_what_is_shown_and_not_corrected_becomes_likelier():
    sessions = [Session(X, ITEMS, seed=3, setting=Setting("some", unsaid=weight)) for weight in (9.0, 0.0)]
    shown = sessions[0].copy().advance(5_000).tree
    said = next(each for each in ((0, 1, 2), (0, 2, 1)) if not shown.satisfies([each])[0])
    wrong = []
    for session in sessions:
        session.answer(Query("subtree", range(8), shown), said)
        session.advance(50_000)
        wrong.append(np.mean([num_otherwise(tree, shown, tuple(range(8))) for tree in session.samples]))
    assert wrong[0] < 0.7 * wrong[1]
    assert sessions[0].chains[0].log_unsaid < 0.0
    assert sessions[1].chains[0].log_unsaid == 0.0


def test_a_triple_shows_no_tree_and_the_paper_knows_nothing_of_it():
    session = Session(X, ITEMS, "simple")
    query = session.ask()
    assert query is not None
    session.answer(query, query.leaves[:3].tolist())
    assert session.answers[0].sizes is None
    paper = Session(X, ITEMS, setting="paper", subset_size=6)
    paper.accept(paper.ask())
    assert paper.answers[0].sizes is not None  # it is recorded all the same
    assert paper.chains[0].log_unsaid == 0.0


def test_what_is_taken_back_counts_no_more():
    session = Session(X, ITEMS, seed=1, subset_size=8)
    session.advance(500)
    answer = session.accept(session.ask())
    assert len(session.chains[0]._engine._state.shown.num_items) == 1
    session.retract(answer)
    session.advance(10)
    assert len(session.chains[0]._engine._state.shown.num_items) == 0


def test_draws_with_a_hint_that_is_taken_back_are_draws_no_more():
    session = Session(X, ITEMS, seed=1, subset_size=8)
    session.advance(500, 5)
    answer = session.accept(session.ask())
    session.advance(500, 5)
    session.retract(answer)
    assert session.snapshots.num_draws == 0
    session.advance(500, 5)
    assert session.snapshots.num_draws == 10


def test_a_query_about_items_that_are_not_there_costs_nothing():
    session = Session(X, ITEMS, seed=1)
    for leaves in ([-1, 0, 1, 2], [0, 1, 2, 8], [0, 1, 2, 2]):
        with pytest.raises(ValueError, match="item"):
            session.accept(Query("subtree", leaves, random_tree(4, 1)))
    assert session.answers == ()
    assert session.tree.num_leaves == 8


@pytest.mark.parametrize(
    ("piece", "weight", "message"),
    [
        (Piece((0, 1, 2, 9), SIZES), 1.0, "a piece has some of 8 items, each once"),
        (Piece((0, 1, 2, 2), SIZES), 1.0, "a piece has some of 8 items, each once"),
        (Piece((0, 1, 2, 3), SIZES[1:]), 1.0, "these are no sizes of the clades of 4 items"),
        (Piece((0, 1, 2, 3), SIZES), -1.0, "weight must be a number from 0"),
    ],
)
def test_a_chain_takes_no_piece_that_is_none(piece, weight, message):
    with pytest.raises(ValueError, match=message):
        Chain(X).set_shown([piece], weight)


def test_a_weight_that_is_none_is_refused():
    with pytest.raises(ValueError, match="unsaid must be a number from 0 to 1e\\+100, not -1"):
        Setting("wrong", unsaid=-1)


# --- in a file


def talk(project: Project, count: int) -> None:
    user = TreeUser(random_tree(8, 5).with_items(ITEMS), seed=2)
    for _ in range(count):
        query = project.ask()
        assert query is not None
        project.respond(query, user.respond(query))
        project.advance(200)


def test_a_project_knows_how_pieces_were_shown_when_it_is_opened_again(tmp_path):
    with Project.create(tmp_path / "a.tt", X, ITEMS, seed=1) as project:
        talk(project, 5)
        answers, factor = project.session.answers, project.session.chains[0].log_unsaid
        assert any(answer.sizes is not None for answer in answers)
        project.save()
    with open_project(tmp_path / "a.tt") as again:
        assert again.session.answers == answers
        assert again.session.chains[0].log_unsaid == factor != 0.0


@pytest.mark.parametrize("sizes", ["[2, 4]", "[2, 4, 4, 4, 4, 99, 1]", '["two"]'])
def test_sizes_that_make_no_sense_are_named(tmp_path, sizes):
    path = tmp_path / "a.tt"
    with Project.create(path, X, ITEMS, seed=1) as project:
        talk(project, 2)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER answers_stay")
        connection.execute("UPDATE answers SET sizes = ? WHERE id = 1", (sizes,))
    with open_project(path) as project, pytest.raises(ProjectError, match="answer 1 makes no sense"):
        _ = project.session

"""What a chain refuses: one sentence each, which names the culprit."""

import numpy as np
import pytest

from chains import X
from reference import random_tree
from treetalk import Chain, TripletSet, run_chains

TREE = random_tree(12, np.random.default_rng(0))
CHAIN = Chain(X)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Chain([]), "X is empty: its shape is (0,); at least 2 items are needed"),
        (lambda: Chain(np.empty((0, 3))), "X is empty: its shape is (0, 3); at least 2 items are needed"),
        (
            lambda: Chain(np.empty((5, 0))),
            "X has 5 rows but no columns; Chain.of_prior samples hierarchies without data",
        ),
        (lambda: Chain([[1.0, 2.0]]), "X has one row; a hierarchy needs at least 2 items"),
        (lambda: Chain([1.0, 2.0]), "X must have the shape (items, features); its shape is (2,)"),
        (
            lambda: Chain([[1.0, 2.0], [np.nan, 1.0]]),
            "X has missing values (NaN), the first in row 1, column 0; "
            "fill them in or leave out these rows or columns first",
        ),
        (
            lambda: Chain([[1.0, None], [3.0, 1.0]]),
            "X has missing values (NaN), the first in row 0, column 1; "
            "fill them in or leave out these rows or columns first",
        ),
        (
            lambda: Chain([[1.0, 2.0], [3.0, -np.inf]]),
            "X has infinite values, the first in row 1, column 1; "
            "fill them in or leave out these rows or columns first",
        ),
        (lambda: Chain([["a", "b"], ["c", "d"]]), "X must hold numbers; row 0, column 0 holds 'a'"),
        (lambda: Chain([[1.0, 2.0], [3.0, "4"]]), "X must hold numbers; row 1, column 1 holds '4'"),
        (lambda: Chain("data.csv"), "X must be an array with a row for each item, not 'data.csv'"),
        (lambda: Chain([[1j], [2j]]), "X must hold numbers; its dtype is complex128"),
        (lambda: Chain([[1.0], [2.0, 3.0]]), "X must be an array, and an array cannot have rows of different lengths"),
        (
            lambda: Chain(X, start=random_tree(11, np.random.default_rng(0))),
            "the start has 11 leaves, and there are 12 items",
        ),
        (
            lambda: Chain(X, start=TREE.with_items(list("abcdefghijkl")), items=list("abcdefghijkm")),
            "the start has other leaves than the items: 'm' is not among them",
        ),
        (
            lambda: Chain(X, start="linkage"),
            'start must be "auto", "insertion", "random" or a Tree, not \'linkage\'; Tree.from_linkage makes one',
        ),
        (
            lambda: Chain(X, start=np.zeros((11, 4))),
            'start must be "auto", "insertion", "random" or a Tree, not ndarray; Tree.from_linkage makes one',
        ),
        (
            lambda: Chain(X, [(0, 1, 12)]),
            "triplet 0 (0, 1, 12): there is no item 12; items are numbered from 0 to 11",
        ),
        (lambda: Chain(X).add_triplet((0, 1, 1)), "triplet 0 (0, 1 | 1): b and c are the same item, 1"),
        (lambda: Chain(X).add_triplet((0, 1)), "a triplet has three items, the odd one last, not (0, 1)"),
        (
            lambda: Chain(X, items=[f"item{i}" for i in range(12)]).add_triplet(("item1", "item2", "itme3")),
            "triplet 0 (item1, item2, itme3): there is no item 'itme3'; did you mean 'item3' or 'item9' or 'item8'?",
        ),
        (lambda: Chain(X).remove_triplet((0, 1, 2)), "there is no triplet 0, 1 | 2 to take back"),
        (lambda: Chain(X).run(-1), "num_moves must be 0 or more, not -1"),
        (lambda: Chain(X).run(1.5), "num_moves must be an integer, not 1.5"),
        (lambda: Chain(X, seed=-1), "seed must be 0 or more, not -1"),
        (lambda: Chain(X, seed=None), "seed must be an integer, not None"),
        (lambda: Chain(X, model="dirichlet"), "model must be a DirichletDiffusion, not str"),
        (lambda: Chain(X, moves={"jump": 1}), "there is no move 'jump'; there are walk, guided, local, times"),
        (lambda: Chain(X, moves={}), "moves must give at least one kind of move a positive weight"),
        (lambda: Chain(X, items=["a", "b"]), "2 item names were given for 12 items"),
        (lambda: Chain.of_prior(5, model="ddt"), "model must be a DirichletDiffusion, not str"),
        (lambda: run_chains([1], 5), "run_chains runs chains, not int"),
        (lambda: CHAIN.samples("x", 5), "num_samples must be an integer, not 'x'"),
        (
            lambda: Chain(np.ma.masked_greater([[1.0, 2.0], [9.0, 1.0]], 5)),
            "X has missing values (NaN), the first in row 1, column 0; "
            "fill them in or leave out these rows or columns first",
        ),
        (
            lambda: Chain([[10**400, 1], [2, 3]]),
            "X has infinite values, the first in row 0, column 0; "
            "fill them in or leave out these rows or columns first",
        ),
        (
            lambda: Chain(X * [1.0, 1e200]),
            f"column 1 of X has values up to {np.abs(X[:, 1]).max() * 1e200:.3g}, whose squares are no numbers any more; "
            "multiply the column by some power of ten",
        ),
        (
            lambda: Chain(X, TripletSet([("a", "b", "c")], 3, items=list("abc"))),
            "the triplets are over 3 items, and there are 12 items",
        ),
        (
            lambda: Chain(X, [(0, 1, 2), (1, 0, 2), (3, 4, 5), (0, 2, 1)]),
            "no tree satisfies these 2 triplets together, though it would without any one of them: "
            "0, 1 | 2 (row 0); 0, 2 | 1 (row 3)",
        ),
        (
            lambda: Chain(X, [(0, 1, 2)]).add_triplets([(3, 4, 5), (0, 2, 1)]),
            "no tree satisfies these 2 triplets together, though it would without any one of them: "
            "0, 1 | 2 (in force); 0, 2 | 1 (row 1)",
        ),
        (lambda: Chain.of_prior(1), "a hierarchy needs at least 2 items, not 1"),
        (
            lambda: run_chains([chain := Chain(X), chain], 5),
            "the same chain was given twice; chain.copy() makes another one",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError)) as error:
        make()
    assert str(error.value) == sentence

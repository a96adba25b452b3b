"""A chain for tests, and what must hold of every chain."""

import numpy as np

from treetalk import Chain, DirichletDiffusion, Tree

X = DirichletDiffusion().simulate(12, 2, seed=4)[1]
NUM_MOVES = 200


def arrays(chain: Chain) -> tuple[bytes, ...]:
    """What a chain's tree consists of, messages included, bit for bit."""
    state = chain._engine._state
    num_rows = len(state.links)
    parts = (state.links, state.rows[:num_rows], state.triplets, state.entries, state.entry_start)
    return tuple(part.tobytes() for part in parts)


def recomputed(chain: Chain) -> Chain:
    """The same tree and triplets, with everything else computed from scratch."""
    fresh = chain.copy()
    fresh._engine.set_tree(*chain._engine.parents_and_ages())
    return fresh


def messages(chain: Chain) -> np.ndarray:
    return chain._engine._state.rows[: 2 * chain.tree.num_leaves]


def check(chain: Chain) -> None:
    """All triplets hold, ages grow strictly, and every array is what the tree makes it."""
    tree = chain.tree
    assert tree.satisfies(chain.triplets).all()
    child = np.flatnonzero(tree.parent != -1)
    assert (tree.age[child] < tree.age[tree.parent[child]]).all()
    assert (tree.age[: tree.num_leaves] == 0).all()
    assert tree.age[tree.root] < 1
    fresh = recomputed(chain)
    np.testing.assert_array_equal(messages(chain), messages(fresh))
    np.testing.assert_array_equal(chain._engine._state.triplets, fresh._engine._state.triplets)
    np.testing.assert_array_equal(chain._engine._state.meetings, fresh._engine._state.meetings)
    np.testing.assert_array_equal(chain._engine._state.links[:, 3], fresh._engine._state.links[:, 3])


def triplets_of(target: Tree, rng: np.random.Generator, count: int) -> list[tuple[int, int, int]]:
    """Some triplets that a binary tree has."""
    found: list[tuple[int, int, int]] = []
    while len(found) < count:
        x, y, z = rng.choice(target.num_leaves, 3, replace=False).tolist()
        found += [each for each in ((x, y, z), (x, z, y), (y, z, x)) if target.satisfies([each])[0]]
    return found

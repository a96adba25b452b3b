"""Data for a given tree, and numbers that describe a tree and its data, in plain NumPy: no kernel has a part in them."""

import numpy as np

from treetalk import DirichletDiffusion, Tree

Arrays = tuple[np.ndarray, np.ndarray]  # the parent of every node, -1 for the root, and its age


class Described:
    """A tree with times, and which leaves are under which node.

    Parameters
    ----------
    parent, age : array of shape (num_nodes,)
        A binary tree; leaves first, their age is 0.
    """

    def __init__(self, parent: np.ndarray, age: np.ndarray) -> None:
        self.num_leaves = n = (len(parent) + 1) // 2
        self.age = age
        self.root = int(np.argmin(parent))
        self.members = np.zeros((len(parent), n))
        self.members[range(n), range(n)] = 1
        for v in np.argsort(age, kind="stable").tolist():
            if v != self.root:
                self.members[parent[v]] += self.members[v]
        self.sizes = self.members.sum(axis=1)
        above = np.where(parent == -1, 1.0, age[parent])
        self.lengths = above - age
        self.rises = np.log(above[n:] / age[n:])  # of A along the edge above each internal node, for a(t) = 1 / (1 - t)

    def draw_data(self, num_dims: int, noise: float, rng: np.random.Generator) -> np.ndarray:
        """Brownian motion from the origin down every edge, and the noise of the observations."""
        steps = np.sqrt(self.lengths)[:, None] * rng.normal(size=(len(self.age), num_dims))
        return self.members.T @ steps + np.sqrt(noise) * rng.normal(size=(self.num_leaves, num_dims))

    def log_likelihood(self, X: np.ndarray, noise: float) -> float:
        """Of a dense normal: two leaves share the edges above both of them."""
        covariance = (self.members.T * self.lengths) @ self.members + noise * np.eye(self.num_leaves)
        factor = np.linalg.cholesky(covariance)
        z = np.linalg.solve(factor, X)
        log_det = 2 * np.log(np.diag(factor)).sum()
        return -0.5 * float(X.size * np.log(2 * np.pi) + X.shape[1] * log_det + (z * z).sum())

    def log_prior(self) -> float:
        """For c = 1, up to a constant."""
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, self.num_leaves + 1))])
        inner = self.sizes[self.num_leaves :].astype(int)
        return float(-np.log(self.age[self.num_leaves :]).sum() - self.rises @ harmonic[inner - 1])

    def mrca_age(self, a: int, b: int) -> float:
        return float(self.age[(self.members[:, a] * self.members[:, b]) > 0].min())

    def satisfies(self, triplets: list[tuple[int, int, int]]) -> bool:
        return all(self.mrca_age(a, b) < self.mrca_age(a, c) for a, b, c in triplets)

    def tree_numbers(self) -> dict[str, float]:
        """What describes the tree."""
        inner = self.age[self.num_leaves :]
        together = (self.members[:, 0] * self.members[:, 1]) > 0
        return {
            "root age": float(inner.max()),
            "mean log age": float(np.log(inner).mean()),
            "mean leaf depth": float(self.sizes.sum() - self.sizes.max()) / self.num_leaves,
            "depth of leaf 0": float(self.members[:, 0].sum() - 1),
            "cherries": float((self.sizes == 2).sum()),
            "log prior": self.log_prior(),
            "age of mrca(0, 1)": self.mrca_age(0, 1),
            "size of mrca(0, 1)": float(self.sizes[together].min()),
        }


def described(tree: Tree) -> Described:
    assert tree.age is not None
    return Described(tree.parent, tree.age)


def prior_draw(
    model: DirichletDiffusion, num_leaves: int, triplets: list[tuple[int, int, int]], rng: np.random.Generator
) -> Tree:
    """A tree from the prior given triplets: trees are simulated until one has them all."""
    while True:
        tree, _ = model.simulate(num_leaves, 0, int(rng.integers(2**62)))
        if not triplets or described(tree).satisfies(triplets):
            return tree

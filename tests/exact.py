"""The exact posterior over small trees: every topology, the times integrated out by quadrature.

Read downward from the origin, the rise of A along the edge above an internal node with k leaves is exponential with rate
H_{k-1}: so exp(-rise * H_{k-1}) is uniform on [0, 1], and the posterior weight of a topology is its prior probability
times the mean of the likelihood over the unit cube. The likelihood is that of a multivariate normal with its dense
covariance matrix.
"""

import math
from itertools import combinations, product

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2

from reference import Triplet, all_binary_trees, clades_of, has_triplet
from treetalk import Chain, Tree
from treetalk.diagnostics import effective_sample_size

LEVEL = 1e-3  # of all tests: a chain that is right fails one in a thousand, but seeds are fixed
Topology = frozenset[frozenset[int]]


def harmonic(k: int) -> float:
    return sum(1 / i for i in range(1, k + 1))


def internal_clades(topology: Topology) -> list[frozenset[int]]:
    """Largest first: each before the clades within it."""
    return sorted((clade for clade in topology if len(clade) > 1), key=lambda clade: (-len(clade), sorted(clade)))


def topology_prior(topology: Topology) -> float:
    """prod_v (l-1)! (r-1)! / ((l+r-1)! H_{l+r-1}) = prod_v 1 / H_{size-1} / (n-1)!: the other factorials cancel."""
    clades = internal_clades(topology)
    weight = 1 / math.factorial(len(clades[0]) - 1)
    for clade in clades:
        weight /= harmonic(len(clade) - 1)
    return weight


def ages_of(topology: Topology, uniforms: np.ndarray, age_of_hazard) -> dict[frozenset[int], np.ndarray]:
    """The age of each internal clade, for uniform numbers of shape (num_points, num_clades)."""
    hazards: dict[frozenset[int], np.ndarray] = {}
    for i, clade in enumerate(internal_clades(topology)):
        above = min((other for other in hazards if other > clade), key=len, default=None)
        start = 0.0 if above is None else hazards[above]
        hazards[clade] = start - np.log(uniforms[:, i]) / harmonic(len(clade) - 1)
    return {clade: age_of_hazard(hazard) for clade, hazard in hazards.items()}


def log_likelihood(ages: dict[frozenset[int], np.ndarray], Z: np.ndarray, noise: float) -> np.ndarray:
    """The log density of data that were centred on the origin and divided by the scale, by dense linear algebra.

    Two leaves share the time from the origin to their divergence, 1 - age.
    """
    n, num_dims = Z.shape
    shared = np.zeros((len(next(iter(ages.values()))), n, n))
    for clade in sorted(ages, key=len, reverse=True):
        for a, b in product(clade, clade):
            if a != b:
                shared[:, a, b] = 1 - ages[clade]
    shared[:, range(n), range(n)] = 1 + noise
    solved = np.linalg.solve(shared, np.broadcast_to(Z, (len(shared), *Z.shape)))
    log_det = np.linalg.slogdet(shared)[1]
    return -0.5 * (n * num_dims * math.log(2 * math.pi) + num_dims * log_det + (Z * solved).sum(axis=(1, 2)))


def reciprocal(concentration: float):
    return lambda hazard: np.exp(-hazard / concentration)


def closeness_factor(
    topology: Topology, triplets: list[Triplet], closeness: float, weights: dict[frozenset[int], float] | None = None
) -> float:
    """The sizes of the smallest clades with both a and b, to the power of -closeness, multiplied over the pairs.

    A pair that `weights` has counts so many times.
    """
    pairs = {frozenset([a, b]) for a, b, _ in triplets}
    sizes = {pair: min(len(clade) for clade in topology if pair <= clade) for pair in pairs}
    return math.prod(size ** (-closeness * (weights or {}).get(pair, 1.0)) for pair, size in sizes.items())


def unsaid_factor(topology: Topology, pieces: list[tuple[Topology, list[Triplet]]], weight: float) -> float:
    """1 / (1 + u) to the power of the weight, multiplied over pieces and what was said of each.

    u is the number of triplets that the topology has otherwise than the piece, and that were not said.
    """
    factor = 1.0
    for piece, said in pieces:
        leaves = sorted(next(iter(sorted(piece, key=len, reverse=True))))
        every = [(a, b, c) for a, b in combinations(leaves, 2) for c in leaves if c not in {a, b}]
        wrong = {each for each in every if has_triplet(topology, each) and not has_triplet(piece, each)}
        spoken = {(min(a, b), max(a, b), c) for a, b, c in said}
        factor *= (1 + len(wrong - spoken)) ** -weight
    return factor


class ExactPosterior:
    """The probability of every topology with the root's age in every interval: an array (topologies, intervals)."""

    def __init__(
        self,
        Z: np.ndarray,
        noise: float,
        age_of_hazard,
        triplets: list[Triplet] | None = None,
        num_intervals: int = 8,
        num_points: int = 6,
        num_points_below: int = 28,
        closeness: float = 0.0,
        pieces: list[tuple[Topology, list[Triplet]]] | None = None,
        unsaid: float = 0.0,
        powers: np.ndarray | None = None,
    ) -> None:
        """`powers` are those to which the density of each column is taken, 1 without them."""
        n = len(Z)
        self.topologies = [
            frozenset(clades)
            for clades in all_binary_trees(n)
            if all(has_triplet(clades, triplet) for triplet in triplets or [])
        ]
        x, weight = np.polynomial.legendre.leggauss(num_points)
        # The root's uniform number in pieces, so that the probability of each piece is a quadrature of its own.
        starts = np.arange(num_intervals) / num_intervals
        root = (starts[:, None] + (x + 1) / 2 / num_intervals).ravel()
        root_weight = np.tile(weight / 2 / num_intervals, num_intervals)
        x, weight = np.polynomial.legendre.leggauss(num_points_below)
        axes = [root] + [(x + 1) / 2] * (n - 2)
        weights = [root_weight] + [weight / 2] * (n - 2)
        points = np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
        point_weights = np.prod(np.stack([g.ravel() for g in np.meshgrid(*weights, indexing="ij")]), axis=0)
        interval = np.minimum((points[:, 0] * num_intervals).astype(int), num_intervals - 1)
        table = np.empty((len(self.topologies), num_intervals))
        logs = []
        for topology in self.topologies:
            ages = ages_of(topology, points, age_of_hazard)
            weight = topology_prior(topology) * closeness_factor(topology, triplets or [], closeness)
            weight *= unsaid_factor(topology, pieces or [], unsaid)
            if powers is None:
                log = log_likelihood(ages, Z, noise)
            else:
                log = sum(w * log_likelihood(ages, Z[:, [i]], noise) for i, w in enumerate(powers))
            logs.append(log + math.log(weight))
        largest = max(log.max() for log in logs)
        for i, log in enumerate(logs):
            table[i] = np.bincount(interval, point_weights * np.exp(log - largest), num_intervals)
        self.log_evidence = largest + math.log(table.sum())
        self.probability = table / table.sum()
        # The uniform number of the root falls as its hazard grows.
        ends = np.arange(1, num_intervals) / num_intervals
        self.age_ends = age_of_hazard(-np.log(ends) / harmonic(n - 1))
        self.row = {topology: i for i, topology in enumerate(self.topologies)}

    def cell(self, topology: Topology, root_age: float) -> tuple[int, int]:
        """The place of a tree in the table."""
        return self.row[topology], int(np.searchsorted(self.age_ends, root_age))


def topology_of(tree: Tree) -> Topology:
    return frozenset(clades_of(tree))


def tree_of(topology: Topology) -> Tree:
    """A tree with this topology, its ages evenly spaced."""
    leaves = [clade for clade in topology if len(clade) == 1]
    clades = sorted(leaves, key=min) + internal_clades(topology)[::-1]
    number = {clade: i for i, clade in enumerate(clades)}
    parent = [
        number[min((other for other in clades if other > clade), key=len)] if len(clade) < len(leaves) else -1
        for clade in clades
    ]
    n = len(leaves)
    return Tree.from_parents(parent, age=np.concatenate([np.zeros(n), np.arange(1, n) / n]))


class Comparison:
    """Draws of a chain against the exact posterior."""

    def __init__(self, exact: ExactPosterior, chain: Chain, num_draws: int, num_moves: int) -> None:
        self.exact, self.num_draws = exact, num_draws
        rows, intervals, hazards = [], [], []
        known: dict[bytes, Topology] = {}
        chain.run(50 * num_moves)
        for _ in range(num_draws):
            chain.run(num_moves)
            parent, ages = chain._engine.parents_and_ages()
            key = parent.tobytes()
            if key not in known:
                known[key] = topology_of(Tree(parent))
            row, interval = exact.cell(known[key], ages.max())
            rows.append(row)
            intervals.append(interval)
            hazards.append(-math.log(ages.max()))
        self.rows, self.intervals, self.hazards = np.array(rows), np.array(intervals), np.array(hazards)
        self.observed = np.zeros_like(exact.probability)
        np.add.at(self.observed, (self.rows, self.intervals), 1)

    @property
    def independence(self) -> float:
        """The effective sample size relative to the number of draws: the least of several series."""
        likeliest = self.exact.probability.sum(axis=1).argmax()
        series = [self.hazards]
        if len(self.exact.topologies) > 1:
            series.append(self.rows == likeliest)
        return min(1.0, *(effective_sample_size(one) / self.num_draws for one in series))

    @property
    def pvalue(self) -> float:
        """Of the chi-square test over topologies and intervals, cells with few expected draws taken together."""
        expected = self.exact.probability.ravel() * self.num_draws
        observed = self.observed.ravel()
        few = expected < 8
        expected = np.append(expected[~few], expected[few].sum())
        observed = np.append(observed[~few], observed[few].sum())
        if expected[-1] < 8:
            expected[-2] += expected[-1]
            observed[-2] += observed[-1]
            expected, observed = expected[:-1], observed[:-1]
        # Draws that are still a little correlated are worth that much less.
        statistic = self.independence * ((observed - expected) ** 2 / expected).sum()
        return float(chi2.sf(statistic, len(expected) - 1))

    @property
    def detectable(self) -> float:
        """The share of probability in wrong cells that the test finds with 99 % certainty at the level 0.001.

        For an error that moves the same share of every cell's probability, half of them up and half of them down.
        """
        num_cells = int((self.exact.probability * self.num_draws >= 8).sum())
        level = chi2.isf(LEVEL, num_cells - 1)
        draws = self.independence * self.num_draws
        shift = brentq(lambda x: ncx2.sf(level, num_cells - 1, draws * x**2) - 0.99, 1e-6, 10)
        return shift / 2

"""Draws of partitions of groups into classes, by Gibbs sampling: each group in turn is put into a class anew.

The prior is that of Gnedin ("A species sampling model with finitely many types", 2010). A partition of n items into t
classes of n_1, ..., n_t items is as likely as (t - 1)! (1 - f)_(t-1) (f)_(n-t) n_1! ... n_t! says, where (x)_k is
x (x + 1) ... (x + k - 1): there are as many classes as it takes, a single one with probability f, and no share of a class is
likelier than another. For every two groups of one class that there is a hint about it is multiplied by a factor.
"""

import math
from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel, part
from treetalk._kernels.random import uniform


@part
def log_of_one_more(num_classes: int, num_items: int, single: float) -> float:
    """Return by how much the log of the prior grows with one more class than there are, but for the sizes' factorials."""
    if num_classes == 0:
        return 0.0
    return math.log(num_classes * (num_classes - single) / (single + num_items - num_classes - 1))


@part
def choose(scores: Any, among: Any, count: int, rng: Any) -> int:
    """Return one of the first places in a list of classes, each in proportion to the exponential of its class's score."""
    largest = -np.inf
    for i in range(count):
        largest = max(largest, scores[among[i]])
    total = 0.0
    for i in range(count):
        total += math.exp(scores[among[i]] - largest)
    left = uniform(rng) * total
    last = 0
    for i in range(count):
        weight = math.exp(scores[among[i]] - largest)
        if weight > 0.0:
            last = i
            left -= weight
            if left < 0.0:
                break
    return last


@kernel
def draw(
    sizes: Any, start: Any, others: Any, weights: Any, single: float, num_before: int, num_draws: int, rng: Any
) -> Any:
    """Return the class of each group in each of some draws, one after each time that all groups are put into one anew.

    `sizes` has the number of items of each group. The hints about group g are those from ``start[g]`` to ``start[g + 1]``:
    in `others` the other group, in `weights` the log of the factor. To begin with, groups are put into classes one by one,
    as far as those before them tell; then that is done anew `num_before` times before the first draw.
    """
    num_groups = sizes.size
    log_factorials = np.zeros(sizes.sum() + 1)
    for k in range(1, log_factorials.size):
        log_factorials[k] = log_factorials[k - 1] + math.log(k)
    draws = np.empty((num_draws, num_groups), np.int32)
    classes = np.full(num_groups, -1)  # of each group, -1 for one that is in none yet
    counts = np.zeros(num_groups + 1, np.int64)  # the items in each class
    active = np.arange(num_groups + 1)  # the classes that there are come first, then those that are empty
    scores = np.zeros(num_groups + 1)
    num_active, num_items = 0, 0
    for turn in range(-1 - num_before, num_draws):
        for g in range(num_groups):
            size, own = sizes[g], classes[g]
            if own < 0:
                num_items += size
            else:
                counts[own] -= size
                if counts[own] == 0:
                    place = 0
                    while active[place] != own:
                        place += 1
                    num_active -= 1
                    active[place] = active[num_active]
                    active[num_active] = own
            for i in range(num_active):
                k = active[i]
                scores[k] = log_factorials[counts[k] + size] - log_factorials[counts[k]]
            scores[active[num_active]] = log_factorials[size] + log_of_one_more(num_active, num_items, single)
            for e in range(start[g], start[g + 1]):
                if classes[others[e]] >= 0:
                    scores[classes[others[e]]] += weights[e]
            place = choose(scores, active, num_active + 1, rng)
            classes[g] = active[place]
            counts[active[place]] += size
            if place == num_active:
                num_active += 1
        if turn >= 0:
            draws[turn] = classes
    return draws


@kernel
def mean_sizes(draws: Any, labels: Any) -> Any:
    """Return for every two items the mean over draws of the size of the class that has both, or of all where none has.

    `draws` has the class of each group in each draw, `labels` the group of each item.
    """
    n, num_draws = labels.size, draws.shape[0]
    sizes = np.full((n, n), float(n))
    members = np.empty(n, np.int64)  # the items, class by class
    start = np.empty(draws.shape[1] + 3, np.int64)  # after counting, those of class k are from start[k] to start[k + 1]
    for d in range(num_draws):
        start[:] = 0
        for i in range(n):
            start[draws[d, labels[i]] + 2] += 1
        for k in range(1, start.size):
            start[k] += start[k - 1]
        for i in range(n):
            k = draws[d, labels[i]] + 1
            members[start[k]] = i
            start[k] += 1
        for k in range(start.size - 1):
            less = (n - (start[k + 1] - start[k])) / num_draws
            for x in range(start[k], start[k + 1]):
                for y in range(start[k], start[k + 1]):
                    sizes[members[x], members[y]] -= less
    for i in range(n):
        sizes[i, i] = 0.0
    return sizes

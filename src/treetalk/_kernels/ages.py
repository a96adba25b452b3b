"""Ages for a tree that has none, or has some that are equal where they must differ."""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel

STEP = 1e-3


@kernel
def apart(parent: Any, ages: Any, top_down: Any) -> Any:
    """Return ages that grow strictly towards the root; `top_down` lists the internal nodes, each before its children.

    Of k nodes in a row that share an age, the i-th from below gets i / (k + 1) of the way from the next younger age up
    to the age above. The topmost keeps its age if that is below the age above it.
    """
    num_leaves = (parent.size + 1) // 2
    height = np.ones(parent.size, np.int64)  # nodes of the same age in a row below, itself included
    floor = np.zeros(parent.size)  # the greatest smaller age below
    for i in range(top_down.size - 1, 0, -1):
        v = top_down[i]
        p = parent[v]
        if ages[v] == ages[p]:
            height[p] = max(height[p], height[v] + 1)
            floor[p] = max(floor[p], floor[v])
        else:
            floor[p] = max(floor[p], ages[v])
    result = ages.copy()
    for v in top_down:
        above = 1.0 if parent[v] == -1 else result[parent[v]]
        if not ages[v] < above:
            result[v] = floor[v] + (above - floor[v]) * (height[v] / (height[v] + 1.0))
        if not (result[v] < above and result[v] > floor[v]):
            # No room between two neighbouring numbers: start over below, proportionally.
            return spread(parent, top_down, num_leaves)
    return result


@kernel
def spread(parent: Any, top_down: Any, num_leaves: int) -> Any:
    """Return ages by height alone: k / (h + 1) for a node with k internal ones on the longest way down, h at the root."""
    height = np.zeros(parent.size, np.int64)
    for i in range(top_down.size - 1, -1, -1):
        v = top_down[i]
        height[v] += 1
        if parent[v] != -1:
            height[parent[v]] = max(height[parent[v]], height[v])
    most = height[top_down[0]]
    result = np.zeros(parent.size)
    for v in range(num_leaves, parent.size):
        result[v] = height[v] / (most + 1.0)
    return result


@kernel
def ages_from_data(parent: Any, top_down: Any, Z: Any, noise: float) -> Any:
    """Return ages that fit standardised data: the mean squared distance across a node is 2 d (age + noise).

    Large ones are drawn in below 1, and those that do not exceed the ages below are raised a little above them.
    """
    num_leaves, num_dims = Z.shape
    means = np.zeros((parent.size, num_dims))
    within = np.zeros(parent.size)  # mean squared distance from the mean
    size = np.zeros(parent.size)
    for v in range(num_leaves):
        means[v] = Z[v]
        size[v] = 1.0
    result = np.zeros(parent.size)
    first = np.full(parent.size, -1, np.int64)  # the first child met
    order = np.concatenate((np.arange(num_leaves, dtype=top_down.dtype), top_down[::-1]))
    for v in order:
        p = parent[v]
        if p == -1:
            continue
        if first[p] == -1:
            first[p] = v
            continue
        u = first[p]
        gap = 0.0
        total = size[u] + size[v]
        for j in range(num_dims):
            gap += (means[u, j] - means[v, j]) ** 2
            means[p, j] = (size[u] * means[u, j] + size[v] * means[v, j]) / total
        size[p] = total
        within[p] = (size[u] * within[u] + size[v] * within[v]) / total + gap * size[u] * size[v] / total**2
        age = max((gap + within[u] + within[v]) / (2.0 * num_dims) - noise, STEP * noise)
        if age > 0.5:
            age = 1.0 - 0.25 / age
        least = max(result[u], result[v])
        result[p] = max(age, least + STEP * min(least, 1.0 - least))
    return result

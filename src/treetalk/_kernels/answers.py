"""What a user who knows the hierarchy objects to in a tree that is shown: the paper's rule.

A triplet ab|c of the target is violated by a split of the shown tree that parts a from b, with c below it as well. The user
looks at the root's split; if it violates nothing, at those of its children, and so on, level by level. On the first level
that violates triplets each of them is as likely to be named.

Counting them takes no enumeration. Let the colour of a leaf be the child of the split that it is under. At a node u of the
target, restricted to the leaves below the split, every pair of leaves of two colours whose mrca is u makes a violated
triplet with each leaf outside u.
"""

from typing import Any

import numpy as np

from treetalk._kernels._jit import kernel
from treetalk._kernels.layout import clade_images, is_under, make_layout, mrca
from treetalk._kernels.restriction import by_position, restrict


@kernel
def violated_triplet(target: Any, shown: Any, uniforms: Any) -> Any:
    """Return a triplet of the target that the shown tree, over the same leaves, violates; -1, -1, -1 if there is none.

    `uniforms` are three random numbers in [0, 1).
    """
    num_shown = shown.parent.size
    level = np.empty(num_shown, np.int32)
    level[0] = shown.preorder[0]
    size = 1
    totals = np.empty(num_shown)
    while size > 0:
        total = 0.0
        for i in range(size):
            part, colour, _ = _below_split(target, shown, level[i])
            totals[i] = _num_pairs_and_odd(part, colour).sum()
            total += totals[i]
        if total > 0:
            wanted = uniforms[0] * total
            i = 0
            while i < size - 1 and wanted >= totals[i]:
                wanted -= totals[i]
                i += 1
            while totals[i] == 0:  # rounding may lead beyond the last one that violates anything
                i -= 1
            part, colour, under = _below_split(target, shown, level[i])
            a, b, c = _draw(part, colour, wanted, uniforms[1], uniforms[2])
            return under[a], under[b], under[c]
        # The next level: children with three leaves or more.
        below = np.empty(num_shown, np.int32)
        count = 0
        for i in range(size):
            for k in range(shown.child_start[level[i]], shown.child_start[level[i] + 1]):
                if shown.size[shown.child[k]] > 2:
                    below[count] = shown.child[k]
                    count += 1
        level = below
        size = count
    return -1, -1, -1


@kernel
def first_scanned(target: Any, parents: Any, leaves: Any, order: Any, flips: Any) -> Any:
    """Return what `scanned_triplet` finds in the first tree, of those in the rows of `parents`, that violates anything.

    Shown of each tree is its restriction to some leaves; the target is restricted to them, in the same order.
    """
    num_leaves = (parents.shape[1] + 1) // 2
    for i in range(parents.shape[0]):
        layout = make_layout(parents[i].copy(), num_leaves)
        parent, _ = restrict(layout, leaves, by_position(layout, leaves))
        shown = make_layout(parent, leaves.size)
        if is_refined(target, shown):
            continue
        a, b, c = scanned_triplet(target, shown, order, flips)
        return leaves[a], leaves[b], leaves[c]
    return -1, -1, -1


@kernel
def scanned_triplet(target: Any, shown: Any, order: Any, flips: Any) -> Any:
    """Return the first violated triplet that a scan finds, in place of a random one.

    Splits are looked at depth first. At a split, pairs on one side with one leaf of the other side come first, then the
    other way round, leaves in a given `order`; `flips` says which side of a node comes first.
    """
    stack = np.empty(shown.parent.size, np.int32)
    stack[0] = shown.preorder[0]
    top = 1
    while top > 0:
        top -= 1
        v = stack[top]
        if shown.size[v] < 3:
            continue
        first, second = shown.child[shown.child_start[v]], shown.child[shown.child_start[v] + 1]
        if flips[v]:
            first, second = second, first
        part, colour, _ = _below_split(target, shown, v)
        if _num_pairs_and_odd(part, colour).sum() > 0:
            a, b, c = _scan_split(target, shown, order, first, second)
            return (a, b, c) if a != -1 else _scan_split(target, shown, order, second, first)
        stack[top] = second
        stack[top + 1] = first
        top += 2
    return -1, -1, -1


@kernel
def _scan_split(target: Any, shown: Any, order: Any, pair_side: int, odd_side: int) -> Any:
    """Look for two leaves of one side that the target parts, one of them being nearer to a leaf of the other side."""
    for i in order:
        if is_under(shown, i, pair_side):
            for j in order:
                if j != i and is_under(shown, j, pair_side):
                    together = mrca(target, i, j)
                    for k in order:
                        if is_under(shown, k, odd_side) and is_under(target, k, together):
                            if not is_under(target, j, mrca(target, i, k)):
                                return i, k, j
                            if not is_under(target, i, mrca(target, j, k)):
                                return j, k, i
    return -1, -1, -1


@kernel
def is_refined(target: Any, shown: Any) -> bool:
    """Return whether every clade of the target is one of the shown tree: then nothing is violated."""
    image = clade_images(shown, target, np.arange(target.leaf_order.size).astype(np.int32))
    for v in range(target.parent.size):
        if shown.size[image[v]] != target.size[v]:
            return False
    return True


@kernel
def _below_split(target: Any, shown: Any, v: int) -> Any:
    """Return the layout of the target restricted to the leaves under v, their colours, and who they are in the target."""
    under = shown.leaf_order[shown.first[v] : shown.first[v] + shown.size[v]].copy()
    colour = np.empty(under.size, np.int32)
    i = 0
    for k in range(shown.child_start[v], shown.child_start[v + 1]):
        for _ in range(shown.size[shown.child[k]]):
            colour[i] = k - shown.child_start[v]
            i += 1
    parent, _ = restrict(target, under, by_position(target, under))
    return make_layout(parent, under.size), colour, under


@kernel
def _colour_counts(part: Any, colour: Any) -> Any:
    """Return how many leaves of each colour are under each node."""
    counts = np.zeros((part.parent.size, colour.max() + 1), np.int64)
    for leaf in range(colour.size):
        counts[leaf, colour[leaf]] = 1
    for i in range(part.preorder.size - 1, 0, -1):
        v = part.preorder[i]
        counts[part.parent[v]] += counts[v]
    return counts


@kernel
def _num_pairs_and_odd(part: Any, colour: Any) -> Any:
    """Return for each node of the target's restriction how many violated triplets have the mrca of a and b there."""
    counts = _colour_counts(part, colour)
    num_leaves = colour.size
    num_nodes = part.parent.size
    below = np.empty(num_nodes)  # pairs of two colours under the node
    result = np.zeros(num_nodes)
    for v in range(num_nodes):
        size = part.size[v]
        alike = 0
        for k in range(counts.shape[1]):
            alike += counts[v, k] * counts[v, k]
        below[v] = (size * size - alike) // 2
    for v in range(num_leaves, num_nodes):
        here = below[v]
        for k in range(part.child_start[v], part.child_start[v + 1]):
            here -= below[part.child[k]]
        result[v] = here * (num_leaves - part.size[v])
    return result


@kernel
def _draw(part: Any, colour: Any, wanted: float, second: float, third: float) -> Any:
    """Return the violated triplet that random numbers choose; `wanted` lies below the number of all."""
    num_violated = _num_pairs_and_odd(part, colour)
    counts = _colour_counts(part, colour)
    u = -1
    for v in range(num_violated.size):
        if num_violated[v] > 0:
            u = v
            if wanted < num_violated[v]:
                break
            wanted -= num_violated[v]
    first, last = part.first[u], part.first[u] + part.size[u]
    # a: each leaf under u as often as it has partners, which are under other children of u and of another colour.
    partners = np.zeros(part.size[u])
    child_of = np.empty(part.size[u], np.int32)
    for k in range(part.child_start[u], part.child_start[u + 1]):
        x = part.child[k]
        for i in range(part.first[x], part.first[x] + part.size[x]):
            hue = colour[part.leaf_order[i]]
            child_of[i - first] = x
            partners[i - first] = (part.size[u] - counts[u, hue]) - (part.size[x] - counts[x, hue])
    place = _chosen(partners, second * partners.sum())
    a = part.leaf_order[first + place]
    fits = np.zeros(part.size[u])
    for i in range(first, last):
        b = part.leaf_order[i]
        fits[i - first] = child_of[i - first] != child_of[place] and colour[b] != colour[a]
    # One random number chooses both b and c: its whole part and what is left over.
    scaled = third * fits.sum()
    b = part.leaf_order[first + _chosen(fits, scaled)]
    outside = part.leaf_order.size - part.size[u]
    position = min(int((scaled - np.floor(scaled)) * outside), outside - 1)
    c = part.leaf_order[position if position < first else position + part.size[u]]
    return a, b, c


@kernel
def _chosen(weights: Any, wanted: float) -> int:
    """Return the place where the running sum of whole-numbered weights passes `wanted`."""
    last = 0
    for i in range(weights.size):
        if weights[i] > 0:
            last = i
            if wanted < weights[i]:
                break
            wanted -= weights[i]
    return last

"""Trees for hypothesis: any arity, with or without times, support, and names of every kind."""

import numpy as np
from hypothesis import strategies as st

from treetalk import Tree

names_of_items = st.text(
    st.one_of(st.sampled_from("ab ()[]{}:;,'\"_-=&\t\n."), st.characters(codec="utf-8", exclude_categories=("Cs",))),
    max_size=6,
)
seeds = st.integers(0, 2**32 - 1)
times = st.floats(0, 1e6, allow_subnormal=False)


@st.composite
def topologies(draw, min_leaves: int = 1, max_leaves: int = 12) -> list[int]:
    """A parent array: join the first few of the subtrees that are left, in a drawn order."""
    num_leaves = draw(st.integers(min_leaves, max_leaves))
    parent = [-1] * num_leaves
    tops = draw(st.permutations(range(num_leaves)))
    while len(tops) > 1:
        count = draw(st.integers(2, min(len(tops), 4)))
        for v in tops[:count]:
            parent[v] = len(parent)
        tops = [*tops[count:], len(parent)] if draw(st.booleans()) else [len(parent), *tops[count:]]
        parent.append(-1)
    return parent


@st.composite
def trees(draw, min_leaves: int = 1, max_leaves: int = 12, with_times: bool | None = None) -> Tree:
    parent = draw(topologies(min_leaves, max_leaves))
    num_nodes = len(parent)
    num_leaves = (num_nodes - len(set(parent) - {-1})) if num_nodes > 1 else 1
    time = None
    if draw(st.booleans()) if with_times is None else with_times:
        waits = draw(st.lists(times, min_size=num_nodes, max_size=num_nodes))
        time = np.zeros(num_nodes)
        for v in range(num_nodes - 1, -1, -1):  # parents have higher numbers here
            time[v] = waits[v] + (time[parent[v]] if parent[v] != -1 else 0)
    items = None
    if draw(st.booleans()):
        items = draw(st.lists(names_of_items, min_size=num_leaves, max_size=num_leaves, unique=True))
    inner = num_nodes - num_leaves
    support = None
    if draw(st.booleans()):
        drawn = draw(st.lists(st.one_of(st.floats(0, 100), st.just(np.nan)), min_size=inner, max_size=inner))
        support = None if np.isnan(drawn).all() else [np.nan] * num_leaves + drawn
    names = None
    if draw(st.booleans()):
        some = draw(st.lists(st.one_of(st.none(), names_of_items), min_size=inner, max_size=inner))
        names = None if all(name is None for name in some) else [None] * num_leaves + some
    return Tree.from_parents(parent, time=time, items=items, support=support, names=names)

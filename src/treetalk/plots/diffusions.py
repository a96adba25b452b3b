"""The diffusion that the hierarchy stands for: paths that set out from one origin, part, and end at the items.

Figure 1 of Vikram and Dasgupta (2016), for data of any dimension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import as_seed
from treetalk.data import as_data
from treetalk.layout.labels import shortened
from treetalk.models import DirichletDiffusion
from treetalk.plots.coloring import Groups, Scale, coloring_of
from treetalk.plots.naming import name_points, spread_apart
from treetalk.plots.paper import QUIET, axes_for, ink, plain, points_of, time_colors, width_of
from treetalk.plots.sources import data_of, has_session, names_of, session_of, tree_of
from treetalk.state import diffusion_ages
from treetalk.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from treetalk.tree import Tree

STEPS = 200  # in which a path from time 0 to 1 is drawn
MOST_POINTS = 400_000  # of all paths together
MOST_NAMED = 30
LONGEST_NAME = 28
CROWDED = 600  # items


def diffusion(
    source: object,
    X: ArrayLike | None = None,
    *,
    model: DirichletDiffusion | None = None,
    paths: bool = True,
    dimensions: Sequence[int] | None = None,
    labels: Any = "auto",
    colors: Any = None,
    ax: Axes | None = None,
    seed: int = 0,
) -> Axes:
    """Draw the diffusion of a hierarchy: values against time for one column of data, the tree in the plane for more.

    Parameters
    ----------
    source : Tree, Session, Project or fitted estimator
        What has the hierarchy, with the times of a diffusion.
    X : array of shape (num_items, num_features)
        The data; a session, a project and a fitted estimator have their own.
    model : DirichletDiffusion, optional
        The model; by default that of the session, or one that is made for the data.
    paths : bool
        With one dimension: whether to draw how the diffusion may have gone, a draw of it given the tree and the data;
        otherwise, straight lines between the means of the nodes. In the plane, nodes always stand at their means.
    dimensions : sequence of one or two ints, optional
        The columns of X that are drawn. By default all if there are one or two, else the first two principal components.
    labels : "auto", bool, mapping from items, or sequence
        What items are called; by default their names, if there are no more than 30.
    colors : int, mapping from items, or sequence, optional
        A number of clusters, into which the tree is cut, or the group of each item; of more than 20 groups, the largest 20
        have a colour. Many different numbers are a scale.
    ax : Axes, optional
        Where to draw; by default in a new figure.
    seed : int
        The seed of the paths.
    """
    tree = tree_of(source)
    data, columns = _data_of(source, X, tree)
    if model is None:
        model = session_of(source).chains[0].model if has_session(source) else DirichletDiffusion()
    diffusion_ages(tree)
    chosen = _as_dimensions(dimensions, data.shape[1])
    is_few = tree.num_leaves <= MOST_NAMED
    names = names_of(
        tree, (is_few and tree.items is not None) if isinstance(labels, str) and labels == "auto" else labels
    )
    coloring = coloring_of(tree, colors)
    with axes_for(ax, 7.0, 4.2 if len(chosen) == 1 else 5.6) as axes:
        if coloring is not None:
            # Before anything is measured: a bar takes room from the axes.
            coloring.explain(axes, is_given=ax is not None)
        if len(chosen) == 1:
            colors = _edge_colors(tree, coloring)
            _draw_paths(axes, tree, data, model, chosen[0], colors, seed=as_seed(seed), paths=paths)
            axes.set_ylabel(columns[chosen[0]])
            if names is not None:
                _names_at_the_end(axes, data[:, chosen[0]], names, colors[: tree.num_leaves], is_given=ax is not None)
        else:
            _draw_plane(axes, tree, data, model, chosen, columns, coloring, names)
        return axes


def _data_of(source: object, X: ArrayLike | None, tree: Tree) -> tuple[NDArray[np.float64], list[str]]:
    """Return the data and the names of their columns."""
    if X is None:
        X = data_of(source)
        if X is None:
            raise ValueError("diffusion needs the data: give X, with a row for each item")
    data = as_data(X, at_least=1)
    if len(data) != tree.num_leaves:
        raise ValueError(f"the tree has {tree.num_leaves} leaves, and X has {len(data)} rows")
    given = getattr(X, "columns", None)
    names = getattr(source, "feature_names", None) if given is None else given
    if names is None or len(names) != data.shape[1]:
        return data, [f"column {column}" for column in range(data.shape[1])]
    return data, [str(name) for name in names]


def _as_dimensions(dimensions: Sequence[int] | None, num_columns: int) -> tuple[int, ...]:
    """Return the columns to draw; none for principal components."""
    if dimensions is None:
        return tuple(range(num_columns)) if num_columns <= 2 else ()
    chosen = (dimensions,) if isinstance(dimensions, int | np.integer) else tuple(dimensions)
    if len(chosen) not in {1, 2}:
        raise ValueError(f"dimensions must be one or two columns of X, not {len(chosen)}")
    for column in chosen:
        if isinstance(column, bool) or not isinstance(column, int | np.integer):
            raise TypeError(f"dimensions must be numbers of columns, not {column!r}")
        if not 0 <= column < num_columns:
            raise ValueError(f"X has no column {column}: columns are numbered from 0 to {num_columns - 1}")
    return tuple(int(column) for column in chosen)


def _edge_colors(tree: Tree, coloring: Groups | Scale | None) -> list[Any]:
    """Return the colour of the edge above each node."""
    return [ink()] * tree.num_nodes if coloring is None else coloring.of_nodes(tree, QUIET)


def _draw_paths(
    axes: Axes,
    tree: Tree,
    data: NDArray[np.float64],
    model: DirichletDiffusion,
    column: int,
    colors: list[Any],
    *,
    seed: int,
    paths: bool,
) -> None:
    from matplotlib.collections import LineCollection

    fitted = model.for_data(data)
    values = fitted.node_draw(tree, data, seed=seed)[:, column] if paths else fitted.node_means(tree, data)[:, column]
    origin = float(np.asarray(fitted.origin)[column])
    time = 1 - diffusion_ages(tree)
    begin = np.where(tree.parent == -1, 0.0, time[tree.parent])
    first = np.where(tree.parent == -1, origin, values[tree.parent])
    deviation = float(np.sqrt(np.asarray(fitted.scale)[column])) if paths else 0.0
    most = max(2, min(STEPS, MOST_POINTS // tree.num_nodes))
    rng = np.random.default_rng([seed, tree.num_nodes])
    lines = []
    for v in range(tree.num_nodes):
        length = time[v] - begin[v]
        steps = max(2, int(np.ceil(length * most)) + 1) if paths else 2
        share = np.linspace(0, 1, steps)
        walk = (
            np.concatenate([[0.0], np.cumsum(rng.normal(size=steps - 1))]) * deviation * np.sqrt(length / (steps - 1))
        )
        # A Brownian bridge: a walk, less the straight line to where it ended, plus the one to where it has to end.
        lines.append(
            np.column_stack(
                [begin[v] + share * length, first[v] + share * (values[v] - first[v]) + walk - share * walk[-1]]
            )
        )
    width = 1.1 if tree.num_leaves <= 60 else 0.6 if tree.num_leaves <= 600 else 0.3
    faint = 1.0 if tree.num_leaves <= 600 else 0.3
    axes.add_collection(
        LineCollection(lines, colors=colors, linewidths=width, alpha=faint, joinstyle="round", gid="paths")
    )
    leaves = np.arange(tree.num_leaves)
    # An item is observed with noise: not quite where its path ends.
    ends = np.column_stack([np.ones(leaves.size), values[leaves]])
    seen = np.column_stack([np.ones(leaves.size), data[:, column]])
    axes.add_collection(
        LineCollection(list(np.stack([ends, seen], axis=1)), colors=QUIET, linewidths=0.8, clip_on=False, gid="noise")
    )
    size = 16 if tree.num_leaves <= 60 else 6 if tree.num_leaves <= 600 else 2
    axes.scatter(
        np.ones(leaves.size), data[:, column], s=size, color=[colors[v] for v in leaves], zorder=3, clip_on=False
    )
    axes.plot([0], [origin], marker="o", markersize=5, color=ink(), zorder=3, clip_on=False)
    axes.autoscale_view()
    axes.set_xlim(0, 1)
    axes.set_xlabel("time")
    axes.grid(False)


def _names_at_the_end(
    axes: Axes, values: NDArray[np.float64], names: Sequence[str], colors: list[Any], *, is_given: bool
) -> None:
    """Write names to the right of the last points, moved apart where they would overlap, each joined to its point.

    In axes that are given, they stand within them.
    """
    width, height = points_of(axes)
    low, high = axes.get_ylim()
    size = max(min(8.0, 0.85 * height / len(names)), 4.0)
    places = spread_apart((values - low) / (high - low), 1.15 * size / height)
    texts = [shortened(one_line(name), LONGEST_NAME) for name in names]
    end = 1.0
    if is_given:
        texts = [shortened(text, max(6, int(0.3 * width / (0.56 * size)))) for text in texts]
        end = 1 - min(0.05 + 1.06 * max(width_of(text, size) for text in texts) / width, 0.6)
        axes.set_xlim(0, 1 / end)
        axes.set_xticks(np.linspace(0, 1, 6))
        axes.spines["bottom"].set_bounds(0, 1)
    for value, place, text, color in zip(values.tolist(), places.tolist(), texts, colors, strict=True):
        plain(
            axes.annotate(
                text,
                (1, value),
                xytext=(end + 0.05, place),
                textcoords="axes fraction",
                fontsize=size,
                color=color,
                va="center",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.5, "shrinkA": 1, "shrinkB": 3},
            )
        )


def _draw_plane(
    axes: Axes,
    tree: Tree,
    data: NDArray[np.float64],
    model: DirichletDiffusion,
    chosen: tuple[int, ...],
    columns: list[str],
    coloring: Groups | Scale | None,
    names: Sequence[str] | None,
) -> None:
    from matplotlib.collections import LineCollection

    fitted = model.for_data(data)
    means = fitted.node_means(tree, data)
    origin = np.asarray(fitted.origin, float)
    if chosen:
        places, leaves, start = means[:, chosen], data[:, chosen], origin[list(chosen)]
        axis_names = [columns[column] for column in chosen]
    else:
        center = data.mean(axis=0)
        _, lengths, directions = np.linalg.svd(data - center, full_matrices=False)
        turn = directions[:2].T
        places, leaves, start = (means - center) @ turn, (data - center) @ turn, (origin - center) @ turn
        share = lengths**2 / max(float((lengths**2).sum()), 1e-300)
        axis_names = [f"principal component {i + 1} ({share[i]:.0%} of the variance)" for i in range(turn.shape[1])]
    above = np.where((tree.parent == -1)[:, None], start, places[tree.parent])
    time = 1 - diffusion_ages(tree)
    # What parted late is drawn first: the few early edges would be hidden otherwise.
    late_first = np.argsort(-time, kind="stable")
    # Among thousands of edges the items would be lost: those are thin and pale then, and the last ones, to the items, most.
    is_crowded = tree.num_leaves > CROWDED
    is_last = time[late_first] == 1
    width = np.where(is_last, 0.7, 1.4) * (1 if tree.num_leaves <= CROWDED else 0.4)
    edges = LineCollection(
        list(np.stack([above, places], axis=1)[late_first]),
        array=time[late_first],
        cmap=time_colors(),
        linewidths=width,
        capstyle="round",
        alpha=np.where(is_last, 0.15, 0.5) if is_crowded else None,
        gid="edges",
    )
    edges.set_clim(0, 1)
    axes.add_collection(edges)
    size = 18 if tree.num_leaves <= 200 else 8 if tree.num_leaves <= 1000 else 5
    colors = _edge_colors(tree, coloring)[: tree.num_leaves]
    # An item is observed with noise: not quite where its path ends.
    faint = 0.3 if is_crowded else 1.0
    noise = np.stack([places[: tree.num_leaves], leaves], axis=1)
    axes.add_collection(
        LineCollection(list(noise), colors=QUIET, linewidths=0.5 * width.min(), gid="noise", alpha=faint)
    )
    alpha = 0.8 if is_crowded else 1.0
    axes.scatter(leaves[:, 0], leaves[:, 1], s=size, color=colors, zorder=3, linewidths=0, gid="items", alpha=alpha)
    axes.plot(*start, marker="D", markersize=5.5, color=ink(), markeredgecolor="white", zorder=4)
    axes.annotate("origin", tuple(start), xytext=(6, 5), textcoords="offset points", fontsize=8, zorder=4)
    axes.autoscale_view()
    axes.set_xlabel(axis_names[0])
    axes.set_ylabel(axis_names[1])
    axes.grid(False)
    bar = axes.figure.colorbar(edges, ax=axes, fraction=0.035, pad=0.02, aspect=30)
    bar.set_label("time at which an edge ends")
    bar.outline.set_visible(False)
    if bar.solids is not None:
        bar.solids.set_alpha(1)
    if names is not None:
        name_points(axes, leaves, names)

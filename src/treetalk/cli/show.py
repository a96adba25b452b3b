"""``treetalk show``: the tree as text."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from treetalk.cli import outcome
from treetalk.cli.options import KIND_HELP, NOT_SAMPLED, AsJson, Kind, ProjectFile
from treetalk.cli.waiting import waiting
from treetalk.cli.wording import counted
from treetalk.exporting import tree_of_kind
from treetalk.wording import one_line

if TYPE_CHECKING:
    from treetalk.tree import Tree

NUM_LINES = 60
NUM_AROUND = 20
PIPED_WIDTH, NARROWEST = 100, 40
LONGEST_TEXT = 40


def show(
    file: ProjectFile,
    depth: Annotated[int | None, typer.Option(help="Collapse what is deeper than so many levels.", min=1)] = None,
    around: Annotated[
        str | None, typer.Option(metavar="ITEM", help="Only the smallest cluster around an item, or a named cluster.")
    ] = None,
    size: Annotated[int, typer.Option(help="How many items are to be around it, at least.", min=2)] = NUM_AROUND,
    lines: Annotated[
        int, typer.Option(help="The most lines; the smallest branches are collapsed first.", min=1)
    ] = NUM_LINES,
    kind: Annotated[Kind, typer.Option(help=KIND_HELP)] = Kind.central,
    no_support: Annotated[bool, typer.Option("--no-support", help="Leave out how sure each cluster is.")] = False,
    json: AsJson = False,
) -> None:
    """Draw the hierarchy as text. Numbers on branches are how sure each cluster is, in percent.

    A branch that is collapsed says how many leaves it has, and names some. The tree is one for many: it may have a cluster
    that hardly any sampled tree has just so, with a number near 0; --kind majority leaves such clusters out, except for
    those that the answers demand.

    Example: treetalk show zoo.treetalk --depth 3

    Example: treetalk show zoo.treetalk --around lynx --size 10
    """
    from treetalk.formats import text
    from treetalk.project import open_project

    with waiting(f"Reading {file.name}"), open_project(file, read_only=True) as project:
        tree, texts = tree_of_kind(project, kind), dict(zip(project.items, project.texts, strict=True))
        is_sampled = project.session.snapshots.num_draws > 0
    if not is_sampled:
        outcome.say(NOT_SAMPLED.format(file=file))
    if around is not None:
        tree = _around(tree, around, size)
    if json:
        outcome.as_json(_nested(tree, depth, texts, with_support=not no_support))
        return
    columns = shutil.get_terminal_size(fallback=(PIPED_WIDTH, NUM_LINES)).columns
    drawn = text.draw(
        _labelled(_without_support(tree) if no_support else tree, texts),
        width=max(columns, NARROWEST),
        max_lines=lines,
        names=True,
        percents=True,
        max_depth=depth,
    )
    outcome.show(drawn)
    sure = "" if no_support or tree.support is None else ", with how sure each cluster is in percent"
    outcome.say(f"{counted(tree.num_leaves, 'item')}{sure}.")


def _around(tree: Tree, name: str, size: int) -> Tree:
    """Return the smallest clade with at least so many leaves around an item or a named node."""
    v = tree.node(name)
    while tree.sizes[v] < size and v != tree.root:
        v = int(tree.parent[v])
    return _subtree(tree, v)


def _subtree(tree: Tree, node: int) -> Tree:
    """Return what hangs below a node, with its support: the clades are the same. `Tree.restrict` keeps no support."""
    from treetalk.tree import Tree

    if node == tree.root:
        return tree
    place = int(np.flatnonzero(tree.preorder == node)[0])
    # Everything below a node follows it in preorder, up to the next node that is not deeper.
    depths = tree.depths[tree.preorder]
    after = np.flatnonzero(depths[place + 1 :] <= depths[place])
    inside = tree.preorder[place : place + 1 + int(after[0])] if after.size else tree.preorder[place:]
    kept = np.sort(inside)
    number = np.full(tree.num_nodes, -1)
    number[kept] = np.arange(len(kept))
    above = tree.parent[kept]
    leaves = kept[kept < tree.num_leaves]
    return Tree(
        np.where(kept == node, -1, number[above]),
        time=None if tree.time is None else tree.time[kept],
        items=None if tree.items is None else [tree.items[v] for v in leaves],
        support=None if tree.support is None else tree.support[kept],
        names=None if tree.names is None else [tree.names[v] for v in kept],
    )


def _labelled(tree: Tree, texts: dict[str, str | None]) -> Tree:
    """Return a tree with the text of each item, shortened, beside its id."""
    if tree.items is None or not any(texts.values()):
        return tree
    labels = []
    for item in tree.items:
        text = one_line(texts[item] or "")
        short = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
        labels.append(f"{item}: {short}" if text not in {"", item} else item)
    return tree.with_items(labels) if len(set(labels)) == len(labels) else tree


def _without_support(tree: Tree) -> Tree:
    from treetalk.tree import Tree

    return Tree(tree.parent, items=tree.items, names=tree.names)


def _nested(tree: Tree, depth: int | None, texts: dict[str, str | None], *, with_support: bool) -> dict[str, Any]:
    """Return a tree as nested dictionaries with sizes and texts, and without what is deeper than asked for."""
    from treetalk.formats.json import nested

    top = nested(tree)
    waiting = [top]
    # The records are nested in the order of the tree's preorder.
    for v in tree.preorder.tolist():
        record = waiting.pop()
        children = record.pop("children", [])
        waiting += reversed(children)
        record["size"] = int(tree.sizes[v])
        if not with_support:
            record.pop("support", None)
        if v < tree.num_leaves and texts.get(record["name"]):
            record["text"] = texts[record["name"]]
        if children and (depth is None or tree.depths[v] < depth):
            record["children"] = children
    return top

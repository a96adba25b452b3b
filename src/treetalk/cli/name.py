"""``treetalk name``: names for clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from treetalk.arguments import as_leaves, unknown_item
from treetalk.cli import outcome
from treetalk.cli.options import AsJson, ProjectFile, Who
from treetalk.cli.wording import counted, listed
from treetalk.wording import one_line

if TYPE_CHECKING:
    from treetalk.project import Project

NUM_NAMED = 20


def name(
    file: ProjectFile,
    cluster: Annotated[str | None, typer.Argument(metavar="NAME", help="The name.", show_default=False)] = None,
    items: Annotated[
        list[str] | None,
        typer.Argument(metavar="ITEM", help="Two items or more that are in the cluster.", show_default=False),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the name away.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List all names.")] = False,
    who: Who = None,
    json: AsJson = False,
) -> None:
    """Name the smallest cluster that holds some items.

    The name goes with the cluster: when the tree changes, it is on the one that is most like it.

    Example: treetalk name zoo.treetalk felines cat lynx lion

    Example: treetalk name zoo.treetalk felines --remove

    Example: treetalk name zoo.treetalk --list
    """
    from treetalk.project import open_project

    _check_usage(cluster, items, remove=remove, list_all=list_all)
    with open_project(file, read_only=list_all) as project:
        if list_all:
            _list(project, json=json)
        elif remove:
            _remove(project, cluster or "", who, json=json)
        else:
            _give(project, cluster or "", items or [], who, json=json)


def _check_usage(cluster: str | None, items: list[str] | None, *, remove: bool, list_all: bool) -> None:
    if list_all and (remove or cluster is not None):
        raise typer.BadParameter("--list takes no name and no --remove")
    if not list_all and cluster is None:
        raise typer.BadParameter("a name is needed, or --list")
    if remove and items:
        raise typer.BadParameter("--remove takes the name alone, without items")
    if not list_all and not remove and len(items or []) < 2:
        raise typer.BadParameter("a cluster is given by two items or more, after its name")


def _give(project: Project, cluster: str, items: list[str], who: str | None, *, json: bool) -> None:
    as_leaves(items, project.num_items, project.items)
    tree = project.session.tree
    leaves = tree.leaves(tree.mrca(*items)).tolist()
    for other, its_name in project.names.items():
        if its_name == cluster.strip() and other != frozenset(leaves):
            outcome.fail(
                f"{_held(project, sorted(other))} is called {its_name!r} already; --remove takes that name away"
            )
    before = project.names.get(frozenset(leaves))
    project.name_cluster(leaves, cluster, who=who)
    if json:
        outcome.as_json({"name": cluster.strip(), "items": [project.items[leaf] for leaf in leaves], "before": before})
        return
    told = f"{one_line(cluster)}: {_held(project, leaves)}"
    if before is not None and before != cluster.strip():
        told += f"; it was called {before!r} before"
    if len(leaves) == project.num_items:
        told += "; that is every item, since no smaller cluster holds those"
    outcome.show(f"{told}.")


def _remove(project: Project, cluster: str, who: str | None, *, json: bool) -> None:
    found = [leaves for leaves, its_name in project.names.items() if its_name == cluster.strip()]
    if not found:
        _unknown(project, cluster)
    for leaves in found:
        project.name_cluster(sorted(leaves), None, who=who)
    if json:
        outcome.as_json({"removed": cluster.strip(), "num_clusters": len(found)})
        return
    for leaves in found:
        outcome.show(f"{_held(project, sorted(leaves))}: no longer called {cluster.strip()!r}.")


def _unknown(project: Project, cluster: str) -> NoReturn:
    known = sorted(set(project.names.values()))
    sentence = unknown_item(cluster, known).replace("there is no item", "no cluster is called", 1)
    outcome.fail(sentence if known else f"{sentence}; none has a name")


def _list(project: Project, *, json: bool) -> None:
    names = sorted((its_name, sorted(leaves)) for leaves, its_name in project.names.items())
    if json:
        outcome.as_json([{"name": each, "items": [project.items[leaf] for leaf in leaves]} for each, leaves in names])
        return
    for each, leaves in names:
        outcome.show(f"{one_line(each)}: {_held(project, leaves)}")
    if not names:
        outcome.show("No cluster has a name yet.")


def _held(project: Project, leaves: list[int]) -> str:
    """Return what a cluster holds."""
    return f"{counted(len(leaves), 'item')} ({listed([one_line(project.items[leaf]) for leaf in leaves], NUM_NAMED)})"

"""Projects for tests, how to look into their files from outside, and how the stored files of each version were made."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

from treetalk import DirichletDiffusion, Project, open_project
from treetalk.errors import ProjectError

STORED = Path(__file__).parent / "projects"
VERSION_1, VERSION_2, VERSION_3, VERSION_4 = (STORED / f"version-{number}.treetalk" for number in (1, 2, 3, 4))
CURRENT = VERSION_4
ITEMS = ["cat", "lynx", "dog", "wolf", "eel", "trout", "crow", "owl"]
X = DirichletDiffusion().simulate(len(ITEMS), 3, seed=7)[1]
# One pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f00010501012718e3660000"
    "000049454e44ae426082"
)


def new_project(path: Path, **parts: Any) -> Project:
    return Project.create(path, X, ITEMS, **{"subset_size": 4, **parts})


def rows(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What another program reads in the file, with a connection of its own."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def change(path: Path, script: str, *values: object) -> None:
    """Another program changes the file."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        if values:
            connection.execute(script, values)
        else:
            connection.executescript(script)
        connection.commit()


def schema_of(path: Path) -> list[tuple[str, str, str]]:
    return rows(path, "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name")


def shapes(project: Project) -> list[str]:
    """Everything that a session shows, and what its chains are at, to the last digit."""
    session = project.session
    trees = [session.tree, *session.samples, *(chain.tree for chain in session.chains)]
    numbers = [repr((session.log_posterior, session.support([0, 1, 4]), [chain.info for chain in session.chains]))]
    return [tree.to_newick() for tree in trees] + numbers


def read_everything(project: Project) -> None:
    """Look at all that a project has."""
    _ = project.items, project.texts, project.more, project.X, project.feature_names, project.settings, project.names
    _ = project.records, project.holder, project.model, [project.picture(i) for i in range(project.num_items)]
    tree = project.tree
    _ = tree.to_newick(), project.conflicts, project.session.samples, project.session.diagnose()


def looked_at(path: Path, **how: bool) -> str:
    """What an attempt to open a project and to read everything comes to; other errors than of the project go through."""
    try:
        with open_project(path, **how) as project:
            read_everything(project)
    except ProjectError as error:
        return str(error)
    return "opened"


def talk_about_animals(project: Project) -> None:
    """Give an answer of every kind, some of which clash, with a name and snapshots."""
    project.advance(100, num_snapshots=10)
    query = project.ask_about(["cat", "lynx", "dog", "wolf"])
    both = [("cat", "lynx", "dog"), ("dog", "wolf", "cat")]
    project.answer(query, both, who="Ada", seconds=4.5, comment="by family", gesture="first")
    project.comment(1, "wolves are dogs, more or less", who="Ben")
    project.accept(project.ask_about(["eel", "trout", "crow"]), who="Ada", seconds=1.0)
    project.same(project.ask_about(["crow", "owl", "eel"]), who="Ben", seconds=2.0)
    project.skip(project.ask_about(["cat", "eel", "owl"]), who="Ben", seconds=9.0)
    mistake = project.answer(None, ("cat", "eel", "lynx"), who="Ben")
    project.answer(None, ("eel", "trout", "crow"), who="Ben")
    project.retract(mistake[0].id, who="Ada", comment="a slip")
    project.answer(None, ("cat", "dog", "lynx"), who="Ben", comment="clashes with the first")
    project.name_cluster(["cat", "lynx"], "felines", who="Ada")
    project.name_cluster(["eel", "trout"], "fish", who="Ben")
    project.advance(100, num_snapshots=10)
    project.answer(None, ("crow", "owl", "cat"), who="Ada")


def store_version(path: Path) -> None:
    """Make the file that is stored for a version, of which later versions must be able to make use.

    It was called once for each version, with tests/projects/version-1.treetalk by the treetalk whose files are of version 1,
    and so on; when the schema moves on, another file is stored beside these, which stay as they are.
    """
    with new_project(
        path,
        texts=["a small cat", None, "", "grey", "é, 魚", None, None, "'quoted'"],
        pictures=[(PNG, "image/png"), *[None] * 7],
        more=[{"legs": 4, "wild": False}, {"legs": 4}, {}, {}, {"legs": None, "weight": 0.5}, {}, {"legs": 2}, {}],
        feature_names=["size", "speed", "noise"],
        model={"scale": "common"},
        about={"source": "animals.csv", "notes": ["made for tests"]},
        recipe_arrays={"means": np.zeros(3)},
        seed=3,
    ) as project:
        talk_about_animals(project)
    # What was deleted, such as who worked on it, would otherwise stand in unused pages.
    change(path, "VACUUM")

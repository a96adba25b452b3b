"""Killed at any moment: nothing that was acknowledged is lost, and the file opens."""

import os
import random
import time
from pathlib import Path

import pytest

from children import Child
from projects import ITEMS, X, looked_at, new_project, rows
from treetalk import Project, open_project
from treetalk.project.making import create

NUM_KILLS = 320
KILLS_OF_ONE_FILE = 10
TARGET = [(0, 1, 2), (2, 3, 0), (4, 5, 0), (6, 7, 0), (0, 2, 4), (6, 7, 5), (0, 3, 6)]
KINDS = [
    "triplet",
    "triplet",
    "several",
    "clash",
    "accept",
    "same",
    "skip",
    "retract",
    "name",
    "save",
    "save",
    "advance",
]


def talk_on(path: Path, seed: int):
    """What a child does: everything that is written to a project, telling of each thing when it is done, not before."""

    def talk(say):
        chance = random.Random(seed)
        with open_project(path) as project:
            while True:
                say(act(project, chance))

    return talk


def act(project: Project, chance: random.Random) -> str:
    """Do something; return what is to be found in the file from now on: a table, and what is in it."""
    kind = chance.choice(KINDS)
    query = project.ask_about([0, 2, 4])
    if kind in {"triplet", "several", "clash"}:
        said = chance.sample(TARGET, {"triplet": 1, "several": 3, "clash": 1}[kind])
        if kind == "clash":
            said = [(c, b, a) for a, b, c in said]
        comment = f"{len(said)} at once, {os.getpid()} {chance.random()} " + "word " * chance.choice([0, 0, 1, 2_000])
        answers = project.answer(query, said, comment=comment)
        return "\n".join(f"answer {answer.id} triplet {answer.triplet}" for answer in answers)
    if kind in {"accept", "same", "skip"}:
        answer = getattr(project, kind)(query)
        return f"answer {answer.id} {kind} None"
    if kind == "retract":
        gone = {answer.retracts for answer in project.answers}
        left = [each.id for each in project.answers if each.triplet is not None and each.id not in gone]
        last = project.retract(chance.sample(left, min(2, len(left)))) if left else project.skip(query)
        return f"answer {last.id} {last.kind} None"
    if kind == "name":
        name = f"name-{os.getpid()}-{chance.random()}"
        project.name_cluster(chance.sample(range(len(ITEMS)), 3), name)
        return f"name {name}"
    if kind == "save":
        project.save()
        return f"saved {len(project.answers)}"
    project.advance(10)
    return "advanced"


def check_all_is_there(path: Path, said: list[str]) -> None:
    """Look into the file as another program does."""
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []
    answers = {
        number: (kind, triplet) for number, kind, *triplet in rows(path, "SELECT id, kind, a, b, c FROM answers")
    }
    assert list(answers) == list(range(len(answers)))
    at_once = "SELECT comment, count(*) FROM answers WHERE kind = 'triplet' GROUP BY comment"
    assert [comment for comment, count in rows(path, at_once) if int(comment.split()[0]) != count] == []
    names = {name for (name,) in rows(path, "SELECT name FROM names")}
    for line in said:
        what, _, rest = line.partition(" ")
        if what == "answer":
            number, kind, triplet = rest.split(" ", 2)
            found, three = answers[int(number)]
            assert (found, triplet) == (kind, str(tuple(three)) if kind == "triplet" else "None")
        elif what == "name":
            assert rest in names
        elif what == "saved":
            assert rows(path, "SELECT num_answers FROM sampling")[0][0] >= int(rest)
            assert rows(path, "SELECT count(*) FROM chains") == [(2,)]
        else:
            assert line == "advanced", line


def warm_up(path: Path) -> None:
    """Load all kernels before children are forked, which would each do so."""
    chance = random.Random(0)
    new_project(path).close()
    for _ in range(3):
        with open_project(path) as project:
            for _ in range(40):
                act(project, chance)


@pytest.mark.large
def test_whatever_was_acknowledged_is_there_after_a_kill_at_any_moment(tmp_path):
    chance = random.Random(0)
    acknowledged = within_writing = sessions = 0
    path = tmp_path / "warm.treetalk"
    warm_up(path)
    for kill in range(NUM_KILLS):
        if kill % KILLS_OF_ONE_FILE == 0:
            path = tmp_path / f"{kill}.treetalk"
            said: list[str] = []
            new_project(path).close()
        child = Child(talk_on(path, seed=kill))
        # A quarter is killed while it opens the file; the others at some moment after a few things were acknowledged.
        child.hear(chance.randrange(7) if kill % 4 else 0)
        time.sleep(chance.uniform(0, 0.008 if kill % 4 else 0.05))
        heard = child.kill()
        said += heard
        acknowledged += len(heard)
        within_writing += path.with_name(f"{path.name}-journal").exists()
        if kill % 10 == 9:
            # The hold ended with the process.
            assert looked_at(path) == "opened"
            sessions += 1
        check_all_is_there(path, said)
    assert sessions == NUM_KILLS // 10
    # Else it was no test.
    assert acknowledged > NUM_KILLS
    assert within_writing > 10


def test_a_project_that_is_killed_while_it_is_made_is_whole_or_not_there(tmp_path):
    chance = random.Random(1)

    def make(folder: Path):
        def work(say):
            for i in range(1_000):
                create(folder / f"{i}.treetalk", X, ITEMS, texts=["word " * 5_000] * len(ITEMS))
                say(str(i))

        return work

    num_made = num_unfinished = 0
    for kill in range(60):
        folder = tmp_path / str(kill)
        folder.mkdir()
        child = Child(make(folder))
        child.hear(chance.randrange(3))
        time.sleep(chance.uniform(0, 0.02))
        said = child.kill()
        made = sorted(folder.glob("[0-9]*.treetalk"))
        assert {f"{name}.treetalk" for name in said} <= {path.name for path in made}
        for path in made:
            with open_project(path, read_only=True) as project:
                assert project.X.tobytes() == X.tobytes()
                assert project.items == tuple(ITEMS)
                assert project.texts == ("word " * 5_000,) * len(ITEMS)
        num_made += len(made)
        num_unfinished += any(name.startswith(".") for name in os.listdir(folder))
    assert num_made > 10
    assert num_unfinished > 10

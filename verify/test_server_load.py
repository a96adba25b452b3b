"""Fifty people for a minute on one project: no error, and of all that was acknowledged nothing is lost or doubled.

They know the hierarchy that they want, and answer, contradict, accept, skip, take back and look as people do, each in a
window of their own. Now and then a connection is lost, and the page sends again what was not acknowledged. The server is a
process of its own. How long people wait is told at the end of the run; nothing depends on it.
"""

import contextlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np

from projects import looked_at
from serving import PATIENCE, Api, Served, new_id
from treetalk import DirichletDiffusion, Project, Query, Tree, TreeUser, open_project

SECONDS = float(os.environ.get("TREETALK_LOAD_SECONDS", "60"))
NUM_PEOPLE, NUM_LISTENERS = 50, 10
NUM_ITEMS, NUM_DIMS = 1_000, 10
THINKING = 1.0  # seconds, on average
# How often somebody does what: the rest are honest answers.
SKIPS, CONTRADICTS, TAKES_BACK, SENDS_AGAIN, LOSES_CONNECTION, LOOKS = 0.08, 0.06, 0.05, 0.06, 0.06, 0.4
TOO_SOON = 0.004  # seconds after which a connection is lost, often before the answer is there


class Gesture(NamedTuple):
    """Something that a person said: how it is sent, and what is to be recorded, answer by answer."""

    path: str
    body: dict[str, Any]
    facts: list[tuple[str, Any]]  # kind, and the triplet or the id of what is taken back


class Person:
    """Somebody with a window, who keeps in mind what was said, what was acknowledged, and how long it took."""

    def __init__(self, number: int, address: str, target: Tree) -> None:
        self._rng = np.random.default_rng([7, number])
        self._user = TreeUser(target, seed=number)
        self._api = Api(address)
        self._name = f"person {number}"
        self._latest: Gesture | None = None  # that was not taken back
        self._triplets: list[Sequence[int]] = []
        self._revision: int | None = None
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.gestures: dict[str, Gesture] = {}
        self.ids: dict[str, list[int]] = {}  # of the answers, as they were acknowledged
        self.num_sent_again = 0

    def talk(self, deadline: float) -> None:
        """Answer questions until it is time to go."""
        with self._api:
            self._think()
            question = self._ask()
            while time.monotonic() < deadline:
                self._think()
                chance = self._rng.random()
                if chance < TAKES_BACK and self._latest is not None:
                    question = self._take_back(self._latest)["question"]
                elif chance < TAKES_BACK + SENDS_AGAIN and self._latest is not None:
                    question = self._send("the same again", self._latest)["question"]
                elif chance < TAKES_BACK + SENDS_AGAIN + CONTRADICTS and self._triplets:
                    question = self._contradict()["question"]
                elif question is None:
                    question = self._ask()
                else:
                    question = self._answer(question)["question"]
                if self._rng.random() < LOOKS:
                    self._look([] if question is None else question["leaves"])

    def _think(self) -> None:
        time.sleep(self._rng.exponential(THINKING))

    def _ask(self) -> Any:
        with self._timing("question"):
            return self._api.question()

    def _answer(self, question: Any) -> Any:
        response = self._response(question)
        triplets = response if isinstance(response, list) else []
        facts = [("triplet", _as_said(triplet)) for triplet in triplets] or [(response, None)]
        body = self._api.answering(question, response, who=self._name, seconds=1.0)
        self._latest = Gesture("/answers", body, facts)
        self._triplets += triplets
        return self._send("answer", self._latest)

    def _response(self, question: Any) -> Any:
        if self._rng.random() < SKIPS:
            return "skip"
        names = [str(leaf) for leaf in question["leaves"]]
        shown = Tree(question["piece"]["parents"], items=names)
        response = self._user.respond(Query(question["kind"], question["leaves"], shown))
        if isinstance(response, str):
            return response
        return [list(response)]

    def _contradict(self) -> Any:
        """Say the contrary of something that was said before, unasked."""
        a, b, c = self._triplets[self._rng.integers(len(self._triplets))]
        body = self._api.answering(None, [[a, c, b]], who=self._name)
        self._latest = Gesture("/answers", body, [("triplet", _as_said((a, c, b)))])
        return self._send("answer", self._latest)

    def _take_back(self, gesture: Gesture) -> Any:
        said = gesture.body["gesture"]
        body = {"gesture": new_id(), "window": self._api.window, "who": self._name, "takes_back": said}
        self._latest = None
        return self._send("taking back", Gesture("/retractions", body, [("retract", each) for each in self.ids[said]]))

    def _send(self, kind: str, gesture: Gesture) -> Any:
        if self._rng.random() < LOSES_CONNECTION:
            self.num_sent_again += 1
            with contextlib.suppress(httpx.TimeoutException):
                self._api.post(gesture.path, json=gesture.body, timeout=TOO_SOON)
        with self._timing(kind):
            answered = self._api.give(gesture.path, **gesture.body)
        name, ids = gesture.body["gesture"], [answer["id"] for answer in answered["answers"]]
        self.gestures[name] = gesture
        assert self.ids.setdefault(name, ids) == ids
        return answered

    def _look(self, mark: list[int]) -> None:
        with self._timing("tree"):
            seen = self._api.tree(mark=mark, since=self._revision)
        self._revision = seen["revision"]

    @contextlib.contextmanager
    def _timing(self, kind: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[kind].append(time.perf_counter() - start)


def _as_said(triplet: Sequence[int]) -> tuple[int, int, int]:
    """A triplet, whichever of the two that belong together is named first."""
    a, b, c = triplet
    return min(a, b), max(a, b), c


class Listener:
    """A page that listens to the events, and knows how far things are."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.num_events = 0

    def listen(self, num_records: Future[int]) -> None:
        """Listen until everybody has gone and all that was recorded was told."""
        state: dict[str, Any] = {}
        with Api(self._address) as api, api.stream("GET", "/events") as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    state = json.loads(line.removeprefix("data: "))
                    self.num_events += 1
                if num_records.done() and state["num_records"] == num_records.result():
                    return
        raise AssertionError("the server stopped to tell events")


def test_fifty_people_for_a_minute_lose_nothing_and_double_nothing(tmp_path, report):
    path = tmp_path / "load.treetalk"
    target, X = DirichletDiffusion().simulate(NUM_ITEMS, NUM_DIMS, seed=3)
    Project.create(path, X, [str(number) for number in range(NUM_ITEMS)], seed=3).close()
    target = target.with_items([str(number) for number in range(NUM_ITEMS)])
    server = Served(path, 0)
    try:
        people = [Person(number, server.address, target) for number in range(NUM_PEOPLE)]
        listeners = [Listener(server.address) for _ in range(NUM_LISTENERS)]
        num_records: Future[int] = Future()
        start = time.monotonic()
        with ThreadPoolExecutor(NUM_PEOPLE + NUM_LISTENERS) as pool:
            listening = [pool.submit(listener.listen, num_records) for listener in listeners]
            talking = [pool.submit(person.talk, start + SECONDS) for person in people]
            try:
                for each in talking:
                    each.result()
            finally:
                took = time.monotonic() - start
                num_records.set_result(sum(len(ids) for person in people for ids in person.ids.values()))
            for listened in listening:
                listened.result(timeout=PATIENCE)
        with Api(server.address) as api:
            state = api.look("/state")
        assert server.interrupt() == 0
    finally:
        server.kill()
    assert state["sampling"]["state"] != "failed"
    assert all(person.ids for person in people)
    assert all(listener.num_events > 1 for listener in listeners)
    _compare(path, people)
    _tell(people, listeners, took, state, report)


def _compare(path: Path, people: list[Person]) -> None:
    """What is in the project is what was acknowledged, each gesture once, with what was said in it."""
    gestures = {name: gesture for person in people for name, gesture in person.gestures.items()}
    ids = {name: numbers for person in people for name, numbers in person.ids.items()}
    assert looked_at(path, read_only=True) == "opened"
    recorded: dict[str | None, list[Any]] = defaultdict(list)
    with open_project(path, read_only=True) as project:
        for record in project.records:
            recorded[record.gesture].append(record.answer)
        assert project.tree.satisfies(project.session.triplets).all()
    assert {name: [answer.id for answer in answers] for name, answers in recorded.items()} == ids
    for name, gesture in gestures.items():
        facts = [
            (answer.kind, answer.retracts if answer.triplet is None else _as_said(answer.triplet))
            for answer in recorded[name]
        ]
        assert facts == gesture.facts


def _tell(
    people: list[Person], listeners: list[Listener], took: float, state: Any, report: Callable[[str], None]
) -> None:
    num_gestures = sum(len(person.ids) for person in people)
    report(
        f"load, {NUM_PEOPLE} people, {NUM_ITEMS:,} items, {took:.0f} s: {num_gestures:,} gestures recorded once each "
        f"({num_gestures / took:.1f} a second), {sum(person.num_sent_again for person in people)} connections lost, "
        f"{state['set_aside']} answers set aside, {sum(each.num_events for each in listeners):,} events heard"
    )
    for kind in sorted({kind for person in people for kind in person.seconds}):
        seconds = np.concatenate([person.seconds[kind] for person in people])
        p50, p95, p99 = 1000 * np.percentile(seconds, [50, 95, 99])
        report(f"load, {kind}: {len(seconds):,} times, p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms")

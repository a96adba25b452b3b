"""Fifty people for a minute on one project: no error, and of all that was acknowledged nothing is lost or doubled.

They know the hierarchy that they want, and answer, contradict, accept, skip, take back and look as people do, each in a
window of their own. Now and then a connection is lost, and the page sends again what was not acknowledged. The server is a
process of its own. How long people wait is told at the end of the run; nothing depends on it.
"""

import contextlib
import json
import os
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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


class Person:
    """Somebody with a window, who keeps in mind what was acknowledged, and how long it took."""

    def __init__(self, number: int, address: str, target: Tree) -> None:
        self._rng = np.random.default_rng([7, number])
        self._user = TreeUser(target, seed=number)
        self._api = Api(address)
        self._name = f"person {number}"
        self._latest: tuple[str, dict[str, Any]] | None = None
        self._revision: int | None = None
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.said: dict[str, tuple[str, list[Any]]] = {}  # by gesture: the kind, and triplets or what was taken back
        self.ids: dict[str, list[int]] = {}
        self.taken_back: set[str] = set()

    def talk(self, deadline: float) -> None:
        with self._api:
            self._think()
            question = self._timed("question", lambda: self._api.question())
            while time.monotonic() < deadline:
                self._think()
                chance = self._rng.random()
                if chance < TAKES_BACK and self._latest is not None:
                    question = self._take_back() or question
                elif chance < TAKES_BACK + SENDS_AGAIN and self._latest is not None:
                    self._acknowledged(self._timed("the same again", lambda: self._api.give(*_apart(self._latest))))
                elif question is not None:
                    question = self._answer(question)
                else:
                    question = self._timed("question", lambda: self._api.question())
                if self._rng.random() < LOOKS:
                    self._look(question)

    def _think(self) -> None:
        time.sleep(self._rng.exponential(THINKING))

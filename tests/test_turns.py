"""Who may use the session: one at a time, and people before the sampler."""

import threading
import time

from serving import wait_until
from treetalk.server.turns import Turns


def test_one_has_a_turn_at_a_time():
    turns, inside, most = Turns(), 0, 0
    watching = threading.Lock()

    def work(turn):
        nonlocal inside, most
        for _ in range(200):
            with turn():
                with watching:
                    inside += 1
                    most = max(most, inside)
                with watching:
                    inside -= 1

    threads = [threading.Thread(target=work, args=(turn,)) for turn in (turns.person, turns.person, turns.background)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_people_come_before_work_in_the_background():
    turns, came = Turns(), []
    begun = threading.Event()

    def wait_for_turn(turn, name):
        begun.set()
        with turn():
            came.append(name)

    with turns.person():
        threads = []
        for turn, name in ((turns.background, "sampler"), (turns.person, "Ada"), (turns.person, "Ben")):
            begun.clear()
            threads.append(threading.Thread(target=wait_for_turn, args=(turn, name)))
            threads[-1].start()
            begun.wait()
            time.sleep(0.05)  # until it waits
    for thread in threads:
        thread.join()
    assert came[-1] == "sampler"
    assert sorted(came[:2]) == ["Ada", "Ben"]


def test_a_sampler_that_never_pauses_keeps_nobody_out():
    turns, stop, num_slices = Turns(), False, 0

    def sample():
        nonlocal num_slices
        while not stop:
            with turns.background():
                num_slices += 1
                time.sleep(0.002)

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        wait_until(lambda: num_slices > 2)
        for _ in range(20):
            before = num_slices
            with turns.person():
                # The slice that was under way when the person came, and at most one that had begun to wait no longer.
                assert num_slices - before <= 2
    finally:
        stop = True
        thread.join()


def test_a_turn_ends_also_when_what_was_done_in_it_fails():
    turns = Turns()
    for turn in (turns.person, turns.background):
        try:
            with turn():
                raise ValueError("no")
        except ValueError:
            pass
    with turns.person():
        pass

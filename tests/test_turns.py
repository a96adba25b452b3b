"""Who may use the session: one at a time, and people before the sampler."""

import threading
import time

import pytest

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

    def wait_for_turn(turn, name):
        with turn():
            came.append(name)

    with turns.person():
        threads = []
        for turn, name in ((turns.background, "sampler"), (turns.person, "Ada"), (turns.person, "Ben")):
            threads.append(threading.Thread(target=wait_for_turn, args=(turn, name)))
            threads[-1].start()
        wait_until(lambda: len(turns._people) == 2 and len(turns._background) == 1)
        turns._background[0].since = time.monotonic()  # it has only just come
    for thread in threads:
        thread.join()
    assert came[-1] == "sampler"
    assert sorted(came[:2]) == ["Ada", "Ben"]


def test_a_sampler_that_never_pauses_keeps_nobody_out():
    turns, stop, num_slices = Turns(), False, 0

    def sample():
        nonlocal num_slices
        while not stop:
            with turns.spare(1.0) as is_mine:
                num_slices += is_mine
                time.sleep(0.002)

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        wait_until(lambda: num_slices > 2)
        for _ in range(20):
            before = num_slices
            with turns.person():
                # The slice that was under way when the person came, and one that came just before.
                assert num_slices - before <= 2
    finally:
        stop = True
        thread.join()


def test_those_who_came_first_have_their_turn_first():
    turns, came = Turns(), []

    def wait_for_turn(name):
        with turns.person():
            came.append(name)

    with turns.person():
        threads = [threading.Thread(target=wait_for_turn, args=(name,)) for name in range(8)]
        for number, thread in enumerate(threads, 1):
            thread.start()
            wait_until(lambda count=number: len(turns._people) == count)
    for thread in threads:
        thread.join()
    assert came == list(range(8))


def test_what_people_wait_to_see_gets_its_turn_however_many_they_are():
    turns, stop, shown = Turns(), False, 0

    def answer():
        while not stop:
            with turns.person():
                time.sleep(0.005)

    threads = [threading.Thread(target=answer) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3):
            with turns.background():
                shown += 1
    finally:
        stop = True
        for thread in threads:
            thread.join()
    assert shown == 3


def test_spare_time_is_taken_only_where_there_is_some():
    turns = Turns()
    with turns.spare(0.01) as is_mine:
        assert is_mine
        with turns.spare(0.01) as is_mine_too:
            assert not is_mine_too
    with turns.person(), turns.spare(0.01) as is_mine:
        assert not is_mine
    with turns.person():
        pass


@pytest.mark.parametrize("door", ["person", "background"])
def test_a_turn_ends_also_when_what_was_done_in_it_fails(door):
    turns = Turns()
    with pytest.raises(ValueError, match="no"), getattr(turns, door)():
        raise ValueError("no")
    with turns.spare(0.01) as is_mine:
        assert is_mine

"""Progress, told to whoever shows it."""

from treetalk.progress import Progress, progress_told_to


def test_a_listener_is_told_of_every_step_until_it_is_taken_away():
    told = []
    with progress_told_to(lambda *told_of: told.append(told_of)), Progress(5, "Reading") as progress:
        progress.advance(2)
        with progress_told_to(lambda *_: None):
            progress.advance(1)
        progress.advance(2)
    with Progress(3, "Reading") as later:
        later.advance(1)
    assert told == [("Reading", 2, 5), ("Reading", 5, 5)]

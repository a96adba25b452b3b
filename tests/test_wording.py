"""Lists of problems as one sentence."""

import pytest

from treetalk.wording import in_one_sentence


@pytest.mark.parametrize(
    ("problems", "sentence"),
    [
        (["no 'x'; did you mean 'y'?"], "no 'x'; did you mean 'y'?"),
        (["no 'x'; did you mean 'y'?", "c is empty"], "no 'x'; did you mean 'y'; c is empty"),
        (["c is empty", "no 'x'; did you mean 'y'?"], "c is empty; no 'x'; did you mean 'y'?"),
        (["no 'x'; did you mean 'y'?", "1", "2", "3"], "no 'x'; did you mean 'y'; 1; and 2 more"),
    ],
)
def test_a_question_keeps_its_mark_only_at_the_end(problems, sentence):
    assert in_one_sentence(problems, 2) == sentence

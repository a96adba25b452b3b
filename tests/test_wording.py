"""Lists of problems as one sentence, and texts as they are searched in."""

import pytest

from treetalk.wording import folded, in_one_sentence


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


@pytest.mark.parametrize(
    ("text", "found"),
    [("Ångström's fern", "angstrom's fern"), ("STRASSE", "straße"), ("Ελλάς", "ΕΛΛΑΣ"), ("한글", "한글")],
)
def test_a_search_minds_neither_capitals_nor_accents(text, found):
    assert folded(text) == folded(found)

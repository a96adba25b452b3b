"""What is shown of an item: a label, its text, and where its picture is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treetalk.wording import folded, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treetalk.project import Project

LONGEST_LABEL, LONGEST_TEXT = 120, 2_000
NUM_COLUMNS = 5


class Cards:
    """The items of a project as the page shows them.

    Parameters
    ----------
    project : Project
        The project.
    identity : str
        Its id: browsers keep pictures for a while, and another project may have others at the same addresses.
    """

    def __init__(self, project: Project, identity: str) -> None:
        self._identity = identity
        self._with_picture = project.with_pictures
        # Where ids are mere numbers, the text says more.
        are_numbers = all(item.isdigit() for item in project.items)
        self.labels: list[str] = []
        self.texts: list[str | None] = []
        for item, given, more in zip(project.items, project.texts, project.more, strict=True):
            text = given or _in_brief(more)
            is_telling = bool(text and text.strip() and text != item)
            label = one_line(text if are_numbers and is_telling and text else item)
            is_cut = len(label) > LONGEST_LABEL
            self.labels.append(f"{label[: LONGEST_LABEL - 1]}…" if is_cut else label)
            says_more = text if is_telling and (not are_numbers or is_cut) else None
            self.texts.append(None if says_more is None else says_more[:LONGEST_TEXT])
        self._folded = [folded(f"{item}\n{text or ''}") for item, text in zip(self.labels, self.texts, strict=True)]

    @property
    def has_pictures(self) -> bool:
        """Whether some item has a picture."""
        return bool(self._with_picture)

    @property
    def has_texts(self) -> bool:
        """Whether some item has a text beside its label."""
        return any(text is not None for text in self.texts)

    def card(self, number: int) -> dict[str, Any]:
        """Return an item as the page shows it."""
        picture = f"/api/v1/items/{number}/picture?of={self._identity}" if number in self._with_picture else None
        return {"number": number, "label": self.labels[number], "text": self.texts[number], "picture": picture}

    def cards(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        """Return several items."""
        return [self.card(number) for number in numbers]

    def pictures(self, numbers: Iterable[int]) -> list[str]:
        """Return where the images of some items are, of those that have one."""
        return [self.card(number)["picture"] for number in numbers if number in self._with_picture]

    def found(self, words: str, limit: int) -> tuple[list[dict[str, Any]], int]:
        """Return items with some words in their label or text, those first that begin with them, and how many there are."""
        wanted = folded(words.strip())
        if not wanted:
            return [], 0
        numbers = [number for number, text in enumerate(self._folded) if wanted in text]
        numbers.sort(key=lambda number: (not self._folded[number].startswith(wanted), number))
        return self.cards(numbers[:limit]), len(numbers)


def _in_brief(more: dict[str, Any]) -> str | None:
    """Return the first further columns of an item in a line, for items that have no text."""
    told = [(name, value) for name, value in more.items() if value not in (None, "")]
    return " · ".join(f"{name} {value}" for name, value in told[:NUM_COLUMNS]) or None

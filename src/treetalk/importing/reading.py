"""Texts and pixels as features: the words of a text, weighted, and the shapes in a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.importing.components import Components, components_of, with_signs
from treetalk.importing.groups import Group
from treetalk.importing.steps import Arrays, Given, Record, unit_from
from treetalk.importing.units import Unit, unit_of
from treetalk.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = r"(?u)\b[^\W\d_]{2,}\b"  # two letters or more, in any language
MOST_WORDS = 50_000
FEWEST_WORDS = 10  # shared by two texts; with fewer, words of a single text count as well
FEWEST_TEXTS_FOR_COMMON = 20  # from so many texts on, a word that is in more than half of them says nothing
LEAST_SHARE = 1e-9


class Text:
    """A column of texts, as components of their weighted words (TF-IDF)."""

    def __init__(
        self,
        group: Group,
        names: tuple[str, ...],
        vocabulary: tuple[str, ...],
        weights: NDArray[np.float64],
        directions: NDArray[np.float64],
        unit: Unit,
    ) -> None:
        self.group, self.names, self.vocabulary, self.weights = group, names, vocabulary, weights
        self.directions, self.unit = directions, unit

    @classmethod
    def learn(cls, group: Group, given: Given, dimensions: int, seed: int, notes: list[str]) -> Text | None:
        """Learn from the rows; None if the texts share no words by which they differ."""
        texts = _texts(group, given)
        found = _vocabulary(texts)
        if found is None:
            notes.append(
                f"Column {group.name!r} has no words by which its texts could be told apart, so it is not used."
            )
            return None
        vocabulary, weights = found
        matrix = _weighted(texts, vocabulary, weights)
        wordless = np.diff(matrix.indptr) == 0
        if wordless.any():
            which = "1 text has" if wordless.sum() == 1 else f"{wordless.sum()} texts have"
            notes.append(f"Column {group.name!r}: {which} no word that counts ({given.table.first_of(wordless)}).")
        directions = _directions(matrix, min(dimensions, len(texts), len(vocabulary)), seed)
        values = np.asarray(matrix @ directions.T)
        differs = np.ptp(values, axis=0) > LEAST_SHARE
        if not differs.any():
            notes.append(
                f"Column {group.name!r} has no words by which its texts could be told apart, so it is not used."
            )
            return None
        directions, values = directions[differs], values[:, differs]
        names = tuple(f"{group.name} {place + 1}" for place in range(len(directions)))
        read = f"{counted(len(vocabulary), 'word')}, reduced to {counted(len(names), 'component')}"
        notes.append(f"Column {group.name!r} was read: {read}.")
        return cls(group, names, vocabulary, weights, directions, unit_of(values, is_shared=True))

    def features(self, given: Given) -> NDArray[np.float64]:
        """Return the features of the rows; a text without any known word is taken as empty."""
        matrix = _weighted(_texts(self.group, given), self.vocabulary, self.weights)
        return self.unit.apply(np.asarray(matrix @ self.directions.T))

    def to_record(self) -> Record:
        """Return what was learned as a dict that JSON can hold and named arrays."""
        arrays: Arrays = {"weights": self.weights, "directions": self.directions, **self.unit._asdict()}
        return {"vocabulary": list(self.vocabulary)}, arrays

    @classmethod
    def from_record(cls, group: Group, names: tuple[str, ...], record: Mapping[str, Any], arrays: Arrays) -> Text:
        """Return the step of a record."""
        vocabulary = tuple(record["vocabulary"])
        return cls(group, names, vocabulary, arrays["weights"], arrays["directions"], unit_from(arrays))


class Pixels:
    """Pictures, as principal components of the pixels of tiny copies."""

    def __init__(self, group: Group, names: tuple[str, ...], is_grey: bool, components: Components, unit: Unit) -> None:
        self.group, self.names, self.is_grey = group, names, is_grey
        self.components, self.unit = components, unit

    @classmethod
    def learn(cls, group: Group, given: Given, dimensions: int, seed: int, notes: list[str]) -> Pixels | None:
        """Learn from the rows; None if all pictures are the same."""
        pictures = given.pictures
        assert pictures is not None, "a group of pixels has pictures"
        there = pictures.has_picture
        is_grey = pictures.keep(there).is_grey
        values = pictures.features(is_grey)
        components = components_of(values[there], dimensions, seed) if there.sum() > 1 else None
        if components is None:
            notes.append("The pictures are all the same, so they are not used.")
            return None
        if not there.all():
            number = int((~there).sum())
            rows = "1 row has" if number == 1 else f"{number} rows have"
            first = given.table.first_of(~there)
            notes.append(f"Column {group.columns[0]!r}: {rows} no picture ({first}); the mean one is taken.")
        names = tuple(f"{group.name} {place + 1}" for place in range(len(components.directions)))
        colours = "in shades of grey" if is_grey else "in colour"
        notes.append(
            f"Pictures were looked at {colours}, at 32 by 32 pixels, reduced to {counted(len(names), 'component')}."
        )
        return cls(group, names, is_grey, components, unit_of(components.apply(values[there]), is_shared=True))

    def features(self, given: Given) -> NDArray[np.float64]:
        """Return the features of the rows; a row without a picture has those of the mean picture."""
        assert given.pictures is not None, "a group of pixels has pictures"
        values = self.components.apply(given.pictures.features(self.is_grey))
        values[~given.pictures.has_picture] = 0.0
        return self.unit.apply(values)

    def to_record(self) -> Record:
        """Return what was learned as a dict that JSON can hold and named arrays."""
        return {"is_grey": self.is_grey}, {**self.components._asdict(), **self.unit._asdict()}

    @classmethod
    def from_record(cls, group: Group, names: tuple[str, ...], record: Mapping[str, Any], arrays: Arrays) -> Pixels:
        """Return the step of a record."""
        components = Components(arrays["mean"], arrays["directions"])
        return cls(group, names, bool(record["is_grey"]), components, unit_from(arrays))


def _directions(matrix: Any, number: int, seed: int) -> NDArray[np.float64]:
    """Return the directions in the space of words along which texts differ most, in rows."""
    if matrix.shape[1] == 1:
        return np.ones((1, 1))  # of a single word there is nothing to decompose
    from sklearn.decomposition import TruncatedSVD

    with np.errstate(invalid="ignore", divide="ignore"):  # the share of what texts differ in, where they do not
        decomposition = TruncatedSVD(number, random_state=seed).fit(matrix)
    strength = decomposition.singular_values_
    return with_signs(decomposition.components_[strength > LEAST_SHARE * strength[0]])


def _texts(group: Group, given: Given) -> list[str]:
    return [text or "" for text in given.cells[group.columns[0]].strings]


def _vocabulary(texts: list[str]) -> tuple[tuple[str, ...], NDArray[np.float64]] | None:
    """Return the words that count and their weights: rare ones weigh more."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    most = 0.5 if len(texts) >= FEWEST_TEXTS_FOR_COMMON else 1.0
    found = None
    for least in (2, 1):
        vectorizer = TfidfVectorizer(token_pattern=WORD, min_df=least, max_df=most, max_features=MOST_WORDS)
        try:
            vectorizer.fit(texts)
        except ValueError:  # scikit-learn's way to say that no word is left
            continue
        vocabulary = tuple(vectorizer.get_feature_names_out().tolist())
        if found is None or len(found[0]) < FEWEST_WORDS:
            found = vocabulary, np.asarray(vectorizer.idf_, np.float64)
        if len(vocabulary) >= FEWEST_WORDS:
            break
    return found


def _weighted(texts: list[str], vocabulary: tuple[str, ...], weights: NDArray[np.float64]) -> Any:
    """Return the weighted words of the texts as a sparse matrix whose rows have length 1, or 0 without any word."""
    from scipy.sparse import diags_array
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    counts = CountVectorizer(token_pattern=WORD, vocabulary=list(vocabulary), dtype=np.float64).transform(texts).tocsr()
    # The tenth occurrence of a word says less than the first.
    counts.data = 1.0 + np.log(counts.data)
    return normalize((counts @ diags_array(weights)).tocsr())

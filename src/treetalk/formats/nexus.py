"""NEXUS files, as far as they hold trees: the TREES block with its TRANSLATE table. Other blocks are passed over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from treetalk.arguments import Items
from treetalk.errors import FormatError
from treetalk.formats.newick import parse_tree, quoted, written
from treetalk.formats.source import Source
from treetalk.tree import Tree, as_tree

# A quoted word, a word, or a single character of punctuation.
_TOKEN = re.compile(rb"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\s\[\]'"=,;]+|[=,;'"\[]""")
_PLAIN_WORD = re.compile(r"[\w.]+")
_BRACKET = re.compile(rb"[\[\]]")
_END = re.compile(rb"\bend(?:block)?\s*;", re.IGNORECASE)


def is_nexus(source: Source) -> bool:
    """Return whether a text says of itself that it is NEXUS."""
    return re.match(rb"\s*#NEXUS\b", source.data, re.IGNORECASE) is not None


def parse_trees(source: Source, items: Items | None = None) -> Iterator[Tree]:
    """Yield the trees of a NEXUS text, one after the other."""
    reader = _Reader(source)
    num_blocks = 0
    while (word := reader.next_word()) is not None:
        if word.upper() != "BEGIN":
            continue
        block = reader.next_word() or ""
        start = reader.position
        if reader.next_word() != ";":
            raise source.error(start, f"BEGIN {block} is not followed by ';'", skip_blank=True)
        if block.upper() == "TREES":
            num_blocks += 1
            yield from _trees_block(reader, items)
        else:
            reader.skip_block(block)
    if num_blocks == 0:
        raise FormatError("the file has no TREES block", source=source.name)


def _trees_block(reader: _Reader, items: Items | None) -> Iterator[Tree]:
    translate: dict[str, str] = {}
    begin = reader.position
    num_trees = 0
    while True:
        start = reader.position
        word = reader.next_word()
        if word is None:
            raise reader.source.error(start, "the TREES block has no END;", skip_blank=True)
        command = word.upper()
        if command in {"END", "ENDBLOCK"}:
            reader.skip_command()
            if num_trees == 0:
                raise reader.source.error(begin, "the TREES block has no TREE command", skip_blank=True)
            return
        if command == "TRANSLATE":
            translate = reader.translate_table()
        elif command in {"TREE", "UTREE"}:
            reader.skip_to_equals()
            tree, reader.position = parse_tree(reader.source, reader.position, items, translate)
            num_trees += 1
            yield tree
        elif command != ";":
            reader.skip_command()


class _Reader:
    """Words of a NEXUS text, from a position that the tree parser moves too."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.position = 0

    def next_word(self) -> str | None:
        """Return the next word, with its quotes if it has them, None at the end."""
        while (found := _TOKEN.search(self.source.data, self.position)) is not None:
            self.position = found.end()
            word = found[0].decode()
            if word == "[":
                self._skip_comment(found.start())
                continue
            if word in {"'", '"'}:
                raise self.source.error(found.start(), "a quoted name begins here and does not end")
            return word
        return None

    def _skip_comment(self, start: int) -> None:
        num_open = 1
        for found in _BRACKET.finditer(self.source.data, self.position):
            num_open += 1 if found[0] == b"[" else -1
            if num_open == 0:
                self.position = found.end()
                return
        raise self.source.error(start, "a comment begins here and does not end")

    def skip_command(self) -> None:
        """Go on after the next semicolon."""
        start = self.position
        while (word := self.next_word()) != ";":
            if word is None:
                raise self.source.error(start, "a command without ';' at its end")

    def skip_block(self, block: str) -> None:
        """Go on after the END of a block that is of no interest, whatever its words mean."""
        found = _END.search(self.source.data, self.position)
        if found is None:
            raise self.source.error(self.position, f"the {block.upper()} block has no END;", skip_blank=True)
        self.position = found.end()

    def skip_to_equals(self) -> None:
        """Go on after the '=' between the name of a tree and the tree."""
        start = self.position
        while (word := self.next_word()) != "=":
            if word is None or word == ";":
                raise self.source.error(start, "a TREE command without '='", skip_blank=True)

    def translate_table(self) -> dict[str, str]:
        """Return the names that stand for the labels in the trees."""
        table: dict[str, str] = {}
        while True:
            start = self.position
            words: list[str] = []
            while (word := self.next_word()) not in {",", ";", None}:
                words.append(str(word))
            if word is None:
                raise self.source.error(start, "the TRANSLATE command has no ';' at its end", skip_blank=True)
            if len(words) == 2:
                label, name = map(_unquoted, words)
                if label in table:
                    raise self.source.error(start, f"TRANSLATE gives the label {label!r} twice", skip_blank=True)
                table[label] = name
            elif words:
                raise self.source.error(
                    start,
                    f"an entry of TRANSLATE has a label and a name; this one has {len(words)} words",
                    skip_blank=True,
                )
            if word == ";":
                return table


def _unquoted(word: str) -> str:
    quote = word[0]
    return word[1:-1].replace(quote * 2, quote) if quote in "'\"" else word


def to_nexus(trees: Iterable[Tree], *, node_labels: str = "both") -> Iterator[str]:
    """Yield the lines of a NEXUS file with these trees, which need not have the same leaves.

    Where a name needs quotes, a TRANSLATE table has the names of all items, and the trees have numbers: some readers of
    NEXUS, Biopython among them, do not know quotes within a tree.
    """
    several = [as_tree(tree) for tree in trees]
    numbers: dict[str, int] = {}
    for tree in several:
        for item in tree.items or ():
            numbers.setdefault(item, len(numbers) + 1)
    # Leaves without names are written as their numbers, which must not mean other leaves by the table.
    is_translated = all(tree.items is not None for tree in several) and any(quoted(item) != item for item in numbers)
    yield "#NEXUS\n"
    yield "begin trees;\n"
    if is_translated:
        yield "  translate\n"
        yield ",\n".join(f"    {number} {_quoted_in_table(item)}" for item, number in numbers.items())
        yield "\n  ;\n"
    for count, tree in enumerate(several, 1):
        items = tree.items or tuple(map(str, range(tree.num_leaves)))
        labels = [str(numbers[item]) if is_translated else quoted(item) for item in items]
        yield f"  tree tree_{count} = [&R] {written(tree, labels, node_labels, in_nexus=True)}\n"
    yield "end;\n"


def _quoted_in_table(item: str) -> str:
    """Return a name in quotes unless it is a plain word: outside of trees, NEXUS takes a hyphen for punctuation too."""
    return item if _PLAIN_WORD.fullmatch(item) else "'" + item.replace("'", "''") + "'"

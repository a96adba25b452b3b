"""What the tests claim, in their own words: the name of a test is a sentence, and a file of tests says what it is for.

The files are read, not run. What the last ``make verify`` found is shown where it was kept.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence" / "right.md"
VERIFIED = ROOT / "docs" / "measured" / "verify.json"


class Sentence(NamedTuple):
    """What a test claims.

    Attributes
    ----------
    words : str
        The name of the test as a sentence.
    is_property : bool
        Whether it is tried with many generated inputs.
    is_repeated : bool
        Whether it is run for several cases.
    """

    words: str
    is_property: bool
    is_repeated: bool


def tests_of(file: str) -> list[Sentence]:
    """Return what the tests of a file claim, in their order."""
    found = []
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            marks = " ".join(ast.unparse(each) for each in node.decorator_list)
            words = node.name.removeprefix("test_").replace("_", " ")
            found.append((node.lineno, Sentence(words, "given(" in marks, "parametrize(" in marks)))
    return [sentence for _, sentence in sorted(found)]


def about(file: str) -> str:
    """Return the first paragraph of what a file says that it is for."""
    words = ast.get_docstring(ast.parse((ROOT / file).read_text(encoding="utf-8"))) or ""
    return " ".join(words.split("\n\n")[0].split()).replace("``", "`")


def files_like(*patterns: str) -> list[str]:
    """Return the files that patterns such as "tests/test_importing*.py" name; each pattern must name some."""
    found: dict[str, None] = {}
    for pattern in patterns:
        some = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))
        if not some:
            raise ValueError(f"no file is called {pattern}")
        found |= dict.fromkeys(some)
    return list(found)


def claimed() -> set[str]:
    """Return the files of tests that stand under a claim of the page."""
    text = PAGE.read_text(encoding="utf-8")
    return {file for names in re.findall(r"\{generated\} evidence (.+)", text) for file in files_like(*names.split())}


def rest() -> str:
    """Return the sentences of all files of tests that stand under no claim."""
    return sentences(*(file for file in files_like("tests/test_*.py", "verify/test_*.py") if file not in claimed()))


def sentences(*patterns: str) -> str:
    """Return the sentences of some files of tests, each file in a part that opens."""
    parts = []
    for file in files_like(*patterns) if patterns else []:
        claims = tests_of(file)
        if not claims:
            raise ValueError(f"{file} has no tests")
        items = "\n".join(f"- {_told(claim)}" for claim in claims)
        count = f"{len(claims)} tests" if len(claims) > 1 else "one test"
        parts.append(f"::::{{dropdown}} `{file}`, {count}\n{_plain(about(file))}\n\n{items}\n::::")
    return "\n\n".join(parts)


def _told(claim: Sentence) -> str:
    words = claim.words[0].upper() + claim.words[1:] + "."
    ways = [
        way for way, holds in (("generated inputs", claim.is_property), ("several cases", claim.is_repeated)) if holds
    ]
    return f"{words} *({', '.join(ways)})*" if ways else words


def _plain(text: str) -> str:
    """Return text in which Markdown sees no emphasis and no links by mistake."""
    return text.replace("*", "\\*").replace("[", "\\[").replace("_", "\\_") if "`" not in text else text


def last_verified() -> str:
    """Return what the last ``make verify`` found, file by file and line by line."""
    if not VERIFIED.exists():
        return "No results are kept in this checkout: `make verify` makes them, and keeps them for this page.\n"
    kept = json.loads(VERIFIED.read_text(encoding="utf-8"))
    rows = [
        f"| `{file}` | {counts.get('passed', 0)} | {counts.get('failed', 0)} | {counts.get('skipped', 0)} |"
        for file, counts in sorted(kept["outcomes"].items())
    ]
    versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
    lines = "\n".join(f"- {_plain(line)}" for line in kept["lines"])
    return (
        f"The last run ended on {kept['date']}, on {kept['cores']} cores, with {versions}.\n\n"
        "| file | passed | failed | skipped |\n| --- | ---: | ---: | ---: |\n" + "\n".join(rows) + "\n\n"
        f"::::{{dropdown}} What it measured\n{lines}\n::::\n"
    )

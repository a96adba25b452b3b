"""The pages of the documentation, as tests look at them: their code, their links, and the names that they document."""

import ast
import contextlib
import importlib
import inspect
import io
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

# The writers of generated pages; the documentation's folder of extensions is no package.
sys.path.append(str(DOCS / "_ext"))
commandline, evidence, fields, generated, http_api, layers, measured, notebook_pages, references = map(
    importlib.import_module,
    (
        "commandline",
        "evidence",
        "fields",
        "generated",
        "http_api",
        "layers",
        "measured",
        "notebook_pages",
        "references",
    ),
)

PAGES = sorted(path for path in DOCS.rglob("*.md") if not {"_build", "_ext"} & set(path.relative_to(DOCS).parts))
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1\n(?:\n*```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^\.\. auto(class|function|exception|module):: (\S+)$", re.MULTILINE)


class Cell(NamedTuple):
    """A piece of code on a page, what it is tagged with, and what the page says that it prints."""

    code: str
    tags: str
    shown: str | None


def name_of(path: Path) -> str:
    return path.relative_to(DOCS).with_suffix("").as_posix()


@cache
def text_of(path: Path) -> str:
    """The text of a page, with what is generated in it."""
    return generated.written(path.read_text(encoding="utf-8"))


def cells_of(path: Path) -> list[Cell]:
    found = []
    for _, body, shown in CELL.findall(path.read_text(encoding="utf-8")):
        options = re.match(r"(?::[\w-]+:[^\n]*\n)*", body)[0]
        code = "\n".join("" if line.startswith(("%", "!")) else line for line in body[len(options) :].splitlines())
        found.append(Cell(code, options, shown or None))
    return found


def formulas_of(path: Path) -> list[str]:
    """The formulas of a page, those in its lines and those that stand alone."""
    prose = re.sub(r"`[^`\n]+`", "", without_blocks(path.read_text(encoding="utf-8")))
    return [block or inline for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", prose, re.DOTALL)]


def without_blocks(text: str) -> str:
    """A page without what stands between fences."""
    return re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.MULTILINE | re.DOTALL)


def run(code: str, names: dict[str, Any]) -> str:
    """What a cell prints, with the value of its last line, as a notebook shows it."""
    tree = ast.parse(code)
    printed = io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
            if value is not None and not code.rstrip().endswith(";"):
                print(repr(value))
    return printed.getvalue()


def targets_in(text: str) -> set[str]:
    """The anchors of a page: its headings as MyST spells them, and what is labelled by hand."""
    prose = without_blocks(text)
    slugs = set()
    for heading in re.findall(r"^#{1,3} (.+)$", prose, re.MULTILINE):
        words = re.sub(r"[`*]|\{[\w:]+\}", "", heading).strip().lower()
        slugs.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", prose, re.MULTILINE))


def links_in(text: str) -> list[str]:
    """Where the links of a page lead, those that are written as Markdown."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]+`", "", without_blocks(text)))


def documented() -> tuple[set[str], set[str]]:
    """The names that pages of the reference document one by one, and the modules that they document as a whole."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    found = DIRECTIVE.findall(text)
    return {name for kind, name in found if kind != "module"}, {name for kind, name in found if kind == "module"}


def public_names(module: ModuleType) -> list[str]:
    """The names that a module offers: those it lists, or else all that it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    ]


def classes_of(module_name: str) -> list[type]:
    module = importlib.import_module(module_name)
    found = (getattr(module, name) for name in public_names(module))
    return [thing for thing in found if inspect.isclass(thing) and thing.__module__.startswith("treetalk")]


def undescribed(cls: type) -> list[str]:
    """The public methods, properties and fields of a class that nothing is said of; members of an enum say themselves."""
    lacking = [
        name
        for name, (_, meaning) in (fields.fields_of(cls).items() if fields.is_record(cls) else ())
        if name not in fields.described(cls) and (fields.described(cls) or not meaning)
    ]
    known = set(fields.fields_of(cls)) | set(getattr(cls, "__members__", ()))
    for name in set(dir(cls)) - known:
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if name.startswith("_") or owner is None or not owner.__module__.startswith("treetalk"):
            continue
        thing = vars(owner)[name]
        is_method = (
            callable(thing) or isinstance(thing, property | classmethod | staticmethod) or hasattr(thing, "func")
        )
        if is_method and not inspect.getdoc(getattr(cls, name)) and not inspect.getdoc(thing):
            lacking.append(name)
    return lacking

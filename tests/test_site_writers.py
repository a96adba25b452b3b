"""Parts of the documentation that are written from the project itself say what the project says."""

import json
import platform
import re
import shlex

import pytest

from pages import (
    DOCS,
    PAGES,
    ROOT,
    commandline,
    evidence,
    layers,
    measured,
    notebook_pages,
    references,
    text_of,
)
from test_layers import LAYERS


def test_every_command_and_each_of_its_options_appears():
    import typer

    from treetalk.cli import app

    text = text_of(DOCS / "reference" / "commands.md")
    for name, command in typer.main.get_command(app).commands.items():
        part = text.partition(f"\n### treetalk {name}\n")[2].partition("\n### ")[0]
        assert part, f"treetalk {name} is not documented"
        assert f"\n$ treetalk {name} " in part.partition("[OPTIONS]")[2], f"treetalk {name} has no example"
        for parameter in command.params:
            if parameter.opts[0].startswith("-") and not getattr(parameter, "hidden", False):
                assert f"`{parameter.opts[0]}`" in part


def test_every_example_of_a_command_is_a_whole_one():
    import typer

    from treetalk.cli import app

    commands = typer.main.get_command(app).commands
    shown = re.findall(r"^\$ (.+)$", text_of(DOCS / "reference" / "commands.md"), re.MULTILINE)
    assert len(shown) > 2 * len(commands)
    for line in shown:
        words = shlex.split(line)
        assert words[0] == "treetalk"
        assert words[1] in commands, line
    told = [command.help.count("Example: ") for command in commands.values()]
    assert len(shown) == sum(told) + len(commands), "an example is split, or two are one"


def test_options_in_prose_are_code_and_rows_of_commands_have_two_cells():
    text = text_of(DOCS / "reference" / "commands.md")
    for line in text.splitlines():
        if line.startswith("|") and "---" not in line:
            assert len(re.findall(r"(?<!\\)\|", line)) == 3, line
        if not line.startswith("$"):
            assert "--" not in re.sub(r"`[^`]*`|---", "", line), line
    assert "[[" not in text
    assert commandline._escaped("`a_b` and --dry-run or a_b | c") == r"`a_b` and `--dry-run` or a\_b \| c"


def test_every_test_is_a_sentence_of_the_evidence():
    text = text_of(DOCS / "evidence" / "right.md")
    files = evidence.files_like("tests/test_*.py", "verify/test_*.py")
    assert {"tests/test_site.py", "verify/test_geweke.py"} <= set(files)
    for file in files:
        assert f"`{file}`" in text
        for sentence in evidence.tests_of(file):
            assert sentence.words[1:] in text


def test_the_drawing_of_the_layers_has_every_module():
    drawn = re.findall(r"<text[^>]*>([^<]+)</text>", layers.drawing())
    assert sorted(drawn) == sorted(name for names in LAYERS for name in names)
    assert layers.layers() == LAYERS


def test_measurements_are_kept_and_shown_without_the_name_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.keeping import as_data, keep
    from rich.table import Table

    table = Table("what", "treetalk", "ratio")
    table.add_row("a | b", "1.5 ms", "12.0 ×")
    monkeypatch.setattr(measured, "MEASURED", tmp_path / "bench.json")
    assert "`make bench`" in measured.tables()
    keep(measured.MEASURED, [as_data("next to others", "Side by side.", table)])
    shown = measured.tables()
    assert measured.RATIOS in shown
    assert measured.EFFECTIVE not in shown, "nothing is said of tables that are not there"
    assert "## Next to others\n\nSide by side.\n\n| what | treetalk | ratio |" in shown
    assert "| a \\| b | 1.5 ms | 12.0 × |" in shown
    kept = json.loads(measured.MEASURED.read_text(encoding="utf-8"))
    assert f"{kept['cores']} cores" in shown
    assert kept["versions"]["Python"] == platform.python_version()
    assert not platform.node() or platform.node() not in kept.values()


def test_the_last_long_run_is_shown_where_it_was_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "VERIFIED", tmp_path / "verify.json")
    assert "`make verify`" in evidence.last_verified()
    kept = {
        "date": "2020-01-01",
        "cores": 2,
        "versions": {"Python": "3.11"},
        "outcomes": {"verify/test_geweke.py": {"passed": 3, "failed": 1}},
        "lines": ["walk: p = 0.3"],
    }
    evidence.VERIFIED.write_text(json.dumps(kept))
    assert "| `verify/test_geweke.py` | 3 | 1 | 0 |" in evidence.last_verified()
    assert "- walk: p = 0.3" in evidence.last_verified()


def test_what_is_said_of_effective_samples_stands_where_they_are_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "MEASURED", tmp_path / "bench.json")
    table = {"title": "sampler", "columns": ["data", "ESS/s, clades"], "rows": [["iris", "12"]]}
    kept = {"date": "2020-01-01", "cores": 2, "versions": {"Python": "3.11"}, "tables": [table]}
    measured.MEASURED.write_text(json.dumps(kept))
    assert measured.EFFECTIVE in measured.tables()
    assert measured.RATIOS not in measured.tables()
    assert "Measured on 2020-01-01" in measured.tables()
    assert "ESS" not in (DOCS / "evidence" / "performance.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_is_a_page_with_what_it_says_and_what_came_out(path):
    text = text_of(DOCS / "notebooks" / f"{path.stem}.md")
    drawn = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert "".join(cell["source"]) in text
        for output in cell.get("outputs", ()):
            drawn += "data" in output
            if "data" not in output:
                assert "".join(output["text"]).rstrip() in text
    assert text.count("<div class=") >= drawn > 0


def test_fences_around_what_a_notebook_has_are_longer_than_its_own():
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert notebook_pages.FENCE not in path.read_text(encoding="utf-8")


def test_a_colon_in_what_is_said_of_a_property_makes_no_type_of_the_words_before_it():
    napoleon = pytest.importorskip("sphinx.ext.napoleon")
    lines = ["1 - time: as it was given."]
    references.hide_colons(None, "property", "age", None, None, lines)
    made = napoleon.NumpyDocstring(lines, what="property", name="age").lines()
    references.show_colons(None, "property", "age", None, None, made)
    assert made[0] == "1 - time: as it was given."
    assert not any(":type:" in line for line in made)


def test_installing_is_told_in_one_way():
    told = "\n".join(text_of(path) for path in PAGES)
    extras = re.findall(r"pip install (\S+\[[^]]*\]\S*)", told)
    assert len(extras) > 5
    assert {name.partition("[")[0] for name in extras} == {'"treetalk', '".'}

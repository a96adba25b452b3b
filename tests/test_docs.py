"""What the documentation shows is what happens."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.large
def test_the_code_in_the_readme_prints_what_the_readme_shows(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    examples = re.findall(r"```python\n(.*?)```\s+```text\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(examples) == 3
    names: dict[str, object] = {}
    for code, shown in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(code, names)
            except ValueError as error:
                print(error)
        assert printed.getvalue() == shown


def test_every_public_name_has_a_docstring_and_stands_in_the_readme():
    import treetalk

    readme = (ROOT / "README.md").read_text()
    for name in treetalk.__all__:
        assert getattr(treetalk, name).__doc__
        assert f"`{name}" in readme, name


def test_the_repository_names_the_version_in_the_changelog():
    import treetalk

    assert f"## {treetalk.__version__}" in (ROOT / "CHANGELOG.md").read_text()

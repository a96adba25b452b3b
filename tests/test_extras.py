"""Packages that are not there: what needs them says what to install."""

import subprocess
import sys

import pytest

from treetalk import TreetalkError
from treetalk.errors import MissingPackage
from treetalk.extras import imported


def test_what_is_there_is_imported():
    assert imported("json.decoder", "reading").JSONDecodeError


def test_what_is_not_there_is_named_with_what_installs_it():
    with pytest.raises(MissingPackage) as caught:
        imported("nosuchthing.inner", "drawing clouds", extra="plot")
    assert str(caught.value) == 'drawing clouds needs nosuchthing, which is not installed: pip install "treetalk[plot]"'


def test_a_package_without_an_extra_is_installed_by_the_name_that_it_has_there():
    with pytest.raises(MissingPackage, match=r"reading needs no-such, which is not installed: pip install no-such$"):
        imported("nosuchthing", "reading", package="no-such")


def test_it_can_be_caught_as_an_error_of_treetalk_and_as_one_of_imports():
    for kind in (TreetalkError, ImportError):
        with pytest.raises(kind):
            imported("nosuchthing", "reading")


def test_what_a_package_itself_lacks_is_not_taken_for_the_package(tmp_path, monkeypatch):
    (tmp_path / "halfthere.py").write_text("import nosuchthing")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="nosuchthing") as caught:
        imported("halfthere", "reading")
    assert not isinstance(caught.value, MissingPackage)


HEAVY = ["IPython", "PIL", "anywidget", "fastapi", "joblib", "matplotlib", "networkx", "numba", "pandas", "pyarrow"]
HEAVY += ["rich", "scipy", "sklearn", "typer"]


def test_importing_treetalk_imports_nothing_heavy():
    code = f"import sys, treetalk; print([name for name in {HEAVY} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

"""The documentation is complete, its code runs, its links lead somewhere, and nothing in it is loaded from elsewhere."""

import importlib
import inspect
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import treetalk
from pages import (
    DOCS,
    PAGES,
    ROOT,
    cells_of,
    classes_of,
    documented,
    formulas_of,
    http_api,
    links_in,
    name_of,
    public_names,
    run,
    targets_in,
    text_of,
    undescribed,
)
from treetalk.errors import MissingPackage

MODULES = [
    "treetalk.arviz",
    "treetalk.checks",
    "treetalk.datasets",
    "treetalk.diagnostics",
    "treetalk.dialects",
    "treetalk.divergence",
    "treetalk.estimator",
    "treetalk.exporting",
    "treetalk.gestures",
    "treetalk.importing",
    "treetalk.layout",
    "treetalk.leveling",
    "treetalk.notebook",
    "treetalk.placing",
    "treetalk.plots",
    "treetalk.statements",
]
WITH_CODE = [path for path in PAGES if cells_of(path)]
LOADED = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)\s*=\s*["']?(?:https?:)?//"""
    r"""|@import|url\(\s*["']?(?:https?:)?//|!\[[^\]]*\]\((?:https?:)?//|\{(?:image|figure)\}\s*https?:"""
)


def names_of_the_reference() -> set[str]:
    """Every name that the reference documents, under each of the names by which it is known."""
    names, modules = documented()
    for module_name in modules:
        module = importlib.import_module(module_name)
        names |= {f"{module_name}.{name}" for name in public_names(module)}
    for path in list(names):
        home, _, name = path.rpartition(".")
        thing = getattr(importlib.import_module(home), name, None)
        names.add(f"{getattr(thing, '__module__', home)}.{name}")
    return names


def is_code(thing: object) -> bool:
    return inspect.isclass(thing) or callable(thing)


# --- every name is documented


def test_every_public_module_stands_in_the_reference():
    assert set(MODULES) <= documented()[1]


def test_every_public_name_stands_in_the_reference():
    known = names_of_the_reference()
    for name in treetalk.__all__:
        thing = getattr(treetalk, name)
        assert {f"treetalk.{name}", f"{thing.__module__}.{name}"} & known, name


def test_a_name_that_is_added_without_documentation_is_found(monkeypatch):
    monkeypatch.setattr(treetalk, "__all__", [*treetalk.__all__, "as_tree"])
    monkeypatch.setattr(treetalk, "as_tree", treetalk.tree.as_tree, raising=False)
    with pytest.raises(AssertionError, match="as_tree"):
        test_every_public_name_stands_in_the_reference()


@pytest.mark.parametrize("module_name", ["treetalk", *MODULES])
def test_every_public_name_has_a_docstring(module_name):
    module = importlib.import_module(module_name)
    assert module.__doc__
    for name in public_names(module):
        thing = getattr(module, name)
        if is_code(thing):
            assert inspect.getdoc(thing), f"{module_name}.{name} has no docstring"


@pytest.mark.parametrize("module_name", ["treetalk", *MODULES])
def test_data_that_a_module_offers_are_described_on_its_page(module_name):
    text = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    module = importlib.import_module(module_name)
    for name in public_names(module):
        if not is_code(getattr(module, name)):
            assert f"`{name}`" in text, f"{module_name}.{name} is not described in docs/reference"


@pytest.mark.parametrize("module_name", ["treetalk", *MODULES])
def test_every_method_and_field_of_a_public_class_is_described(module_name):
    lacking = {cls.__name__: undescribed(cls) for cls in classes_of(module_name)}
    assert not {name: some for name, some in lacking.items() if some}


def test_a_method_without_a_docstring_is_found():
    class Shy:
        def whisper(self):
            pass

    Shy.__module__ = "treetalk.shy"
    assert undescribed(Shy) == ["whisper"]


def test_every_name_of_the_reference_exists():
    for path in documented()[0]:
        home, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(home), name), path


def test_every_endpoint_appears():
    pytest.importorskip("fastapi")
    text = text_of(DOCS / "reference" / "http.md")
    for path, methods in http_api.schema()["paths"].items():
        for method in methods:
            assert f"### `{method.upper()} {path}`" in text


def test_every_environment_variable_that_the_package_reads_is_explained():
    text = (DOCS / "reference" / "environment.md").read_text(encoding="utf-8")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    read = set(re.findall(r"""(?:environ(?:\.get)?[(\[]\s*|envvar=)["'](\w+)["']""", sources))
    assert {"TREETALK_USER", "TREETALK_TOKEN", "TREETALK_KERNEL_CACHE"} <= read
    assert all(f"`{name}`" in text for name in read), read


# --- formulas


@pytest.mark.parametrize("path", [path for path in PAGES if formulas_of(path)], ids=name_of)
def test_every_formula_becomes_mathml(path):
    pytest.importorskip("latex2mathml")
    from mathml import mathml

    for formula in formulas_of(path):
        assert mathml(formula, display=True).startswith("<math ")


def test_rows_of_a_formula_are_aligned_and_what_has_no_sign_is_named():
    pytest.importorskip("latex2mathml")
    from mathml import mathml

    for environment in ("align", "aligned", "split"):
        rows = mathml(rf"\begin{{{environment}}} a &= b \\ &= c \end{{{environment}}}", display=True)
        assert rows.count("<mtr>") == 2
    with pytest.raises(ValueError, match=r"has \\nosuch, which MathML has no sign for"):
        mathml(r"a + \nosuch", display=False)


# --- code


@pytest.mark.large
@pytest.mark.parametrize("path", WITH_CODE, ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(path, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    for name, value in {"COLUMNS": "100", "TREETALK_USER": "anna", "TMPDIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(path.parent)
    before = set(os.listdir())
    names: dict[str, object] = {"__name__": "__main__", "display": print}
    for cell in cells_of(path):
        try:
            printed = run(cell.code, names)
        except MissingPackage as error:
            pytest.skip(str(error))
        except Exception as error:
            if "raises-exception" not in cell.tags:
                raise
            printed = f"{error}\n"
        if cell.shown is not None:
            assert printed == cell.shown
    pyplot.close("all")
    assert set(os.listdir()) == before, "a page leaves files behind"


# --- links


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    text = text_of(path)
    for link in links_in(text):
        if re.match(r"(?:https?|mailto):", link):
            continue
        file, _, anchor = link.partition("#")
        target = path if not file else path.parent / file
        assert target.exists(), f"{path.name} links to {link}"
        if anchor:
            assert anchor in targets_in(text_of(target)), f"{path.name} links to {link}"
    for page in re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", text):
        assert (path.parent / f"{page}.md").exists(), f"{path.name} links to {page}"


def test_every_page_is_in_a_list_of_pages_and_every_list_has_pages_that_exist():
    listed = set()
    for path in PAGES:
        for body in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            for entry in re.findall(r"^([\w/-]+)$", body, re.MULTILINE):
                listed.add((path.parent / f"{entry}.md").resolve())
    assert listed | {DOCS / "index.md"} == set(PAGES)


# --- nothing from elsewhere


def test_nothing_is_loaded_from_elsewhere():
    files = [path for path in DOCS.rglob("*") if path.suffix in {".md", ".css", ".js", ".html", ".svg", ".py"}]
    files = [path for path in files if "_build" not in path.parts and path.name != "screenshots.py"]
    assert len(files) > len(PAGES)
    for path in files:
        found = LOADED.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.name} loads {found[0]}"


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/x.js">',
        "<img alt='' src=//elsewhere/x.png>",
        "![a picture](https://elsewhere/x.png)",
        "a { background: url('http://elsewhere/x') }",
    ],
)
def test_what_would_be_loaded_from_elsewhere_is_found(text):
    assert LOADED.search(text)


def test_the_settings_of_the_site_load_nothing_from_elsewhere(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("COLUMNS", "TREETALK_USER", "PYTHONWARNINGS"):
        monkeypatch.setenv(name, "")
    settings = runpy.run_path(str(DOCS / "conf.py"))
    assert settings["nb_ipywidgets_js"] == {}
    assert settings["html_math_renderer"] == "mathml"
    assert "sphinx.ext.intersphinx" not in settings["extensions"]


# --- the files beside


def test_the_citation_names_the_version_and_the_paper():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    top = dict(re.findall(r"^([\w-]+): (.+)$", text, re.MULTILINE))
    assert top["cff-version"] == "1.2.0"
    assert top["version"] == treetalk.__version__
    assert {"title", "message", "type"} <= top.keys()
    assert "  - name: The treetalk developers" in text
    assert "title: Interactive Bayesian Hierarchical Clustering" in text


def test_the_citation_is_yaml():
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found["version"] == treetalk.__version__
    assert [author["family-names"] for author in found["references"][0]["authors"]] == ["Vikram", "Dasgupta"]
    assert found["references"][0]["year"] == 2016


def test_what_contributors_are_told_to_type_is_there():
    told = re.findall(r"^    make (\w+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert told
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in told)


def test_the_writers_of_pages_need_no_sphinx():
    code = (
        f"import sys; sys.path.append({str(DOCS / '_ext')!r}); sys.modules['sphinx'] = sys.modules['docutils'] = None; "
        "import generated; print(sorted(generated.WRITERS))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.home())
    assert "commands" in done.stdout

"""What is published installs and works where there is nothing else: the wheel, and the wheel made from the sdist.

Each is installed in an environment of its own, without the folder of the sources on any path.
"""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "treetalk"
PAGES = [path for part in ("server", "notebook") for path in (SOURCES / part / "page").rglob("*") if path.is_file()]
KINDS = ["wheel", "sdist"]
NUM_TRIALS = 9


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The archives, by kind."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Give a function that returns the folder of programs of an environment with an archive and nothing else."""
    made: dict[tuple[str, str], Path] = {}

    def install(kind: str, extras: str = "", *more: str) -> Path:
        if (kind, extras) not in made:
            folder = tmp_path_factory.mktemp(kind)
            venv.create(folder, with_pip=True)
            programs = folder / ("Scripts" if os.name == "nt" else "bin")
            run(programs / "python", "-m", "pip", "install", "--quiet", f"{built[kind]}{extras}", *more)
            made[kind, extras] = programs
        return made[kind, extras]

    return install


def run(*command: object, folder: Path | None = None, **environment: str) -> str:
    """Run a command away from the sources; return what it printed."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | environment
    done = subprocess.run(
        [str(part) for part in command], env=clean, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names_in(path: Path) -> set[str]:
    if path.suffix == ".whl":
        return set(zipfile.ZipFile(path).namelist())
    with tarfile.open(path) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_has_the_page_the_types_and_the_licence(built, kind):
    names = names_in(built[kind])
    package = "treetalk" if kind == "wheel" else "src/treetalk"
    pages = {f"{package}/{path.relative_to(SOURCES).as_posix()}" for path in PAGES}
    assert len(pages) > 50
    assert pages <= names
    assert f"{package}/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbi", ".nbc"))]


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_installs_and_finds_a_hierarchy_where_nothing_else_is(installed, kind, tmp_path):
    programs = installed(kind)
    (tmp_path / "t.csv").write_text("name,x\ncat,0\nlynx,0.1\neel,5\nowl,5.1\n")
    run(programs / "treetalk", "new", "t.treetalk", "t.csv", folder=tmp_path)
    run(programs / "treetalk", "sample", "t.treetalk", "--time", "1", folder=tmp_path)
    shown = run(programs / "treetalk", "show", "t.treetalk", folder=tmp_path)
    assert all(name in shown for name in ("cat", "lynx", "eel", "owl"))


def test_what_an_extra_would_bring_is_named_where_it_is_missing(installed, tmp_path):
    programs = installed("wheel")
    code = (
        "import treetalk\n"
        "tree = treetalk.Tree.from_newick('((cat,lynx),eel);')\n"
        "for needs in (lambda: treetalk.plots.dendrogram(tree), lambda: tree.to_networkx(), lambda: tree.to_edges(),\n"
        "              lambda: treetalk.notebook.talk(treetalk.Session([[0.0], [0.1], [5.0]]))):\n"
        "    try:\n        needs()\n    except treetalk.MissingPackage as error:\n        print(error)"
    )
    said = run(programs / "python", "-c", code, folder=tmp_path).splitlines()
    assert [line.partition("pip install ")[2] for line in said] == [
        '"treetalk[plot]"',
        '"treetalk[io]"',
        '"treetalk[io]"',
        '"treetalk[notebook]"',
    ]


def test_everything_can_be_installed_at_once(installed, tmp_path):
    programs = installed("wheel", "[all]")
    code = "import treetalk, treetalk.plots, treetalk.notebook, treetalk.server.app, treetalk.estimator; print('ok')"
    assert run(programs / "python", "-c", code, folder=tmp_path) == "ok\n"


def test_data_of_anndata_are_read_where_it_is_installed(installed, tmp_path):
    # It needs an older pandas than the other tests have.
    programs = installed("wheel", "[io]", "anndata", "pytest", "hypothesis")
    tests = ROOT / "tests" / "test_anndata.py"
    said = run(programs / "python", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", tests, folder=tmp_path)
    assert "passed" in said
    assert "skipped" not in said


def test_importing_treetalk_is_quick(installed, report):
    code = "import time; start = time.perf_counter(); import treetalk; print(time.perf_counter() - start)"
    times = sorted(float(run(installed("wheel") / "python", "-c", code)) for _ in range(NUM_TRIALS))
    report(f"import treetalk: median {times[NUM_TRIALS // 2]:.3f} s of {NUM_TRIALS}, slowest {times[-1]:.3f} s")
    assert times[0] > 0

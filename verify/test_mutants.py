"""Samplers broken on purpose: the suite must say so. See `mutants.MUTANTS` for the mistakes.

Each mutant is a copy of the package with one line changed, and a few tests run on it in a process of their own. They must
fail, and pass on a copy without a change. What survives shows what the tests cannot see; so far, that took a test with more
draws or larger trees.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from mutants import MUTANTS, SELECTIONS, Mutant, Selection
from plots import figure

ROOT = Path(__file__).parents[1]
# Where the package comes from is printed, so that no test runs on the unbroken one by mistake.
RUN = "import sys, pytest, treetalk; print(treetalk.__file__, flush=True); sys.exit(pytest.main(sys.argv[1:]))"
PATIENCE = 600  # seconds; a broken walk might never end
UNCHANGED = [
    Selection(
        [test for one in SELECTIONS.values() if one.environment == environment for test in one.tests], environment
    )
    for environment in ({}, {"NUMBA_DISABLE_JIT": "1"}, {"NUMBA_BOUNDSCHECK": "1"})
]


class Outcome(NamedTuple):
    """What became of some tests."""

    exit_code: int
    num_tests: int
    num_failed: int
    num_errors: int
    pvalue: float | None  # the smallest one of an assertion that failed
    reason: str  # the first failure
    seconds: float
    output: str


def copy_package(folder: Path, mutant: Mutant | None) -> None:
    shutil.copytree(ROOT / "src" / "treetalk", folder / "treetalk", ignore=shutil.ignore_patterns("__pycache__"))
    if mutant is not None:
        file = folder / "treetalk" / "_kernels" / mutant.file
        text = file.read_text()
        assert text.count(mutant.old) == 1, f"{mutant.name}: found {text.count(mutant.old)} times in {mutant.file}"
        file.write_text(text.replace(mutant.old, mutant.new))


def run_tests(folder: Path, selection: Selection, mutant: Mutant | None) -> Outcome:
    copy_package(folder, mutant)
    found = folder / "found.xml"
    folders = {"PYTHONPATH": folder, "TREETALK_KERNEL_CACHE": folder / "cache", "TREETALK_PLOTS": folder / "plots"}
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", RUN, "-q", "-p", "no:cacheprovider", f"--junitxml={found}", *selection.tests],
        cwd=ROOT,
        env=os.environ | selection.environment | {name: str(path) for name, path in folders.items()},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout.startswith(f"{folder / 'treetalk'}{os.sep}"), done.stdout + done.stderr
    output = done.stdout + done.stderr
    assert found.exists(), f"pytest did not come to its end, exit code {done.returncode}\n{output}"
    suite = ElementTree.parse(found).getroot()[0]
    messages = [failure.get("message", "") for failure in suite.iter("failure")]
    pvalues = [float(value) for text in messages for value in re.findall(r"^assert (\S+) > 0\.001", text)]
    tests, failed, errors = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors"))
    reason = messages[0].splitlines()[0] if messages else ""
    shutil.rmtree(folder)
    seconds = time.monotonic() - start
    return Outcome(done.returncode, tests, failed, errors, min(pvalues, default=None), reason, seconds, output)


@pytest.fixture(scope="module")
def outcomes(request, tmp_path_factory):
    """The outcome of each selected test's runs, two at a time: these processes compile, one on each core."""
    selected = [item.callspec.params for item in request.session.items if item.module is request.module]
    with ThreadPoolExecutor(2) as threads:

        def start(selection: Selection, mutant: Mutant | None) -> Future[Outcome]:
            return threads.submit(run_tests, tmp_path_factory.mktemp("copy"), selection, mutant)

        wanted = [parameters.get("mutant", parameters.get("selection")) for parameters in selected]
        yield {
            id(one): start(one, None) if isinstance(one, Selection) else start(SELECTIONS[one.found_by], one)
            for one in wanted
        }


@pytest.fixture(scope="module")
def table(report: Callable[[str], None]):
    """One line for each mutant: printed and drawn when the tests are done."""
    lines: dict[str, Outcome] = {}
    yield lines
    for name, found in lines.items():
        report(f"mutant, {name}: {found.num_failed} of {found.num_tests} tests failed ({shown(found)})")
    with figure("mutants", "Mutants and what found them", 1, 1, width=9, height=0.28 * len(lines) + 0.5) as axes:
        axis = axes[0, 0]
        shares = [found.num_failed / found.num_tests for found in lines.values()]
        axis.barh(range(len(lines)), shares, color=["tab:green" if share > 0 else "tab:red" for share in shares])
        axis.set(xlim=(0, 2), ylim=(len(lines) - 0.5, -0.5), xticks=[0, 1], xlabel="share of tests that failed")
        axis.set_yticks(range(len(lines)), list(lines), fontsize="small")
        for i, found in enumerate(lines.values()):
            axis.text(
                1.03, i, f"{found.num_failed} of {found.num_tests}: {shown(found)}", va="center", fontsize="small"
            )


def shown(found: Outcome) -> str:
    if found.pvalue is not None:
        return f"p = {found.pvalue:.1e}"
    return found.reason[:60] or "survived"


@pytest.mark.parametrize("selection", UNCHANGED, ids=["compiled", "as Python", "bounds checked"])
def test_a_copy_without_a_change_passes(selection, outcomes):
    found = outcomes[id(selection)].result()
    assert found.exit_code == 0, found.output
    assert found.num_tests >= len(selection.tests)


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_broken_sampler_is_found(mutant, outcomes, table):
    found = outcomes[id(mutant)].result()
    table[mutant.name] = found
    assert found.num_errors == 0, found.output
    assert found.num_failed > 0, found.output
    assert found.exit_code == 1, found.output

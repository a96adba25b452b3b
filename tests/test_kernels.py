"""The frame around the kernels: what is imported when, and where compiled code is kept."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import treetalk
from conftest import JIT_IS_OFF

NEEDS_JIT = pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled when NUMBA_DISABLE_JIT=1")
DISTANCE = "import treetalk as t; print(t.triplet_distance([0, 0, 1], t.Tree.from_newick('((a,b),c);')))"


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=False
    )


@NEEDS_JIT
def test_compiled_code_is_kept_in_a_folder_named_by_a_hash_of_the_sources(tmp_path):
    result = run(DISTANCE, TREETALK_KERNEL_CACHE=str(tmp_path))
    assert result.stdout.strip() == "0.0", result.stderr
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("kernels-")
    compiled = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert compiled
    # A second process compiles nothing anew.
    assert run(DISTANCE, TREETALK_KERNEL_CACHE=str(tmp_path)).stdout.strip() == "0.0"
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == compiled
    # Code with bounds checks is other code.
    other = "0" if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else "1"
    assert run(DISTANCE, TREETALK_KERNEL_CACHE=str(tmp_path), NUMBA_BOUNDSCHECK=other).stdout.strip() == "0.0"
    assert len(list(tmp_path.iterdir())) == 2


@NEEDS_JIT
def test_a_change_in_any_kernel_source_means_another_folder(tmp_path):
    copy = tmp_path / "lib" / "treetalk"
    shutil.copytree(Path(treetalk.__file__).parent, copy)
    code = "from treetalk._kernels._jit import cache_folder; print(cache_folder().name)"
    place = {"PYTHONPATH": str(copy.parent), "TREETALK_KERNEL_CACHE": str(tmp_path / "cache")}
    before = run(code, **place).stdout
    assert run(code, **place).stdout == before != ""
    with (copy / "_kernels" / "layout.py").open("a") as file:
        file.write("\n# a change\n")
    assert run(code, **place).stdout not in {before, ""}


@NEEDS_JIT
def test_the_cache_can_be_switched_off_and_does_without_a_folder_it_cannot_write():
    with tempfile.NamedTemporaryFile() as file:
        for setting in ("off", file.name):
            code = "from treetalk._kernels._jit import cache_folder; print(cache_folder())"
            assert run(code, TREETALK_KERNEL_CACHE=setting).stdout.strip() == "None"


@NEEDS_JIT
def test_only_folders_of_compiled_code_that_nobody_used_for_long_are_removed(tmp_path):
    old = [tmp_path / name for name in ("kernels-0123456789abcdef", "kernels-of-my-thesis", "notes")]
    for folder in old:
        folder.mkdir()
        os.utime(folder, (0, 0))
    run("from treetalk._kernels._jit import cache_folder; cache_folder()", TREETALK_KERNEL_CACHE=str(tmp_path))
    assert [folder.exists() for folder in old] == [False, True, True]


def test_a_user_without_a_home_has_no_cache():
    code = (
        "import pathlib; pathlib.Path.home = lambda: (_ for _ in ()).throw(RuntimeError('no home'));"
        "from treetalk._kernels._jit import cache_folder; print(cache_folder())"
    )
    assert run(code, TREETALK_KERNEL_CACHE="", XDG_CACHE_HOME="").stdout.strip() == "None"


@NEEDS_JIT
def test_damaged_compiled_code_is_compiled_anew(tmp_path):
    code = "from treetalk import Tree; print(Tree.from_parents([2, 2, -1]).root)"
    assert run(code, TREETALK_KERNEL_CACHE=str(tmp_path)).stdout.strip() == "2"
    damaged = [path for path in tmp_path.rglob("*.nb?") if path.is_file()]
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:100])
    result = run(code, TREETALK_KERNEL_CACHE=str(tmp_path))
    assert (result.stdout.strip(), result.stderr) == ("2", "")


def test_unknown_kernels_are_an_attribute_error():
    from treetalk import _kernels

    with pytest.raises(AttributeError, match="nonsense"):
        _ = _kernels.nonsense

"""``treetalk plot``: files of every kind, and what is said about those that cannot be made."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from projects import ITEMS, PNG, new_project
from treetalk import Project, Tree

KINDS = ["dendrogram", "diffusion", "traces", "disagreement", "before-after"]
BEGINNINGS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A project of eight animals, with some draws."""
    path = tmp_path_factory.mktemp("made") / "zoo.treetalk"
    more = [{"kind": kind} for kind in ["mammal"] * 4 + ["fish"] * 2 + ["bird"] * 2]
    with new_project(path, more=more) as project:
        project.advance(300)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_written_beside_the_project(kind, zoo, treetalk):
    done = treetalk("plot", zoo, kind)
    out = zoo.with_name(f"zoo-{kind}.svg")
    assert (done.code, done.printed, done.said) == (0, "", f"Written to {out}.\n")
    assert b"<svg" in out.read_bytes()


def test_a_dendrogram_is_what_is_drawn_by_default_with_names_that_stay_text(zoo, treetalk):
    assert treetalk("plot", zoo).code == 0
    text = zoo.with_name("zoo-dendrogram.svg").read_text()
    assert all(f">{item}<" in text for item in ITEMS)


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_the_ending_says_what_is_written(ending, zoo, treetalk):
    out = zoo.with_name(f"out{ending}")
    assert treetalk("plot", zoo, "--output", out).code == 0
    assert out.read_bytes().startswith(BEGINNINGS[ending])


def test_the_same_project_gives_the_same_file(zoo, treetalk):
    one, other = zoo.with_name("one.svg"), zoo.with_name("other.svg")
    treetalk("plot", zoo, "--output", one)
    treetalk("plot", zoo, "--output", other)
    assert one.read_bytes() == other.read_bytes()


def test_a_tanglegram_is_drawn_with_a_tree_a_project_or_a_column(zoo, treetalk):
    tree = zoo.with_name("other.nwk")
    tree.write_text(Tree.from_newick(f"({','.join(ITEMS[:4])},({','.join(ITEMS[4:])}));").to_newick())
    for number, other in enumerate([tree, zoo, "kind"]):
        out = zoo.with_name(f"{number}.svg")
        done = treetalk("plot", zoo, "tanglegram", "--with", other, "--output", out)
        assert done.code == 0, done.said
        assert f">{Path(str(other)).stem}<" in out.read_text()


def test_colors_of_a_column_are_told(zoo, treetalk):
    assert treetalk("plot", zoo, "--color", "kind").code == 0
    text = zoo.with_name("zoo-dendrogram.svg").read_text()
    assert all(f">{kind}<" in text for kind in ("mammal", "fish", "bird"))


def test_rows_that_are_too_many_are_collapsed(zoo, treetalk):
    assert treetalk("plot", zoo, "--rows", 3).code == 0
    assert "(" in zoo.with_name("zoo-dendrogram.svg").read_text().split("</metadata>")[-1].replace("translate(", "")


def test_pictures_of_the_project_stand_in_the_drawing(tmp_path, treetalk):
    path = tmp_path / "pictures.treetalk"
    X = np.arange(6.0).reshape(3, 2) ** 2
    with Project.create(path, X, ["a", "b", "c"], pictures=[(PNG, "image/png"), None, (PNG, "image/png")]):
        pass
    assert treetalk("plot", path).code == 0
    assert path.with_name("pictures-dendrogram.svg").read_text().count("<image") == 2


def test_a_file_that_is_there_is_not_overwritten_unless_forced(zoo, treetalk):
    out = zoo.with_name("out.png")
    out.write_text("mine")
    done = treetalk("plot", zoo, "--output", out)
    assert (done.code, done.said) == (1, f"{out} is there already; --force overwrites it.\n")
    assert out.read_text() == "mine"
    assert treetalk("plot", zoo, "--output", out, "--force").code == 0
    with Image.open(out) as image:
        assert image.width > 100


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--output", "out.gif"], "'out.gif' ends with none of .svg, .png, .pdf"),
        (["tanglegram"], "tanglegram needs --with, the other hierarchy"),
        (["traces", "--with", "kind"], "--with goes with tanglegram only"),
        (["traces", "--rows", "9"], "--rows goes with dendrogram, disagreement only, not with traces"),
        (["--clusters", "2", "--color", "kind"], "--clusters and --color are two ways to colour"),
        (["disagreement", "--clusters", "2"], "--clusters goes with dendrogram, diffusion, tanglegram only"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, sentence, zoo, treetalk):
    done = treetalk("plot", zoo, *arguments)
    assert done.code == 2
    assert sentence in " ".join(done.said.replace("│", " ").split())


def test_an_unknown_column_is_answered_with_the_one_that_was_meant(zoo, treetalk):
    done = treetalk("plot", zoo, "--color", "kinds")
    assert (done.code, done.said) == (1, f"{zoo} has no column 'kinds'; did you mean 'kind'?\n")


def test_columns_are_listed_with_commas(tmp_path, treetalk):
    path = tmp_path / "more.treetalk"
    with new_project(path, more=[{"kind": "a", "legs": 4, "name": "b"}] * 8, feature_names=["x", "y", "z"]):
        pass
    done = treetalk("plot", path, "--color", "foo")
    there = "there are 'kind', 'legs', 'name', 'x', 'y' and 'z'"
    assert (done.code, done.said) == (1, f"{path} has no column 'foo'; {there}.\n")


@pytest.mark.parametrize("column", ["alcohol", "written", "x"])
def test_a_column_of_many_numbers_or_a_feature_is_a_scale_with_a_bar(column, tmp_path, treetalk):
    path = tmp_path / "wine.treetalk"
    X = np.random.default_rng(0).normal(size=(12, 2))
    more = [{"alcohol": 10 + i / 8, "written": f"{10 + i / 8}"} for i in range(12)]
    with Project.create(path, X, [f"i{i}" for i in range(12)], more=more, feature_names=["x", "y"]) as project:
        project.advance(50)
    assert treetalk("plot", path, "--color", column).code == 0
    text = path.with_name("wine-dendrogram.svg").read_text()
    assert f">{column}<" in text
    assert 'id="scale"' in text


def test_few_numbers_are_groups_as_they_are_written(tmp_path, treetalk):
    path = tmp_path / "legs.treetalk"
    with new_project(path, more=[{"legs": legs} for legs in ["4"] * 4 + ["0"] * 2 + ["2"] * 2]):
        pass
    assert treetalk("plot", path, "--color", "legs").code == 0
    text = path.with_name("legs-dendrogram.svg").read_text()
    assert ">4<" in text
    assert ">4.0<" not in text


def test_without_matplotlib_it_says_what_to_install(zoo, treetalk, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = treetalk("plot", zoo)
    assert (done.code, done.said) == (
        1,
        'Drawing needs matplotlib, which is not installed: pip install "treetalk[plot]".\n',
    )

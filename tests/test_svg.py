"""Trees drawn for a page, and what shows itself so in a notebook."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings

from projects import ITEMS, X, new_project
from strategies import trees
from treetalk import DirichletDiffusion, Session, Tree, TripletSet
from treetalk.formats.svg import MAX_ROWS, to_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["</text><script>alert(1)</script>", "\"&<>'", "a\x00b\x1b", "\u202eright to left", "x" * 500, " "]


@pytest.fixture
def session():
    return Session(X, ITEMS, subset_size=4).advance(200, 10)


def texts_of(svg):
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@settings(max_examples=60, deadline=None)
@given(trees())
def test_any_tree_is_drawn_in_well_formed_xml_with_a_row_for_each_leaf(tree):
    rows = [text for text in texts_of(to_svg(tree)) if text]
    named = 0 if tree.names is None else sum(bool(name and name.strip()) for name in tree.names)
    assert tree.num_leaves <= len(rows) <= tree.num_leaves + named


def test_hostile_names_stay_text():
    svg = to_svg(Tree([6, 6, 6, 6, 6, 6, -1], items=HOSTILE))
    tags = {element.tag for element in ElementTree.fromstring(svg).iter()}
    assert tags == {f"{SVG}{name}" for name in ("svg", "title", "g", "path", "text")}
    assert HOSTILE[0] in texts_of(svg)


def test_a_large_tree_is_collapsed_and_no_leaf_is_forgotten():
    tree = DirichletDiffusion().simulate(300, 1, seed=0)[0]
    rows = texts_of(to_svg(tree))
    assert len(rows) == MAX_ROWS
    counts = [re.search(r"\(([\d,]+)\)$", row) for row in rows]
    assert sum(int(found[1]) if found else 1 for found in counts) == 300


def test_of_a_node_with_many_children_the_rest_is_counted():
    star = Tree([100] * 100 + [-1])
    rows = texts_of(to_svg(star, max_rows=10))
    assert len(rows) == 10
    assert rows[-1] == "… and 91 more leaves"


def test_a_branch_is_the_wider_the_surer_it_is():
    def width(support):
        tree = Tree([4, 4, 5, 5, 6, 6, -1], support=[np.nan] * 4 + [support, 0.5, 1.0])
        return max(
            float(path.get("stroke-width"))
            for path in ElementTree.fromstring(to_svg(tree)).iter(f"{SVG}path")
            if path.find(f"{SVG}title") is not None and path.find(f"{SVG}title").text.startswith("0, 1 (2)")
        )

    assert width(0.1) < width(0.6) < width(1.0)


def test_a_session_tells_how_far_it_is_and_how_to_open_the_widget(session):
    session.answer(None, (0, 1, 4))
    shown = session._repr_html_()
    ElementTree.fromstring(shown)
    assert "8 items · 1 answer · 1 triplet in force" in shown
    assert "treetalk.notebook.talk(session)" in shown


def test_a_session_that_was_not_sampled_says_so_and_claims_no_support():
    shown = Session(X, ITEMS)._repr_html_()
    assert "nothing was sampled yet" in shown
    assert "support" not in shown
    assert "support of" in Session(X, ITEMS).advance(200, 10)._repr_html_()


def test_a_closed_project_shows_that_it_is_closed(tmp_path):
    project = new_project(tmp_path / "a<b>.treetalk")
    project.close()
    shown = project._repr_html_()
    ElementTree.fromstring(shown)
    assert "was closed" in shown


def test_a_diagnosis_shows_its_sentence(session):
    found = session.diagnose()
    assert str(found) == found.sentence
    assert ElementTree.fromstring(found._repr_html_()).text == found.sentence


def test_one_of_a_kind_is_not_told_as_many(session):
    session.answer(None, (0, 1, 4))
    assert "8 items, 1 answer, 1 triplet in force" in repr(session)
    assert "1 triplet over" in repr(TripletSet([(0, 1, 2)], 3))
    assert "1 leaf, " in repr(Tree([-1]))


def test_queries_and_projects_show_themselves_too(session, tmp_path):
    assert "Is this right for these 4 items?" in session.ask()._repr_html_()
    assert set(texts_of(re.search("<svg.*</svg>", session.ask()._repr_html_())[0])) < set(ITEMS)
    triple = Session(X, ITEMS, strategy="simple").ask()._repr_html_()
    ElementTree.fromstring(triple)
    assert "odd one" in triple
    with new_project(tmp_path / "zoo.treetalk") as project:
        project.name_cluster(["cat", "lynx"], "<cats>")
        ElementTree.fromstring(project._repr_html_())

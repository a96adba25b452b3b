"""A hierarchy as a thesaurus: read with rdflib, it is the same hierarchy."""

import pytest
from hypothesis import given

from strategies import trees
from test_interchange import other_program, with_names
from treetalk import Tree
from treetalk.formats.arcs import tree_of_arcs

ANIMALS = "((cat:1,'say \"hi\"':1)felines[&support=0.97]:2,((crow:1,owl:1)0.6:1,eel:2):1);"
OWN = "urn:treetalk:"


def read(text: str):
    rdflib = other_program("rdflib")
    return rdflib.Graph().parse(data=text, format="turtle"), rdflib.namespace.SKOS, rdflib


def tree_of(text: str) -> Tree:
    """The tree that the narrower concepts are, from the scheme down, with the labels of all concepts."""
    graph, skos, rdflib = read(text)
    scheme = graph.value(predicate=rdflib.RDF.type, object=skos.ConceptScheme)
    tops = list(graph.objects(scheme, skos.hasTopConcept))
    parents = {str(top): "scheme" for top in tops}
    parents |= {str(below): str(above) for above, below in graph.subject_objects(skos.narrower)}
    labels = {str(concept): str(label) for concept, label in graph.subject_objects(skos.prefLabel)}
    known = {
        call: {"name": labels.get(call, ""), "item": labels.get(call, "")} for call in {*parents, *parents.values()}
    }
    return tree_of_arcs(parents, known)


@given(trees())
def test_the_same_hierarchy_comes_back(tree):
    assert tree_of(tree.to_skos()).same_topology(with_names(tree))


@given(trees(min_leaves=2))
def test_broader_is_the_reverse_of_narrower_and_everything_is_in_the_scheme(tree):
    graph, skos, rdflib = read(tree.to_skos())
    assert set(graph.subject_objects(skos.broader)) == {(b, a) for a, b in graph.subject_objects(skos.narrower)}
    assert set(graph.subject_objects(skos.topConceptOf)) == {
        (b, a) for a, b in graph.subject_objects(skos.hasTopConcept)
    }
    concepts = set(graph.subjects(rdflib.RDF.type, skos.Concept))
    assert len(concepts) == tree.num_nodes - 1
    for concept in concepts:
        # One of each, as SKOS demands of labels in one language.
        for verb in (skos.inScheme, skos.prefLabel, skos.notation):
            assert len(list(graph.objects(concept, verb))) == 1
        places = [*graph.objects(concept, skos.broader), *graph.objects(concept, skos.topConceptOf)]
        assert len(places) == 1
    notations = list(graph.objects(None, skos.notation))
    assert len(set(notations)) == len(notations) == len(concepts)


def test_labels_are_names_and_those_without_a_name_tell_some_of_their_items():
    graph, skos, _ = read(Tree.from_newick(ANIMALS).to_skos(title="Zoo", language="en"))
    labels = set(graph.objects(None, skos.prefLabel))
    assert {str(label) for label in labels} == {
        "Zoo", "cat", 'say "hi"', "crow", "owl", "eel", "felines", "crow, owl (2)", "crow, owl, eel (3)",
    }  # fmt: skip
    assert {label.language for label in labels} == {"en"}


def test_support_and_size_are_numbers():
    graph, skos, rdflib = read(Tree.from_newick(ANIMALS).to_skos())
    felines = graph.value(predicate=skos.prefLabel, object=rdflib.Literal("felines"))
    assert graph.value(felines, rdflib.URIRef(f"{OWN}support")).toPython() == 0.97
    assert graph.value(felines, rdflib.URIRef(f"{OWN}size")).toPython() == 2
    assert len(list(graph.objects(None, rdflib.URIRef(f"{OWN}support")))) == 2


def test_a_notation_is_the_place_in_the_hierarchy():
    graph, skos, _ = read(Tree.from_newick(ANIMALS).to_skos())
    found = {
        str(graph.value(concept, skos.prefLabel)): str(text) for concept, text in graph.subject_objects(skos.notation)
    }
    assert (found["felines"], found["cat"], found["owl"], found["eel"]) == ("1", "1.1", "2.1.2", "2.2")


def test_iris_begin_as_wanted_and_stay_the_same_as_long_as_the_items_do():
    first = Tree.from_newick("((cat,'a b/ü'),(owl,eel));")
    second = Tree.from_newick("(owl,(eel,('a b/ü',cat)));")
    base = "https://example.org/zoo"
    graphs = [read(tree.to_skos(base=base)) for tree in (first, second)]
    iris = [{str(each) for each in graph.subjects()} for graph, _, _ in graphs]
    assert all(iri.startswith(f"{base}/") for iri in iris[0] | iris[1])
    assert f"{base}/item/a%20b%2F%C3%BC" in iris[0]
    clusters = [{iri for iri in each if "/cluster/" in iri} for each in iris]
    assert len(clusters[0] & clusters[1]) == 1  # the cat and the other one


def test_a_tree_of_very_many_levels_is_numbered_throughout():
    parent = [-1] * 150
    top = 0
    for leaf in range(1, 150):
        parent[top] = parent[leaf] = len(parent)
        top = len(parent)
        parent.append(-1)
    graph, skos, _ = read(Tree(parent).to_skos())
    assert {int(text) for text in graph.objects(None, skos.notation)} == set(range(1, 299))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"base": "zoo"}, "the base of IRIs is an absolute IRI such as 'https://example.org/zoo/', not 'zoo'"),
        ({"base": "https://a b/"}, "not 'https://a b/'"),
        ({"base": 'https://a/">'}, "an absolute IRI"),
        ({"language": "plain English"}, "language is a tag such as 'en' or 'pt-BR', not 'plain English'"),
    ],
)
def test_what_would_be_no_turtle_is_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        Tree.from_newick(ANIMALS).to_skos(**options)


def test_support_in_percent_is_written_as_a_share():
    shares = Tree.from_newick(ANIMALS)
    percents = Tree(
        shares.parent, time=shares.time, items=shares.items, names=shares.names, support=shares.support * 100
    )
    graph, _, rdflib = read(percents.to_skos())
    found = sorted(float(value) for value in graph.objects(None, rdflib.URIRef(f"{OWN}support")))
    assert found == pytest.approx([0.6, 0.97])

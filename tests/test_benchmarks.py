import re
import shutil
import socket
import subprocess
import sys
from http.client import IncompleteRead
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.datasets
from scipy.cluster.hierarchy import linkage

from treetalk import Tree, num_triplets, triplet_distance
from treetalk.datasets import BENCHMARKS, load_animals, load_benchmark
from treetalk.errors import DataNotFound, TreetalkError

BUILT_IN = ("iris", "zoo", "zoo-right", "digits")


def average_linkage_distance(benchmark):
    tree = Tree.from_linkage(linkage(benchmark.X, "average"), benchmark.items)
    return triplet_distance(benchmark.target, tree)


def write_npz(path, **arrays):
    path.parent.mkdir(parents=True)
    np.savez(path, **arrays)
    return path


def check_form(benchmark, name):
    n, d = benchmark.X.shape
    assert benchmark.name == name
    assert n == benchmark.target.num_leaves == (93 if benchmark.items else 150)
    assert benchmark.X.dtype == benchmark.scale.dtype == np.float64
    assert benchmark.scale.shape == (d,)
    assert (benchmark.scale > 0).all()
    assert benchmark.target.items == benchmark.items
    assert benchmark.note.endswith(".")


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_benchmark_has_a_target_over_its_rows_and_a_scale_for_each_column(name):
    check_form(load_benchmark(name), name)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_from_a_folder_has_a_target_over_its_rows_and_a_scale_for_each_column(name, shared_data):
    check_form(load_benchmark(name, str(shared_data)), name)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_benchmark_is_the_same_every_time(name):
    first, second = load_benchmark(name), load_benchmark(name)
    np.testing.assert_array_equal(first.X, second.X)
    assert first.target == second.target


def test_average_linkage_on_iris_is_as_published():
    assert average_linkage_distance(load_benchmark("iris")) == pytest.approx(0.1015047619, abs=1e-9)


def test_average_linkage_on_newsgroups_is_as_published(shared_data):
    assert average_linkage_distance(load_benchmark("newsgroups", shared_data)) == pytest.approx(
        0.615630569242, abs=1e-9
    )


def test_average_linkage_on_the_zoo_is_as_published_up_to_ties(shared_data):
    assert 0.314 < average_linkage_distance(load_benchmark("zoo")) < 0.320
    assert 0.314 < average_linkage_distance(load_benchmark("zoo", shared_data)) < 0.320


def test_average_linkage_is_nearer_to_the_right_hierarchy_of_the_zoo():
    assert average_linkage_distance(load_benchmark("zoo-right")) == pytest.approx(0.2291, abs=0.006)


def test_average_linkage_on_the_rows_of_mnist_and_digits_that_are_not_the_papers(shared_data):
    assert average_linkage_distance(load_benchmark("mnist", shared_data)) == pytest.approx(0.326836923, abs=1e-9)
    assert average_linkage_distance(load_benchmark("digits")) == pytest.approx(0.230882479, abs=1e-9)


def test_the_scale_is_a_part_of_the_variance_of_each_column():
    np.testing.assert_array_equal(load_benchmark("iris").scale, [1 / 9] * 4)
    for name, divisor in (("zoo", 4), ("zoo-right", 4), ("digits", 2)):
        benchmark = load_benchmark(name)
        np.testing.assert_allclose(benchmark.scale, np.diag(np.cov(benchmark.X.T)) / divisor)


def test_principal_components_are_those_of_the_rows_that_were_drawn(shared_data):
    for name in ("mnist", "newsgroups", "digits"):
        X = load_benchmark(name, shared_data).X
        covariance = np.cov(X.T)
        variance = np.diag(covariance)
        assert (np.diff(variance) < 0).all()
        np.testing.assert_allclose(X.mean(axis=0) / np.sqrt(variance), 0, atol=1e-9)
        np.testing.assert_allclose(covariance - np.diag(variance), 0, atol=1e-9 * variance[0])


def test_the_frog_is_the_venomous_one():
    zoo, animals = load_benchmark("zoo"), load_animals()
    venomous = animals.feature_names.index("venomous")
    assert zoo.X[zoo.items.index("frog"), venomous] == 1
    assert "venomous-frog" not in zoo.items


def test_the_built_in_zoo_has_the_papers_animals_and_features(shared_data):
    ours, papers = load_benchmark("zoo"), load_benchmark("zoo", shared_data)
    assert ours.items == papers.items == load_benchmark("zoo-right").items
    np.testing.assert_array_equal(ours.X, papers.X)
    np.testing.assert_array_equal(ours.X, load_benchmark("zoo-right").X)


def test_the_papers_target_only_resolves_more_than_the_built_in_one(shared_data):
    ours, papers = load_benchmark("zoo").target, load_benchmark("zoo", shared_data).target
    assert papers.is_refinement_of(ours)
    assert triplet_distance(ours, papers) == 0
    assert triplet_distance(papers, ours) == pytest.approx(0.0029515, abs=1e-6)
    assert (num_triplets(papers), num_triplets(ours)) == (129_766, 129_383)


def test_seven_animals_are_misplaced_in_the_zoo_and_only_these():
    wrong, right = load_benchmark("zoo").target, load_benchmark("zoo-right").target
    assert triplet_distance(right, wrong) > 0.1
    misplaced = {"carp", "deer", "duck", "lion", "mink", "seal", "wallaby"}
    others = [name for name in right.items if name not in misplaced]
    assert len(others) == 86
    assert wrong.restrict(others).same_topology(right.restrict(others))
    assert wrong.satisfies([("lion", "wasp", "moth"), ("seal", "ladybird", "deer"), ("mink", "wren", "lark")]).all()
    assert right.satisfies(
        [("lion", "leopard", "wasp"), ("seal", "sealion", "deer"), ("mink", "polecat", "wren")]
    ).all()


def test_the_right_zoo_is_the_same_with_a_folder(tmp_path):
    assert load_benchmark("zoo-right", tmp_path).target == load_benchmark("zoo-right").target


def test_an_unknown_name_is_refused_with_the_names_there_are():
    message = "there is no data set called 'irises'; there are iris, zoo, zoo-right, mnist, newsgroups, digits"
    with pytest.raises(ValueError, match=f"^{message}$"):
        load_benchmark("irises")


@pytest.mark.parametrize(
    ("name", "file"),
    [("mnist", "mnist/mnist_2000.npz"), ("newsgroups", "newsgroups/newsgroups_1000.npz"), ("zoo", "zoo/zoo93.csv")],
)
def test_a_file_that_is_not_in_the_folder_is_named(name, file, tmp_path):
    with pytest.raises(DataNotFound) as caught:
        load_benchmark(name, tmp_path)
    assert str(caught.value) == f"{tmp_path / file} cannot be read: No such file or directory"
    assert isinstance(caught.value, TreetalkError)


MNIST_SHAPE = "must be a NumPy file (.npz) with numbers X of shape (2000, 784) and y with a class number for each row"


@pytest.mark.parametrize(
    ("arrays", "problem"),
    [
        ({"X": np.zeros((2000, 784))}, ""),
        ({"X": np.zeros((2000, 784)), "y": np.array([None] * 2000)}, ""),
        ({"X": np.zeros((20, 784)), "y": np.zeros(20, int)}, "; their shapes are (20, 784) and (20,)"),
        ({"X": np.zeros((2000, 784)), "y": np.zeros(2000)}, "; their types are float64 and float64"),
        ({"X": np.full((2000, 784), np.nan), "y": np.zeros(2000, int)}, "; row 0 of X is not finite"),
    ],
    ids=["no y", "objects", "few rows", "types", "nan"],
)
def test_an_npz_file_with_other_arrays_is_refused(arrays, problem, tmp_path):
    path = write_npz(tmp_path / "mnist" / "mnist_2000.npz", **arrays)
    with pytest.raises(DataNotFound, match=f"^{re.escape(f'{path} {MNIST_SHAPE}{problem}')}$"):
        load_benchmark("mnist", tmp_path)


def test_a_damaged_npz_file_is_refused(tmp_path):
    arrays = {"X": np.zeros((2000, 784), np.uint8), "y": np.zeros(2000, int)}
    path = write_npz(tmp_path / "mnist" / "mnist_2000.npz", **arrays)
    whole = path.read_bytes()
    damaged = [b"", b"not a zip file", whole[:-1000], whole[:200] + b"\xff" * 200 + whole[400:]]
    with path.open("wb") as file:
        np.save(file, arrays["X"])
    damaged.append(path.read_bytes())  # a file with one array, under this name
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(DataNotFound, match=f"^{re.escape(f'{path} {MNIST_SHAPE}')}$"):
            load_benchmark("mnist", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("bear", "bar", "its 93 rows are not these"),
        ("wren", "wren\n\nwren", "list index out of range"),
        ("0,aardvark,1", "0,aardvark,hairy", "could not convert string to float: 'hairy'"),
        ("0,aardvark,1", "0,aardvark,nan", "its 93 rows are not these"),
        ("header\n", "", "its 92 rows are not these"),
    ],
    ids=["name", "short row", "text", "nan", "no header"],
)
def test_a_table_of_other_animals_is_refused(old, new, problem, tmp_path):
    zoo = load_benchmark("zoo")
    rows = [f"{i},{name}," + ",".join(f"{x:g}" for x in zoo.X[i]) + ",1" for i, name in enumerate(zoo.items)]
    text = "\n".join(["header", *rows])
    path = tmp_path / "zoo" / "zoo93.csv"
    path.parent.mkdir()
    path.write_text(text.replace(old, new))
    message = (
        f"{path} must be the table of the paper's 93 animals: a header, then row number, name, 16 features and type; "
    )
    with pytest.raises(DataNotFound, match=f"^{re.escape(message + problem)}$"):
        load_benchmark("zoo", tmp_path)


@pytest.mark.parametrize("text", ["(aardvark,bear);", "((aardvark,bear)", "", "\xff"])
def test_a_newick_file_of_something_else_is_refused(text, tmp_path, shared_data):
    (tmp_path / "zoo").mkdir()
    shutil.copy(shared_data / "zoo" / "zoo93.csv", tmp_path / "zoo")
    path = tmp_path / "zoo" / "zoo_authors_tol.nwk"
    path.write_bytes(text.encode("latin1"))
    with pytest.raises(DataNotFound, match=f"^{re.escape(str(path))} must be a tree of the paper's 93 animals"):
        load_benchmark("zoo", tmp_path)


@pytest.mark.parametrize(
    ("name", "source", "file"),
    [
        ("mnist", "MNIST is fetched from openml.org", "mnist/mnist_2000.npz"),
        ("newsgroups", "20 Newsgroups is fetched from figshare.com", "newsgroups/newsgroups_1000.npz"),
    ],
)
def test_without_a_network_the_error_says_what_to_do(name, source, file, tmp_path, monkeypatch):
    def no_network(*args, **kwargs):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))  # nothing was fetched before
    with pytest.raises(DataNotFound) as caught:
        load_benchmark(name)
    assert str(caught.value) == (
        f"{source} by scikit-learn, and that failed: <urlopen error [Errno -2] Name or service not known>; "
        f"connect once, or give a folder with {file} (--data-dir, or data_dir in Python)"
    )


@pytest.mark.parametrize("error", [IncompleteRead(b""), ValueError("Dataset not found"), EOFError("half a file")])
def test_an_answer_from_the_network_that_is_not_the_data_is_told_likewise(error, monkeypatch):
    def fetch(*args, **kwargs):
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(DataNotFound, match=re.escape(f"and that failed: {error}; connect once")):
        load_benchmark("mnist")


def test_fetched_mnist_is_that_of_the_file(shared_data, monkeypatch):
    with np.load(shared_data / "mnist" / "mnist_2000.npz") as file:
        images, labels = file["X"], file["y"]
    # As OpenML has it: 60,000 images of the training set before those of the test set, and labels as text.
    data = np.zeros((70_000, 784), np.uint8)
    data[60_000:62_000] = images
    target = np.full(70_000, "0", dtype=object)
    target[60_000:62_000] = labels.astype(str)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *_, **__: SimpleNamespace(data=data, target=target))
    fetched, read = load_benchmark("mnist"), load_benchmark("mnist", shared_data)
    np.testing.assert_array_equal(fetched.X, read.X)
    assert fetched.target == read.target


def test_fetched_newsgroups_are_components_of_raw_word_counts(monkeypatch):
    rng = np.random.default_rng(0)
    posts = [" ".join(f"word{w}" for w in rng.integers(200, size=rng.integers(1, 80))) for _ in range(1100)]
    posts[0] = "word7 " * 5000
    labels = rng.integers(20, size=1100)
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", lambda **_: SimpleNamespace(data=posts, target=labels))
    benchmark = load_benchmark("newsgroups")
    check_form(benchmark, "newsgroups")
    rows = np.random.RandomState(0).permutation(1000)[:150]
    # Nearly all of the difference between two posts is that of their lengths, as in the authors' features.
    lengths = np.array([len(posts[row].split()) for row in rows])
    assert abs(np.corrcoef(benchmark.X[:, 0], lengths)[0, 1]) > 0.99
    assert triplet_distance(labels[rows], benchmark.target) == 0


def test_importing_the_data_sets_does_not_import_sklearn():
    code = "import sys, treetalk.datasets; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

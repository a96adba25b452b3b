"""Tables of numbers with labels, from a file or from the network."""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.errors import DataNotFound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Table = tuple[NDArray[np.float64], NDArray[np.int64]]

# One more try, at once: whoever has no network should hear of it soon. scikit-learn insists on at least one.
RETRY = {"n_retries": 1, "delay": 0.1}

# What damaged files make of np.load and of the arrays it reads. IndexError: a file with a single array (.npy).
UNREADABLE = (OSError, ValueError, KeyError, IndexError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)

NUM_MNIST_TRAIN = 60_000  # which OpenML puts before the 10,000 test images
NUM_IMAGES = 2_000
NUM_POSTS = 1_000
NUM_WORD_COMPONENTS = 100


def read_bytes(path: Path) -> bytes:
    """Return what is in a file of the folder that a user gave."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataNotFound(f"{path} cannot be read: {error.strerror}") from error


def read_npz(path: Path, shape: tuple[int, int]) -> Table:
    """Return the arrays X, of the given shape, and y, with a class number for each row, of a NumPy file."""
    what = f"{path} must be a NumPy file (.npz) with numbers X of shape {shape} and y with a class number for each row"
    content = io.BytesIO(read_bytes(path))
    try:
        file = np.load(content, allow_pickle=False)
        X, y = file["X"], file["y"]
    except UNREADABLE as error:  # what these say of the file is about zip and pickle, which would mislead
        raise DataNotFound(what) from error
    if X.shape != shape or y.shape != shape[:1]:
        raise DataNotFound(f"{what}; their shapes are {X.shape} and {y.shape}")
    if X.dtype.kind not in "iuf" or y.dtype.kind not in "iu":
        raise DataNotFound(f"{what}; their types are {X.dtype} and {y.dtype}")
    if not np.isfinite(X).all():
        raise DataNotFound(f"{what}; row {np.flatnonzero(~np.isfinite(X).all(axis=1))[0]} of X is not finite")
    return X.astype(np.float64), y.astype(np.int64)


def fetch_mnist() -> Table:
    """Return the first 2,000 test images of MNIST, shape (2000, 784), which scikit-learn keeps once it has them."""
    from sklearn.datasets import fetch_openml

    # This parser is slow, but the other one needs pandas.
    data = _fetch(
        lambda: fetch_openml("mnist_784", version=1, as_frame=False, parser="liac-arff", **RETRY),
        "MNIST is fetched from openml.org",
        "mnist/mnist_2000.npz",
    )
    rows = slice(NUM_MNIST_TRAIN, NUM_MNIST_TRAIN + NUM_IMAGES)
    return data.data[rows].astype(np.float64), data.target[rows].astype(np.int64)


def fetch_newsgroups() -> Table:
    """Return 1,000 random posts of 20 Newsgroups, shape (1000, 100): principal components of raw word counts.

    This is how the authors' features came about, as far as can be told from them: headers, quotes and common words are
    left in, and nothing is weighted. Which posts they drew is unknown.
    """
    from sklearn.datasets import fetch_20newsgroups
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction.text import CountVectorizer

    data = _fetch(
        lambda: fetch_20newsgroups(subset="all", shuffle=True, random_state=0, **RETRY),
        "20 Newsgroups is fetched from figshare.com",
        "newsgroups/newsgroups_1000.npz",
    )
    counts = CountVectorizer(dtype=np.float64).fit_transform(data.data[:NUM_POSTS])
    # arpack takes a sparse matrix as it is: there are some thirty thousand words.
    X = PCA(NUM_WORD_COMPONENTS, svd_solver="arpack", random_state=0).fit_transform(counts)
    return X, data.target[:NUM_POSTS].astype(np.int64)


def _fetch(fetch: Callable[[], Any], what: str, file: str) -> Any:
    try:
        with warnings.catch_warnings():
            # Of a second try nobody needs to know: either it works, or what follows says more.
            warnings.filterwarnings("ignore", message="A network error occurred|Retry downloading")
            return fetch()
    # ValueError: an answer that is not OpenML's (of a proxy, say), its own errors, a wrong checksum. EOFError: half a file.
    except (OSError, HTTPException, ValueError, EOFError) as error:
        raise DataNotFound(
            f"{what} by scikit-learn, and that failed: {error}; connect once, "
            f"or give a folder with {file} (--data-dir, or data_dir in Python)"
        ) from error

"""Data as users have them, turned into an array of numbers; what is wrong with them, said with its row and column.

An array, a data frame (pandas, polars) or an AnnData object is taken. A matrix of distances is not: the model describes how
the features of items came about, and the rows of such a matrix would be taken for features.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import as_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

NUM_NAMED = 5  # columns in a sentence
FEWEST_OF_DISTANCES = 3  # items; two items with two features are too easily symmetric
CLOSE = 1e-8  # of the largest number: what rounding leaves behind
# Of the largest number: what is left on the diagonal by |x|^2 + |y|^2 - 2 x y, which many compute, also in single precision.
LEFT_BEHIND = 1e-2
# What a cell's column may be, by the beginning of its dtype's name, in small letters.
OTHER_KINDS = {
    "category": "holds categories",
    "categorical": "holds categories",
    "enum": "holds categories",
    "dictionary": "holds categories",
    "datetime": "holds dates",
    "date": "holds dates",
    "timestamp": "holds dates",
    "timedelta": "holds durations",
    "duration": "holds durations",
    "period": "holds periods",
    "interval": "holds intervals",
    "complex": "holds complex numbers",
}
INSTEAD = (
    "the model needs the features of the items, a row for each, because it describes how these came about; "
    "sklearn.manifold.MDS makes features of distances"
)
NUMBERS = (bool, int, float, Decimal, np.number, np.bool_)
WIDEST, LARGEST = 5_000, 50_000_000  # variables of an AnnData object that are taken as features, and numbers in all


def as_data(X: ArrayLike, *, at_least: int = 2, is_whole: bool = True) -> NDArray[np.float64]:
    """Return data as a new array of finite numbers, of shape (items, features).

    What `is_whole` may turn out to be distances between its rows; some further rows for other data cannot.
    """
    given: Any = matrix_of(X) if is_anndata(X) else X
    if hasattr(given, "toarray"):
        raise TypeError(f"X is a sparse {type(X).__name__}; reduce it to some dozens of columns first (TruncatedSVD)")
    if isinstance(given, str | bytes) or not (isinstance(given, Iterable) or hasattr(given, "__array__")):
        raise TypeError(f"X must be an array with a row for each item, not {given!r}")
    _check_columns(given)
    names = _Names(X)
    if np.ma.isMaskedArray(given):
        given = np.ma.filled(np.ma.array(given, dtype=np.float64), np.nan)
    array = as_array(given if hasattr(given, "__array__") else list(given), "X")
    if array.size == 0 and (array.ndim < 2 or len(array) == 0):
        raise ValueError(f"X is empty: its shape is {array.shape}; at least {at_least} items are needed")
    if array.ndim != 2:
        raise ValueError(f"X must have the shape (items, features); its shape is {array.shape}{_about_flat(array)}")
    num_items, num_columns = array.shape
    if num_columns == 0:
        raise ValueError(f"X has {num_items} rows but no columns; Chain.of_prior samples hierarchies without data")
    if num_items < at_least:
        raise ValueError(f"X has one row; a hierarchy needs at least {at_least} items")
    numbers = _as_numbers(array, names)
    for wrong, what in ((np.isnan(numbers), "missing values (NaN)"), (np.isinf(numbers), "infinite values")):
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"X has {what}, the first in {names.place(row, column)}; "
                "fill them in or leave out these rows or columns first"
            )
    if is_whole and looks_like_distances(numbers):
        raise ValueError(
            f"X looks like a matrix of distances (square, symmetric, zeros on the diagonal): {INSTEAD}; if these really are "
            "features, append a column of zeros: np.column_stack([X, np.zeros(len(X))])"
        )
    return numbers


def names_of_rows(X: object) -> list[str] | None:
    """Return the labels of a data frame's rows, if they are strings, or the names of an AnnData object's observations.

    Labels of several levels are joined.
    """
    index = getattr(X, "obs_names" if is_anndata(X) else "index", None)
    if index is None or callable(index) or not isinstance(index, Iterable):
        return None
    labels = list(index)
    if getattr(index, "nlevels", 1) > 1:
        labels = [" / ".join(map(str, label)) for label in labels]
    if not all(isinstance(label, str) for label in labels):
        return None
    seen: set[str] = set()
    for row, label in enumerate(labels):
        if label in seen:
            way = "use adata.obs_names_make_unique()" if is_anndata(X) else "use reset_index(drop=True)"
            raise ValueError(f"the label of row {row}, {label!r}, is that of another row too; give items, or {way}")
        seen.add(label)
    return labels


def names_of_columns(X: object) -> list[str] | None:
    """Return the labels of a data frame's columns, or the names of an AnnData object's variables."""
    columns = getattr(X, "var_names" if is_anndata(X) else "columns", None)
    if columns is None or callable(columns) or not isinstance(columns, Iterable):
        return None
    return [str(name) for name in columns]


def is_anndata(X: object) -> bool:
    """Return whether this is an AnnData object, or one that has the same parts."""
    return all(hasattr(X, name) for name in ("obs_names", "var_names", "obsm", "layers"))


def matrix_of(
    adata: Any,
    *,
    layer: str | None = None,
    obsm: str | None = None,
    widest: int = WIDEST,
    way: Callable[[str], str] | None = None,
) -> Any:
    """Return a matrix of an AnnData object: X, one of its layers, or one of what it has about each observation.

    A sparse one is made dense, unless it is too wide for that to be wise; `way` says how another matrix is chosen.
    """
    if layer is not None and obsm is not None:
        raise ValueError(f"the features are a layer or an obsm, not both: layer={layer!r}, obsm={obsm!r}")
    there = ", ".join(map(repr, adata.obsm)) or "nothing"
    if obsm is not None:
        if obsm not in adata.obsm:
            raise ValueError(f"there is no {obsm!r} in obsm; there is {there}")
        return adata.obsm[obsm]
    if layer is not None and layer not in adata.layers:
        layers = ", ".join(map(repr, adata.layers)) or "none"
        raise ValueError(f"there is no layer {layer!r}; the layers are: {layers}")
    matrix = adata.X if layer is None else adata.layers[layer]
    where = "X" if layer is None else f"layer {layer!r}"
    if matrix is None:
        raise ValueError(f"the AnnData object has no X; in obsm there is {there}: {_advice(adata, way)}")
    if matrix.shape[1] > widest or math.prod(matrix.shape) > LARGEST:
        raise ValueError(
            f"{where} of the AnnData object has {matrix.shape[0]} rows and {matrix.shape[1]} columns, which is too much to "
            f"take each as a feature; use a reduction of it (in obsm there is {there}): {_advice(adata, way)}"
        )
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def _advice(adata: Any, way: Callable[[str], str] | None) -> str:
    usual = next((name for name in ("X_pca", *adata.obsm) if name in adata.obsm), "X_pca")
    made = "" if usual in adata.obsm else ", after scanpy.pp.pca(adata)"
    how = f"treetalk.importing.from_anndata(adata, obsm={usual!r})" if way is None else way(usual)
    return how + made


def looks_like_distances(numbers: NDArray[np.float64]) -> bool:
    """Return whether a matrix is square and symmetric, with zeros on the diagonal and nothing below zero elsewhere."""
    num_rows, num_columns = numbers.shape
    if num_rows != num_columns or num_rows < FEWEST_OF_DISTANCES:
        return False
    largest = float(np.abs(numbers).max())
    near = CLOSE * largest
    if largest == 0 or np.abs(np.diag(numbers)).max() > LEFT_BEHIND * largest or numbers.min() < -near:
        return False
    return bool(np.allclose(numbers, numbers.T, rtol=1e-6, atol=near))


class _Names:
    """What rows and columns are called in errors: by their labels where there are any, besides their numbers."""

    def __init__(self, X: object) -> None:
        columns = getattr(X, "columns", None)
        self._columns = None if columns is None or callable(columns) else [str(name) for name in columns]

    def place(self, row: int, column: int) -> str:
        """Return where a cell stands: ``row 3, column 1 ('legs')``."""
        called = f" ({self._columns[column]!r})" if self._columns and column < len(self._columns) else ""
        return f"row {row}, column {column}{called}"


def _check_columns(X: Any) -> None:
    """Refuse columns of a data frame that hold no numbers, all of them in one sentence."""
    columns, dtypes = getattr(X, "columns", None), getattr(X, "dtypes", None)
    if columns is None or dtypes is None or callable(columns) or callable(dtypes):
        return
    wrong = []
    for place, (name, dtype) in enumerate(zip(columns, dtypes, strict=False)):
        kind = str(dtype).lower()
        why = next((why for start, why in OTHER_KINDS.items() if kind.startswith(start)), None)
        if why is None and (kind == "object" or kind.startswith(("str", "large_string", "utf8"))):
            odd = _first_text(X, place)
            why = None if odd is None else f"holds {odd!r}"
        if why is not None:
            wrong.append(f"column {str(name)!r} {why}")
    if wrong:
        more = f", and {len(wrong) - NUM_NAMED} more" if len(wrong) > NUM_NAMED else ""
        raise TypeError(
            f"X must hold numbers; {', '.join(wrong[:NUM_NAMED])}{more}; leave these columns out, or make numbers of them "
            "(pandas.get_dummies for categories)"
        )


def _first_text(X: Any, place: int) -> str | None:
    column = X.iloc[:, place] if hasattr(X, "iloc") else X[:, place]
    return next((value for value in column if isinstance(value, str)), None)


def _about_flat(array: NDArray[Any]) -> str:
    """Return what to do about a flat array, which may be one feature, or SciPy's condensed distances."""
    if array.ndim != 1 or array.dtype.kind not in "biuf" or array.size < FEWEST_OF_DISTANCES:
        return ""
    num_items = (1 + math.isqrt(1 + 8 * array.size)) // 2
    if num_items * (num_items - 1) // 2 != array.size:
        return "; a single feature is X.reshape(-1, 1)"
    return f"; a single feature is X.reshape(-1, 1); if these are the distances between {num_items} items: {INSTEAD}"


def _as_numbers(array: NDArray[Any], names: _Names) -> NDArray[np.float64]:
    if array.dtype.kind in "biuf":
        return np.array(array, dtype=np.float64, order="C")
    if array.dtype.kind != "O":
        raise TypeError(f"X must hold numbers; its dtype is {array.dtype}")
    result = np.empty(array.shape)
    for (row, column), value in np.ndenumerate(array):
        if value is None or type(value).__name__ in {"NAType", "NaTType"}:
            result[row, column] = np.nan
        elif isinstance(value, bool | int | float | Decimal | np.number | np.bool_) and not isinstance(
            value, np.complexfloating
        ):
            try:
                result[row, column] = float(value)
            except OverflowError:
                result[row, column] = np.inf
        else:
            raise TypeError(f"X must hold numbers; {names.place(row, column)} holds {value!r}")
    return result

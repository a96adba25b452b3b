"""Comparisons as cblearn has them (https://github.com/cblearn/cblearn, version 0.4).

- *list-order*: a row (i, j, k) says that i is nearer to j than to k; the pivot stands first (`check_query_response`:
  "Each row (i, j, k) indicates, ij <= ik").
- *list-boolean*, *list-count*: the same rows with a response to each: True or a positive number where it is so, False or
  a negative number where i is nearer to k, 0 where it is undecided.
- *tensor-count*: the responses as a sparse array of shape (n, n, n), or as a SciPy matrix of shape (n, n * n).
- *odd-one-out*: a row of three items or more, of which the FIRST is the odd one, unless there is a response that tells its
  column (`triplets_from_oddoneout`). Ours stands last.
- *most-central* cannot be said in a hierarchy: see `MOST_CENTRAL`.

What is said about a pivot becomes a triplet: i and j belong together, apart from k. In a hierarchy, whose distances are
ultrametric, that is what it means: if i is nearer to j than to k, then j is nearer to i than to k. Elsewhere it need not
be so: j may lie half way between i and k, and then i is nearer to j than to k, and k is nearer to j than to i. These two
contradict each other here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from treetalk.arguments import Items, as_array
from treetalk.dialects.said import Finder, Said, as_names, as_numbered, item_numbers, said_rows
from treetalk.dialects.tables import in_known_order, is_header, load_arrays, read_rows
from treetalk.errors import FormatError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FORMS = ("list-order", "list-boolean", "list-count", "tensor-count", "odd-one-out")
MOST_CENTRAL = (
    "that b is the most central of a, b and c means that a is nearer to b than to c, and c nearer to b than to a: "
    "the triplets ab|c and cb|a, which contradict each other in every hierarchy; ask for the odd one out instead"
)
HEADERS = (("i", "j", "k"), ("pivot", "near", "far"), ("odd", "one", "other"))
WITH_RESPONSES = ("list-boolean", "list-count")
OF_QUERIES, OF_RESPONSES = ("triplets", "queries", "query", "triplet", "X", "data"), ("responses", "response", "y")


def from_cblearn(
    queries: Any,
    responses: ArrayLike | None = None,
    *,
    form: str | None = None,
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> Said:
    """Return the triplets of cblearn's arrays.

    Parameters
    ----------
    queries : array of shape (m, 3), sparse array, or data frame
        Item numbers, which are integers, or names where `items` is given; the pivot first. For odd-one-out the shape is
        (m, k). With the forms list-boolean and list-count there may be a fourth column, the responses. Rows with
        a masked entry were not answered, and are left out. The columns of a data frame are i, j and k, or pivot, near
        and far, or odd, one and other, and response, in any order; or they are only numbered.
    responses : array of shape (m,), optional
        The response to each query; masked ones are left out, and 0 is left out as undecided in a list-count. For
        odd-one-out, the column of the odd one in each row.
    form : {"list-order", "list-boolean", "list-count", "tensor-count", "odd-one-out"}, optional
        What the arrays are. Needed for odd-one-out, and where responses are 0 and 1 alone: these may be booleans, as
        cblearn takes them, or counts of which some are undecided.
    items : sequence of str, optional
        The names of the items.
    num_leaves : int, optional
        The number of items, where they have no names.
    """
    if form == "most-central":
        raise ValueError(f"most-central responses cannot be taken in: {MOST_CENTRAL}")
    if form is not None and form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(map(repr, FORMS))}, not {form!r}")
    names, count = as_names(items, num_leaves)
    queries = in_known_order(queries, HEADERS, "cblearn's queries", last="response")
    if form in WITH_RESPONSES and isinstance(queries, list | tuple):
        queries = as_array(queries, "queries")
    if _is_sparse(queries):
        if responses is not None:
            raise ValueError("a sparse array holds the responses itself; no others can be given beside it")
        if form not in {None, "tensor-count"}:
            raise ValueError(f"a sparse array is of the form 'tensor-count', not {form!r}")
        queries, responses = _of_tensor(queries)
        form = "list-count"
    elif form == "tensor-count":
        raise TypeError(f"a tensor-count is a sparse array, not {type(queries).__name__}")
    if responses is None and form in WITH_RESPONSES and np.ndim(queries) == 2 and np.shape(queries)[1] == 4:
        queries, responses = queries[:, :3], _as_responses(queries[:, 3])
    array = as_array(np.ma.getdata(queries), "queries")
    if array.size == 0 and array.ndim < 3:
        return Said([], items=names)
    least = "3 or more" if form == "odd-one-out" else "3"
    if array.ndim != 2 or array.shape[1] < 3 or (array.shape[1] > 3 and form != "odd-one-out"):
        is_wide = array.ndim == 2 and array.shape[1] == 4 and responses is None
        advice = "; if the fourth column are responses, say form='list-count' or form='list-boolean'" if is_wide else ""
        raise ValueError(f"queries must have the shape (m, {least}); their shape is {array.shape}{advice}")
    is_answered = ~np.ma.getmaskarray(queries).any(axis=1)
    if responses is not None:
        if np.shape(responses) != (len(array),):
            shape = np.shape(responses)
            raise ValueError(f"there must be a response to each of the {len(array)} queries; the shape is {shape}")
        is_answered &= ~np.ma.getmaskarray(np.ma.asarray(responses))
    rows = np.flatnonzero(is_answered)
    if not rows.size:
        return Said([], items=names, num_left_out=len(array))
    numbers = np.zeros(array.shape, np.int64)
    numbers[rows] = item_numbers(_kept(array, rows), names, count, "query", rows)
    if form == "odd-one-out":
        return _of_odd_ones(numbers, responses, rows, names)
    if responses is None:
        if form in WITH_RESPONSES:
            raise ValueError(f"the form {form!r} needs responses")
        return said_rows(numbers[rows], rows, "query", items=names, num_left_out=len(array) - len(rows))
    signs = _signs(_kept(np.ma.getdata(responses), rows), form)
    rows, signs = rows[signs != 0], signs[signs != 0]
    chosen = np.where((signs > 0)[:, None], numbers[rows], numbers[rows][:, [0, 2, 1]])
    return said_rows(chosen, rows, "query", items=names, num_left_out=len(array) - len(rows))


def to_cblearn(
    triplets: ArrayLike,
    *,
    form: str = "list-order",
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Return triplets as cblearn's arrays.

    Parameters
    ----------
    triplets : array of shape (m, 3)
        Item numbers, or names where `items` is given; the odd one last.
    form : {"list-order", "list-boolean", "list-count", "odd-one-out"}
        With responses, a pair of arrays is returned, with the two items that are compared in ascending order, as cblearn
        has them.
    items : sequence of str, optional
        The names of the items, in the order in which they are numbered.
    num_leaves : int, optional
        The number of items; by default, as many as the triplets need.
    """
    array = as_numbered(triplets, items, num_leaves)[0].astype(np.int64)
    if form == "list-order":
        return array
    if form == "odd-one-out":
        return array[:, [2, 0, 1]]
    if form not in WITH_RESPONSES:
        known = "'list-order', 'list-boolean', 'list-count' or 'odd-one-out'"
        raise ValueError(f"form must be {known}, not {form!r}")
    is_sorted = array[:, 1] < array[:, 2]
    queries = np.where(is_sorted[:, None], array, array[:, [0, 2, 1]])
    return queries, is_sorted if form == "list-boolean" else np.where(is_sorted, 1, -1)


def read_cblearn(
    path: str | os.PathLike[str],
    *,
    form: str | None = None,
    by: str = "number",
    items: Iterable[object] | None = None,
    num_leaves: int | None = None,
    encoding: str | None = None,
) -> Said:
    """Return the triplets of a file with cblearn's arrays: .npy, .npz (triplets and responses), CSV or TSV.

    A CSV file has a row for each query, and the response, if any, as a fourth column. It needs no header, for the dialect
    says what the columns are. Items are numbers, counted from 0, or names with `by`.
    """
    file = Path(path)
    arrays = load_arrays(file)
    names, count = as_names(items, num_leaves)
    if arrays is None:
        finder = Finder(names, count, by, file.name)
        queries, responses, lines = _of_rows(read_rows(file, encoding), form, finder)
        return from_cblearn(queries, responses, form=form, items=names, num_leaves=count).at(lines)
    queries = _only(arrays, OF_QUERIES, file.name) if "" not in arrays else arrays[""]
    responses = next((arrays[name] for name in OF_RESPONSES if name in arrays), None)
    try:
        return from_cblearn(queries, responses, form=form, items=names, num_leaves=count)
    except (TypeError, ValueError) as error:
        raise FormatError(str(error), source=file.name) from None


def _only(arrays: dict[str, Any], usual: tuple[str, ...], source: str) -> Any:
    for name in usual:
        if name in arrays:
            return arrays[name]
    raise FormatError(
        f"there is no array 'triplets' of queries; there {'is' if len(arrays) == 1 else 'are'} "
        f"{', '.join(map(repr, arrays)) or 'none'}",
        source=source,
    )


def _of_rows(
    rows: list[tuple[int, list[str]]], form: str | None, finder: Finder
) -> tuple[NDArray[Any], NDArray[Any] | None, list[int]]:
    """Return the queries, the responses and the lines of a file's rows."""
    if is_header(rows[0][1], HEADERS, finder.items if finder.by == "name" else None):
        rows = rows[1:]
    has_responses = form in WITH_RESPONSES
    num_items = len(rows[0][1]) if rows and form == "odd-one-out" else 3
    wanted = num_items + has_responses
    queries, responses, lines = [], [], []
    for line, row in rows:
        cells = [cell.strip() for cell in row]
        try:
            if len(cells) != wanted:
                advice = "; say which form has responses: list-count" if len(cells) == wanted + 1 == 4 else ""
                raise ValueError(f"there are {len(cells)} cells, and {wanted} are needed{advice}")
            query = [finder.item(cell, f"cell {place}") for place, cell in enumerate(cells[:num_items], 1)]
            if len(set(query)) < num_items:
                raise ValueError(f"{', '.join(cells[:num_items])} names an item twice")
            response = _as_response(cells[3]) if has_responses else 0.0
        except ValueError as error:
            finder.note(line, error)
            continue
        queries.append(query)
        responses.append(response)
        lines.append(line)
    finder.check()
    return np.array(queries, np.int64).reshape(-1, num_items), np.array(responses) if has_responses else None, lines


def _as_response(cell: str) -> float:
    words = {"true": 1.0, "false": -1.0}
    if cell.lower() in words:
        return words[cell.lower()]
    try:
        return float(cell)
    except ValueError:
        raise ValueError(f"the response is {cell!r}; it must be a number, True or False") from None


def _as_responses(column: Any) -> Any:
    """Return the responses in a column; next to names they are no numbers yet."""
    if np.ma.getdata(column).dtype.kind != "O":
        return column
    is_masked = np.ma.getmaskarray(column)
    cells = zip(np.ma.getdata(column).tolist(), is_masked.tolist(), strict=True)
    return np.ma.masked_array([0.0 if masked else _as_response(str(cell)) for cell, masked in cells], mask=is_masked)


def _kept(array: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return the rows that were answered; whole numbers that are floats because others are missing become integers."""
    kept = array[rows]
    is_whole = kept.dtype.kind == "f" and len(kept) < len(array) and bool((kept == np.floor(kept)).all())
    return kept.astype(np.int64) if is_whole else kept


def _signs(responses: Any, form: str | None) -> NDArray[np.int64]:
    """Return 1 where a query is in order, -1 where its last two items are to be swapped, 0 where it is undecided."""
    array = np.asarray(responses)
    if form == "list-order":
        raise ValueError(
            "the form 'list-order' has no responses, for the order of a row is the response; say list-boolean or list-count"
        )
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise TypeError("responses must be True or False, or whole numbers")
    is_zero_or_one = bool(np.isin(array, [0, 1]).all())
    if form is None and array.dtype.kind != "b" and is_zero_or_one and not array.all():
        raise ValueError(
            "the responses are 0 and 1, which may be booleans or counts with undecided ones: "
            "say form='list-boolean' or form='list-count'"
        )
    if array.dtype.kind == "b" or form == "list-boolean":
        if not (is_zero_or_one or np.isin(array, [-1, 1]).all()):
            raise ValueError(
                "the responses of a list-boolean must be True or False; a list-count may have other numbers"
            )
        return np.where(array > 0, np.int64(1), np.int64(-1))
    signs: NDArray[np.int64] = np.sign(array).astype(np.int64)
    return signs


def _of_odd_ones(numbers: NDArray[np.int64], responses: Any, rows: NDArray[np.int64], items: Items | None) -> Said:
    """Return each pair of neighbours in a row without its odd one, apart from that: all other pairs follow."""
    num_rows, width = numbers.shape
    odd = np.zeros(len(rows), np.int64) if responses is None else _kept(np.ma.getdata(responses), rows)
    if odd.dtype.kind not in "iu":
        raise TypeError(f"a response is the column of the odd one, a whole number; their dtype is {odd.dtype}")
    outside = np.flatnonzero((odd < 0) | (odd >= width))
    if outside.size:
        first = outside[0]
        raise ValueError(
            f"query {rows[first]}: column {odd[first]} is not there; columns are numbered from 0 to {width - 1}"
        )
    chosen = numbers[rows]
    is_odd = np.arange(width) == odd[:, None]
    others = chosen[~is_odd].reshape(len(rows), width - 1)
    pairs = np.stack([others[:, :-1], others[:, 1:]], axis=2).reshape(-1, 2)
    triplets = np.column_stack([pairs, np.repeat(chosen[is_odd], width - 2)])
    return said_rows(triplets, np.repeat(rows, width - 2), "query", items=items, num_left_out=num_rows - len(rows))


def _is_sparse(queries: object) -> bool:
    return hasattr(queries, "tocoo") or (hasattr(queries, "coords") and hasattr(queries, "data"))


def _of_tensor(tensor: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the queries and the responses of a sparse array, sorted by query."""
    shape = tuple(tensor.shape)
    if len(shape) == 2 and shape[1] == shape[0] ** 2:
        pairs = tensor.tocoo()
        j, k = np.divmod(np.asarray(pairs.col, np.int64), shape[0])
        queries, data = np.column_stack([pairs.row, j, k]).astype(np.int64), np.asarray(pairs.data)
    elif len(shape) == 3 and len(set(shape)) == 1:
        queries, data = np.array(tensor.coords, np.int64).T, np.asarray(tensor.data)
    else:
        raise ValueError(f"a sparse array of responses has the shape (n, n, n) or (n, n * n), not {shape}")
    order = np.lexsort(queries.T[::-1])
    return queries[order], data[order]

"""The draws of chains for ArviZ, which plots and compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treetalk.arguments import format_item
from treetalk.diagnostics import as_chains, as_table, uncertain_clades
from treetalk.extras import imported
from treetalk.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from xarray import DataTree  # type: ignore[import-not-found, unused-ignore]

MOST_CHARACTERS = 60


def to_arviz(
    trees: Iterable[Iterable[Tree]],
    log_posterior: ArrayLike | Iterable[ArrayLike],
    log_likelihood: ArrayLike | Iterable[ArrayLike] | None = None,
    log_prior: ArrayLike | Iterable[ArrayLike] | None = None,
) -> DataTree:
    """Return the draws of several chains as ArviZ takes them: an xarray.DataTree with the group "posterior".

    Its variables are `log_posterior`, `log_likelihood` and `log_prior` where given, and `has_clade`: 1 where a draw
    has a clade, 0 where not, for the clades that `treetalk.diagnostics.uncertain_clades` chooses. The coordinate
    `clade` is made of the names of a clade's items. Where no clade is uncertain, both are left out. Needs the package
    arviz-base: ``pip install "treetalk[arviz]"``.

    Parameters
    ----------
    trees : sequence of sequences of Tree
        The draws of each chain, over the same items. Of chains of different lengths, the last draws count, as many as the
        shortest has.
    log_posterior, log_likelihood, log_prior : float array of shape (num_chains, num_draws)
        Of each draw; a list of series for chains of different lengths.
    """
    from_dict = imported("arviz_base", "to_arviz", package="arviz-base", extra="arviz").from_dict
    from treetalk import __version__

    chains = as_chains(trees)
    given = {"log_posterior": log_posterior, "log_likelihood": log_likelihood, "log_prior": log_prior}
    posterior: dict[str, NDArray[np.generic]] = {
        name: as_table(values, name, chains) for name, values in given.items() if values is not None
    }
    clades = uncertain_clades(chains)
    if clades.nodes:
        # Not "clade" itself: xarray takes a variable with the name of a dimension for its coordinate.
        posterior["has_clade"] = clades.presence.astype(np.int64)
    about = {"inference_library": "treetalk", "inference_library_version": __version__}
    draws: DataTree = from_dict(
        {"posterior": posterior},
        dims={"has_clade": ["clade"]},
        coords={"clade": clade_labels(clades.nodes)},
        attrs={"posterior": about},
    )
    return draws


def clade_labels(nodes: Iterable[tuple[Tree, int]]) -> list[str]:
    """Return a short label for each clade, no two the same: its items, ``cat + lynx``, or the first of them."""
    labels: list[str] = []
    known: set[str] = set()
    for tree, node in nodes:
        plain = label = _label(np.sort(tree.leaves(node)), tree.items)
        number = 1
        while label in known:
            number += 1
            label = f"{plain} [{number}]"
        known.add(label)
        labels.append(label)
    return labels


def _label(leaves: NDArray[np.int32], items: Sequence[str] | None) -> str:
    # Of a large clade, only what may fit is looked at.
    names = [format_item(leaf, items) for leaf in leaves[:MOST_CHARACTERS]]
    whole = " + ".join(names)
    if len(names) == len(leaves) and len(whole) <= MOST_CHARACTERS:
        return whole
    rest = f" + … ({len(leaves)} items)"
    while len(names) > 1 and len(" + ".join(names)) + len(rest) > MOST_CHARACTERS:
        names.pop()
    return " + ".join(names)[: MOST_CHARACTERS - len(rest)] + rest

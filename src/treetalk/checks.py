"""How much of the hierarchy is still wrong: an honest estimate, from random questions.

Questions that a strategy chooses are where the hierarchy is most likely wrong, so what people say to them tells nothing of
the whole. Now and then somebody is asked a *check*: which is the odd one of three random items, among those about which the
answers leave something open? What the hierarchy said of them is not shown but written down. How often people say otherwise
is the share that is wrong of what is open; what the answers settle is taken to be right.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treetalk.arguments import as_count, as_seed
from treetalk.tree import Tree
from treetalk.triplets import TripletSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treetalk.project import Record
    from treetalk.snapshots import Snapshots
    from treetalk.users import Triplet

CHECK = "check"
FEWEST, MOST = 5, 50  # checks: with fewer there is no estimate, and of more the latest are looked at
NUM_LOOKED_AT = 500  # triples, for the share that is open
DEVIATIONS = 1.959963984540054  # of the normal distribution, on either side of 95 %


class Estimate(NamedTuple):
    """How much is still wrong: the share of all triples, with an interval of 95 %, and the number of checks it is from."""

    estimate: float  # the share of triples that are wrong
    low: float  # the lower end of the interval
    high: float  # the upper end
    num_checks: int  # how many random triples were answered


def estimate(
    records: Sequence[Record],
    retracted: Container[int],
    items: Sequence[str],
    *,
    open_share: float = 1.0,
    most: int = MOST,
) -> Estimate | None:
    """Return the share of all triples about which the hierarchy is wrong, or None if there are fewer checks than `FEWEST`.

    Checks that were answered before the hierarchy changed count as they were: while it gets better, the estimate is a little
    too high rather than too low.

    Parameters
    ----------
    records : sequence of Record
        All answers, in the order in which they came.
    retracted : container of int
        The ids of those that were taken back.
    items : sequence of str
        The ids of the items.
    open_share : float
        The share of all triples that the answers leave open, as `open_share` has it.
    most : int
        How many checks are looked at, the latest.
    """
    if not 0 <= open_share <= 1:
        raise ValueError(f"open_share must be a share from 0 to 1, not {open_share!r}")
    found = verdicts(records, retracted, items, most)
    if len(found) < FEWEST:
        return None
    num_wrong = len(found) - sum(found)
    low, high = interval(num_wrong, len(found))
    return Estimate(open_share * num_wrong / len(found), open_share * low, open_share * high, len(found))


def checks_needed(records: Sequence[Record], retracted: Container[int], items: Sequence[str]) -> int:
    """Return how many more checks must be answered until there is an estimate."""
    return FEWEST - len(verdicts(records, retracted, items, FEWEST))


def verdicts(
    records: Sequence[Record], retracted: Container[int], items: Sequence[str], most: int = MOST
) -> list[bool]:
    """Return for each of the latest checks that were answered and not taken back whether the hierarchy was right.

    Who called the items all alike, or skipped the check, gave no verdict.
    """
    answered = (
        _is_right(shown, tuple(items[leaf] for leaf in answer.leaves), _places(answer.triplet, answer.leaves))
        for answer, shown in ((record.answer, record.shown) for record in reversed(records))
        if answer.strategy == CHECK
        and answer.triplet is not None
        and answer.leaves is not None
        and set(answer.triplet) == set(answer.leaves)
        and shown is not None
        and answer.id not in retracted
    )
    known = (verdict for verdict in answered if verdict is not None)
    return list(itertools.islice(known, as_count(most, "most", 1)))[::-1]


def interval(num_wrong: int, num_checks: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share of which a sample is known.

    Brown, Cai and DasGupta ("Interval estimation for a binomial proportion", 2001) recommend it for samples as small as
    these, as they do that of Jeffreys; but it needs no more than a square root. The textbook's interval, two standard errors
    to either side, would shrink to nothing where none is wrong. Here the lower end is 0 then.
    """
    share, slack = num_wrong / num_checks, DEVIATIONS**2 / num_checks
    middle = (share + slack / 2) / (1 + slack)
    half = math.sqrt(share * (1 - share) * slack + slack**2 / 4) / (1 + slack)
    return 0.0 if num_wrong == 0 else middle - half, 1.0 if num_wrong == num_checks else middle + half


# --- about all triples


def open_share(known: TripletSet, num_items: int, num_looked_at: int = NUM_LOOKED_AT, seed: int = 0) -> float:
    """Return the share of all triples of items that triplets do not settle, from random ones; exactly for few items."""
    if known.num_leaves != num_items:
        raise ValueError(f"the triplets are about {known.num_leaves} items, and {num_items} items were given")
    triples = random_triples(num_items, num_looked_at, seed)
    if not len(triples):
        return 0.0
    # What is settled is in BUILD's tree, and most of what is not is not even there.
    settled = sum(known.implied(triplet) for triplet in triplets_among(known.tree, triples))
    return 1.0 - settled / len(triples)


def sureness(tree: Tree, snapshots: Snapshots, num_looked_at: int = 2 * NUM_LOOKED_AT, seed: int = 0) -> float:
    """Return the share of the draws that has a triplet of a tree, on average over its triplets, from random triples.

    A tree that says nothing, as one of two items, is sure.
    """
    told = triplets_among(tree, random_triples(tree.num_leaves, num_looked_at, seed))
    return float(snapshots.draws().share_of(told).mean()) if len(told) else 1.0


def random_triples(num_items: int, most: int, seed: int = 0) -> NDArray[np.int32]:
    """Return so many random triples of items, of shape (m, 3); all triples, each once, if there are no more."""
    count = as_count(most, "the number of triples", 1)
    if math.comb(num_items, 3) <= count:
        return np.array(list(itertools.combinations(range(num_items), 3)), np.int32).reshape(-1, 3)
    rng = np.random.default_rng(as_seed(seed))
    # The second is any of those left, and so is the third: numbers step over those that are taken.
    first, second, third = (rng.integers(num_items - taken, size=count) for taken in range(3))
    second += second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    third += third >= low
    third += third >= high
    return np.column_stack([first, second, third]).astype(np.int32)


def triplets_among(tree: Tree, triples: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the triplets that a tree has of some triples; none of those that it leaves open."""
    turned = [triples[:, order] for order in ([0, 1, 2], [0, 2, 1], [1, 2, 0])]
    return np.concatenate([rows[tree.satisfies(rows)] for rows in turned])


def _places(triplet: Triplet, leaves: tuple[int, ...]) -> Triplet:
    a, b, c = map(leaves.index, triplet)
    return a, b, c


@lru_cache(maxsize=1_000)
def _is_right(shown: str, names: tuple[str, ...], triplet: Triplet) -> bool | None:
    """Return whether what was written down of three items has a triplet of them; None if it makes no sense."""
    try:
        return bool(Tree.from_newick(shown, names).satisfies([triplet])[0])
    except ValueError:
        return None

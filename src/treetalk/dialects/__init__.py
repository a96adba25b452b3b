"""Comparisons as other tools have them, in and out. A dialect is named, never guessed.

    read_triplets("responses.csv", "salmon", items=items)      any of `DIALECTS`, from a file, an array, a frame
    write_triplets("triplets.csv", said, "cblearn")            the way back
    from_cblearn, from_salmon, from_metric_learn               arrays and tables of these tools
    from_links                                                 must-links and cannot-links, with levels
    from_newick                                                a backbone: a tree over some of the items
    to_cblearn, to_salmon, to_metric_learn, to_newick          the way back

Each returns a `Said`, which is given on as triplets are: ``session.answer(None, from_cblearn(queries))``. Most tools speak
of distances: i is nearer to j than to k. Here that means that i and j belong together, apart from k; see
`treetalk.dialects.cblearn` for why a hierarchy leaves no other choice.
"""

from treetalk.dialects.backbone import from_newick, to_newick
from treetalk.dialects.cblearn import from_cblearn, to_cblearn
from treetalk.dialects.links import from_links
from treetalk.dialects.metric_learn import from_metric_learn, to_metric_learn
from treetalk.dialects.registry import DIALECTS, from_triplets, read_triplets
from treetalk.dialects.said import Said
from treetalk.dialects.salmon import from_salmon, to_salmon
from treetalk.dialects.writing import write_triplets

__all__ = [
    "DIALECTS",
    "Said",
    "from_cblearn",
    "from_links",
    "from_metric_learn",
    "from_newick",
    "from_salmon",
    "from_triplets",
    "read_triplets",
    "to_cblearn",
    "to_metric_learn",
    "to_newick",
    "to_salmon",
    "write_triplets",
]

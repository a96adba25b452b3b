"""Where the parts of a tree stand when it is drawn: pieces in questions, and windows onto a large hierarchy.

Everything is in rows (y) and in shares of the width (x); whoever draws turns them into pixels or lines. Nothing here knows
of projects, servers or pages.
"""

from treetalk.layout.order import num_inversions, steady_order
from treetalk.layout.piece import piece, piece_of
from treetalk.layout.visible import Canvas

__all__ = ["Canvas", "num_inversions", "piece", "piece_of", "steady_order"]

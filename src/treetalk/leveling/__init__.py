"""A hierarchy of a few levels, each with about so many groups, made of a deep tree: a table of contents, or a thesaurus."""

from treetalk.leveling.cutting import best_cut, qualities
from treetalk.leveling.levels import levels, shaped
from treetalk.leveling.record import Group, Levels

__all__ = ["Group", "Levels", "best_cut", "levels", "qualities", "shaped"]

"""From people's files to items and features: tables, arrays, folders of images or texts.

Everything is guessed, what was guessed is said, and everything can be said otherwise. A source becomes a `Table`; its
columns get roles; those that are features become a matrix with one unit for all columns; what was learned on the way is
a `Recipe`. These modules know nothing of sessions. Libraries for formats are imported when a file needs them.
"""

from treetalk.importing.anndata import from_anndata
from treetalk.importing.importer import import_source
from treetalk.importing.options import Options
from treetalk.importing.recipe import Recipe
from treetalk.importing.results import Column, Image, Imported

__all__ = ["Column", "Image", "Imported", "Options", "Recipe", "from_anndata", "import_source"]

"""What the name of a column says about it."""

from __future__ import annotations

import re

# The first of these that is there, and names every row once, is the id.
OF_IDS = (
    "id",
    "item",
    "item_id",
    "identifier",
    "key",
    "uid",
    "uuid",
    "name",
    "title",
    "common_name",
    "label",
    "code",
    "file",
)
ENDS_OF_IDS = ("_id", "_key", "_name", "_title")
OF_TITLES = ("title", "name", "common_name", "caption", "headline", "subject", "full_name", "label")
OF_INDEXES = frozenset(
    {"", "index", "idx", "row", "rows", "row_number", "rowid", "row_id", "no", "nr", "num", "number", "#", "id"}
)
STARTS_OF_INDEXES = ("unnamed:", "row_in_", "__index_level_", "row_no", "index_")
# Words that say that a column tells things apart, in English and German.
OF_CODES = frozenset(
    {"id", "ids", "ident", "identifier", "uid", "uuid", "guid", "key", "code", "sku", "ean", "upc", "asin", "isbn"}
    | {"issn", "gtin", "barcode", "catalog", "catalogue", "accession", "ref", "reference", "serial"}
    | {"nummer", "kennung", "kennziffer", "schlüssel", "schluessel", "strichcode", "katalog", "referenz"}
)
COUNTING = frozenset({"nr", "no", "num", "number", "#"})  # last in "part no"; first, they count: num_rooms, no. of legs
ENDS_OF_CODES = (
    *("nr", "id", "nummer", "number", "code", "key", "sku", "isbn", "gtin", "kennung", "kennziffer", "schlüssel"),
    # Too many words end with no, such as anno, to take them all.
    *("partno", "itemno", "orderno", "articleno", "productno", "serialno", "catno", "invoiceno", "customerno"),
)
# Words that end like a code by chance; German has many in chemistry (Chlorid).
NO_CODES = (
    *("acid", "oxid", "chlorid", "fluorid", "sulfid", "nitrid", "grid", "hybrid", "roid", "loid", "void", "fluid"),
    *("quid", "solid", "valid", "humid", "rapid", "lipid", "rigid", "paid", "bid", "covid", "orchid"),
    *("monkey", "turkey", "donkey", "whiskey", "hockey"),
)
# A price of the catalogue is a price.
OF_MEASURES = frozenset(
    {"of", "count", "counts", "size", "length", "width", "height", "weight", "area", "price", "cost", "amount", "total"}
    | {"mean", "level", "value", "score", "rate", "share", "age", "temperature", "year"}
    | {"anzahl", "preis", "kosten", "menge", "länge", "breite", "höhe", "gewicht", "größe", "alter", "wert", "jahr"}
)
OF_COMMENTS = frozenset(
    {"comment", "comments", "remark", "remarks", "note", "notes", "annotation", "annotations", "memo", "memos"}
    | {"notiz", "notizen", "hinweis", "hinweise"}
)
ENDS_OF_COMMENTS = ("bemerkung", "bemerkungen", "anmerkung", "anmerkungen", "kommentar", "kommentare")
OF_LABELS = frozenset(
    {"class", "classes", "class_type", "label", "labels", "target", "targets", "y", "category", "categories", "type"}
    | {"group", "cluster", "clusters", "ground_truth", "truth", "outcome", "folder", "target_names", "diagnosis"}
    | {"quality", "survived", "digit", "sentiment", "rating", "variety", "cultivar", "breed"}
    | {"species", "genus", "tribe", "subfamily", "family", "order", "phylum", "kingdom", "taxon"}
    | {"topic", "theme", "section", "department"}
    | {"kategorie", "klasse", "gattung", "familie", "ordnung", "sorte", "typ", "art"}
)
ENDS_OF_LABELS = (
    *("_class", "_label", "_labels", "_category", "_species", "_genus", "_family", "_cluster", "_target", "_topic"),
    *("_kategorie", "_klasse", "_gattung", "_familie", "_art", "gruppe"),
)
STARTS_OF_LABELS = ("class_", "label_", "target_", "cluster_")


def plain(name: str) -> str:
    """Return a name in lower case with underscores for blanks, hyphens and dots; itemName is item_name."""
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s.\-]+", "_", spread).lower()


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: EANCode, ean_code and "EAN code" have two."""
    spread = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[A-ZÄÖÜ])(?=[A-ZÄÖÜ][a-zäöüß])", " ", name)
    return re.findall(r"[^\W\d_]+|#", spread.lower())


def is_code(name: str) -> bool:
    """Return whether a column is called like a number that tells things apart: Artikelnr, part_no, EAN."""
    words = words_of(name)
    if not words or OF_MEASURES.intersection(words):
        return False
    return (
        words[-1] in COUNTING
        or not OF_CODES.isdisjoint(words)
        or any(word.endswith(ENDS_OF_CODES) and not word.endswith(NO_CODES) for word in words if word not in COUNTING)
    )


def is_comment(name: str) -> bool:
    """Return whether a column is called like what people add beside the data: comment, remarks, Bemerkung."""
    words = words_of(name)
    ends = words[:1] + words[-1:]
    return not OF_COMMENTS.isdisjoint(ends) or any(word.endswith(ENDS_OF_COMMENTS) for word in ends)


def ids_in_order(names: list[str]) -> list[str]:
    """Return the columns that are called like an id, the most likely first."""
    plain_names = {name: plain(name) for name in names}
    exact = [name for wanted in OF_IDS for name in names if plain_names[name] == wanted]
    return exact + [name for name in names if plain_names[name].endswith(ENDS_OF_IDS) and name not in exact]


def titles_in_order(names: list[str]) -> list[str]:
    """Return the columns that are called like a title, the most likely first."""
    exact = [name for wanted in OF_TITLES for name in names if plain(name) == wanted]
    return exact + [name for name in names if plain(name).endswith(("_name", "_title")) and name not in exact]


def is_index(name: str) -> bool:
    """Return whether a column is called like a number of the row."""
    own = plain(name)
    return own in OF_INDEXES or own.startswith(STARTS_OF_INDEXES) or own.endswith("_id")


def is_label(name: str, others: list[str]) -> bool:
    """Return whether a column is called like the answer that one hopes to find: class, label, species."""
    own = plain(name)
    if own == "y" and any(plain(other) == "x" for other in others):
        return False  # a place, x and y
    return own in OF_LABELS or own.endswith(ENDS_OF_LABELS) or own.startswith(STARTS_OF_LABELS)

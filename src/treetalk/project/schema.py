"""The tables of a project file, and how an older file becomes one of this version.

A project is a SQLite database, and everything in it can be read without treetalk: settings, further columns and what was
shown are JSON; `features.vector`, `parents` and `ages` are plain little-endian arrays (float64, int32, float64), one row of
a table for each row of the array. The view `said` has the answers with the names of items.
"""

from __future__ import annotations

import sqlite3

# "tree" in ASCII, in the header of the file: which program the database belongs to.
APPLICATION_ID = 0x74726565

VERSION_1 = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE items (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT, more TEXT NOT NULL DEFAULT '{}');
CREATE TABLE images (item INTEGER PRIMARY KEY REFERENCES items (number), media_type TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE feature_names (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE features (item INTEGER PRIMARY KEY REFERENCES items (number), vector BLOB NOT NULL);
CREATE TABLE recipe_arrays (name TEXT PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL, data BLOB NOT NULL);

CREATE TABLE answers (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    who TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('triplet', 'accept', 'same', 'skip', 'retract')),
    a INTEGER REFERENCES items (number),
    b INTEGER REFERENCES items (number),
    c INTEGER REFERENCES items (number),
    retracts INTEGER REFERENCES answers (id),
    shown TEXT,
    shown_tree TEXT,
    strategy TEXT,
    seconds REAL,
    comment TEXT,
    CHECK ((kind = 'triplet') = (a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL)),
    CHECK ((kind = 'retract') = (retracts IS NOT NULL))
);
CREATE TABLE names (id INTEGER PRIMARY KEY, time TEXT NOT NULL, who TEXT, items TEXT NOT NULL, name TEXT);

CREATE TRIGGER answers_stay BEFORE UPDATE ON answers BEGIN SELECT RAISE (ABORT, 'answers are never changed'); END;
CREATE TRIGGER answers_last BEFORE DELETE ON answers BEGIN SELECT RAISE (ABORT, 'answers are never deleted'); END;
CREATE TRIGGER answers_once BEFORE INSERT ON answers WHEN NEW.id IN (SELECT id FROM answers)
BEGIN SELECT RAISE (ABORT, 'answers are never replaced'); END;
CREATE TRIGGER names_stay BEFORE UPDATE ON names BEGIN SELECT RAISE (ABORT, 'names are never changed'); END;
CREATE TRIGGER names_last BEFORE DELETE ON names BEGIN SELECT RAISE (ABORT, 'names are never deleted'); END;
CREATE TRIGGER names_once BEFORE INSERT ON names WHEN NEW.id IN (SELECT id FROM names)
BEGIN SELECT RAISE (ABORT, 'names are never replaced'); END;

CREATE VIEW said AS
    SELECT answers.id, time, who, kind, one.id AS a, two.id AS b, odd.id AS c, retracts, strategy, seconds, comment
    FROM answers
    LEFT JOIN items AS one ON one.number = a
    LEFT JOIN items AS two ON two.number = b
    LEFT JOIN items AS odd ON odd.number = c;

CREATE TABLE sampling (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    time TEXT NOT NULL,
    num_answers INTEGER NOT NULL,
    num_asked INTEGER NOT NULL,
    random_state TEXT NOT NULL,
    set_aside TEXT NOT NULL
);
CREATE TABLE chains (
    number INTEGER PRIMARY KEY, parents BLOB NOT NULL, ages BLOB NOT NULL, random_state BLOB NOT NULL, counts TEXT NOT NULL
);
CREATE TABLE snapshots (
    number INTEGER PRIMARY KEY,
    chain INTEGER NOT NULL,
    is_draw INTEGER NOT NULL,
    log_prior REAL NOT NULL,
    log_likelihood REAL NOT NULL,
    parents BLOB NOT NULL,
    ages BLOB NOT NULL
);

CREATE TABLE holder (id INTEGER PRIMARY KEY CHECK (id = 0), who TEXT NOT NULL);
"""

# A gesture may say several triplets at once: they have one id in common, by which they are taken back together, and by which
# what is sent twice is recorded once. Comments may come later than the answers that they are about.
VERSION_2 = """
ALTER TABLE answers ADD COLUMN gesture TEXT;
CREATE INDEX answers_by_gesture ON answers (gesture) WHERE gesture IS NOT NULL;

CREATE TABLE comments (
    id INTEGER PRIMARY KEY,
    answer INTEGER NOT NULL REFERENCES answers (id),
    time TEXT NOT NULL,
    who TEXT,
    text TEXT NOT NULL
);
CREATE TRIGGER comments_stay BEFORE UPDATE ON comments BEGIN SELECT RAISE (ABORT, 'comments are never changed'); END;
CREATE TRIGGER comments_last BEFORE DELETE ON comments BEGIN SELECT RAISE (ABORT, 'comments are never deleted'); END;

DROP VIEW said;
CREATE VIEW said AS
    SELECT answers.id, time, who, kind, one.id AS a, two.id AS b, odd.id AS c, retracts, strategy, seconds, comment, gesture
    FROM answers
    LEFT JOIN items AS one ON one.number = a
    LEFT JOIN items AS two ON two.number = b
    LEFT JOIN items AS odd ON odd.number = c;
"""

# How a piece was shown, as JSON: for each two of its items the size of the smallest cluster that has both.
VERSION_3 = """
ALTER TABLE answers ADD COLUMN sizes TEXT;
"""

# Whether the trees bear out what the answers imply for flat classes; earlier versions did not look.
VERSION_4 = """
ALTER TABLE sampling ADD COLUMN is_borne_out INTEGER NOT NULL DEFAULT 1;
"""

# Script i makes a file of version i + 1 from one of version i; version 0 is an empty file. A script is never changed once
# there are files that it made: the next version is another script.
MIGRATIONS = [VERSION_1, VERSION_2, VERSION_3, VERSION_4]


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database to the current version: all of it, or nothing."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    steps = MIGRATIONS[version:]
    if not steps:
        return
    script = "".join([*steps, f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(MIGRATIONS)};"])
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

"""Section 7: the records in an SQLite file."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from .failures import Failure
from .items import EarlierRow, Row
from .records import Records

APPLICATION_ID, STORAGE_VERSION, EARLIER_BUILD = 1414941780, 2, 1
SCHEMA = [
    "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE buckets (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE links (counter INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE chunks (version BLOB NOT NULL, number INTEGER NOT NULL, stored INTEGER NOT NULL, bytes BLOB NOT NULL, "
    "PRIMARY KEY (version, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE earlier (item_id BLOB NOT NULL, revision INTEGER NOT NULL, class INTEGER NOT NULL, "
    "format INTEGER NOT NULL, attributes BLOB NOT NULL, value BLOB NOT NULL, moved BLOB NOT NULL, "
    "PRIMARY KEY (item_id, revision)) STRICT, WITHOUT ROWID",
    "CREATE TABLE items (tag BLOB PRIMARY KEY, item_id BLOB NOT NULL, class INTEGER NOT NULL, "
    "revision INTEGER NOT NULL, format INTEGER NOT NULL, attributes BLOB NOT NULL, value BLOB NOT NULL) "
    "STRICT, WITHOUT ROWID",
]

NO_DAMAGE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_NOMEM}
"""What SQLite says of a place or a machine, and not of a file."""


def read_records(path: Path) -> Records:
    if not path.exists():
        raise Failure("no_vault")
    if path.stat().st_size == 0:
        raise Failure("file_foreign")
    try:
        # Read-only changes no byte of a file that may be damaged, and still sees what a killed writer left in the log.
        with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as database:
            return snapshot(database)
    except UnicodeDecodeError as error:  # SQLite quotes a damaged schema in its message
        raise Failure("file_damaged") from error
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in NO_DAMAGE:
            raise
        not_a_database = error.sqlite_errorcode == sqlite3.SQLITE_NOTADB
        raise Failure("file_foreign" if not_a_database else "file_damaged") from error


class Text(bytes):
    """Text that may be damaged, as bytes, but told apart from blobs."""


def snapshot(database: sqlite3.Connection) -> Records:
    database.isolation_level = None
    database.text_factory = Text
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("BEGIN")
    check_file(database)
    rows = database.execute("SELECT tag, item_id, class, revision, format, attributes, value FROM items")
    earlier = database.execute("SELECT item_id, revision, class, format, attributes, value, moved FROM earlier")
    return Records(
        header=single(database, "header"),
        state=single(database, "state"),
        buckets=[(number, record) for number, record in typed(database.execute("SELECT * FROM buckets"), "ib")],
        rows=[Row(*row) for row in typed(rows, "bbiiibb")],
        links=seldom_read(database, "SELECT counter, bytes FROM links"),
        earlier=[EarlierRow(*row) for row in typed(earlier, "biiibbb")],
        chunks=seldom_read(database, "SELECT version, number, stored, bytes FROM chunks"),
    )


def check_file(database: sqlite3.Connection) -> None:
    def pragma(name: str) -> int:
        return database.execute(f"PRAGMA {name}").fetchone()[0]

    if pragma("application_id") != APPLICATION_ID:
        raise Failure("file_foreign")
    check_version(pragma("user_version"))
    names = [sql.split()[2].encode() for sql in SCHEMA]
    expected = [(b"table", name, name, sql.encode()) for name, sql in zip(names, SCHEMA)]
    if sorted(database.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"), key=repr) != sorted(expected):
        raise Failure("file_foreign")


def check_version(version: int) -> None:
    if version > STORAGE_VERSION:
        raise Failure("newer_version")
    if version == EARLIER_BUILD:
        raise Failure("earlier_build")
    if version != STORAGE_VERSION:
        raise Failure("file_foreign")


def typed(rows, kinds: str):
    """SQLite does not look whether a damaged page has the types of the schema, so a reader does."""
    expected = [{"i": int, "b": bytes}[kind] for kind in kinds]
    for row in rows:
        if [type(column) for column in row] != expected:
            raise Failure("file_damaged")
        yield row


def seldom_read(database: sqlite3.Connection, query: str) -> list[tuple] | None:
    """Rows of any types, because only who needs one looks at it; None where SQLite finds damage."""
    try:
        return database.execute(query).fetchall()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in NO_DAMAGE:
            raise
        return None


def single(database: sqlite3.Connection, table: str) -> bytes | None:
    for _, record in typed(database.execute(f"SELECT id, bytes FROM {table} WHERE id = 1"), "ib"):
        return record
    return None


def write_records(path: Path, records: Records) -> None:
    """A new file, for nobody but its owner; one that is there is left alone."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
            database.execute(f"PRAGMA {pragma}").fetchall()
        database.execute("BEGIN IMMEDIATE")
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {STORAGE_VERSION}")
        for statement in SCHEMA:
            database.execute(statement)
        for table, record in (("header", records.header), ("state", records.state)):
            if record is not None:
                database.execute(f"INSERT INTO {table} VALUES (1, ?)", (record,))
        database.executemany("INSERT INTO buckets VALUES (?, ?)", records.buckets)
        database.executemany("INSERT INTO links VALUES (?, ?)", records.links)
        database.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", records.chunks)
        database.executemany(
            "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(r.tag, r.item_id, r.item_class, r.revision, r.format, r.attributes, r.value) for r in records.rows],
        )
        database.executemany(
            "INSERT INTO earlier VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(r.item_id, r.revision, r.item_class, r.format, r.attributes, r.value, r.moved) for r in records.earlier],
        )
        database.execute("COMMIT")

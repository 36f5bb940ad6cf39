"""Mistakes in the SQLite file: each changes one that is right."""

import sqlite3
from contextlib import closing

from .mistake import Mistakes

MISTAKES = Mistakes()


@MISTAKES.named("file_foreign")
def no_application_id(database):
    database.execute("PRAGMA application_id = 0")


@MISTAKES.named("newer_version")
def storage_version_2(database):
    database.execute("PRAGMA user_version = 2")


@MISTAKES.named("file_foreign")
def an_index_more(database):
    database.execute("CREATE INDEX by_class ON items (class)")


@MISTAKES.named("file_foreign")
def a_trigger(database):
    database.execute("CREATE TRIGGER late AFTER DELETE ON items BEGIN SELECT 1; END")


@MISTAKES.named("file_foreign")
def a_table_with_another_check(database):
    database.execute("DROP TABLE state")
    database.execute("CREATE TABLE state (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID")


@MISTAKES.named("file_damaged")
def a_value_as_text(database):
    """STRICT would refuse it; who writes pages without SQLite, or with other tables first, would not."""
    (schema,) = database.execute("SELECT sql FROM sqlite_schema WHERE name = 'items'").fetchone()
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_schema SET sql = replace(sql, 'STRICT, ', '') WHERE name = 'items'")
    database.commit()
    path = database.execute("PRAGMA database_list").fetchone()[2]
    with closing(sqlite3.connect(path)) as lax:
        lax.execute("UPDATE items SET value = CAST(value AS TEXT)")
        lax.execute("PRAGMA writable_schema = ON")
        lax.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'items'", (schema,))
        lax.commit()

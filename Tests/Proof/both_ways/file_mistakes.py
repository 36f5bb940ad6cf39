"""Mistakes in the SQLite file: each changes one that is right."""

import sqlite3
from contextlib import closing

from .mistake import Mistakes

MISTAKES = Mistakes()


@MISTAKES.named("file_foreign")
def no_application_id(database):
    database.execute("PRAGMA application_id = 0")


@MISTAKES.named("newer_version")
def storage_version_3(database):
    database.execute("PRAGMA user_version = 3")


@MISTAKES.named("earlier_build")
def storage_version_1(database):
    database.execute("PRAGMA user_version = 1")


@MISTAKES.named("file_foreign")
def storage_version_0(database):
    database.execute("PRAGMA user_version = 0")


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


@MISTAKES.named("row_shape")
def a_value_over_4_mib(database):
    database.execute("UPDATE items SET value = zeroblob(?)", (4 * 1024 * 1024 + 1,))


@MISTAKES.named("row_shape")
def attributes_over_4_mib(database):
    database.execute("UPDATE items SET attributes = zeroblob(?)", (4 * 1024 * 1024 + 1,))


@MISTAKES.named("bucket_rows")
def a_value_of_4_mib(database):
    database.execute("UPDATE items SET value = zeroblob(?)", (4 * 1024 * 1024,))


@MISTAKES.named("row_shape")
def a_negative_revision(database):
    database.execute("UPDATE items SET revision = -1")


@MISTAKES.named("row_shape")
def a_class_of_9_bits(database):
    database.execute("UPDATE items SET class = 257")


@MISTAKES.named("row_format")
def a_format_of_33_bits(database):
    database.execute("UPDATE items SET format = (1 << 32) + 2")


@MISTAKES.named("row_format")
def a_negative_format(database):
    database.execute("UPDATE items SET format = -1")


@MISTAKES.named("bucket_number")
def a_bucket_of_17_bits(database):
    database.execute("UPDATE buckets SET number = number + 65536")


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

"""Mistakes in the SQLite file: each changes one that is right."""

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

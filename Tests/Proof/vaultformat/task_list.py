"""The list of tasks in its file, by Docs/Storage.md: the rows of `tasks.db`, the texts of protected tasks from the vault, and the head."""

import contextlib
import hashlib
import pathlib
import sqlite3
import struct

from .task_text import TaskText

APPLICATION, VERSION, CLEARED = 1_414_943_812, 3, 2
PRIORITIES = ("none", "low", "medium", "high")


@contextlib.contextmanager
def opened(path):
    """The file, which is not changed."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        database.row_factory = sqlite3.Row
        yield database


def tasks(path, vault):
    """What the owner sees of each task, by id; `vault` is open, for the texts."""
    with opened(path) as database:
        subtasks = {}
        for row in database.execute("SELECT * FROM subtasks ORDER BY task, position"):
            subtasks.setdefault(row["task"], []).append(row)
        return {
            row["id"]: task(row, subtasks.get(row["id"], []), vault)
            for row in database.execute("SELECT * FROM tasks WHERE state <> ?", (CLEARED,))
        }


def task(row, rows, vault):
    found = {
        "done": row["completed"] is not None, "list": row["list"], "priority": PRIORITIES[row["priority"]],
        "tags": sorted(row["tags"].split()), "due": row["due"], "protected": row["text_id"] is not None,
    }
    if row["text_id"] is None:
        return found | {"name": row["name"], "notes": row["notes"], "subtasks": [(each["name"], bool(each["done"])) for each in rows]}
    text = TaskText.decode(vault.read("taskvault.task", row["text_id"]).value)
    done = {each["id"]: bool(each["done"]) for each in rows}
    return found | {"name": text.name, "notes": text.notes, "subtasks": [(each.name, done.get(each.id, False)) for each in text.subtasks]}


def head(path):
    """Number and mark of the newest change."""
    with opened(path) as database:
        return tuple(database.execute("SELECT number, mark FROM commits ORDER BY number DESC LIMIT 1").fetchone() or (0, 0))


def recorded_head(path, records):
    """The head that the machine saw last, from its folder of rollback records."""
    place = str(pathlib.Path(path).resolve()).encode()
    name = hashlib.blake2b(b"TVTL" + place, digest_size=16).hexdigest() + ".list"
    data = (pathlib.Path(records) / name).read_bytes()
    magic, version, number, mark = struct.unpack("<4sIqq", data[:24])
    assert (magic, version) == (b"TVTR", 1) and data[24:] == hashlib.blake2b(data[:24], digest_size=16).digest()
    return number, mark

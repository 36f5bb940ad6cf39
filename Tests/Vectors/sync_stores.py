#!/usr/bin/python3
"""sync_stores.py [--check]: writes the rows of two databases of sync into SyncStores, from section 13 of Docs/Sync.md alone."""

import pathlib
import sys

sys.dont_write_bytecode = True

import vector_files  # noqa: E402
from writer import Source, context, counted, hash_, i64, pad, seal, u8, u32, u64  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
DEVICE, OTHER, REMOVED, GROUP, EPOCH = (bytes([n]) * 16 for n in (0xA0, 0xB0, 0xC0, 0x10, 0xEE))
ITEM, TASK, SUBTASK, ALIASED = (bytes([n]) * 16 for n in (0x01, 0x02, 0x03, 0x04))
KEYS = {1: b"\x65" * 32, 2: b"\x66" * 32}
ITEMS, TASKS = 2, 1


def vector(*dots): return u32(len(dots)) + b"".join(device + u64(number) for device, number in dots)
def field(number, detail=b""): return u32(number) + counted(detail)
def keyed(level, label, *message): return hash_(16, KEYS[level], label, *message)
def literal(value): return "NULL" if value is None else f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)


class Store:
    def __init__(self, name, chain):
        self.source, self.chain, self.lines = Source("sync store " + name), chain, []
        self.insert("state", 1, chain, DEVICE, b"TVSL" + u64(5) + u64(1) + u64(900) + u64(1) + u32(1) + OTHER + u64(2) + b"\x22" * 32 + u32(1)
                    + vector((DEVICE, 1)) + i64(70) + i64(71) + u32(1) + ITEM + u32(0) + u32(1) + OTHER + u32(1) + REMOVED + vector((DEVICE, 1), (OTHER, 2)))
        for level, key in KEYS.items():
            self.insert("keys", level, hash_(16, key, b"TVSK", u8(level)))
        self.insert("hashes", OTHER, 2, b"\x22" * 32)
        self.insert("outbox", 1, b"a segment")
        self.insert("snapshots", OTHER, 2, EPOCH * 2 + vector((DEVICE, 1), (OTHER, 1)) + u32(1) + b"\x33" * 32 + b"\x44" * 32)

    def insert(self, table, *values):
        self.lines.append(f"INSERT INTO {table} VALUES ({', '.join(map(literal, values))})")

    def seal(self, level, part, plaintext, object_, columns, revision=0):
        associated = context(13, DEVICE, object_, level, revision, part) + hash_(32, b"", columns)
        return seal(self.source, KEYS[level], pad(plaintext), associated)

    def record(self, object_, number, content, level, detail=b"", secret=False, author=DEVICE, clock=9, dot=1, seen=vector(), hides=False,
               written=None):
        written = level if written is None else written
        stored = keyed(level, b"TVSD", object_, u32(number), detail) if hides else detail
        row = object_ + field(number, stored) + u64(clock) + author + author + u64(dot) + seen + i64(77) + u8(written)
        sealed_detail = self.seal(level, 3, detail, object_, row) if hides else None
        fingerprint = keyed(level, b"TVSO", object_, keyed(level, b"TVSF", content)) if secret else None
        name = (keyed(1, b"TVSN", content) if level else hash_(16, b"", content)) if number == 17 else None
        if level:
            content = self.seal(level, 2 if secret else 1, content, object_, row)
        self.insert("records", object_, number, stored, clock, author, level, written, author, dot, seen, 77, int(author != DEVICE), name,
                    sealed_detail, fingerprint, content)

    def part(self, level, sequence, part, names=b"", seals=False):
        prefix = b"TVSG" + u32(1) + u8(1) + GROUP + OTHER + u64(1) + bytes(32) + EPOCH * 2
        names = self.seal(1, 5, names, bytes(16), prefix) if seals else names
        self.insert("parts", level, sequence, prefix, vector((DEVICE, 1)), int(seals), names, part)

    def counterpart(self, object_, name, revision, created):
        if self.chain == TASKS:
            return self.insert("counterparts", object_, name, None, revision, created)
        self.insert("counterparts", object_, keyed(1, b"TVSC", name), self.seal(1, 4, name, object_, b"", revision), revision, created)


items = Store("items", ITEMS)
items.record(ITEM, 1, b"\1", 1)
items.record(ITEM, 4, b"", 1, detail=ALIASED)
items.record(ITEM, 16, b"a value", 1, secret=True, clock=10)
items.record(ITEM, 16, b"a protected value", 2, secret=True, author=OTHER, clock=11, dot=2, seen=vector((DEVICE, 1)))
items.record(ITEM, 17, b"a name", 1)
items.record(ITEM, 19, b"https://example.com", 1, detail=b"url", hides=True)
items.part(1, 3, b"part U")
items.part(2, 4, b"part V", ITEM + field(19, b"user") + u64(12) + OTHER, seals=True)
items.counterpart(ITEM, b"example.com", 7, 1_800_000_000_000)
items.insert("marked", ITEM)

tasks = Store("tasks", TASKS)
tasks.record(TASK, 1, b"\2", 0)
tasks.record(TASK, 17, b"a name", 0)
tasks.record(TASK, 38, b"\1", 0, detail=b"a tag", author=OTHER, clock=11, dot=2, seen=vector((DEVICE, 1)))
tasks.record(TASK, 48, b"a protected subtask", 2, detail=SUBTASK, secret=True, written=0)
tasks.part(2, 1, b"part V", TASK + field(33) + u64(12) + OTHER)
tasks.counterpart(TASK, b"a1b2c3", 7, 1_800_000_000_000)
tasks.lines.append("INSERT INTO notes VALUES ('head', x'01')")

VECTORS = {name: "\n".join(store.lines) + "\n" for name, store in (("items", items), ("tasks", tasks))}
sys.exit(vector_files.main(HERE / "SyncStores", VECTORS, __doc__))

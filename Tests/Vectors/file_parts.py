#!/usr/bin/python3
"""file_parts.py [--check]: writes the vectors of the parts of files into FileParts, from Docs/Sync.md, section 8, and Docs/Format.md, section 13."""

import pathlib
import sys

sys.dont_write_bytecode = True

import vector_files  # noqa: E402
from writer import CHUNK, MESSAGE, Source, counted, flipped, hash_, stream, u32, u64  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = {}
CHUNKS_OF_PART, SEALED = 16, 65_553
LONG = bytes(range(256)) * 256 + b"the last chunk"


class File:
    """The value of an item, and the parts of its content by name; the arguments make faulty ones."""

    def __init__(self, name, content, under=None, tags=None, filler=lambda size: b"\xa5" * size):
        source = Source("file part " + name)
        self.version, key, header = source(16), source(32), source(24)
        pieces = [content[at:at + CHUNK] for at in range(0, len(content), CHUNK)] or [b""]
        chunks = stream(key, header, pieces, lambda number: (under or self.version) + u32(number), tags)
        self.value = u32(2) + self.version + key + header + u64(len(content)) + u32(len(chunks)) + counted(b"application/pdf") + counted(b"")
        self.rest = SEALED - len(chunks[-1])
        chunks[-1] += filler(self.rest)
        self.parts = {self.name(number // CHUNKS_OF_PART): b"".join(chunks[number:number + CHUNKS_OF_PART])
                      for number in range(0, len(chunks), CHUNKS_OF_PART)}

    def name(self, number, version=None): return f"{(version or self.version).hex()}-{number}"

    @property
    def first(self): return self.parts[self.name(0)]


def add(name, comment, content, expect="opens", change=lambda file: file.parts, **arguments):
    file = File(name, content, **arguments)
    lines = ["comment: " + comment, "expect: " + expect, "value: " + file.value.hex()]
    lines += [f"part: {part} {data.hex()}" for part, data in change(file).items()]
    if expect == "opens":
        lines += [f"content: {len(content)} {hash_(32, b'', content).hex()}"]
    VECTORS[name] = "\n".join(lines) + "\n"


add("empty", "No bytes are one chunk, which 65,536 others follow.", b"", filler=Source("random bytes after an empty chunk"))
add("short", "Some bytes, and others up to the size of a chunk.", b"content of a file")
add("full_chunk", "65,536 bytes: nothing follows.", LONG[:CHUNK])
add("two_chunks", "Other bytes follow the last chunk only.", LONG)
add("filler_zero", "What follows the last chunk is not looked at.", b"content of a file", filler=bytes)
add("two_parts", "One byte more than a part has: 16 chunks, and one.", bytes(range(256)) * 4_096 + b"!")
add("others_there", "Parts of another version, of numbers that the content does not have, and under names that are none.", b"content of a file",
    change=lambda file: file.parts | {file.name(1): b"more", file.name("00"): b"a copy", file.name(0, b"\1" * 16): b"another", file.name("0.tmp"): b"a copy"})

add("missing", "No part.", b"content of a file", "file_part", lambda file: {})
add("of_another_number", "The part has the number 1.", b"content of a file", "file_part", lambda file: {file.name(1): file.first})
add("of_another_version", "The part has the name of another version.", b"content of a file", "file_part", lambda file: {file.name(0, b"\1" * 16): file.first})
add("not_filled", "The chunk alone, as a vault stores it.", b"content of a file", "file_part", filler=lambda size: b"")
add("cut", "The last byte is missing.", b"content of a file", "file_part", lambda file: {file.name(0): file.first[:-1]})
add("trailing_byte", "A byte more.", b"content of a file", "file_part", lambda file: {file.name(0): file.first + b"\0"})

add("damaged", "A changed bit of the chunk.", b"content of a file", "chunk_seal", lambda file: {file.name(0): flipped(file.first, 20)})
add("filler_first", "The other bytes come first.", b"content of a file", "chunk_seal", lambda file: {file.name(0): file.first[-file.rest:] + file.first[:-file.rest]})
add("chunks_exchanged", "The chunks are exchanged.", LONG, "chunk_seal", lambda file: {file.name(0): file.first[SEALED:] + file.first[:SEALED]})
add("under_another_version", "The chunk is bound to another version.", b"content of a file", "chunk_seal", under=b"\1" * 16)
add("not_the_last", "The chunk is not the last one of its stream.", b"content of a file", "chunk_seal", tags=[MESSAGE])

sys.exit(vector_files.main(HERE / "FileParts", VECTORS, __doc__))

"""Vectors of file items and their chunks (section 13), in the folder Chunks."""

from dataclasses import dataclass

from writer import CHUNK, FINAL, MESSAGE, PUSH, REKEY, Item, counted, flipped, stream, u32, u64, vector

STORED = 1_700_000_000_500


@dataclass
class File:
    version: bytes
    key: bytes
    stream_header: bytes
    content: bytes
    item: Item


def pieces(content):
    return [content[i:i + CHUNK] for i in range(0, len(content), CHUNK)] or [b""]


def associated(v, version, number):
    return version + u32(number)


def add_file(v, content, class_=1, tags=None, at=associated, size=None, count=None, number=2, media=b"application/pdf", note=b"a note",
             change=lambda value: value, label=b"report.pdf"):
    version, key, header = v.source(16), v.source(32), v.source(24)
    chunks = stream(key, header, pieces(content), lambda number: at(v, version, number), tags)
    value = (u32(number) + version + key + header + u64(len(content) if size is None else size)
             + u32(len(chunks) if count is None else count) + counted(media) + counted(note))
    item = v.vault.add(b"taskvault.file", v.source(16).hex().encode(), change(value), label=label, class_=class_)
    v.chunks += [(version, number, STORED, chunk) for number, chunk in enumerate(chunks)]
    file = File(version, key, header, content, item)
    v.files.append(file)
    return file


def files(name, expect, comment, *contents, do="files", **fields):
    """Files of these contents, and a change of the chunks."""
    def register(damage):
        @vector(expect, comment, "Chunks/" + name)
        def prepare(v):
            v.vault.add(b"service", b"account")
            for content in contents:
                add_file(v, content, **fields)
            damage(v)
            v.do = do
        return damage
    return register


def nothing(v):
    pass


SHORT, LONG = b"content of a file", bytes(range(256)) * 256 + b"the last chunk"

files("file_empty", "opens", "A file of no bytes has one chunk.", b"")(nothing)
files("file_one_chunk", "opens", "A file of a few bytes.", SHORT)(nothing)
files("file_class_2", "opens", "A file of class 2.", SHORT, class_=2)(nothing)
files("file_full_chunk", "opens", "A file of 65,536 bytes in one chunk.", LONG[:CHUNK])(nothing)
files("file_two_chunks", "opens", "A file of two chunks.", LONG)(nothing)
files("file_words_longest", "opens", "A media type of 255 bytes and a note of 65,536, with a NUL.", SHORT,
      media=("\u00e9" * 127 + "m").encode(), note=b"\0" + b"n" * 65_535)(nothing)
files("file_words_empty", "opens", "No media type and no note.", SHORT, media=b"", note=b"")(nothing)
files("files_two", "opens", "Two files of one content.", SHORT, SHORT)(nothing)
files("files_none", "opens", "No file, and chunks that no item names.")(lambda v: v.chunks.append((bytes(16), 0, STORED, b"damaged")))
files("chunks_not_named", "opens", "Chunks of a version that no item names are no damage.", SHORT)(
    lambda v: v.chunks.append((bytes(16), 0, STORED, b"damaged")))
files("chunks_missing_items_listed", "opens", "All chunks are missing, and only the items are read.", SHORT, do=None)(lambda v: v.chunks.clear())
files("stored_extreme", "opens", "The time of storing is -2^63, which no seal includes.", SHORT)(
    lambda v: v.chunks.append((*v.chunks.pop()[:2], -2**63, stream(
        v.files[0].key, v.files[0].stream_header, [SHORT], lambda number: associated(v, v.files[0].version, number))[0])))


@vector("opens", "Labels that no writer gives to a file, one of them twice: a reader compares none.", "Chunks/file_names")
def file_names(v):
    for label in (b"", b".", b"..", b"../report.pdf", b"/", b"n" * 256, b"twice", b"twice"):
        add_file(v, SHORT, label=label)
    v.do = "files"


@vector("opens", "A file with a new content, whose old one belongs to an earlier row.", "Chunks/file_replaced")
def file_replaced(v):
    old = add_file(v, b"old content")
    new = add_file(v, b"new content")
    v.vault.items.remove(new.item)
    v.vault.replace(old.item, new.item.value)
    v.files = [File(new.version, new.key, new.stream_header, new.content, old.item)]
    v.do = "files"


@vector("opens", "A rekey seals the item again and leaves the chunks.", "Chunks/file_after_rekey")
def file_after_rekey(v):
    add_file(v, SHORT)
    v.build()
    v.vault.rekey()
    v.commit()
    v.do = "files"


# The value of the item.

def faulty(name, comment, content=SHORT, **fields):
    files("file_content_" + name, "file_content", comment, content, **fields)(nothing)


WORDS = len(counted(b"application/pdf") + counted(b"a note"))
faulty("empty", "The value of a file has no bytes.", change=lambda value: b"")
for number in (0, 1, 2**24):
    faulty(f"version_{number}", f"The version of the value is {number}.", number=number)
faulty("ends_in_key", "The value ends within the key.", change=lambda value: value[:51])
faulty("ends_in_count", "The value ends within the number of chunks.", change=lambda value: value[:87])
faulty("without_words", "The value ends before the media type.", change=lambda value: value[:-WORDS])
faulty("without_note", "The value ends before the note.", change=lambda value: value[:-10])
faulty("cut", "The last byte of the note is missing.", change=lambda value: value[:-1])
faulty("trailing", "One zero byte after the note.", change=lambda value: value + b"\0")
faulty("media_length_most", "The length of the media type is 2^32 - 1.", change=lambda value: value[:-WORDS] + u32(2**32 - 1) + value[4 - WORDS:])
faulty("count_0", "A file of no bytes and no chunk.", b"", count=0)
faulty("count_0_of_bytes", "A file of some bytes and no chunk.", count=0)
faulty("count_too_low", "65,537 bytes in one chunk.", size=CHUNK + 1)
faulty("count_too_high", "65,536 bytes in two chunks, the last one empty.", LONG[:CHUNK], count=2)
faulty("count_most", "2^32 - 1 chunks of a file of some bytes.", count=2**32 - 1)
faulty("over_4_gib", "A file of 4 GiB and one byte, in so many chunks.", size=2**32 + 1, count=2**16 + 1)
faulty("size_most", "A file of 2^64 - 1 bytes.", size=2**64 - 1, count=2**32 - 1)
faulty("size_wraps", "A file of 2^48 + 17 bytes, which is 17 bytes and one chunk if the count is cut to 32 bits.", size=2**48 + 17)
faulty("media_256_bytes", "A media type of 256 bytes.", media=b"m" * 256)
faulty("media_not_utf8", "The media type is not UTF-8.", media=b"text/\xe9")
faulty("note_65537_bytes", "A note of 65,537 bytes.", note=b"n" * 65_537)
faulty("note_not_utf8", "The note is not UTF-8.", note=b"caf\xe9")
files("file_content_before_chunks", "file_content", "The version of the value is 1, and the only chunk is missing.", SHORT, number=1)(
    lambda v: v.chunks.clear())
files("file_content_items_listed", "opens", "The value of a file has no bytes, and only the items are read.", SHORT,
      change=lambda value: b"", do=None)(nothing)
files("chunk_missing_of_4_gib", "chunk_missing", "A file of 4 GiB, whose first chunk is missing.", SHORT, size=2**32, count=2**16)(
    lambda v: v.chunks.clear())


def in_order(name, expect, comment, faulty_content, missing):
    """Of two files by tag, one has a faulty value, and of the other one the chunk is missing."""
    @vector(expect, comment, "Chunks/" + name)
    def prepare(v):
        by_tag = sorted((add_file(v, SHORT) for _ in range(2)), key=lambda file: v.vault.tag_of(file.item))
        by_tag[faulty_content].item.value = b""
        v.chunks = [chunk for chunk in v.chunks if chunk[0] != by_tag[missing].version]
        v.do = "files"


in_order("files_in_order", "chunk_missing", "The chunk of the first file by tag is missing, and the value of the second one is faulty.", 1, 0)
in_order("files_in_order_too", "file_content", "The value of the first file by tag is faulty, and the chunk of the second one is missing.", 0, 1)


# Its chunks.

def damaged_and_missing(v):
    v.chunks.pop()
    version, at, stored, data = v.chunks.pop()
    v.chunks.append((version, at, stored, flipped(data, 5)))


files("chunk_missing", "chunk_missing", "The only chunk is missing.", SHORT)(lambda v: v.chunks.clear())
files("chunk_missing_last", "chunk_missing", "The last of two chunks is missing.", LONG)(lambda v: v.chunks.pop())
files("chunk_missing_first", "chunk_missing", "The first of two chunks is missing.", LONG)(lambda v: v.chunks.pop(0))
files("chunk_of_empty_file_missing", "chunk_missing", "The chunk of a file of no bytes is missing.", b"")(lambda v: v.chunks.clear())
files("chunk_damaged_before_missing", "chunk_seal", "The first of two chunks is damaged, the last one is missing.", LONG)(damaged_and_missing)
files("chunk_under_another_version", "chunk_missing", "The only chunk is under another version id.", SHORT)(
    lambda v: v.chunks.append((bytes(16), *v.chunks.pop()[1:])))
files("chunk_under_number_1", "chunk_missing", "The only chunk has number 1.", SHORT)(
    lambda v: v.chunks.append((v.chunks[0][0], 1, *v.chunks.pop()[2:])))
files("chunk_count_too_high", "chunk_missing", "The item says one chunk and one byte more than there are.", LONG[:CHUNK],
      size=CHUNK + 1, count=2, tags=[MESSAGE])(nothing)


def edit(number, change):
    def damage(v):
        version, at, stored, data = v.chunks[number]
        v.chunks[number] = (version, at, stored, change(data))
    return damage


def exchange(v):
    (a, b, c, first), (d, e, f, second) = v.chunks
    v.chunks = [(a, b, c, second), (d, e, f, first)]


for name, words, change in (
        ("empty", "The chunk has no bytes", lambda data: b""), ("16_bytes", "The chunk has 16 bytes", lambda data: data[:16]),
        ("cut", "The last byte of the chunk is missing", lambda data: data[:-1]), ("trailing", "One byte after the chunk", lambda data: data + b"\0"),
        ("tag_byte_damaged", "One bit of the sealed tag is changed", lambda data: flipped(data, 0)),
        ("damaged", "One bit of the chunk is changed", lambda data: flipped(data, 5)),
        ("mac_damaged", "One bit of the authentication tag is changed", lambda data: flipped(data, -1, 128))):
    files("chunk_" + name, "chunk_seal", words + ".", SHORT)(edit(0, change))
files("chunk_damaged_last", "chunk_seal", "One bit of the last of two chunks is changed.", LONG)(edit(1, lambda data: flipped(data, 5)))
files("chunks_exchanged_of_files", "chunk_seal", "Two files exchanged their chunks.", SHORT, SHORT)(exchange)
files("chunk_of_size_too_low", "chunk_seal", "The item says one byte less than the chunk has.", SHORT, size=len(SHORT) - 1)(nothing)
files("chunk_of_size_too_high", "chunk_seal", "The item says one byte more than the chunk has.", SHORT, size=len(SHORT) + 1)(nothing)
for name, words, tag in (("message", "MESSAGE", MESSAGE), ("push", "PUSH", PUSH), ("rekey", "REKEY", REKEY)):
    files("chunk_tag_" + name, "chunk_seal", f"The only chunk has the tag {words}.", SHORT, tags=[tag])(nothing)
for name, words, tag in (("final", "FINAL", FINAL), ("push", "PUSH", PUSH), ("rekey", "REKEY", REKEY)):
    files("chunk_tag_first_" + name, "chunk_seal", f"The first of two chunks has the tag {words}.", LONG, tags=[tag, FINAL])(nothing)
files("chunk_cut_to_one", "chunk_seal", "The item says the first of two chunks alone, which has the tag MESSAGE.", LONG, size=CHUNK, count=1)(nothing)
for name, words, at in (
        ("with_vault_id", "the vault id before the version id", lambda v, version, number: v.vault.id + version + u32(number)),
        ("of_another_version", "another version id", lambda v, version, number: bytes(16) + u32(number)),
        ("of_another_number", "another number", lambda v, version, number: version + u32(number + 1))):
    files("chunk_" + name, "chunk_seal", f"The chunk is sealed with {words}.", SHORT, at=at)(nothing)
files("chunk_without_associated_data", "chunk_seal", "The chunk is sealed without associated data.", SHORT, at=lambda *all: b"")(nothing)


@vector("value_seal", "A chunk is missing too, but the values come first.", "Chunks/values_before_chunks")
def values_before_chunks(v):
    add_file(v, SHORT)
    v.chunks.clear()
    v.build()
    v.rows[0].value = flipped(v.rows[0].value, 0)
    v.reseal()
    v.do = "files"

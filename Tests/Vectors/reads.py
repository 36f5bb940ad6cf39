#!/usr/bin/python3
"""reads.py [--check]: writes the vectors of the log of reads into Reads, from Docs/Format.md, section 13, alone."""

import pathlib
import sys

sys.dont_write_bytecode = True

import vector_files  # noqa: E402
from writer import Source, context, hash_, i64, pad, public_key, seal, seal_to, u8, u32, u64  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "Reads"
VECTORS = {}
VAULT = bytes(range(16))
KEY = b"\x11" * 32


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return u32(len(value)) + value


def read(time, process, *texts):
    return i64(time) + u32(process) + b"".join(map(text, texts))


class Log:
    """A log that grows; the arguments make faulty ones."""

    def __init__(self, version=2, after=None, vault=VAULT):
        self.source = Source("reads")
        self.start = 0
        self.bytes = b"TVLG" + u32(version) + vault
        self.chain = hash_(32, b"", b"TVRC", self.bytes)
        self.ends = [len(self.bytes)]
        if after is not None:
            self.start = int.from_bytes(after[:8], "little")
            self.record(3, after)

    def record(self, kind, body):
        record = u32(1 + len(body)) + u8(kind) + body
        self.chain = hash_(32, b"", b"TVRC", self.chain, record)
        self.bytes += record
        self.ends.append(len(self.bytes))

    def begin(self, chain=None, more=b""):
        self.key, self.segment, self.number = self.source(32), self.source(16), 0
        self.record(1, seal_to(self.source, public_key(KEY), self.key + self.segment + (self.chain if chain is None else chain) + more))

    def reads(self, lost, *reads, number=None, keep_key=False, padded=pad):
        number = self.number if number is None else number
        at = context(10, VAULT, id=self.segment, revision=number)
        self.record(2, seal(self.source, self.key, padded(u32(lost) + b"".join(reads)), at))
        self.number += 1
        if not keep_key:
            self.key = hash_(32, self.key, b"TVRK")

    @property
    def head(self):
        return u64(self.start + len(self.bytes)) + self.chain


def vector(name, comment, log, expect, means="-", head=None, data=None, former=None):
    lines = dict(comment=comment, expect=expect, means=means, vault=VAULT.hex(), key=KEY.hex(),
                 head="-" if head is None else head.hex(), log=(log.bytes if data is None else data).hex() or "-")
    if former is not None:
        lines["former"] = former.bytes.hex()
    VECTORS[name] = "".join(f"{key}: {value}\n" for key, value in lines.items())


ONE = read(1_790_000_000_000, 77, "git", "make", "git:https://git.example", "ada", "password")
TWO = read(-1, 0, "", "", "taskvault.file", "photo.jpg", "password")
SAID = "0 git:https://git.example ada"
BOTH = "3 git:https://git.example ada, taskvault.file photo.jpg"


def good():
    log = Log()
    log.begin()
    log.reads(0, ONE)
    log.reads(3, TWO)
    return log


log = good()
vector("two_records", "A segment with two records; three reads were lost.", log, "valid", BOTH)
vector("head_at_end", "The vault has the head at the end.", log, "valid", BOTH, log.head)
two = good()
head = two.head
two.begin()
two.reads(0)
vector("head_before_end", "Another segment follows the head; its record has no reads.", two, "valid", BOTH, head)
cut = Log()
cut.begin()
cut.reads(0xFFFFFFFF, ONE)
vector("cut", "Records before were cut off.", cut, "valid", "0 cut git:https://git.example ada")
vector("empty", "Only the header.", Log(), "valid", "0")
vector("head_beyond_end", "The head is of a longer file.", log, "refused", head=two.head)
vector("head_of_other_chain", "The head has another chain.", log, "refused", head=u64(len(log.bytes)) + bytes(32))
vector("head_within_record", "The head is within a record.", log, "refused", head=u64(len(log.bytes) - 1) + log.chain)
vector("other_version", "Another version.", Log(3), "refused")
vector("record_cut", "The last byte is missing.", log, "refused", data=log.bytes[:-1])
vector("record_empty", "A record without a kind.", log, "refused", data=log.bytes + u32(0))
vector("record_missing", "The first record of reads is missing.", log, "refused",
       data=log.bytes[:log.ends[1]] + log.bytes[log.ends[2]:])
vector("beginning_missing", "The beginning is missing.", log, "refused", data=log.bytes[:24] + log.bytes[log.ends[1]:])
bad = Log()
bad.begin(chain=bytes(32))
vector("beginning_elsewhere", "The beginning was made for another place.", bad, "refused")
bad = Log()
bad.begin()
bad.reads(0, ONE, number=1)
vector("number_wrong", "The first record has the number 1.", bad, "refused")
bad = Log()
bad.begin()
bad.reads(0, ONE, keep_key=True)
bad.reads(0, TWO)
vector("key_kept", "The second record has the key of the first.", bad, "refused")
bad = good()
bad.record(4, b"")
vector("kind_4", "A kind that there is not.", bad, "refused")
bad = good()
bad.record(3, bad.head)
vector("kind_3_later", "A file begins in the midst of another one.", bad, "refused")


def one_record(*reads, **fields):
    log = Log()
    log.begin()
    log.reads(0, *reads, **fields)
    return log


odd = read(2**63 - 1, 2**32 - 1, "\x1b[2J\0\x7f", "p" * 5_000, "\u043a", "a b", "f" * 1_024)
vector("texts_of_programs", "Programs with control characters and of any length, and the highest numbers.", one_record(ONE, odd), "valid",
       f"{SAID}, \u043a a b")
for name, comment, reads in (
        ("trailing", "A byte after the reads.", ONE + b"\0"),
        ("read_cut", "The last read ends within its field.", ONE[:-1]),
        ("text_length_most", "The length of a program is 2^32 - 1.", i64(0) + u32(0) + u32(2**32 - 1) + b"git"),
        ("text_not_utf8", "A program is not UTF-8.", read(0, 0, b"\xff", "", "service", "account", "password")),
        ("service_empty", "A name that no secret can have.", read(0, 0, "", "", "", "ada", "password")),
        ("account_control_character", "An account with a line end.", read(0, 0, "", "", "service", "a\nb", "password")),
        ("field_1025_bytes", "A field of 1,025 bytes.", read(0, 0, "", "", "service", "account", "f" * 1_025))):
    vector(name, comment, one_record(reads), "refused")
vector("reads_without_padding", "The reads are not padded.", one_record(ONE, padded=lambda reads: u32(len(reads)) + reads), "refused")
vector("reads_without_count", "A record of reads that is too short for the number of lost ones.",
       one_record(padded=lambda reads: pad(reads[:3])), "refused")
for name, comment, fields in (("beginning_short", "The chain in the beginning is cut.", {"chain": bytes(31)}),
                              ("beginning_long", "A byte after the chain in the beginning.", {"more": b"\0"})):
    bad = Log()
    bad.begin(**fields)
    vector(name, comment, bad, "refused")
vector("record_size_most", "A record of 2^32 - 1 bytes.", log, "refused", data=log.bytes + u32(2**32 - 1) + u8(2))
vector("record_without_bytes", "The size of a record and no more.", log, "refused", data=log.bytes + u32(1))
vector("size_cut", "The size of a record is cut.", log, "refused", data=log.bytes + b"\1")
vector("of_another_vault", "The log of another vault.", Log(vault=bytes(16)), "refused")
vector("header_cut", "The header is cut.", log, "refused", data=log.bytes[:23])
vector("no_bytes", "A file of no bytes is none.", log, "valid", "0", data=b"")
vector("no_bytes_and_head", "A file of no bytes is none, but the vault has a head.", log, "refused", head=log.head, data=b"")
vector("head_cut", "The vault's head is cut.", log, "refused", head=log.head[:-1])
lost = Log()
lost.begin()
lost.reads(2)
lost.reads(2**32 - 3)
vector("lost", "Only lost reads, as many as a record can say.", lost, "valid", str(2**32 - 1))


def full(after=None):
    log = Log(after=after)
    log.begin()
    log.reads(3, ONE)
    log.reads(0xFFFFFFFE)
    return log


def going_on(former):
    log = Log(after=former.head)
    log.begin()
    log.reads(0, TWO)
    return log


former, second = full(), full(u64(5_000_000) + b"\x22" * 32)
log = going_on(former)
vector("former", "The log goes on after a former file.", log, "valid", BOTH, log.head, former=former)
vector("former_head", "The vault has the head at the end of the former file.", log, "valid", BOTH, former.head, former=former)
vector("former_only", "A crash: the file that goes on is not there yet.", log, "valid", SAID.replace("0", "3", 1), former.head, b"", former)
log = going_on(second)
vector("former_of_many", "The head is of a file before the former one.", log, "valid", BOTH, u64(4_999_999) + bytes(32), former=second)
vector("former_of_many_changed", "The head has another chain than the end before the former file.", log, "refused",
       head=u64(5_000_000) + bytes(32), former=second)
vector("former_missing", "The former file is missing.", log, "refused")
vector("former_other", "The former file is another one.", log, "refused", former=former)
vector("former_unexpected", "The file is the first one, but there is a former file.", good(), "refused", former=former)
vector("former_without_end", "The former file has no record of its end.", going_on(good()), "refused", former=good())
vector("end_without_successor", "The current file is full, and the next one is not there yet.", full(), "valid", "3" + SAID[1:])
again = full()
again.begin()
again.reads(0, TWO)
vector("end_and_more", "The current file goes on after a record of its end.", again, "valid", BOTH)
vector("former_end_and_more", "The former file goes on after the record of its end.", going_on(again), "refused", former=again)
bad = Log(after=bytes(39))
vector("former_short", "The head of the former file is cut.", bad, "refused", former=former)

if __name__ == "__main__":
    sys.exit(vector_files.main(FOLDER, VECTORS, __doc__))

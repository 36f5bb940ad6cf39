"""Section 13: the log of reads, which is a file of the machine."""

from dataclasses import dataclass, field

from .encoding import Cursor, Malformed, line, text, u32
from .failures import Failure
from .items import NAME_BYTES_MAXIMUM
from .padding import unpad
from .primitives import Context, hash, public_key_of, unbox, unseal

MAGIC, VERSION, HEADER_SIZE, HEAD_SIZE = b"TVLG", 2, 24, 40
BEGIN, READS, FORMER = 1, 2, 3
RECORD_BYTES_MAXIMUM = 1_048_576
CUT, END = 2**32 - 1, 2**32 - 2


@dataclass(frozen=True)
class Read:
    time: int
    process: int
    program: str
    parent: str
    service: str
    account: str
    field: str


@dataclass
class ReadLog:
    reads: list[Read] = field(default_factory=list)
    lost: int = 0
    is_cut: bool = False


@dataclass
class Segment:
    key: bytes
    id: bytes
    number: int = 0


class LogFile:
    """One file, whose reads are added to a log."""

    def __init__(self, data: bytes, vault_id: bytes, secret_key: bytes, log: ReadLog):
        self.vault_id, self.secret_key, self.log = vault_id, secret_key, log
        self.former: bytes | None = None
        self.before, self.is_ended, self.segment = 0, False, None
        cursor = Cursor(data)
        header = cursor.raw(HEADER_SIZE)
        if header != MAGIC + u32(VERSION) + vault_id:
            raise Malformed
        self.chain = hash(32, b"", b"TVRC" + header)
        self.heads = [self.head(HEADER_SIZE)]
        while cursor.offset < len(data):
            start, size = cursor.offset, cursor.u32()
            if not 1 <= size <= RECORD_BYTES_MAXIMUM:
                raise Malformed
            kind, body = cursor.u8(), cursor.raw(size - 1)
            self.take(kind, body, is_first=start == HEADER_SIZE)
            self.chain = hash(32, b"", b"TVRC" + self.chain + data[start : cursor.offset])
            self.heads.append(self.head(cursor.offset))

    def head(self, size: int) -> bytes:
        return (self.before + size).to_bytes(8, "little") + self.chain

    def take(self, kind: int, body: bytes, is_first: bool) -> None:
        self.is_ended = False
        if kind == BEGIN:
            self.begin(body)
        elif kind == READS and self.segment:
            self.take_reads(body, self.segment)
        elif kind == FORMER and is_first and len(body) == HEAD_SIZE:
            self.former, self.before = body, size_of(body)
        else:
            raise Malformed

    def begin(self, body: bytes) -> None:
        plaintext = unbox(self.secret_key, public_key_of(self.secret_key), body)
        if plaintext is None or len(plaintext) != 80 or plaintext[48:] != self.chain:
            raise Malformed
        self.segment = Segment(plaintext[:32], plaintext[32:48])

    def take_reads(self, body: bytes, segment: Segment) -> None:
        context = Context(10, self.vault_id, id=segment.id, revision=segment.number)
        padded = unseal(segment.key, body, context)
        if padded is None:
            raise Malformed
        cursor = Cursor(unpad(padded))
        lost = cursor.u32()
        while cursor.offset < len(cursor.data):
            self.log.reads.append(take_read(cursor))
        self.is_ended = lost == END
        self.log.is_cut |= lost == CUT
        self.log.lost += lost if lost < END else 0
        segment.key, segment.number = hash(32, segment.key, b"TVRK"), segment.number + 1


def take_read(cursor: Cursor) -> Read:
    time, process, program, parent = cursor.i64(), cursor.u32(), text(cursor.sized()), text(cursor.sized())
    return Read(time, process, program, parent, *(line(cursor.sized(), 1, NAME_BYTES_MAXIMUM) for _ in range(3)))


def size_of(head: bytes) -> int:
    return int.from_bytes(head[:8], "little")


def read_log(former: bytes, current: bytes, vault_id: bytes, secret_key: bytes, head: bytes | None) -> ReadLog:
    """`former` and `current` are the files, no bytes where there is none; `head` is what the vault has, if anything."""
    log, heads, end, before = ReadLog(), [], None, 0
    try:
        if former:
            file = LogFile(former, vault_id, secret_key, log)
            if not file.is_ended:
                raise Malformed
            heads, end, before = file.heads, file.heads[-1], file.before
        if current:
            file = LogFile(current, vault_id, secret_key, log)
            if file.former != end:
                raise Malformed
            heads += file.heads[1:] if former else file.heads
        is_dropped = head is not None and len(head) == HEAD_SIZE and size_of(head) < before
        if head is not None and head not in heads and not is_dropped:
            raise Malformed
    except Malformed:
        raise Failure("log_changed") from None
    return log

"""Section 6: the records that tie all rows together, and what the state says."""

from dataclasses import dataclass, field

from .encoding import Cursor, i64, sized, u8, u16, u32, u64
from .failures import Failure
from .items import MOVED_SIZE, EarlierRow, Row
from .history import BEFORE_ALL
from .keys import Keys
from .primitives import RECORD_FORMAT, Context, hash, seal, unseal

BUCKET_SIZE, STATE_SIZE = 116, 222
ITEM_BUCKETS, EARLIER_BUCKETS = range(256), range(256, 512)
BLOB_BYTES_MAXIMUM, LIMIT_MAXIMUM = 4 * 1024 * 1024, 86_400
EARLIER_VALUES_MAXIMUM, DAYS_MAXIMUM = 100, 3_650
REVISION_MAXIMUM = COUNTER_MAXIMUM = 2**63 - 1


@dataclass
class Records:
    """Everything that is stored, as stored, from one snapshot."""

    header: bytes | None = None
    state: bytes | None = None
    buckets: list[tuple[int, bytes]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    links: list[tuple[int, bytes]] | None = field(default_factory=list)
    """None if they cannot be read."""
    earlier: list[EarlierRow] = field(default_factory=list)
    chunks: list[tuple[bytes, int, int, bytes]] | None = field(default_factory=list)
    """Version id, number, time of storing and bytes; None if they cannot be read."""


def bucket_of(row: Row | EarlierRow) -> int:
    """A row with an empty tag belongs to bucket 0, so that no row is outside of all checks; earlier rows likewise."""
    if isinstance(row, EarlierRow):
        return EARLIER_BUCKETS.start + (row.item_id[0] if row.item_id else 0)
    return row.tag[0] if row.tag else 0


def identity(row: Row | EarlierRow) -> tuple:
    return (row.item_id, row.revision) if isinstance(row, EarlierRow) else (row.tag,)


def check_row(row: Row | EarlierRow, before: Row | EarlierRow | None) -> None:
    """What would not fit its field in the row element, and a row that is there twice. `before` is the one before it in their order."""
    if (
        (isinstance(row, Row) and len(row.tag) != 32)
        or (isinstance(row, EarlierRow) and len(row.moved) != MOVED_SIZE)
        or len(row.item_id) != 16
        or row.item_class not in (1, 2)
        or not 1 <= row.revision <= REVISION_MAXIMUM
        or max(len(row.attributes), len(row.value)) > BLOB_BYTES_MAXIMUM
        or (before is not None and identity(before) == identity(row))
    ):
        raise Failure("row_shape")
    if row.format != RECORD_FORMAT:
        raise Failure("row_format")


def row_element(row: Row | EarlierRow, keys: Keys) -> bytes:
    fields = row.item_id + u8(row.item_class) + u64(row.revision) + sized(row.attributes) + sized(row.value)
    if isinstance(row, EarlierRow):
        return hash(64, keys.row_hash, b"TVER" + u32(row.format) + fields + row.moved)
    return hash(64, keys.row_hash, b"TVRW" + u32(row.format) + row.tag + fields)


def bucket_element(number: int, record: bytes, keys: Keys) -> bytes:
    return hash(64, keys.row_hash, b"TVBK" + u16(number) + record)


def bucket_context(vault_id: bytes, number: int) -> Context:
    return Context(5, vault_id, revision=number // 256, part=number % 256)


def seal_bucket(number: int, count: int, sum: bytes, vault_id: bytes, keys: Keys) -> bytes:
    return u32(RECORD_FORMAT) + seal(keys.state, u64(count) + sum, bucket_context(vault_id, number))


def check_bucket_shape(number: int, record: bytes) -> None:
    if number not in ITEM_BUCKETS and number not in EARLIER_BUCKETS:
        raise Failure("bucket_number")
    if len(record) != BUCKET_SIZE:
        raise Failure("bucket_length")
    if Cursor(record).u32() != RECORD_FORMAT:
        raise Failure("bucket_format")


def open_bucket(number: int, record: bytes, vault_id: bytes, keys: Keys) -> tuple[int, bytes]:
    """Count and sum."""
    plaintext = unseal(keys.state, record[4:], bucket_context(vault_id, number))
    if plaintext is None:
        raise Failure("bucket_seal")
    cursor = Cursor(plaintext)
    count, sum = cursor.u64(), cursor.raw(64)
    if count == 0:
        raise Failure("bucket_content")
    return count, sum


@dataclass(frozen=True)
class State:
    sum: bytes
    items: int
    earlier: int
    counter: int
    lineage: bytes
    history: bytes = BEFORE_ALL
    restored_from: int = 0
    restored_at: int = 0
    verification_window: int = 120
    idle_limit: int = 900
    absolute_limit: int = 43_200
    require_locked_memory: int = 0
    switches: int = 0
    earlier_values: int = 10
    earlier_days: int = 90
    removed_days: int = 30

    def encode(self) -> bytes:
        start, end = self.around_history()
        return start + self.history + end

    def around_history(self) -> tuple[bytes, bytes]:
        start = self.sum + u64(self.items) + u64(self.earlier) + u64(self.counter) + self.lineage
        restored = i64(self.restored_from) + u64(self.restored_at)
        limits = u32(self.verification_window) + u32(self.idle_limit) + u32(self.absolute_limit)
        flags = u8(self.require_locked_memory) + u8(self.switches)
        kept = u32(self.earlier_values) + u32(self.earlier_days) + u32(self.removed_days)
        return start, restored + limits + flags + kept

    @staticmethod
    def decode(data: bytes) -> "State":
        cursor = Cursor(data)
        state = State(
            sum=cursor.raw(64),
            items=cursor.u64(),
            earlier=cursor.u64(),
            counter=cursor.u64(),
            lineage=cursor.raw(16),
            history=cursor.raw(32),
            restored_from=cursor.i64(),
            restored_at=cursor.u64(),
            verification_window=cursor.u32(),
            idle_limit=cursor.u32(),
            absolute_limit=cursor.u32(),
            require_locked_memory=cursor.u8(),
            switches=cursor.u8(),
            earlier_values=cursor.u32(),
            earlier_days=cursor.u32(),
            removed_days=cursor.u32(),
        )
        limits = (state.verification_window, state.idle_limit, state.absolute_limit)
        if not all(1 <= limit <= LIMIT_MAXIMUM for limit in limits):
            raise Failure("state_content")
        if state.earlier_values > EARLIER_VALUES_MAXIMUM or state.removed_days > DAYS_MAXIMUM:
            raise Failure("state_content")
        if not 1 <= state.earlier_days <= DAYS_MAXIMUM:
            raise Failure("state_content")
        if state.require_locked_memory > 1 or state.switches > 3:
            raise Failure("state_content")
        if not 1 <= state.counter <= COUNTER_MAXIMUM:
            raise Failure("state_content")
        if (state.restored_from == 0) != (state.restored_at == 0) or state.restored_at > state.counter:
            raise Failure("state_content")
        return state


def state_context(vault_id: bytes, header: bytes) -> Context:
    """With the hash of the header: the state opens beside no other one."""
    return Context(6, vault_id, header_hash=hash(32, b"", header))


def seal_state(state: State, vault_id: bytes, header: bytes, keys: Keys) -> bytes:
    return u32(RECORD_FORMAT) + seal(keys.state, state.encode(), state_context(vault_id, header))


def open_state(record: bytes | None, vault_id: bytes, header: bytes, keys: Keys) -> State:
    if record is None:
        raise Failure("state_missing")
    if len(record) != STATE_SIZE:
        raise Failure("state_length")
    if Cursor(record).u32() != RECORD_FORMAT:
        raise Failure("state_format")
    plaintext = unseal(keys.state, record[4:], state_context(vault_id, header))
    if plaintext is None:
        raise Failure("state_seal")
    return State.decode(plaintext)

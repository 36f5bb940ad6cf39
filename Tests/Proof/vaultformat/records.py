"""Section 6: the records that tie all rows together, and what the state says."""

from dataclasses import dataclass, field

from .encoding import Cursor, Malformed, i64, sized, u8, u16, u32, u64
from .failures import Failure
from .items import MOVED_SIZE, EarlierRow, Row
from .history import BEFORE_ALL
from .keys import Keys
from .primitives import RECORD_FORMAT, Context, hash, seal, unseal

BUCKET_SIZE, STATE_SIZES = 116, range(197, 197 + 5 * 256, 5)
ITEM_BUCKETS, EARLIER_BUCKETS = range(256), range(256, 512)
BLOB_BYTES_MAXIMUM = 4 * 1024 * 1024
REVISION_MAXIMUM = COUNTER_MAXIMUM = 2**63 - 1


@dataclass(frozen=True)
class Setting:
    number: int
    name: str
    at_creation: int
    allowed: range


SECONDS, FLAG, CHOICE = range(1, 86_401), range(2), range(3)
SETTINGS = (
    Setting(1, "verification_window", 120, SECONDS),
    Setting(2, "idle_limit", 900, SECONDS),
    Setting(3, "absolute_limit", 43_200, SECONDS),
    Setting(4, "require_locked_memory", 0, FLAG),
    Setting(5, "require_rollback_record", 0, FLAG),
    Setting(6, "earlier_values", 10, range(101)),
    Setting(7, "earlier_days", 90, range(1, 3_651)),
    Setting(8, "removed_days", 30, range(3_651)),
    Setting(9, "verify_with_fingerprint", 0, FLAG),
    Setting(10, "theme", 0, CHOICE),
    Setting(11, "language", 0, CHOICE),
)


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
    changed: tuple[tuple[int, int], ...] = ()
    """The settings with another value than at creation: number and value."""

    def settings(self) -> dict[str, int]:
        changed = dict(self.changed)
        return {each.name: changed.get(each.number, each.at_creation) for each in SETTINGS}

    def encode(self) -> bytes:
        start, end = self.around_history()
        return start + self.history + end

    def around_history(self) -> tuple[bytes, bytes]:
        start = self.sum + u64(self.items) + u64(self.earlier) + u64(self.counter) + self.lineage
        restored = i64(self.restored_from) + u64(self.restored_at)
        settings = u8(len(self.changed)) + b"".join(u8(number) + u32(value) for number, value in self.changed)
        return start, restored + settings

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
            changed=decode_settings(cursor),
        )
        if not 1 <= state.counter <= COUNTER_MAXIMUM:
            raise Failure("state_content")
        if (state.restored_from == 0) != (state.restored_at == 0) or state.restored_at > state.counter:
            raise Failure("state_content")
        return state


def decode_settings(cursor: Cursor) -> tuple[tuple[int, int], ...]:
    """The rest of the state."""
    known = {each.number: each for each in SETTINGS}
    try:
        pairs = tuple((cursor.u8(), cursor.u32()) for _ in range(cursor.u8()))
        cursor.end()
    except Malformed:
        raise Failure("state_content") from None
    numbers = [number for number, _ in pairs]
    if numbers != sorted(set(numbers)) or not known.keys() >= set(numbers):
        raise Failure("state_content")
    for number, value in pairs:
        if value == known[number].at_creation or value not in known[number].allowed:
            raise Failure("state_content")
    return pairs


def encode_settings(values: dict[str, int]) -> tuple[tuple[int, int], ...]:
    """The pairs of settings by name; also values that no reader accepts, but those at creation."""
    given = {each.number: values.get(each.name, each.at_creation) for each in SETTINGS}
    return tuple((each.number, given[each.number]) for each in SETTINGS if given[each.number] != each.at_creation)


def state_context(vault_id: bytes, header: bytes) -> Context:
    """With the hash of the header: the state opens beside no other one."""
    return Context(6, vault_id, header_hash=hash(32, b"", header))


def seal_state(state: State, vault_id: bytes, header: bytes, keys: Keys) -> bytes:
    return u32(RECORD_FORMAT) + seal(keys.state, state.encode(), state_context(vault_id, header))


def open_state(record: bytes | None, vault_id: bytes, header: bytes, keys: Keys) -> State:
    if record is None:
        raise Failure("state_missing")
    if len(record) not in STATE_SIZES:
        raise Failure("state_length")
    if Cursor(record).u32() != RECORD_FORMAT:
        raise Failure("state_format")
    plaintext = unseal(keys.state, record[4:], state_context(vault_id, header))
    if plaintext is None:
        raise Failure("state_seal")
    return State.decode(plaintext)

"""Section 6: the records that tie all rows together, and what the state says."""

from dataclasses import dataclass, field

from .encoding import Cursor, sized, u8, u32, u64
from .failures import Failure
from .items import Row
from .keys import Keys
from .primitives import RECORD_FORMAT, Context, hash, seal, unseal

BUCKET_SIZE, STATE_SIZE = 116, 153
BLOB_BYTES_MAXIMUM, REVISION_MAXIMUM, LIMIT_MAXIMUM = 4 * 1024 * 1024, 2**63 - 1, 86_400


@dataclass
class Records:
    """Everything that is stored, as stored, from one snapshot."""

    header: bytes | None = None
    state: bytes | None = None
    buckets: list[tuple[int, bytes]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


def bucket_of(tag: bytes) -> int:
    """A row with an empty tag belongs to bucket 0, so that no row is outside of all checks."""
    return tag[0] if tag else 0


def check_row(row: Row) -> None:
    """What would not fit its field in the row element."""
    if (
        len(row.tag) != 32
        or len(row.item_id) != 16
        or row.item_class not in (1, 2)
        or not 1 <= row.revision <= REVISION_MAXIMUM
        or max(len(row.attributes), len(row.value)) > BLOB_BYTES_MAXIMUM
    ):
        raise Failure("row_shape")
    if row.format != RECORD_FORMAT:
        raise Failure("row_format")


def row_element(row: Row, keys: Keys) -> bytes:
    fields = u32(row.format) + row.tag + row.item_id + u8(row.item_class) + u64(row.revision)
    return hash(64, keys.row_hash, b"TVRW" + fields + sized(row.attributes) + sized(row.value))


def bucket_element(number: int, record: bytes, keys: Keys) -> bytes:
    return hash(64, keys.row_hash, b"TVBK" + u8(number) + record)


def bucket_context(vault_id: bytes, number: int) -> Context:
    return Context(5, vault_id, part=number)


def seal_bucket(number: int, count: int, sum: bytes, vault_id: bytes, keys: Keys) -> bytes:
    return u32(RECORD_FORMAT) + seal(keys.state, u64(count) + sum, bucket_context(vault_id, number))


def check_bucket_shape(number: int, record: bytes) -> None:
    if not 0 <= number <= 255:
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
    counter: int
    lineage: bytes
    verification_window: int = 120
    idle_limit: int = 900
    absolute_limit: int = 43_200
    require_locked_memory: int = 0

    def encode(self) -> bytes:
        limits = u32(self.verification_window) + u32(self.idle_limit) + u32(self.absolute_limit)
        return self.sum + u64(self.items) + u64(self.counter) + self.lineage + limits + u8(self.require_locked_memory)

    @staticmethod
    def decode(data: bytes) -> "State":
        cursor = Cursor(data)
        state = State(
            sum=cursor.raw(64),
            items=cursor.u64(),
            counter=cursor.u64(),
            lineage=cursor.raw(16),
            verification_window=cursor.u32(),
            idle_limit=cursor.u32(),
            absolute_limit=cursor.u32(),
            require_locked_memory=cursor.u8(),
        )
        limits = (state.verification_window, state.idle_limit, state.absolute_limit)
        if not all(1 <= limit <= LIMIT_MAXIMUM for limit in limits):
            raise Failure("state_content")
        if state.require_locked_memory > 1 or state.counter == 0:
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

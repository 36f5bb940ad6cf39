"""Section 5: what an item holds, and how it becomes a row."""

from dataclasses import dataclass

from .encoding import Cursor, Malformed, i64, line, sized, text, u8, u32
from .failures import Failure
from .keys import Keys
from .padding import pad, unpad
from .primitives import RECORD_FORMAT, Context, hash, seal, unseal

NAME_BYTES_MAXIMUM, ATTRIBUTES_BYTES_MAXIMUM, VALUE_BYTES_MAXIMUM = 1_024, 65_536, 1_048_576
MOVED_SIZE = 49


@dataclass(frozen=True)
class Row:
    """A row as stored. Numbers may be anything that a database can hold."""

    tag: bytes
    item_id: bytes
    item_class: int
    revision: int
    format: int
    attributes: bytes
    value: bytes


@dataclass(frozen=True)
class EarlierRow:
    """The row of a value that was replaced, or of an item that was removed. It has no tag."""

    item_id: bytes
    revision: int
    item_class: int
    format: int
    attributes: bytes
    value: bytes
    moved: bytes


@dataclass(frozen=True)
class Attributes:
    service: str
    account: str
    label: str = ""
    created: int = 0
    modified: int = 0
    extra: tuple[tuple[str, str], ...] = ()
    field: str = "password"

    def encode(self) -> bytes:
        names = b"".join(sized(text.encode()) for text in (self.service, self.account, self.field, self.label))
        extra = b"".join(sized(key.encode()) + sized(text.encode()) for key, text in self.extra)
        return names + i64(self.created) + i64(self.modified) + u32(len(self.extra)) + extra

    @staticmethod
    def decode(data: bytes) -> "Attributes":
        """Raises `Malformed` for everything but the one encoding of attributes within the limits."""
        if len(data) > ATTRIBUTES_BYTES_MAXIMUM:
            raise Malformed
        cursor = Cursor(data)
        service, account, field = (name(cursor.sized(), 1) for _ in range(3))
        label = name(cursor.sized(), 0)
        created, modified = cursor.i64(), cursor.i64()
        extra, before = [], b""
        for _ in range(cursor.u32()):
            key = cursor.sized()
            if key <= before:
                raise Malformed
            before = key
            extra.append((name(key, 1), text(cursor.sized())))
        cursor.end()
        return Attributes(service, account, label, created, modified, tuple(extra), field)


def name(data: bytes, minimum: int) -> str:
    return line(data, minimum, NAME_BYTES_MAXIMUM)


def tag_of(service: str, account: str, field: str, keys: Keys) -> bytes:
    """Where an item lies, without telling anybody its name."""
    return hash(32, keys.lookup, b"".join(sized(text.encode()) for text in (service, account, field)))


def attributes_context(vault_id: bytes, item_id: bytes, item_class: int, revision: int) -> Context:
    return Context(3, vault_id, item_id, item_class, revision, part=1)


def value_context(vault_id: bytes, item_id: bytes, item_class: int, revision: int) -> Context:
    return Context(4, vault_id, item_id, item_class, revision, part=2)


def moved_context(vault_id: bytes, item_id: bytes, item_class: int, revision: int) -> Context:
    return Context(9, vault_id, item_id, item_class, revision)


def open_moved(row: EarlierRow, vault_id: bytes, keys: Keys) -> tuple[int, bool]:
    """When a row became an earlier one, and whether its item was removed."""
    context = moved_context(vault_id, row.item_id, row.item_class, row.revision)
    plaintext = unseal(keys.attributes, row.moved, context)
    if plaintext is None:
        raise Failure("moved_seal")
    cursor = Cursor(plaintext)
    time, removed = cursor.i64(), cursor.u8()
    if removed > 1:
        raise Failure("moved_content")
    return time, removed == 1


def open_attributes(row: Row | EarlierRow, vault_id: bytes, keys: Keys) -> Attributes:
    context = attributes_context(vault_id, row.item_id, row.item_class, row.revision)
    padded = unseal(keys.attributes, row.attributes, context)
    if padded is None:
        raise Failure("attributes_seal")
    try:
        data = unpad(padded)
    except Malformed:
        raise Failure("attributes_padding") from None
    try:
        attributes = Attributes.decode(data)
    except Malformed:
        raise Failure("attributes_content") from None
    if isinstance(row, Row) and row.tag != tag_of(attributes.service, attributes.account, attributes.field, keys):
        raise Failure("tag_names")
    return attributes


def open_value(row: Row | EarlierRow, vault_id: bytes, keys: Keys) -> bytes:
    context = value_context(vault_id, row.item_id, row.item_class, row.revision)
    padded = unseal(keys.values[row.item_class], row.value, context)
    if padded is None:
        raise Failure("value_seal")
    try:
        value = unpad(padded)
    except Malformed:
        raise Failure("value_padding") from None
    if len(value) > VALUE_BYTES_MAXIMUM:
        raise Failure("value_too_large")
    return value


def seal_row(
    attributes: Attributes, value: bytes, item_class: int, item_id: bytes, revision: int, vault_id: bytes, keys: Keys
) -> Row:
    place = (vault_id, item_id, item_class, revision)
    return Row(
        tag=tag_of(attributes.service, attributes.account, attributes.field, keys),
        item_id=item_id,
        item_class=item_class,
        revision=revision,
        format=RECORD_FORMAT,
        attributes=seal(keys.attributes, pad(attributes.encode()), attributes_context(*place)),
        value=seal(keys.values[item_class], pad(value), value_context(*place)),
    )


def seal_earlier(row: Row, time: int, removed: bool, vault_id: bytes, keys: Keys) -> EarlierRow:
    """What a row becomes when its value is replaced or its item removed: its blobs stay."""
    context = moved_context(vault_id, row.item_id, row.item_class, row.revision)
    moved = seal(keys.attributes, i64(time) + u8(removed), context)
    return EarlierRow(row.item_id, row.revision, row.item_class, row.format, row.attributes, row.value, moved)

"""Section 9: statements, alone and with their past."""

from dataclasses import dataclass, field
from functools import cached_property

from vaultformat.encoding import Cursor, Malformed, sized, u8, u32, u64
from vaultformat.padding import unpad
from vaultformat.primitives import hash, unseal

from .keys import Epoch, VERIFIED, is_signed, member_id, read_boxes, read_keys, secrets_chain, signature, signing_key
from .sealing import Bound
from .values import HASH, ID, NO_HASH, NO_ID, Refused, ascending, clock, encoded_heads, heads, limited

CREATE, ADD, REMOVE, RENAME, EPOCH, DELIVER = range(1, 7)
DEVICE, RECOVERY = 1, 2
SIZE_LIMIT, SEEN_LIMIT, NAME_LIMIT, DELIVERED_LIMIT, DEVICES = 32_768, 128, 256, 32, 16


@dataclass(frozen=True)
class Name:
    epoch: bytes
    sealed: bytes

    @staticmethod
    def read(cursor):
        name = Name(cursor.raw(HASH), cursor.sized())
        if len(name.sealed) > NAME_LIMIT or not name.sealed and name.epoch != NO_HASH:
            raise Malformed
        return name

    @property
    def encoded(self):
        return self.epoch + sized(self.sealed)

    def text(self, group, member, list_keys):
        """The name, with the keys of L by epoch; empty without them, or if it is not valid."""
        key = list_keys.get(self.epoch)
        padded = key and unseal(key, self.sealed, Bound(14, group, member, tail=self.epoch))
        try:
            text = unpad(padded).decode() if padded else ""
        except (Malformed, UnicodeDecodeError):
            return ""
        return text if len(text.encode()) <= 120 and not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in text) else ""


NO_NAME = Name(NO_HASH, b"")


@dataclass(frozen=True)
class Statement:
    data: bytes = field(repr=False)
    kind: int
    group: bytes
    author: bytes
    introduction: bytes
    clock: int
    seen: tuple
    keys: bytes = field(default=b"", repr=False)
    role: int = 0
    consent: bytes = field(default=b"", repr=False)
    member: bytes = b""
    name: Name = NO_NAME
    heads: dict = field(default_factory=dict, hash=False, compare=False)
    epoch: Epoch | None = field(default=None, hash=False, compare=False)
    boxes: dict = field(default_factory=dict, hash=False, compare=False)

    @cached_property
    def id(self):
        return hash(HASH, b"", self.data)

    @cached_property
    def introduced(self):
        """The id of the member that it made."""
        return member_id(self.keys) if self.kind in (CREATE, ADD) else None

    @property
    def order(self):
        return self.clock, self.id

    @staticmethod
    def decode(data):
        if len(data) > SIZE_LIMIT:
            raise Refused("statement_too_long")
        cursor = Cursor(data)
        try:
            if cursor.raw(4) != b"TVST":
                raise Refused("statement_magic")
            if (format := cursor.u32()) != 1:
                raise Refused("statement_format" if format == 0 else "statement_later_format")
            if (kind := cursor.u8()) not in range(1, 7):
                raise Refused("statement_kind")
            return body(data, kind, cursor)
        except Malformed:
            raise Refused("statement_content") from None

    def signed_by(self, keys):
        return is_signed(self.data[:-64], self.data[-64:], signing_key(keys, VERIFIED))


def body(data, kind, cursor):
    group, author, introduction, clock_ = cursor.raw(ID), cursor.raw(ID), cursor.raw(HASH), clock(cursor)
    seen = tuple(cursor.raw(HASH) for _ in range(limited(cursor, SEEN_LIMIT)))
    ascending(seen)
    more = content(kind, cursor)
    cursor.raw(64)
    cursor.end()
    if kind == CREATE:
        if (group, introduction, seen, author) != (NO_ID, NO_HASH, (), member_id(more["keys"])):
            raise Malformed
        group = hash(ID, b"", b"TVGR" + data)
    elif not seen:
        raise Malformed
    if kind == EPOCH and more["epoch"].group != group:
        raise Malformed
    return Statement(data, kind, group, author, introduction, clock_, seen, **more)


def content(kind, cursor):
    if kind == CREATE:
        return {"keys": read_keys(cursor)}
    if kind == ADD:
        if (role := cursor.u8()) not in (DEVICE, RECOVERY):
            raise Malformed
        return {"role": role, "keys": read_keys(cursor), "consent": cursor.raw(64), "name": Name.read(cursor), "heads": heads(cursor)}
    if kind == REMOVE:
        member, last = cursor.raw(ID), heads(cursor)
        if not set(last) <= {member, secrets_chain(member)}:
            raise Malformed
        return {"member": member, "heads": last}
    if kind == RENAME:
        return {"member": cursor.raw(ID), "name": Name.read(cursor)}
    if kind == EPOCH:
        return {"epoch": Epoch.decode(cursor.sized())}
    member = cursor.raw(ID)
    boxes = [(cursor.raw(HASH), read_boxes(cursor)) for _ in range(limited(cursor, DELIVERED_LIMIT))]
    ascending([epoch for epoch, _ in boxes])
    if not boxes:
        raise Malformed
    return {"member": member, "boxes": dict(boxes)}


def encode(kind, group, author, introduction, clock_, seen, content_, seed, format=1):
    data = b"TVST" + u32(format) + u8(kind) + group + author + introduction + u64(clock_) + u32(len(seen)) + b"".join(sorted(seen)) + content_
    return data + signature(data, seed)


def consent_text(group, role, keys):
    return b"TVJN" + group + u8(role) + keys


def add_content(member, role, group, name=NO_NAME, last=None):
    consent = signature(consent_text(group, role, member.keys), member.parts[VERIFIED][1])
    return u8(role) + member.keys + consent + name.encoded + encoded_heads(last or {})

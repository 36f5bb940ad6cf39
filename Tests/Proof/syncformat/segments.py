"""Section 4: one segment, from its bytes to its records; section 8: files and announcements of snapshots."""

from dataclasses import dataclass, field

from vaultformat.encoding import Cursor, Malformed, i64, sized, u8, u32
from vaultformat.padding import pad, unpad
from vaultformat.primitives import hash, seal, unseal

from . import values
from .keys import LIST, UNLOCKED, VERIFIED, is_signed, signature
from .records import encode_list, read_list
from .sealing import Bound
from .values import HASH, ID, NO_HASH, Refused, encoded_dot, encoded_heads, encoded_vector, stamp

LIMIT, LEAST, PREFIX, FORMAT, PARTS = 1_114_112, 177, 113, 1, 64
CHANGE, SNAPSHOT = 1, 3
ENDS_LIMIT = 16_384


@dataclass(frozen=True)
class Segment:
    """A segment at its place, whose signature is right."""

    data: bytes = field(repr=False)
    kind: int
    dot: tuple
    previous: bytes
    epoch: bytes
    prefix: bytes = field(repr=False)

    @property
    def hash(self):
        return hash(HASH, b"", self.data)

    @property
    def body(self):
        return self.data[PREFIX:-64]

    @staticmethod
    def decode(data, group, dot, segment_key, used_format=1):
        if len(data) > LIMIT:
            raise Refused("segment_too_long")
        if len(data) < LEAST:
            raise Refused("segment_truncated")
        cursor = Cursor(data)
        if cursor.raw(4) != b"TVSG":
            raise Refused("segment_magic")
        if (format := cursor.u32()) != FORMAT:
            raise Refused("segment_format" if format == 0 else "segment_later_format")
        if (kind := cursor.u8()) not in (CHANGE, SNAPSHOT):
            raise Refused("segment_kind")
        found, own = cursor.raw(ID), (cursor.raw(ID), cursor.u64())
        previous, epoch = cursor.raw(HASH), cursor.raw(HASH)
        if own[1] in (0, 2**64 - 1) or (own[1] == 1) != (previous == NO_HASH):
            raise Refused("segment_number")
        if found != group:
            raise Refused("segment_group")
        if own != dot:
            raise Refused("segment_number")
        if not is_signed(data[:-64], data[-64:], segment_key):
            raise Refused("segment_signature")
        if format < used_format:
            raise Refused("segment_earlier_format")
        return Segment(data, kind, own, previous, epoch, data[:PREFIX])

    def open(self, keys, before):
        """The body, with keys by level. Parts whose key is missing are not opened."""
        padded = unseal(keys[LIST], self.body, context(self.prefix, LIST))
        if padded is None:
            raise Refused("body_seal")
        try:
            plain = unpad(padded)
        except Malformed:
            raise Refused("body_padding") from None
        try:
            return self.read(plain, keys, before)
        except Malformed:
            raise Refused("body_content") from None

    def parts(self, keys):
        """The sealed parts for U and V."""
        cursor = Cursor(unpad(unseal(keys[LIST], self.body, context(self.prefix, LIST))))
        cursor.i64(), cursor.u8(), values.heads(cursor), read_list(cursor, LIST, self.dot, {})
        return cursor.sized(), cursor.sized()

    def read(self, plain, keys, before):
        cursor = Cursor(plain)
        time, following, heads = cursor.i64(), cursor.u8(), values.heads(cursor)
        if following >= PARTS:
            raise Malformed
        if self.kind == SNAPSHOT and heads or self.dot[0] in heads or any(heads[device][0] < before.get(device, 0) for device in heads):
            raise Refused("body_heads")
        seen = before | {device: number for device, (number, _) in heads.items()}
        records = read_list(cursor, LIST, self.dot, seen)
        parts = cursor.sized(), cursor.sized()
        addition = Cursor(cursor.sized())
        cursor.end()
        if parts[1] and not parts[0] or self.kind == SNAPSHOT and following:
            raise Malformed
        ends, announced = (read_ends(addition), None) if self.kind == SNAPSHOT else ([], read_announcement(addition))
        if announced and (self.dot[1] == 1 or records or any(parts)):
            raise Malformed
        others = {device: number for device, number in seen.items() if device != self.dot[0]}
        if self.kind == CHANGE and (self.dot[1] % 64 == 0 or announced) and len(heads) != len(others):
            raise Refused("body_heads")
        body = Body(time, following, heads, seen, records, ends)
        self.open_parts(body, parts, keys)
        if announced and VERIFIED in keys:
            names, proof = announced
            covered = others | {self.dot[0]: self.dot[1] - 1}
            if proof != hash(HASH, keys[VERIFIED], b"TVSP" + self.prefix[9:25] + encoded_dot(*self.dot) + encoded_vector(covered)
                             + u32(len(names)) + b"".join(names)):
                body.ignored["snapshot"] = "snapshot_proof"
            else:
                body.snapshot = names
        return body

    def open_parts(self, body, parts, keys):
        """The records of the higher levels. A part with a failure is ignored."""
        names = None
        for level, part in ((UNLOCKED, parts[0]), (VERIFIED, parts[1])):
            if not part:
                continue
            if level not in keys:
                body.sealed.add(level)
                continue
            try:
                plain = unseal(keys[level], part, context(self.prefix, level))
                if plain is None:
                    raise Refused("part_seal")
                cursor = Cursor(plain)
                records = read_list(cursor, level, self.dot, body.seen)
                if level == UNLOCKED:
                    names = [read_name(cursor) for _ in range(cursor.u32())]
                cursor.end()
                if level == VERIFIED and [each.key for each in records] != (names or []):
                    raise Malformed
                body.records += records
            except (Malformed, Refused) as failure:
                body.ignored[level] = getattr(failure, "name", "part_content")


@dataclass
class Body:
    time: int
    following: int
    heads: dict
    seen: dict
    records: list
    ends: list = field(default_factory=list)
    snapshot: list = field(default_factory=list)
    sealed: set = field(default_factory=set)
    ignored: dict = field(default_factory=dict)


def read_announcement(cursor):
    """Names of files and the proof; None if there is none."""
    if not cursor.data:
        return None
    names = [cursor.raw(HASH) for _ in range(cursor.u32())]
    proof = cursor.raw(HASH)
    cursor.end()
    if not names:
        raise Malformed
    return names, proof


def read_ends(cursor):
    """(device, first number, format, time, vector, hashes) of each end of a chain."""
    ends = []
    for _ in range(cursor.u32()):
        device, first = values.dot(cursor)
        format, time, seen, count = cursor.u32(), cursor.i64(), values.vector(cursor), cursor.u32()
        if not 1 <= count <= ENDS_LIMIT:
            raise Malformed
        ends.append((device, first, format, time, seen, [cursor.raw(HASH) for _ in range(count)]))
    cursor.end()
    values.ascending([end[:2] for end in ends])
    return ends


def read_name(cursor):
    object_, field_, stamp_ = cursor.raw(ID), values.field(cursor), stamp(cursor)
    return (object_, *field_, *stamp_)


def context(prefix, level):
    return Bound(12, prefix[9:25], prefix[25:41], level, int.from_bytes(prefix[41:49], "little"), hash(HASH, b"", prefix))


def encode(group, dot, previous, epoch, keys, records, seed, *, time=0, following=0, heads=None, format=FORMAT, parts=None, kind=CHANGE, addition=b""):
    """A segment, as its author writes it; `parts` are ready ones in place of those of the records."""
    prefix = b"TVSG" + u32(format) + u8(kind) + group + encoded_dot(*dot) + previous + epoch
    by_level = {level: [each for each in records if each.level == level] for level in (LIST, UNLOCKED, VERIFIED)}
    verified = encode_list(by_level[VERIFIED], dot)
    names = [each.name for each in ordered(by_level[VERIFIED], dot)]
    unlocked = encode_list(by_level[UNLOCKED], dot) + u32(len(names)) + b"".join(names)
    if parts is None:
        has_verified, has_unlocked = bool(by_level[VERIFIED]), bool(by_level[UNLOCKED] or by_level[VERIFIED])
        parts = (seal(keys[UNLOCKED], unlocked, context(prefix, UNLOCKED)) if has_unlocked else b"",
                 seal(keys[VERIFIED], verified, context(prefix, VERIFIED)) if has_verified else b"")
    plain = i64(time) + u8(following) + encoded_heads(heads or {}) + encode_list(by_level[LIST], dot) + sized(parts[0]) + sized(parts[1]) + sized(addition)
    message = prefix + seal(keys[LIST], pad(plain), context(prefix, LIST))
    return message + signature(message, seed)


def ordered(records, own_dot):
    return sorted(records, key=lambda each: (each.dot != own_dot, each.dot, each.key))

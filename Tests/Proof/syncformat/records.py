"""Sections 4 and 5: lists of records, and the forms of their contents."""

from dataclasses import dataclass, field as data_field

from vaultformat.encoding import Cursor, Malformed, u8, u32, u64

from .values import ID, ascending, clock, clock_limit, dot, encoded_dot, encoded_field, encoded_vector, field, stamp, vector


@dataclass(frozen=True)
class Record:
    object: bytes
    number: int
    detail: bytes
    clock: int
    device: bytes
    content: bytes
    level: int
    written: int  # the level at which its author wrote it
    dot: tuple
    seen: dict = data_field(hash=False, compare=False)

    @property
    def stamp(self):
        return self.clock, self.device

    @property
    def key(self):
        return self.object, self.number, self.detail, self.clock, self.device

    def has_seen(self, other):
        """Whether the author of this record had seen the other one."""
        if self.device == other.device:
            return (other.dot[1], other.stamp) <= (self.dot[1], self.stamp)
        return self.seen.get(other.dot[0], 0) >= other.dot[1]

    def is_concurrent(self, other):
        return not self.has_seen(other) and not other.has_seen(self)

    @property
    def name(self):
        """As part U names the records of part V."""
        return self.object + encoded_field(self.number, self.detail) + u64(self.clock) + self.device


def read_list(cursor, level, own_dot, seen):
    """The records of a list; `seen` is what the author of the segment had seen."""
    entries, last = [], None
    for number in range(cursor.u32()):
        if (kind := cursor.u8()) == 0:
            if number:
                raise Malformed
            origin, vector_, written = own_dot, seen, level
        elif kind == 1 or 0 <= kind - 2 < level:
            origin, vector_ = dot(cursor), vector(cursor)
            written = level if kind == 1 else kind - 2
            known = own_dot[1] - 1 if origin[0] == own_dot[0] else seen.get(origin[0], 0)
            if last and (origin, kind) <= last or origin[1] > known:
                raise Malformed
            last = origin, kind
        else:
            raise Malformed
        group = []
        for _ in range(cursor.u32()):
            object_, (field_, detail), clock_ = cursor.raw(ID), field(cursor), clock(cursor)
            if clock_ >= clock_limit(own_dot, seen):
                raise Malformed
            group.append(((object_, field_, detail, clock_), origin, vector_, written, cursor.u32()))
        if not group:
            raise Malformed
        ascending([key for key, *_ in group])
        entries += group
    records = []
    for (object_, number, detail, clock_), origin, vector_, written, size in entries:
        content = cursor.raw(size)
        if level < 2 and not has_form(number, detail, content):
            raise Malformed
        records.append(Record(object_, number, detail, clock_, origin[0], content, level, written, origin, vector_))
    return records


def encode_list(records, own_dot):
    """Records of this segment, and repeated ones."""
    groups = {}
    for record in sorted(records, key=lambda each: each.key[:4]):
        kind = 0 if record.dot == own_dot else 1 if record.written == record.level else 2 + record.written
        groups.setdefault((record.dot, kind), []).append(record)
    ordered = sorted(groups.items(), key=lambda each: (each[0][1] != 0, each[0]))
    data = u32(len(ordered))
    for (origin, kind), group in ordered:
        data += u8(0) if not kind else u8(kind) + encoded_dot(*origin) + encoded_vector(group[0].seen)
        data += u32(len(group))
        for each in group:
            data += each.object + encoded_field(each.number, each.detail) + u64(each.clock) + u32(len(each.content))
    return data + b"".join(each.content for _, group in ordered for each in group)


def has_form(number, detail, content):
    """Whether a known field of level 0 or 1 has its form."""
    id_detail = len(detail) == ID
    if number == 1:
        return len(content) == 1
    if number in (2, 3):
        return not content and not detail
    if number in (4, 51):
        return id_detail and not content
    if number == 5:
        return stamps(content) is not None
    if number in (6, 34, 38):
        return is_flag(content)
    if number == 36:
        return len(content) >= 9 and is_flag(content[8:9])
    if number == 37:
        return len(detail) == 8 and (content == b"\0" or len(content) >= 9 and content[0] == 1)
    if number == 48:
        return id_detail
    if number == 49:
        return id_detail and position(content) is not None
    if number == 50:
        return id_detail and is_flag(content)
    return True


def is_flag(content):
    return content in (b"\0", b"\1")


def stamps(content):
    cursor, found = Cursor(content), []
    try:
        while cursor.offset < len(content):
            found.append(stamp(cursor))
        ascending(found)
    except Malformed:
        return None
    return found


def position(content):
    """Digits with the stamps of their makers."""
    cursor, digits = Cursor(content), []
    try:
        while cursor.offset < len(content):
            digit = cursor.u32()
            digits.append((digit, stamp(cursor)))
            if digit >= 2**31:
                return None
    except Malformed:
        return None
    return digits or None

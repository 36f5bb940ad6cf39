"""Section 1: ids, dots, vectors, heads, stamps, fields."""

from vaultformat.encoding import Cursor, Malformed, sized, u32, u64

ID, HASH, KEYS = 16, 32, 192
COUNT_LIMIT, DETAIL_LIMIT, CLOCK_END, WALL_END = 256, 1_024, 2**63, 2**61
NO_ID, NO_HASH = bytes(ID), bytes(HASH)


class Refused(Exception):
    """A failure with the name that the page gives it."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


def ascending(values):
    if any(left >= right for left, right in zip(values, values[1:])):
        raise Malformed


def limited(cursor, most):
    if (count := cursor.u32()) > most:
        raise Malformed
    return count


def dot(cursor: Cursor):
    device, number = cursor.raw(ID), cursor.u64()
    if number == 0:
        raise Malformed
    return device, number


def vector(cursor):
    dots = [dot(cursor) for _ in range(limited(cursor, COUNT_LIMIT))]
    ascending([device for device, _ in dots])
    return dict(dots)


def heads(cursor):
    """Number and hash by device."""
    found = [(*dot(cursor), cursor.raw(HASH)) for _ in range(limited(cursor, COUNT_LIMIT))]
    ascending([device for device, _, _ in found])
    return {device: (number, hash_) for device, number, hash_ in found}


def clock(cursor):
    if (value := cursor.u64()) >= CLOCK_END:
        raise Malformed
    return value


def clock_limit(dot, seen):
    """The first clock that no record of a segment may have."""
    device, number = dot
    return min(CLOCK_END, WALL_END + 2**20 * (number + sum(each for other, each in seen.items() if other != device)))


def stamp(cursor):
    """Ordered by clock, then by device."""
    return clock(cursor), cursor.raw(ID)


def field(cursor):
    number, detail = cursor.u32(), cursor.sized()
    if len(detail) > DETAIL_LIMIT:
        raise Malformed
    return number, detail


def encoded_dot(device, number):
    return device + u64(number)


def encoded_vector(vector_):
    return u32(len(vector_)) + b"".join(encoded_dot(*each) for each in sorted(vector_.items()))


def encoded_heads(heads_):
    return u32(len(heads_)) + b"".join(encoded_dot(device, number) + hash_ for device, (number, hash_) in sorted(heads_.items()))


def encoded_field(number, detail=b""):
    return u32(number) + sized(detail)

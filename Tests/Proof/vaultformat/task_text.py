"""Section 11: the text of a protected task, which is the value of an item."""

from dataclasses import dataclass

from .encoding import Cursor, Malformed

VERSION = 2
NAME_BYTES_MAXIMUM, NOTES_BYTES_MAXIMUM, FURTHER_BYTES_MAXIMUM, SUBTASKS_MAXIMUM = 4_096, 262_144, 262_144, 500
ID_LENGTH, ID_ALPHABET = 6, set(b"0123456789abcdefghjkmnpqrstvwxyz")

WHITE_SPACE = set("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(0x2000 + each) for each in range(11)}
"""Unicode's property; `str.isspace` counts four control characters more."""


@dataclass(frozen=True)
class Subtask:
    id: str
    name: str


@dataclass(frozen=True)
class TaskText:
    name: str
    notes: str
    subtasks: tuple[Subtask, ...]
    further: str

    @staticmethod
    def decode(data: bytes) -> "TaskText":
        """Raises `Malformed` for everything but the one encoding."""
        cursor = Cursor(data)
        if cursor.u32() != VERSION:
            raise Malformed
        name, notes = shown(cursor.sized()), text(cursor.sized(), NOTES_BYTES_MAXIMUM)
        count = cursor.u32()
        if count > SUBTASKS_MAXIMUM:
            raise Malformed
        subtasks = tuple(subtask(cursor) for _ in range(count))
        further = text(cursor.sized(), FURTHER_BYTES_MAXIMUM)
        cursor.end()
        if len({each.id for each in subtasks}) != count:
            raise Malformed
        return TaskText(name, notes, subtasks, further)


def text(data: bytes, maximum: int) -> str:
    if len(data) > maximum or 0 in data:
        raise Malformed
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed from None


def shown(data: bytes) -> str:
    """A name, of which something is to be seen."""
    name = text(data, NAME_BYTES_MAXIMUM)
    if set(name) <= WHITE_SPACE:
        raise Malformed
    return name


def subtask(cursor: Cursor) -> Subtask:
    id = cursor.sized()
    if len(id) != ID_LENGTH or not set(id) <= ID_ALPHABET:
        raise Malformed
    return Subtask(id.decode("ascii"), shown(cursor.sized()))

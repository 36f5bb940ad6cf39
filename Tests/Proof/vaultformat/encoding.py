"""Section 1: integers are unsigned and little-endian, bytes have their length before them, text is UTF-8."""

import unicodedata


def u8(number: int) -> bytes:
    return number.to_bytes(1, "little")


def u16(number: int) -> bytes:
    return number.to_bytes(2, "little")


def u32(number: int) -> bytes:
    return number.to_bytes(4, "little")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "little")


def i64(number: int) -> bytes:
    return number.to_bytes(8, "little", signed=True)


def sized(data: bytes) -> bytes:
    """What the page calls `bytes`: a length, then that many bytes."""
    return u32(len(data)) + data


class Malformed(Exception):
    """The bytes are not the encoding of anything. Whoever decodes knows which failure that is."""


def text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed from None


def line(data: bytes, minimum: int, maximum: int) -> str:
    """Names are shown on one line, so control characters (general category Cc) are refused."""
    if not minimum <= len(data) <= maximum:
        raise Malformed
    characters = text(data)
    if any(unicodedata.category(character) == "Cc" for character in characters):
        raise Malformed
    return characters


class Cursor:
    """Takes one field after the other off the front of some bytes."""

    def __init__(self, data: bytes):
        self.data = data
        self.offset = 0

    def raw(self, count: int) -> bytes:
        if count > len(self.data) - self.offset:
            raise Malformed
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def u8(self) -> int:
        return self.raw(1)[0]

    def u32(self) -> int:
        return int.from_bytes(self.raw(4), "little")

    def u64(self) -> int:
        return int.from_bytes(self.raw(8), "little")

    def i64(self) -> int:
        return int.from_bytes(self.raw(8), "little", signed=True)

    def sized(self) -> bytes:
        return self.raw(self.u32())

    def end(self) -> None:
        """There is one encoding for each content: nothing may follow."""
        if self.offset != len(self.data):
            raise Malformed

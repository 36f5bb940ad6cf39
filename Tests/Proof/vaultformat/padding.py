"""Section 1, Padding: attributes and values do not show their exact length."""

from .encoding import Malformed, u32


def padded_size(length: int) -> int:
    """How large `length` bytes become, the length field counted in."""
    if length <= 4096:
        return max(64, 1 << (length - 1).bit_length())
    exponent = length.bit_length() - 1
    kept = exponent.bit_length()
    mask = (1 << (exponent - kept)) - 1
    return (length + mask) & ~mask


def pad(data: bytes) -> bytes:
    text = u32(len(data)) + data
    return text + bytes(padded_size(len(text)) - len(text))


def unpad(text: bytes) -> bytes:
    if len(text) < 4:
        raise Malformed
    end = 4 + int.from_bytes(text[:4], "little")
    if end > len(text) or padded_size(end) != len(text) or any(text[end:]):
        raise Malformed
    return text[4:end]

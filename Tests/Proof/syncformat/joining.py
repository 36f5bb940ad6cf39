"""Sections 11 and 12: messages of joining and their digits, the recovery member's blob, heads that people compare."""

from vaultformat.encoding import Cursor, Malformed, u8, u32
from vaultformat.primitives import hash, unseal

from .keys import LEVELS, LevelSecrets, NewMember, VERIFIED, is_signed, read_keys, signing_key
from .sealing import Bound
from .statements import DEVICE, consent_text
from .values import HASH, ID, Refused, encoded_heads

VERSION = 1


def read_message(data):
    """(group, exchange, number, content) of one message."""
    cursor = Cursor(data)
    try:
        if cursor.raw(4) != b"TVJM" or (version := cursor.u32()) == 0:
            raise Malformed
        if version > VERSION:
            raise Refused("later_version")
        group, exchange, number = cursor.raw(ID), cursor.raw(ID), cursor.u8()
        if number == 1:
            content = (cursor.raw(HASH),)
        elif number == 2:
            content = read_keys(cursor), cursor.raw(HASH), cursor.raw(32)
        elif number == 3 and cursor.u8() == DEVICE:
            content = read_keys(cursor), cursor.raw(64), cursor.raw(32)
        else:
            raise Malformed
        cursor.end()
    except Malformed:
        raise Refused("message") from None
    return group, exchange, number, content


def message(group, exchange, number, content):
    return b"TVJM" + u32(VERSION) + group + exchange + u8(number) + content


def commitment(keys, value):
    return hash(HASH, b"", b"TVJC" + u32(VERSION) + u8(DEVICE) + keys + value)


def digits(group, create, newcomer, member, commitment_, value, member_value):
    """The first and the second digits."""
    found = hash(HASH, b"", b"TVJH" + u32(VERSION) + group + create + b"new device" + newcomer + b"member" + member + commitment_ + value + member_value)
    return tuple(f"{int.from_bytes(found[at:at + 8], 'little') % 1_000_000:06}" for at in (0, 8))


def exchange_digits(messages):
    """The digits of an exchange, as the member computes them."""
    read = [read_message(each) for each in messages]
    if [each[2] for each in read] != [1, 2, 3] or len({each[:2] for each in read}) != 1:
        raise Refused("message")
    group = read[0][0]
    (committed,), (member, create, member_value), (newcomer, consent, value) = (each[3] for each in read)
    if commitment(newcomer, value) != committed:
        raise Refused("commitment")
    if not is_signed(consent_text(group, DEVICE, newcomer), consent, signing_key(newcomer, VERIFIED)):
        raise Refused("consent")
    return digits(group, create, newcomer, member, committed, value, member_value)


def open_recovery(blob, code):
    """The secret keys of the three levels; None for another code or blob."""
    cursor = Cursor(blob)
    try:
        if cursor.raw(4) != b"TVRM" or cursor.u32() != 1:
            return None
        group, member = cursor.raw(ID), cursor.raw(ID)
        plain = unseal(hash(HASH, code, b"TVRB" + group + member), cursor.data[cursor.offset:], Bound(15, group, member))
        if plain is None:
            return None
        cursor = Cursor(plain)
        parts = [LevelSecrets.read(cursor) for _ in LEVELS]
        cursor.end()
    except Malformed:
        return None
    found = NewMember([(each.box_secret, each.seed) for each in parts])
    belong = [each.level for each in parts] == list(LEVELS) and {member, *(each.device for each in parts)} == {found.id}
    return parts if belong else None


def compared(group, heads, count, below):
    found = hash(64, b"", b"TVHC" + group + encoded_heads(heads))
    return [int.from_bytes(found[8 * at:8 * at + 8], "little") % below for at in range(count)]

"""Sections 2 and 3: keys of members by level, and the keys of an epoch."""

from dataclasses import dataclass
from secrets import token_bytes

from nacl import bindings as sodium
from nacl.exceptions import BadSignatureError, CryptoError
from vaultformat.encoding import Cursor, Malformed, u8, u32
from vaultformat.primitives import box, equal, hash, public_key_of, takes_boxes, unbox

from .values import HASH, ID, KEYS, Refused, ascending, limited

LIST, UNLOCKED, VERIFIED = LEVELS = range(3)
BOX, MEMBERS = 145, 17


def is_signed(data, signature, key):
    try:
        sodium.crypto_sign_open(signature + data, key)
        return True
    except (BadSignatureError, CryptoError, ValueError, TypeError):
        return False


def signature(data, seed):
    return sodium.crypto_sign(data, sodium.crypto_sign_seed_keypair(seed)[1])[:64]


def check_keys(keys):
    if not all(takes_boxes(keys[32 * level:32 * level + 32]) for level in LEVELS):
        raise Malformed
    return keys


def read_keys(cursor):
    """The 192 bytes of a member's public keys. A key of small order is malformed."""
    return check_keys(cursor.raw(KEYS))


def box_key(keys, level):
    return keys[32 * level:32 * level + 32]


def signing_key(keys, level):
    return keys[96 + 32 * level:128 + 32 * level]


def member_id(keys):
    return hash(ID, b"", b"TVDI" + keys)


def secrets_chain(member):
    return hash(ID, b"", b"TVDS" + member)


@dataclass(frozen=True)
class LevelSecrets:
    """The secret keys of one level of a device."""

    level: int
    device: bytes
    box_secret: bytes
    seed: bytes

    @staticmethod
    def read(cursor):
        if cursor.raw(4) != b"TVSK" or (level := cursor.u8()) not in LEVELS:
            raise Malformed
        return LevelSecrets(level, cursor.raw(ID), cursor.raw(32), cursor.raw(32))

    @property
    def encoded(self):
        return b"TVSK" + u8(self.level) + self.device + self.box_secret + self.seed


class NewMember:
    """All secret keys of a device or of a recovery member."""

    def __init__(self, pairs):
        self.parts = pairs
        self.keys = b"".join(public_key_of(secret) for secret, _ in pairs)
        self.keys += b"".join(sodium.crypto_sign_seed_keypair(seed)[0] for _, seed in pairs)
        self.id = member_id(self.keys)

    @staticmethod
    def random():
        return NewMember([(token_bytes(32), token_bytes(32)) for _ in LEVELS])

    def secrets(self):
        return {level: LevelSecrets(level, self.id, *self.parts[level]) for level in LEVELS}


def commitment(key, group, level):
    return hash(HASH, key, b"TVEC" + group + u8(level))


@dataclass(frozen=True)
class Epoch:
    """The statement of an epoch, inside or outside of one about members."""

    data: bytes
    group: bytes
    value: bytes
    commitments: tuple
    boxes: dict

    @staticmethod
    def decode(data):
        cursor = Cursor(data)
        if cursor.raw(4) != b"TVES":
            raise Malformed
        group, value = cursor.raw(ID), cursor.raw(32)
        commitments = tuple(cursor.raw(HASH) for _ in LEVELS)
        members = [(cursor.raw(ID), read_boxes(cursor)) for _ in range(limited(cursor, MEMBERS))]
        cursor.end()
        ascending([device for device, _ in members])
        return Epoch(data, group, value, commitments, dict(members))

    @property
    def id(self):
        return hash(HASH, b"", self.data)

    def key(self, secrets: LevelSecrets, delivered=None):
        """The key of the level, from the box of the statement or from a delivered one."""
        boxes = delivered or self.boxes.get(secrets.device)
        if boxes is None:
            raise Refused("epoch_box_missing")
        plain = unbox(secrets.box_secret, public_key_of(secrets.box_secret), boxes[secrets.level])
        if plain is None:
            raise Refused("epoch_box_seal")
        if plain[:-32] != place(self.group, self.value, secrets.level, secrets.device):
            raise Refused("epoch_box_place")
        if not equal(commitment(plain[-32:], self.group, secrets.level), self.commitments[secrets.level]):
            raise Refused("epoch_commitment")
        return plain[-32:]


def read_boxes(cursor):
    return tuple(cursor.raw(BOX) for _ in LEVELS)


def place(group, value, level, device):
    return group + value + u8(level) + device


def boxes_for(group, value, keys, device, level_keys):
    """Three boxes for a member. `keys` are its public keys, `level_keys` those of the epoch."""
    return tuple(box(box_key(keys, level), place(group, value, level, device) + level_keys[level]) for level in LEVELS)


def encode_epoch(group, value, level_keys, members):
    """`members` are the public keys by id."""
    data = b"TVES" + group + value + b"".join(commitment(level_keys[level], group, level) for level in LEVELS) + u32(len(members))
    for device in sorted(members):
        data += device + b"".join(boxes_for(group, value, members[device], device, level_keys))
    return data

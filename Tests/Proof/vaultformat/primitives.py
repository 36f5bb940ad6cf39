"""Sections 1 and 2: the hash, the sum, sealed blobs with their contexts, subkeys, key pairs, boxes, and Argon2id."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from nacl import bindings as sodium
from nacl.exceptions import CryptoError

from .encoding import u8, u32, u64

RECORD_FORMAT = 2
NONCE_SIZE = 24
SEAL_SIZE = NONCE_SIZE + 16
NO_ID = bytes(16)


def hash(size: int, key: bytes, message: bytes) -> bytes:
    """BLAKE2b; a key of no bytes is no key."""
    return hashlib.blake2b(message, digest_size=size, key=key).digest()


def equal(left: bytes, right: bytes) -> bool:
    """In constant time."""
    return hmac.compare_digest(left, right)


def subkey(number: int, root_key: bytes) -> bytes:
    """`crypto_kdf_derive_from_key`, which is BLAKE2b of nothing with salt and personal."""
    salt, personal = u64(number) + bytes(8), b"TVaultKy" + bytes(8)
    return hashlib.blake2b(digest_size=32, key=root_key, salt=salt, person=personal).digest()


def argon2id(password: bytes, salt: bytes, passes: int, kibibytes: int) -> bytes:
    algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13
    return sodium.crypto_pwhash_alg(64, password, salt, passes, kibibytes * 1024, algorithm)


def new_pair() -> tuple[bytes, bytes]:
    """Secret key and public key, of X25519."""
    secret_key = secrets.token_bytes(32)
    return secret_key, public_key_of(secret_key)


def public_key_of(secret_key: bytes) -> bytes:
    return sodium.crypto_scalarmult_base(secret_key)


def box(public_key: bytes, plaintext: bytes) -> bytes:
    return sodium.crypto_box_seal(plaintext, public_key)


def takes_boxes(public_key: bytes) -> bool:
    """Not so if it is of low order: the shared secret would be known to all."""
    try:
        box(public_key, b"")
    except CryptoError:
        return False
    return True


def unbox(secret_key: bytes, public_key: bytes, blob: bytes) -> bytes | None:
    """The plaintext; None if the box was not sealed to this public key."""
    try:
        return sodium.crypto_box_seal_open(blob, public_key, secret_key)
    except CryptoError:
        return None


def total(elements) -> bytes:
    """`sum`: 64-byte numbers, modulo 2^512. The sum of nothing is 0."""
    return (sum(int.from_bytes(each, "little") for each in elements) % 2**512).to_bytes(64, "little")


@dataclass(frozen=True)
class Context:
    """The associated data: it ties a sealed blob to its place, so that it opens nowhere else."""

    purpose: int
    vault_id: bytes
    id: bytes = NO_ID
    item_class: int = 0
    revision: int = 0
    part: int = 0
    header_hash: bytes = b""

    def encode(self) -> bytes:
        place = u8(self.purpose) + u32(RECORD_FORMAT) + self.vault_id + self.id
        return b"TVAD" + place + u8(self.item_class) + u64(self.revision) + u8(self.part) + self.header_hash


def seal(key: bytes, plaintext: bytes, context: Context) -> bytes:
    nonce = secrets.token_bytes(NONCE_SIZE)
    return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, context.encode(), nonce, key)


def unseal(key: bytes, blob: bytes, context: Context) -> bytes | None:
    """The plaintext; None if the blob was not sealed with this key for this place, or is too short for a seal."""
    if len(blob) < SEAL_SIZE:
        return None
    nonce, ciphertext = blob[:NONCE_SIZE], blob[NONCE_SIZE:]
    try:
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(ciphertext, context.encode(), nonce, key)
    except CryptoError:
        return None

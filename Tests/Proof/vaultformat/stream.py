"""Sections 9 and 13: libsodium's secretstream in chunks of one size, of which the last one is shorter or equal."""

from nacl import bindings as sodium
from nacl.exceptions import CryptoError

CHUNK_SIZE, SEAL_SIZE = 65_536, sodium.crypto_secretstream_xchacha20poly1305_ABYTES
MESSAGE, FINAL = sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE, sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL


class Reader:
    def __init__(self, header: bytes, key: bytes):
        self.state = sodium.crypto_secretstream_xchacha20poly1305_state()
        sodium.crypto_secretstream_xchacha20poly1305_init_pull(self.state, header, key)

    def open(self, chunk: bytes, is_last: bool, associated: bytes) -> bytes | None:
        """None if it does not open, or if its tag is that of another place."""
        if len(chunk) < SEAL_SIZE:
            return None
        try:
            pulled = sodium.crypto_secretstream_xchacha20poly1305_pull(self.state, chunk, associated or None)
        except CryptoError:
            return None
        plaintext, tag = pulled
        return plaintext if tag == (FINAL if is_last else MESSAGE) else None


class Writer:
    def __init__(self, key: bytes):
        self.state = sodium.crypto_secretstream_xchacha20poly1305_state()
        self.header = sodium.crypto_secretstream_xchacha20poly1305_init_push(self.state, key)

    def seal(self, plaintext: bytes, is_last: bool, associated: bytes) -> bytes:
        tag = FINAL if is_last else MESSAGE
        return sodium.crypto_secretstream_xchacha20poly1305_push(self.state, plaintext, associated or None, tag)


def pieces(data: bytes, size: int) -> list[bytes]:
    """At least one."""
    return [data[at : at + size] for at in range(0, max(len(data), 1), size)]

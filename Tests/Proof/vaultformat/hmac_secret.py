"""Section 4, hmac-secret: what a slot records of a security key or passkey, and the slot secret from its output."""

import hashlib
from dataclasses import dataclass

from .encoding import Cursor, Malformed, line, sized, u8
from .primitives import hash

KIND, ALGORITHM = 3, 2
SECURITY_KEY, PASSKEY = 1, 2
CREDENTIAL_ID_MAXIMUM, PUBLIC_KEY_MAXIMUM, NAME_MAXIMUM = 1_023, 512, 64


@dataclass(frozen=True)
class Record:
    transport: int
    synchronised: int
    input: bytes
    credential_id: bytes
    public_key: bytes
    name: str

    def encode(self) -> bytes:
        credential = sized(self.credential_id) + sized(self.public_key) + sized(self.name.encode())
        return u8(self.transport) + u8(self.synchronised) + self.input + credential

    @staticmethod
    def decode(data: bytes) -> "Record":
        """Raises `Malformed` for everything but the one encoding. The COSE_Key is not looked into."""
        cursor = Cursor(data)
        transport, synchronised, input = cursor.u8(), cursor.u8(), cursor.raw(32)
        credential_id, public_key = cursor.sized(), cursor.sized()
        name = line(cursor.sized(), 0, NAME_MAXIMUM)
        cursor.end()
        if transport not in (SECURITY_KEY, PASSKEY) or synchronised > 1:
            raise Malformed
        if not 1 <= len(credential_id) <= CREDENTIAL_ID_MAXIMUM or not 1 <= len(public_key) <= PUBLIC_KEY_MAXIMUM:
            raise Malformed
        return Record(transport, synchronised, input, credential_id, public_key, name)

    def authenticator_salt(self) -> bytes:
        """What the authenticator is asked for; WebAuthn's prf hashes so too. It is not the slot's salt."""
        return hashlib.sha256(b"WebAuthn PRF\0" + self.input).digest()


@dataclass(frozen=True)
class KeyOutput:
    """The 32 bytes that an authenticator gave for one salt. A slot with another input needs another output."""

    salt: bytes
    output: bytes

    kind = KIND
    wrong = "wrong_key"

    def prepared(self) -> bytes:
        return self.output

    def slot_secret(self, prepared: bytes, slot, prefix: bytes) -> bytes | None:
        if Record.decode(slot.record).authenticator_salt() != self.salt:
            return None
        return hash(64, prepared, prefix)

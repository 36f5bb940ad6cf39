"""Section 4, Passphrase: from what was typed to the slot secret."""

import unicodedata
from dataclasses import dataclass

from .failures import Failure
from .primitives import argon2id

KIND, ALGORITHM = 1, 1
TYPED_BYTES_MAXIMUM, NORMAL_BYTES_MAXIMUM = 16_384, 1_024


@dataclass(frozen=True)
class Passphrase:
    """The bytes as typed."""

    typed: bytes

    kind = KIND
    wrong = "wrong_passphrase"

    def prepared(self) -> bytes:
        """Two keyboards may type one letter in two ways; the normal form is the same."""
        if not 1 <= len(self.typed) <= TYPED_BYTES_MAXIMUM:
            raise Failure("passphrase_length")
        try:
            text = self.typed.decode("utf-8")
        except UnicodeDecodeError:
            raise Failure("passphrase_encoding") from None
        normal = unicodedata.normalize("NFC", text).encode("utf-8")
        if len(normal) > NORMAL_BYTES_MAXIMUM:
            raise Failure("passphrase_length")
        return normal

    @staticmethod
    def slot_secret(prepared: bytes, slot, prefix: bytes) -> bytes:
        return argon2id(prepared, slot.salt, slot.passes, slot.memory)

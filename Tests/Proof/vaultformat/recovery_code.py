"""Section 4, Recovery code: 32 random bytes, as people write them down, and the slot secret from them."""

import base64
import secrets
from dataclasses import dataclass

from .failures import Failure
from .primitives import hash

KIND, ALGORITHM = 2, 2
CODE_CHARACTERS, CHECK_CHARACTERS = 52, 4


def new_code() -> bytes:
    return secrets.token_bytes(32)


def check_characters(code: bytes) -> str:
    """Four characters of five bits, from the first 20 bits of a hash."""
    return base64.b32encode(hash(32, b"", b"TVRC" + code)).decode()[:CHECK_CHARACTERS]


def shown(code: bytes) -> str:
    characters = base64.b32encode(code).decode().rstrip("=") + check_characters(code)
    return "-".join(characters[at : at + 4] for at in range(0, len(characters), 4))


@dataclass(frozen=True)
class RecoveryCode:
    """The bytes as typed."""

    typed: bytes

    kind = KIND
    wrong = "wrong_recovery_code"

    def prepared(self) -> bytes:
        # bytes.upper() changes ASCII letters only; text would take other letters for some of ours.
        characters = self.typed.upper().replace(b" ", b"").replace(b"-", b"")
        if not set(characters) <= set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"):
            raise Failure("recovery_code_malformed")
        if len(characters) != CODE_CHARACTERS + CHECK_CHARACTERS:
            raise Failure("recovery_code_malformed")
        code = base64.b32decode(characters[:CODE_CHARACTERS] + b"====")
        if base64.b32encode(code)[:CODE_CHARACTERS] != characters[:CODE_CHARACTERS]:
            raise Failure("recovery_code_malformed")  # filler bits: another text of the same code
        if check_characters(code).encode() != characters[CODE_CHARACTERS:]:
            raise Failure("recovery_code_check")
        return code

    @staticmethod
    def slot_secret(prepared: bytes, slot, prefix: bytes) -> bytes:
        return hash(64, prepared, prefix)

"""Sections 3 and 4: the header and its slots, and every check that needs no secret."""

import os
from dataclasses import dataclass

from . import hmac_secret, passphrase, recovery_code
from .encoding import Cursor, Malformed, sized, u8, u32
from .failures import Failure
from .primitives import hash

MAGIC, FORMAT, SLOTS_MAXIMUM = b"TVHD", 2, 8
ALGORITHMS = {each.KIND: each.ALGORITHM for each in (passphrase, recovery_code, hmac_secret)}


@dataclass(frozen=True)
class Slot:
    id: bytes
    kind: int
    algorithm: int
    passes: int
    memory: int
    salt: bytes
    record: bytes
    public_key: bytes
    commitment: bytes
    sealed_pair: bytes
    """The slot's secret key and its authentication key."""
    sealed_authentication_key: bytes
    box: bytes
    proof: bytes
    checksum: bytes

    def first_fields(self) -> bytes:
        kind = u8(self.kind) + u8(self.algorithm) + u32(self.passes) + u32(self.memory)
        return self.id + kind + self.salt + sized(self.record)

    def prefix(self, vault_id: bytes) -> bytes:
        return b"TVSL" + vault_id + self.first_fields()

    def commitment_of(self, vault_id: bytes, slot_secret: bytes) -> bytes:
        return hash(32, slot_secret[32:], self.prefix(vault_id) + self.public_key)

    def proof_of(self, vault_id: bytes, key_epoch: int, authentication_key: bytes) -> bytes:
        content = self.prefix(vault_id) + self.public_key + self.box
        return hash(32, authentication_key, b"TVSP" + u32(key_epoch) + content)

    def checksum_of(self, vault_id: bytes) -> bytes:
        sealed = self.sealed_pair + self.sealed_authentication_key + self.box
        return hash(16, b"", self.prefix(vault_id) + self.public_key + self.commitment + sealed + self.proof)

    def encode(self) -> bytes:
        sealed = self.sealed_pair + self.sealed_authentication_key + self.box
        return self.first_fields() + self.public_key + self.commitment + sealed + self.proof + self.checksum

    @staticmethod
    def decode(cursor: Cursor) -> "Slot":
        return Slot(
            id=cursor.raw(16),
            kind=cursor.u8(),
            algorithm=cursor.u8(),
            passes=cursor.u32(),
            memory=cursor.u32(),
            salt=cursor.raw(16),
            record=cursor.sized(),
            public_key=cursor.raw(32),
            commitment=cursor.raw(32),
            sealed_pair=cursor.raw(104),
            sealed_authentication_key=cursor.raw(72),
            box=cursor.raw(80),
            proof=cursor.raw(32),
            checksum=cursor.raw(16),
        )


@dataclass(frozen=True)
class CostLimits:
    """What a stranger's file may make this machine spend on one guess. Memory is in KiB."""

    passes_minimum: int = 2
    memory_minimum: int = 19_456
    passes_maximum: int = 64
    memory_maximum: int = 4 * 1024 * 1024
    product_maximum: int = 16 * 1024 * 1024

    def check(self, slot: Slot) -> None:
        if slot.passes < self.passes_minimum or slot.memory < self.memory_minimum:
            raise Failure("slot_kdf_weak")
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if (
            slot.passes > self.passes_maximum
            or slot.memory > self.memory_maximum
            or slot.memory * 1024 > physical // 2
            or slot.passes * slot.memory > self.product_maximum
        ):
            raise Failure("slot_kdf_excessive")


@dataclass(frozen=True)
class Header:
    vault_id: bytes
    key_epoch: int
    slots: tuple[Slot, ...]
    attribute_key: bytes
    value_keys: dict[int, bytes]
    """Of class 1 and class 2, sealed as the attribute key."""
    backup_public_key: bytes
    backup_secret_key: bytes

    def encode(self) -> bytes:
        start = MAGIC + u32(FORMAT) + self.vault_id + u32(self.key_epoch) + u8(len(self.slots))
        slots = b"".join(slot.encode() for slot in self.slots)
        keys = self.attribute_key + self.value_keys[1] + self.value_keys[2]
        return start + slots + keys + self.backup_public_key + self.backup_secret_key

    @staticmethod
    def decode(data: bytes | None, limits: CostLimits = CostLimits()) -> "Header":
        """Refuses in the order of section 10."""
        if data is None:
            raise Failure("header_missing")
        if len(data) < 8:
            raise Failure("header_truncated")
        cursor = Cursor(data)
        if cursor.raw(4) != MAGIC:
            raise Failure("header_magic")
        if cursor.u32() != FORMAT:
            raise Failure("header_format")
        if len(data) < 29:
            raise Failure("header_truncated")
        vault_id, key_epoch, count = cursor.raw(16), cursor.u32(), cursor.u8()
        if key_epoch == 0:
            raise Failure("key_epoch_zero")
        if not 1 <= count <= SLOTS_MAXIMUM:
            raise Failure("slot_count")
        try:
            slots = tuple(Slot.decode(cursor) for _ in range(count))
            attribute_key, value_keys = cursor.raw(72), {1: cursor.raw(72), 2: cursor.raw(72)}
            backup_public_key, backup_secret_key = cursor.raw(32), cursor.raw(72)
        except Malformed:
            raise Failure("header_truncated") from None
        try:
            cursor.end()
        except Malformed:
            raise Failure("header_trailing_bytes") from None
        for slot in slots:
            check_slot(slot, vault_id, limits)
        if len({slot.id for slot in slots}) != count:
            raise Failure("slot_duplicate")
        return Header(vault_id, key_epoch, slots, attribute_key, value_keys, backup_public_key, backup_secret_key)


def check_slot(slot: Slot, vault_id: bytes, limits: CostLimits) -> None:
    if slot.checksum != slot.checksum_of(vault_id):
        raise Failure("slot_checksum")
    if slot.kind not in ALGORITHMS:
        raise Failure("slot_kind")
    if slot.algorithm != ALGORITHMS[slot.kind]:
        raise Failure("slot_algorithm")
    if slot.kind == passphrase.KIND:
        limits.check(slot)
    elif slot.passes or slot.memory:
        raise Failure("slot_parameters")
    check_record(slot)


def check_record(slot: Slot) -> None:
    if slot.kind != hmac_secret.KIND:
        if slot.record:
            raise Failure("slot_record")
        return
    try:
        hmac_secret.Record.decode(slot.record)
    except Malformed:
        raise Failure("slot_record") from None

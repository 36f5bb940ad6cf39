"""Sections 3 and 4: the header and its slots, and every check that needs no secret."""

import os
from dataclasses import dataclass

from . import passphrase, recovery_code
from .encoding import Cursor, u8, u32
from .failures import Failure
from .primitives import hash

MAGIC, FORMAT = b"TVHD", 1
SLOT_SIZE, SLOTS_MAXIMUM = 162, 8
ALGORITHMS = {passphrase.KIND: passphrase.ALGORITHM, recovery_code.KIND: recovery_code.ALGORITHM}


@dataclass(frozen=True)
class Slot:
    id: bytes
    kind: int
    algorithm: int
    passes: int
    memory: int
    salt: bytes
    commitment: bytes
    sealed_root_key: bytes
    checksum: bytes

    def prefix(self, vault_id: bytes) -> bytes:
        """What the commitment commits to, beside the key."""
        kind = u8(self.kind) + u8(self.algorithm) + u32(self.passes) + u32(self.memory)
        return b"TVSL" + vault_id + self.id + kind + self.salt

    def checksum_of(self, vault_id: bytes) -> bytes:
        return hash(16, b"", self.prefix(vault_id) + self.commitment + self.sealed_root_key)

    def encode(self) -> bytes:
        kind = u8(self.kind) + u8(self.algorithm) + u32(self.passes) + u32(self.memory)
        return self.id + kind + self.salt + self.commitment + self.sealed_root_key + self.checksum

    @staticmethod
    def decode(cursor: Cursor) -> "Slot":
        return Slot(
            id=cursor.raw(16),
            kind=cursor.u8(),
            algorithm=cursor.u8(),
            passes=cursor.u32(),
            memory=cursor.u32(),
            salt=cursor.raw(16),
            commitment=cursor.raw(32),
            sealed_root_key=cursor.raw(72),
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

    def encode(self) -> bytes:
        start = MAGIC + u32(FORMAT) + self.vault_id + u32(self.key_epoch) + u8(len(self.slots))
        slots = b"".join(slot.encode() for slot in self.slots)
        return start + slots + self.attribute_key + self.value_keys[1] + self.value_keys[2]

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
        size = 245 + SLOT_SIZE * count
        if len(data) != size:
            raise Failure("header_truncated" if len(data) < size else "header_trailing_bytes")
        slots = tuple(Slot.decode(cursor) for _ in range(count))
        for slot in slots:
            check_slot(slot, vault_id, limits)
        if len({slot.id for slot in slots}) != count:
            raise Failure("slot_duplicate")
        return Header(vault_id, key_epoch, slots, cursor.raw(72), {1: cursor.raw(72), 2: cursor.raw(72)})


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
        raise Failure("slot_recovery_parameters")

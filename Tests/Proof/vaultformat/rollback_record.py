"""Section 8: what a machine remembers of the newest commit that it saw at a place."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from .encoding import Cursor, u8, u32, u64
from .failures import Failure
from .header import Header
from .history import history_after
from .keys import Keys
from .primitives import hash
from .records import Records, State

MAGIC, FORMAT, SLOT_SIZE, FILE_SIZE = b"TVMK", 2, 512, 1_024
IN_USE, RETIRED = 1, 2
FILE_NAME = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class RollbackRecord:
    sequence: int
    status: int
    vault_id: bytes
    lineage: bytes
    key_epoch: int
    counter: int
    history: bytes
    digest: bytes
    backup_public_key: bytes

    def encode(self) -> bytes:
        """One slot."""
        content = MAGIC + u32(FORMAT) + u64(self.sequence) + u8(self.status) + self.vault_id + self.lineage
        content += u32(self.key_epoch) + u64(self.counter) + self.history + self.digest + self.backup_public_key
        return (content + hash(16, b"", content)).ljust(SLOT_SIZE, b"\0")

    @staticmethod
    def of(state: State, records: Records, sequence: int = 1) -> "RollbackRecord":
        header, digest = Header.decode(records.header), hash(32, b"", records.state)
        commit = header.vault_id, state.lineage, header.key_epoch, state.counter, state.history
        return RollbackRecord(sequence, IN_USE, *commit, digest, header.backup_public_key)

    @staticmethod
    def decode_slot(data: bytes) -> "RollbackRecord | None":
        """None for a slot that is not valid."""
        if len(data) != SLOT_SIZE:
            return None
        cursor = Cursor(data)
        if cursor.raw(4) != MAGIC or cursor.u32() != FORMAT:
            return None
        sequence, status, vault_id, lineage = cursor.u64(), cursor.u8(), cursor.raw(16), cursor.raw(16)
        commit = cursor.u32(), cursor.u64(), cursor.raw(32)
        record = RollbackRecord(sequence, status, vault_id, lineage, *commit, cursor.raw(32), cursor.raw(32))
        return record if status in (IN_USE, RETIRED) and record.encode() == data else None

    @staticmethod
    def decode(data: bytes) -> "RollbackRecord | None":
        """Of a whole file; None for an empty one, which is no record."""
        if not data:
            return None
        if len(data) > FILE_SIZE:
            raise Failure("rollback_record_damaged")
        slots = [RollbackRecord.decode_slot(data[:SLOT_SIZE]), RollbackRecord.decode_slot(data[SLOT_SIZE:])]
        valid = [slot for slot in slots if slot]
        if not valid:
            raise Failure("rollback_record_damaged")
        return max(valid, key=lambda slot: slot.sequence)  # the first one of equal ones

    def check(self, header: Header, state: State, records: Records, keys: Keys) -> None:
        if self.vault_id != header.vault_id or self.status == RETIRED:
            raise Failure("other_vault")
        if header.key_epoch < self.key_epoch or state.counter < self.counter:
            raise Failure("rolled_back")
        if state.lineage != self.lineage:
            raise Failure("forked")
        if state.counter == self.counter and hash(32, b"", records.state) != self.digest:
            raise Failure("forked")
        commits = self.counter + 1, state.counter
        if history_after(self.history, *commits, records.links, header.vault_id, keys) != state.history:
            raise Failure("forked")


@dataclass(frozen=True)
class RollbackRecords:
    """The record of a place, and those of all others."""

    here: bytes = b""
    elsewhere: list[bytes] = field(default_factory=list)

    @staticmethod
    def at(vault: Path, state_folder: Path) -> "RollbackRecords":
        folder, name = state_folder / "taskvault/rollback", name_of_place(vault)
        paths = sorted(folder.iterdir()) if folder.exists() else []
        files = {path.name: path.read_bytes() for path in paths if FILE_NAME.fullmatch(path.name)}
        return RollbackRecords(files.pop(name, b""), list(files.values()))

    def check(self, header: Header, state: State, records: Records, keys: Keys) -> None:
        here = RollbackRecord.decode(self.here)
        for record in [here] if here else self.of_same_history(header, state):
            record.check(header, state, records, keys)

    def of_same_history(self, header: Header, state: State) -> list[RollbackRecord]:
        """A damaged record of another place says nothing about this vault."""
        found = []
        for data in self.elsewhere:
            try:
                record = RollbackRecord.decode(data)
            except Failure:
                continue
            if record and (record.vault_id, record.lineage) == (header.vault_id, state.lineage):
                found.append(record)
        return found


def name_of_place(vault: Path) -> str:
    return hash(16, b"", b"TVPL" + os.fsencode(os.path.realpath(vault))).hex()

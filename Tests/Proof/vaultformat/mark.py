"""Section 8: what a machine remembers of the newest state that it saw."""

from dataclasses import dataclass

from .encoding import Cursor, u32, u64
from .failures import Failure
from .primitives import hash
from .records import State

MAGIC, FORMAT, SIZE = b"TVMK", 1, 96


@dataclass(frozen=True)
class Mark:
    vault_id: bytes
    lineage: bytes
    counter: int
    digest: bytes

    def encode(self) -> bytes:
        content = MAGIC + u32(FORMAT) + self.vault_id + self.lineage + u64(self.counter) + self.digest
        return content + hash(16, b"", content)

    @staticmethod
    def of(state: State, record: bytes, vault_id: bytes) -> "Mark":
        return Mark(vault_id, state.lineage, state.counter, hash(32, b"", record))

    @staticmethod
    def decode(data: bytes, vault_id: bytes) -> "Mark":
        cursor = Cursor(data)
        if len(data) != SIZE or cursor.raw(4) != MAGIC or cursor.u32() != FORMAT:
            raise Failure("mark_damaged")
        mark = Mark(cursor.raw(16), cursor.raw(16), cursor.u64(), cursor.raw(32))
        if mark.vault_id != vault_id or mark.encode() != data:
            raise Failure("mark_damaged")
        return mark

    def check(self, state: State, record: bytes) -> None:
        """The lineage is not compared: a restored vault has another one and a higher counter."""
        older = state.counter < self.counter
        if older or (state.counter == self.counter and hash(32, b"", record) != self.digest):
            raise Failure("rolled_back")

"""Section 13: a file is an item, and its content is in chunks."""

from dataclasses import dataclass

from .encoding import Cursor, Malformed, text, u32
from .failures import Failure
from .stream import CHUNK_SIZE, SEAL_SIZE, Reader

SERVICE, VERSION, SIZE_MAXIMUM = "taskvault.file", 2, 4 * 1024**3
MEDIA_TYPE_MAXIMUM, NOTE_MAXIMUM = 255, 65_536


@dataclass(frozen=True)
class File:
    """The value of its item."""

    version_id: bytes
    key: bytes
    stream_header: bytes
    size: int
    chunk_count: int
    media_type: str
    note: str

    @staticmethod
    def decode(value: bytes) -> "File":
        try:
            cursor = Cursor(value)
            if cursor.u32() != VERSION:
                raise Malformed
            keys = cursor.raw(16), cursor.raw(32), cursor.raw(24)
            size, chunk_count, media_type, note = cursor.u64(), cursor.u32(), cursor.sized(), cursor.sized()
            cursor.end()
            if len(media_type) > MEDIA_TYPE_MAXIMUM or len(note) > NOTE_MAXIMUM:
                raise Malformed
            file = File(*keys, size, chunk_count, text(media_type), text(note))
            if file.size > SIZE_MAXIMUM or file.chunk_count != max(1, -(-file.size // CHUNK_SIZE)):
                raise Malformed
        except Malformed:
            raise Failure("file_content") from None
        return file

    def content(self, chunks: dict[tuple[bytes, int], bytes]) -> bytes:
        """`chunks` are all that are stored, by version id and number."""
        reader, opened = Reader(self.stream_header, self.key), []
        for number in range(self.chunk_count):
            chunk = chunks.get((self.version_id, number))
            if chunk is None:
                raise Failure("chunk_missing")
            if len(chunk) != min(CHUNK_SIZE, self.size - number * CHUNK_SIZE) + SEAL_SIZE:
                raise Failure("chunk_seal")
            place = self.version_id + u32(number)
            plaintext = reader.open(chunk, number == self.chunk_count - 1, place)
            if plaintext is None:
                raise Failure("chunk_seal")
            opened.append(plaintext)
        return b"".join(opened)

"""Section 9: a backup, which a program makes while the vault is locked."""

import secrets
from dataclasses import dataclass

from .encoding import Cursor, Malformed, i64, sized, text, u8, u32, u64
from .failures import Failure
from .header import CostLimits, Header
from .keys import unlock
from .primitives import box, equal, hash, unbox
from .stream import CHUNK_SIZE, SEAL_SIZE, Reader, Writer, pieces

MAGIC, FORMAT, MAC_SIZE, HEADER_MAXIMUM = b"TVBU", 2, 32, 65_536
VAULT, TASKS, SETTINGS = 1, 2, 3
SETTINGS_BYTES_MAXIMUM = 65_536


@dataclass(frozen=True)
class Head:
    time: int
    header: bytes
    box: bytes
    machine: bytes
    stream_header: bytes

    def encode(self) -> bytes:
        start = MAGIC + u32(FORMAT) + i64(self.time) + sized(self.header)
        return start + self.box + self.machine + self.stream_header

    @staticmethod
    def decode(data: bytes) -> "Head":
        if data[:4] != MAGIC:
            raise Failure("file_foreign")
        try:
            cursor = Cursor(data[4:])
            format = cursor.u32()
            if format != FORMAT:
                raise Failure("newer_version" if format > FORMAT else "earlier_build")
            head = Head(cursor.i64(), cursor.sized(), cursor.raw(80), cursor.raw(16), cursor.raw(24))
        except Malformed:
            raise Failure("backup_truncated") from None
        if len(head.header) > HEADER_MAXIMUM:
            raise Failure("header_trailing_bytes")
        return head


@dataclass(frozen=True)
class Backup:
    time: int
    machine: bytes
    parts: dict[int, bytes]
    """By kind: those that count."""


def read_backup(data: bytes, secret, machine_key: bytes | None, limits: CostLimits = CostLimits()) -> Backup:
    """`machine_key` belongs to the machine in the head, None if it is not known. Then only the vault counts."""
    head = Head.decode(data)
    start = len(head.encode())
    if len(data) < start + SEAL_SIZE + 1 + MAC_SIZE:
        raise Failure("backup_truncated")
    body, mac = data[start:-MAC_SIZE], data[-MAC_SIZE:]
    header = Header.decode(head.header, limits)
    backup_secret = unlock(header, secret).backup_secret
    key = unbox(backup_secret, header.backup_public_key, head.box)
    if key is None:
        raise Failure("backup_box")
    parts = decode_parts(open_body(head, key, body))
    is_authenticated = machine_key is not None and equal(hash(32, machine_key, data[:-MAC_SIZE]), mac)
    if not is_authenticated:
        return Backup(head.time, head.machine, {VAULT: parts[VAULT]})
    check_settings(parts.get(SETTINGS, b""))
    return Backup(head.time, head.machine, parts)


def open_body(head: Head, key: bytes, body: bytes) -> bytes:
    reader, chunks, opened = Reader(head.stream_header, key), pieces(body, CHUNK_SIZE + SEAL_SIZE), []
    for number, chunk in enumerate(chunks):
        associated = hash(32, b"", head.encode()) if number == 0 else b""
        plaintext = reader.open(chunk, number == len(chunks) - 1, associated)
        if not plaintext:
            raise Failure("backup_chunk")
        opened.append(plaintext)
    return b"".join(opened)


def decode_parts(data: bytes) -> dict[int, bytes]:
    """By kind, in ascending order, the vault always among them."""
    cursor, parts = Cursor(data), {}
    try:
        while cursor.offset < len(data):
            kind = cursor.u8()
            if kind not in (VAULT, TASKS, SETTINGS) or kind <= max(parts, default=0):
                raise Malformed
            parts[kind] = cursor.raw(cursor.u64())
        if VAULT not in parts:
            raise Malformed
    except Malformed:
        raise Failure("backup_content") from None
    return parts


def check_settings(data: bytes) -> None:
    try:
        text(data)
    except Malformed:
        raise Failure("backup_content") from None
    if len(data) > SETTINGS_BYTES_MAXIMUM:
        raise Failure("backup_content")


def write_backup(time: int, header: bytes, parts: dict[int, bytes], machine: bytes, machine_key: bytes) -> bytes:
    key = secrets.token_bytes(32)
    writer, sealed_key = Writer(key), box(Header.decode(header).backup_public_key, key)
    head = Head(time, header, sealed_key, machine, writer.header).encode()
    plain = b"".join(u8(kind) + u64(len(data)) + data for kind, data in sorted(parts.items()))
    chunks, body = pieces(plain, CHUNK_SIZE), b""
    for number, chunk in enumerate(chunks):
        body += writer.seal(chunk, number == len(chunks) - 1, hash(32, b"", head) if number == 0 else b"")
    return head + body + hash(32, machine_key, head + body)

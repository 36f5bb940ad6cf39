"""Vectors of backups (section 9), in the folder Backups. What stands for the parts is not looked into.

`b` is a fresh Backup of a vault with one recovery slot and the parts 1 to 3; a body changes it, or gives a change of the finished file.
"""

from unlocking_vectors import LOW_ORDER, low_order_box
from writer import (
    CHUNK, FINAL, MESSAGE, PUSH, REKEY, Vector, counted, flipped, get_slot, hash_, hexadecimal, i64, public_key, recovery_text, seal_to,
    set_slot, slot_place, stream, u32, u64, u8)

VECTORS = {}
VAULT, TASKS, SETTINGS = b"the vault's SQLite file", b"the task database's SQLite file", b"theme dark\n"


def part(kind, data, size=None):
    return u8(kind) + u64(len(data) if size is None else size) + data


class Backup:
    def __init__(self, name, expect, comment):
        self.v = Vector("Backups/" + name, expect, comment)
        self.source, self.vault = self.v.source, self.v.vault
        self.parts = {1: VAULT, 2: TASKS, 3: SETTINGS}
        self.time = 1_700_000_000_000
        self.machine, self.machine_key, self.key = self.source(16), self.source(32), self.source(32)
        self.stream_header = self.source(24)
        self.magic, self.format = b"TVBU", 2
        # Given: instead of the right ones.
        self.box = self.plain = self.associated = self.tags = self.mac_of = self.known_key = None
        self.counts = {1, 2, 3}  # the kinds of the parts that count
        self.edit_head = self.edit_body = self.edit = lambda data: data

    def sizes(self, plain):
        """The plaintext of each chunk."""
        return [plain[i:i + CHUNK] for i in range(0, len(plain), CHUNK)]

    def file(self):
        if self.v.header is None:
            self.v.header = self.vault.header()
        box = self.box or seal_to(self.source, public_key(self.vault.backup_key), self.key)
        head = self.edit_head(self.magic + u32(self.format) + i64(self.time) + counted(self.v.header) + box + self.machine + self.stream_header)
        plain = b"".join(part(kind, self.parts[kind]) for kind in sorted(self.parts)) if self.plain is None else self.plain
        associated = hash_(32, b"", head) if self.associated is None else self.associated
        body = b"".join(self.edit_body(stream(
            self.key, self.stream_header, self.sizes(plain), lambda number: associated if number == 0 else b"", self.tags)))
        mac = hash_(32, self.machine_key, head, body) if self.mac_of is None else self.mac_of(head, body)
        return self.edit(head + body + mac)

    def text(self):
        lines = ["comment: " + self.v.comment, "expect: " + self.v.expect]
        if self.v.testing:
            lines.append("kdf: testing")
        lines.append("unlock: " + self.v.unlock)
        key = self.machine_key if self.known_key is None else self.known_key
        if key:
            lines.append("key: " + key.hex())
        lines.append("backup: " + hexadecimal(self.file()))
        if self.v.expect == "opens":
            lines += [f"time: {self.time}", "machine: " + self.machine.hex()]
            lines += [f"part: {kind} {len(data)} {hash_(32, b'', data).hex()}"
                      for kind, data in sorted(self.parts.items()) if kind in self.counts]
        return "\n".join(lines) + "\n"


def backup(expect, comment, name=None):
    def register(prepare):
        key = name or prepare.__name__
        assert key not in VECTORS, key
        VECTORS[key] = (expect, comment, prepare)
        return prepare
    return register


def produce(name):
    expect, comment, prepare = VECTORS[name]
    b = Backup(name, expect, comment)
    prepare(b)
    return b.text()


def with_fields(name, expect, comment, /, **fields):
    @backup(expect, comment, name)
    def prepare(b):
        for key, value in fields.items():
            setattr(b, key, value)


# === Backups that open ===============================================================================================

with_fields("all_parts", "opens", "A vault, tasks and settings.")
with_fields("vault_alone", "opens", "A vault alone.", parts={1: VAULT})
with_fields("vault_and_settings", "opens", "A vault and settings.", parts={1: VAULT, 3: SETTINGS})
with_fields("settings_empty", "opens", "Settings of no bytes.", parts={1: VAULT, 3: b""})
with_fields("time_before_1970", "opens", "The time is before 1970.", time=-1)


def long(name, comment, size):
    """`size`: of the whole plaintext."""
    @backup("opens", comment, name)
    def prepare(b):
        rest = size - sum(9 + len(data) for kind, data in b.parts.items() if kind != 1) - 9
        b.parts[1] = b.source(rest)


long("one_full_chunk", "One chunk of 65,536 bytes.", CHUNK)
long("two_chunks", "Two chunks, the second one of one byte.", CHUNK + 1)
long("three_chunks", "Three chunks, the last one full.", 3 * CHUNK)


@backup("opens", "A passphrase opens the header.")
def passphrase(b):
    b.v.passphrase(b"the passphrase")


@backup("opens", "A security key opens the header.")
def security_key(b):
    b.v.key()


@backup("opens", "A backup of key epoch 2.")
def rekeyed(b):
    b.vault.header()
    b.vault.rekey()


# === The MAC =========================================================================================================

def without_mac(name, comment, mac_of=None, known_key=None):
    with_fields("mac_" + name, "opens", comment, mac_of=mac_of, known_key=known_key, counts={1})


without_mac("zero", "A MAC of zeros: only the vault counts.", lambda head, body: bytes(32))
without_mac("without_key", "The MAC is made without a key: only the vault counts.", lambda head, body: hash_(32, b"", head, body))
without_mac("of_another_key", "The MAC is made with another key: only the vault counts.", lambda head, body: hash_(32, b"k" * 32, head, body))
without_mac("of_body_alone", "The MAC is that of the body alone, with the machine's key: only the vault counts.",
         lambda head, body: hash_(32, b"k" * 32, body), known_key=b"k" * 32)
without_mac("of_head_alone", "The MAC is that of the head alone, with the machine's key: only the vault counts.",
         lambda head, body: hash_(32, b"k" * 32, head), known_key=b"k" * 32)
without_mac("key_not_known", "The machine's key is not known: only the vault counts.", known_key=b"")
with_fields("mac_damaged", "opens", "The last bit of the MAC is changed: only the vault counts.",
            edit=lambda file: flipped(file, -1, 128), counts={1})


@backup("opens", "A backup of an attacker who knows the header and no key: only the vault counts, whose seals are verified later.")
def of_an_attacker(b):
    b.key, b.machine_key, b.known_key = b.source(32), b.source(32), b.machine_key
    b.parts = {1: b"the attacker's file", 2: b"the attacker's tasks", 3: b"reminder-command x\n"}
    b.counts = {1}


@backup("opens", "One part of tasks was changed by a writer that knows the header: the MAC is that of the parts before.")
def tasks_changed(b):
    right = Backup("tasks_changed", "opens", "")
    mac = right.file()[-32:]
    b.parts = dict(b.parts) | {2: b"the attacker's tasks database!!"}
    b.mac_of = lambda head, body: mac
    b.counts = {1}


# === The head ========================================================================================================

with_fields("magic", "file_foreign", "Another magic.", magic=b"TVBV")
with_fields("magic_of_header", "file_foreign", "The magic of a header.", magic=b"TVHD")
for number, failure in ((0, "earlier_build"), (1, "earlier_build"), (3, "newer_version"), (2**32 - 1, "newer_version")):
    with_fields(f"format_{number}", failure, f"Backup format {number}.", format=number)
    with_fields(f"format_{number}_alone", failure, f"Backup format {number}, and nothing after it.", format=number,
                edit=lambda file: file[:8])
with_fields("empty", "file_foreign", "A file of no bytes.", edit=lambda file: b"")
with_fields("three_bytes", "file_foreign", "A file of three bytes, which are the start of the magic.", edit=lambda file: file[:3])
with_fields("four_bytes", "backup_truncated", "A file that has the magic alone.", edit=lambda file: file[:4])
with_fields("seven_bytes", "backup_truncated", "A file of seven bytes.", edit=lambda file: file[:7])
with_fields("ends_in_header", "backup_truncated", "The file ends within the header.", edit=lambda file: file[:200])
with_fields("ends_in_box", "backup_truncated", "The file ends within the box.", edit=lambda file: file[:20 + 763 + 40])
with_fields("ends_after_head", "backup_truncated", "The file ends after the head.", edit=lambda file: file[:20 + 763 + 80 + 16 + 24])
with_fields("ends_before_mac", "backup_chunk", "The MAC is missing.", edit=lambda file: file[:-32])
with_fields("last_byte_missing", "backup_chunk", "The last byte of the MAC is missing.", edit=lambda file: file[:-1])
with_fields("trailing_byte", "backup_chunk", "One zero byte after the MAC.", edit=lambda file: file + b"\0")
with_fields("header_length_most", "backup_truncated", "The length of the header is 2^32 - 1.", edit=lambda file: file[:16] + u32(2**32 - 1) + file[20:])
with_fields("time_changed", "backup_chunk", "The time was changed.", edit=lambda file: flipped(file, 8))
with_fields("machine_changed", "backup_chunk", "The machine's id was changed.", edit=lambda file: flipped(file, 20 + 763 + 80))
with_fields("stream_header_changed", "backup_chunk", "The header of the stream was changed.", edit=lambda file: flipped(file, 20 + 763 + 80 + 16))
with_fields("header_length_too_low", "header_truncated", "The length of the header is one too low.",
            edit=lambda file: file[:16] + u32(762) + file[20:])
with_fields("header_empty", "header_truncated", "A header of no bytes.", edit=lambda file: file[:16] + u32(0) + file[20 + 763:])


def header_edit(name, expect, comment, edit):
    @backup(expect, comment, name)
    def prepare(b):
        b.v.header = edit(b.vault.header())


header_edit("header_magic", "header_magic", "Another magic of the header.", lambda h: b"TVHE" + h[4:])


@backup("backup_truncated", "The header has another magic too, but the length of the file comes first.")
def truncated_before_header(b):
    b.v.header = b"TVHE" + b.vault.header()[4:]
    b.edit_body = lambda chunks: []


header_edit("header_format_1", "header_format", "Header format 1.", lambda h: h[:4] + u32(1) + h[8:])
header_edit("header_damaged", "slot_checksum", "One bit of a slot is damaged.", lambda h: flipped(h, slot_place(h, 0, "box")))
header_edit("header_trailing_byte", "header_trailing_bytes", "One zero byte after the header's last field.", lambda h: h + b"\0")
header_edit("header_65537_bytes", "header_trailing_bytes", "A header of 65,537 bytes; its magic is another one too.",
            lambda h: (b"TVHE" + h[4:]).ljust(65_537, b"\0"))
header_edit("header_65536_bytes", "header_magic", "A header of 65,536 bytes with another magic.",
            lambda h: (b"TVHE" + h[4:]).ljust(65_536, b"\0"))
header_edit("proof_changed", "slot_proof", "The proof of a slot is changed; the checksum fits.",
            lambda h: set_slot(h, 0, "proof", flipped(get_slot(h, 0, "proof"), 0)))
header_edit("backup_secret_damaged", "wrapped_key_seal", "The sealed secret key for backups is damaged.", lambda h: flipped(h, -1))
header_edit("backup_public_key_exchanged", "backup_key", "The public key for backups is one of the attacker.",
            lambda h: h[:-104] + public_key(bytes(32)) + h[-72:])


@backup("wrong_recovery_code", "A well-formed code of no slot.")
def wrong_recovery_code(b):
    b.v.unlock = "recovery " + recovery_text(b.source(32))


@backup("backup_box", "The header is that of another time, after a rekey.")
def header_of_another_epoch(b):
    b.v.header = b.vault.header()
    b.vault.rekey()


def box_edit(name, comment, make, expect="backup_box"):
    @backup(expect, comment, "box_" + name)
    def prepare(b):
        b.box = make(b)


box_edit("damaged", "One bit of the box is damaged.", lambda b: flipped(seal_to(b.source, public_key(b.vault.backup_key), b.key), 40))
box_edit("to_another_key", "The box is sealed to another public key.", lambda b: seal_to(b.source, public_key(b.source(32)), b.key))
box_edit("to_a_slot", "The box is sealed to the public key of a slot.", lambda b: seal_to(b.source, b.vault.slots[0].public_key(), b.key))
box_edit("of_another_key", "The box holds another key.", lambda b: seal_to(b.source, public_key(b.vault.backup_key), bytes(32)), "backup_chunk")
box_edit("low_order", "The box was made with a public key of low order.",
         lambda b: low_order_box(LOW_ORDER["order_8"], public_key(b.vault.backup_key), b.key))


# === The stream ======================================================================================================

def body_edit(name, comment, edit, chunks=3, expect="backup_chunk"):
    """Of the sealed chunks; the MAC fits."""
    @backup(expect, comment, "stream_" + name)
    def prepare(b):
        if chunks > 1:
            b.parts[1] = bytes(CHUNK * (chunks - 1))
        b.edit_body = edit


body_edit("empty", "The body has no bytes.", lambda c: [], 1, "backup_truncated")
body_edit("16_bytes", "The body has 16 bytes, fewer than a chunk.", lambda c: [c[0][:16]], 1, "backup_truncated")
body_edit("17_bytes", "The body has 17 bytes, fewer than a chunk of one byte.", lambda c: [c[0][:17]], 1, "backup_truncated")
body_edit("18_bytes", "The body has 18 bytes of a chunk.", lambda c: [c[0][:18]], 1)
body_edit("damaged", "One bit of the only chunk is damaged.", lambda c: [flipped(c[0], 20)], chunks=1)
body_edit("tag_byte_damaged", "One bit of the sealed tag of the only chunk is damaged.", lambda c: [flipped(c[0], 0)], chunks=1)
body_edit("cut", "The last byte of the only chunk is missing.", lambda c: [c[0][:-1]], chunks=1)
body_edit("one_byte_more", "One byte after the last chunk.", lambda c: c + [b"\0"], chunks=1)
body_edit("last_chunk_missing", "The last of two chunks is missing.", lambda c: c[:-1], chunks=2)
body_edit("last_chunk_twice", "The last chunk is there twice.", lambda c: c + c[-1:], chunks=1)
body_edit("first_chunk_missing", "The first of two chunks is missing.", lambda c: c[1:], chunks=2)
body_edit("chunks_exchanged", "The first two of three chunks are exchanged.", lambda c: [c[1], c[0], c[2]])


def faulty_stream(name, comment, /, **fields):
    with_fields("stream_" + name, "backup_chunk", comment, **fields)


two = lambda plain: [plain[:100], plain[100:]]
faulty_stream("without_final", "The last chunk has the tag MESSAGE.", tags=[MESSAGE])
faulty_stream("push", "The last chunk has the tag PUSH.", tags=[PUSH])
faulty_stream("rekey", "The last chunk has the tag REKEY.", tags=[REKEY])
faulty_stream("associated_empty", "The first chunk has no associated data.", associated=b"")
faulty_stream("associated_zero", "The associated data of the first chunk are zeros.", associated=bytes(32))
faulty_stream("short_chunk", "The first of two chunks has 100 bytes.", sizes=two)
with_fields("stream_of_an_empty_chunk", "backup_truncated", "The only chunk has no plaintext: it is one byte too short.",
            plain=b"", sizes=lambda plain: [b""])


def two_chunks(name, comment, **fields):
    @backup("backup_chunk", comment, "stream_" + name)
    def prepare(b):
        b.parts[1] = bytes(CHUNK)
        for key, value in fields.items():
            setattr(b, key, value)


two_chunks("final_twice", "The first of two chunks has the tag FINAL too.", tags=[FINAL, FINAL])
two_chunks("push_first", "The first of two chunks has the tag PUSH.", tags=[PUSH, FINAL])
two_chunks("rekey_first", "The first of two chunks has the tag REKEY.", tags=[REKEY, FINAL])
two_chunks("long_chunk", "One chunk of more than 65,536 bytes.", sizes=lambda plain: [plain])
two_chunks("before_parts", "There is no vault in the first chunk, and the second one is damaged.", plain=bytes(CHUNK + 1),
           edit_body=lambda chunks: [chunks[0], flipped(chunks[1], 0)])


@backup("backup_chunk", "The last chunk has no plaintext, after one of 65,536 bytes.")
def stream_last_chunk_empty(b):
    b.parts = {1: bytes(CHUNK - 9)}
    b.sizes = lambda plain: [plain, b""]


# === The parts =======================================================================================================

def faulty_parts(name, comment, plain):
    with_fields("parts_" + name, "backup_content", comment, plain=plain)


whole = part(1, VAULT) + part(2, TASKS) + part(3, SETTINGS)
faulty_parts("without_vault", "Tasks and settings without a vault.", part(2, TASKS) + part(3, SETTINGS))
faulty_parts("one_byte", "One byte, the kind of a vault: the shortest plaintext.", u8(1))
faulty_parts("kind_0", "A part of kind 0.", part(0, b"") + whole)
faulty_parts("kind_4", "A part of kind 4.", whole + part(4, b"x"))
faulty_parts("kind_255", "A part of kind 255.", whole + part(255, b""))
faulty_parts("descending", "Settings before tasks.", part(1, VAULT) + part(3, SETTINGS) + part(2, TASKS))
faulty_parts("vault_last", "The vault after the tasks.", part(2, TASKS) + part(1, VAULT))
faulty_parts("vault_twice", "Two vaults.", part(1, VAULT) + part(1, b"another one"))
faulty_parts("tasks_twice", "Tasks twice.", part(1, VAULT) + part(2, TASKS) + part(2, TASKS))
faulty_parts("cut", "The last byte of the last part is missing.", whole[:-1])
faulty_parts("trailing_byte", "One zero byte after the last part.", whole + b"\0")
faulty_parts("ends_in_size", "The last part ends within its size.", whole + u8(3) + bytes(7))
faulty_parts("size_too_high", "The size of the only part is one too high.", part(1, VAULT, len(VAULT) + 1))
faulty_parts("size_most", "The size of the only part is 2^64 - 1.", part(1, VAULT, 2**64 - 1))
faulty_parts("size_wraps", "The size of the only part is 2^64 - 9, which is 0 with its own kind and size in 64 bits.", part(1, VAULT, 2**64 - 9))

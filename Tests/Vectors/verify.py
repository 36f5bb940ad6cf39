#!/usr/bin/python3
"""A reader of the vault format that shares no code with the writer. It opens every vector and compares what happens.

    verify.py [-v] [file ...]     without files: all beside this one; exits with 1 if any differs from its `expect`

The checks are in the order of Docs/Format.md section 10. For `opens`, content and settings are compared too.
"""

import collections
import hashlib
import hmac
import os
import pathlib
import sys
import unicodedata

import nacl.bindings
import nacl.exceptions

GIB = 2**30
# By number: the value at creation, the lowest and the highest one.
SETTINGS = {1: (120, 1, 86_400), 2: (900, 1, 86_400), 3: (43_200, 1, 86_400), 4: (0, 0, 1), 5: (0, 0, 1),
            6: (10, 0, 100), 7: (90, 1, 3650), 8: (30, 0, 3650), 9: (0, 0, 1), 10: (0, 0, 2), 11: (0, 0, 2)}
WORD = 2**512

Record = collections.namedtuple("Record", "tag item_id cls revision format attributes value")
Earlier = collections.namedtuple("Earlier", "item_id revision cls format attributes value moved")
Parameters = collections.namedtuple(
    "Parameters", "at id kind algorithm passes memory salt record public commitment pair sealed_key box proof")


class Refused(Exception):
    """Its text is a failure name of section 10."""


def require(condition, failure):
    if not condition:
        raise Refused(failure)


class Cursor:
    """Reads fields one after the other; running out of bytes gives the failure."""

    def __init__(self, data, failure):
        self.data, self.place, self.failure = data, 0, failure

    def raw(self, size):
        require(self.place + size <= len(self.data), self.failure)
        self.place += size
        return self.data[self.place - size:self.place]

    def number(self, size, signed=False):
        return int.from_bytes(self.raw(size), "little", signed=signed)

    def counted(self):
        return self.raw(self.number(4))

    def finish(self, failure):
        require(self.place == len(self.data), failure)


def digest(size, *parts, key=b""):
    state = hashlib.blake2b(digest_size=size, key=key)
    for part in parts:
        state.update(part)
    return state.digest()


def little(size, value):
    return value.to_bytes(size, "little")


# --- The vector file ----------------------------------------------------------------------------------------------

def unhex(text):
    return b"" if text == "-" else bytes.fromhex(text)


class VectorFile:
    ORDER = ["comment", "expect", "kdf", "unlock", "do", "version", "rollback_record", "elsewhere", "header", "state", "link", "bucket",
             "item", "earlier", "chunk", "content", "file", "past", "settings", "read"]

    def __init__(self, path):
        self.buckets, self.rows, self.content, self.elsewhere, self.links, self.earlier = {}, [], [], [], [], []
        self.chunks = []
        self.do = self.version = self.kdf = self.rollback_record = self.header = self.state = self.settings = self.read = None
        self.parse(path)

    def parse(self, path):
        text = path.read_bytes().decode("utf-8")
        if not text.endswith("\n") or "\r" in text:
            raise ValueError("line ends")
        last = 0
        for line in text[:-1].split("\n"):
            name, _, value = line.partition(": ")
            word = name.partition(" ")[0]
            place = self.ORDER.index(word)
            if place < last:
                raise ValueError("order of lines")
            last = place
            getattr(self, "take_" + word, self.take_plain)(name, value)

    def take_plain(self, name, value):
        setattr(self, name, value)

    def take_unlock(self, name, value):
        kind, _, text = value.partition(" ")
        if kind == "key":
            salt, output = (unhex(part) for part in text.split(" "))
            self.secret = (kind, {salt: output})
        else:
            self.secret = (kind, unhex(text) if kind == "passphrase" else text)

    def take_do(self, name, value):
        if value not in ("rekey", "links", "earlier", "files"):
            raise ValueError("what to do")
        self.do = value

    def take_binary(self, name, value):
        setattr(self, name, unhex(value))

    take_rollback_record = take_header = take_state = take_binary

    def take_elsewhere(self, name, value):
        self.elsewhere.append(unhex(value))

    def take_link(self, name, value):
        counter = int(name.split(" ")[1])
        if self.links and counter < self.links[-1][0]:
            raise ValueError("order of links")
        self.links.append((counter, unhex(value)))

    def take_bucket(self, name, value):
        number = int(name.split(" ")[1])
        if self.buckets and number <= max(self.buckets):
            raise ValueError("order of buckets")
        self.buckets[number] = unhex(value)

    def take_item(self, name, value):
        tag, item_id, cls, revision, form, attributes, blob = value.split(" ")
        row = Record(unhex(tag), unhex(item_id), int(cls), int(revision), int(form), unhex(attributes), unhex(blob))
        if self.rows and row.tag < self.rows[-1].tag:
            raise ValueError("order of items")
        self.rows.append(row)

    def take_earlier(self, name, value):
        item_id, revision, cls, form, attributes, blob, moved = value.split(" ")
        row = Earlier(unhex(item_id), int(revision), int(cls), int(form), unhex(attributes), unhex(blob), unhex(moved))
        if self.earlier and row[:2] < self.earlier[-1][:2]:
            raise ValueError("order of earlier rows")
        self.earlier.append(row)

    def take_content(self, name, value):
        self.content.append(value)

    take_file = take_past = take_content

    def take_chunk(self, name, value):
        version, number, stored, data = value.split(" ")
        self.chunks.append(((unhex(version), int(number)), unhex(data)))

    def take_read(self, name, value):
        self.read = tuple(unhex(part) for part in value.split(" "))


class BackupFile(VectorFile):
    ORDER = ["comment", "expect", "kdf", "unlock", "key", "backup", "time", "machine", "part"]

    def __init__(self, path):
        self.kdf = self.key = None
        self.content = []
        self.parse(path)

    take_key = take_backup = VectorFile.take_binary

    def take_time(self, name, value):
        self.content.append(f"{name} {value}")

    take_machine = take_part = take_time


class LogFiles(VectorFile):
    ORDER = ["comment", "expect", "means", "vault", "key", "head", "log", "former"]

    def __init__(self, path):
        self.former = b""
        self.parse(path)

    take_vault = take_key = take_log = take_former = VectorFile.take_binary

    def take_head(self, name, value):
        self.head = None if value == "-" else unhex(value)


# --- The rollback record ----------------------------------------------------------------------------------------------

RollbackRecord = collections.namedtuple("RollbackRecord", "sequence status vault_id lineage epoch counter history digest backup")


def newest_slot(data):
    require(len(data) <= 1024, "rollback_record_damaged")
    slots = [record for record in (decode_slot(data[:512]), decode_slot(data[512:])) if record]
    require(slots, "rollback_record_damaged")
    return max(slots, key=lambda record: record.sequence)  # of equal ones the first


def valid_slot(data):
    """None if there is none, or if it is damaged."""
    try:
        return newest_slot(data)
    except Refused:
        return None


def decode_slot(data):
    """None if it is not valid."""
    if len(data) != 512 or data[:8] != b"TVMK\x02\0\0\0" or digest(16, data[:157]) != data[157:173] or any(data[173:]):
        return None
    cursor = Cursor(data[8:], None)
    record = RollbackRecord(cursor.number(8), cursor.number(1), cursor.raw(16), cursor.raw(16), cursor.number(4), cursor.number(8),
                cursor.raw(32), cursor.raw(32), cursor.raw(32))
    return record if record.status in (1, 2) else None


# --- Header, slots, secrets -----------------------------------------------------------------------------------------

def half_of_memory():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


class Header:
    def __init__(self, data, testing):
        require(data is not None, "header_missing")
        self.data = data
        cursor = Cursor(data, "header_truncated")
        start = cursor.raw(8)
        require(start[:4] == b"TVHD", "header_magic")
        require(start[4:] == b"\x02\0\0\0", "header_format")
        self.vault_id = cursor.raw(16)
        self.epoch = cursor.number(4)
        count = cursor.number(1)
        require(self.epoch > 0, "key_epoch_zero")
        require(0 < count <= 8, "slot_count")
        slots = [self.read_slot(cursor) for _ in range(count)]
        self.wrapped = [cursor.raw(72) for _ in range(3)]
        self.backup_public = cursor.raw(32)
        self.wrapped.append(cursor.raw(72))
        cursor.finish("header_trailing_bytes")
        floor = (1, 8) if testing else (2, 19_456)
        for slot, fits in slots:
            require(fits, "slot_checksum")
            self.check_slot(slot, floor)
        self.slots = [slot for slot, _ in slots]
        require(len({slot.id for slot in self.slots}) == count, "slot_duplicate")

    def read_slot(self, cursor):
        """A slot, and whether its checksum fits."""
        begin = cursor.place
        start = [cursor.raw(16)] + [cursor.number(size) for size in (1, 1, 4, 4)] + [cursor.raw(16), cursor.counted()]
        at = b"TVSL" + self.vault_id + cursor.data[begin:cursor.place]
        slot = Parameters(at, *start, *[cursor.raw(size) for size in (32, 32, 104, 72, 80, 32)])
        wanted = digest(16, b"TVSL", self.vault_id, cursor.data[begin:cursor.place])
        return slot, cursor.raw(16) == wanted

    def check_slot(self, slot, floor):
        require(slot.kind in (1, 2, 3), "slot_kind")
        require(slot.algorithm == (1 if slot.kind == 1 else 2), "slot_algorithm")
        if slot.kind == 1:
            require(slot.passes >= floor[0] and slot.memory >= floor[1], "slot_kdf_weak")
            size = slot.memory * 1024
            require(slot.passes <= 64 and size <= min(4 * GIB, half_of_memory()) and slot.passes * size <= 16 * GIB,
                    "slot_kdf_excessive")
        else:
            require(slot.passes == slot.memory == 0, "slot_parameters")
        if slot.kind == 3:
            key_record_input(slot.record)
        else:
            require(not slot.record, "slot_record")


def key_record_input(record):
    """Checks the record of a slot of kind 3 and returns its input."""
    failure = "slot_record"
    cursor = Cursor(record, failure)
    require(cursor.number(1) in (1, 2) and cursor.number(1) < 2, failure)
    input = cursor.raw(32)
    require(1 <= len(cursor.counted()) <= 1023, failure)
    require(1 <= len(cursor.counted()) <= 512, failure)
    plain_text(cursor.counted(), 0, 64, failure)
    cursor.finish(failure)
    return input


def plain_text(data, least, most, failure, controls=False):
    require(least <= len(data) <= most, failure)
    try:
        characters = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(failure) from None
    require(controls or all(unicodedata.category(c) != "Cc" for c in characters), failure)
    return data


def normal_passphrase(typed):
    require(1 <= len(typed) <= 16_384, "passphrase_length")
    try:
        text = typed.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("passphrase_encoding") from None
    normal = unicodedata.normalize("NFC", text).encode("utf-8")
    require(len(normal) <= 1024, "passphrase_length")
    return normal


def code_from_text(typed):
    alphabet = {character: i for i, character in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}
    alphabet |= {character.lower(): i for character, i in list(alphabet.items()) if character.isalpha()}
    numbers = [alphabet.get(character, -1) for character in typed if character not in " -"]
    require(len(numbers) == 56 and -1 not in numbers, "recovery_code_malformed")
    require(numbers[51] % 16 == 0, "recovery_code_malformed")
    whole = 0
    for number in numbers[:52]:
        whole = whole << 5 | number
    code = (whole >> 4).to_bytes(32, "big")
    check = 0
    for number in numbers[52:]:
        check = check << 5 | number
    require(int.from_bytes(digest(32, b"TVRC", code)[:3], "big") >> 4 == check, "recovery_code_check")
    return code


class Opened:
    """The keys behind a header and a secret, and all that is read with them."""

    def __init__(self, header, kind, secret):
        self.header = header
        self.root = self.unlock(kind, secret)
        wrapping, self.lookup, self.row_hash, self.state_key, self.slot_key = (self.derive(n) for n in (1, 2, 3, 4, 5))
        places = ((0, 1), (1, 2), (2, 2), (0, 3))
        self.attribute_key, *values, backup = [
            self.open(wrapping, blob, 2, "wrapped_key_seal", cls=cls, revision=header.epoch, part=part)
            for blob, (cls, part) in zip(header.wrapped, places)]
        self.value_keys = dict(zip((1, 2), values))
        require(nacl.bindings.crypto_scalarmult_base(backup) == header.backup_public, "backup_key")
        self.backup_secret = backup

    def derive(self, number):
        return hashlib.blake2b(digest_size=32, key=self.root, salt=little(16, number), person=b"TVaultKy").digest()

    def open(self, key, blob, purpose, failure, id=bytes(16), cls=0, revision=0, part=0, more=b""):
        where = b"".join((b"TVAD", little(1, purpose), little(4, 2), self.header.vault_id, id, little(1, cls),
                          little(8, revision), little(1, part), more))
        require(len(blob) >= 40, failure)
        try:
            return nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(blob[24:], where, blob[:24], key)
        except nacl.exceptions.CryptoError:
            raise Refused(failure) from None

    def unlock(self, kind, typed):
        if kind == "passphrase":
            number, secret, failure = 1, normal_passphrase(typed), "wrong_passphrase"
        elif kind == "recovery":
            number, secret, failure = 2, code_from_text(typed), "wrong_recovery_code"
        else:
            number, failure = 3, "wrong_key"
        for slot in self.header.slots:
            if slot.kind != number:
                continue
            if number == 1:
                both = nacl.bindings.crypto_pwhash_alg(64, secret, slot.salt, slot.passes, slot.memory * 1024,
                                                       nacl.bindings.crypto_pwhash_ALG_ARGON2ID13)
            else:
                if number == 3:
                    secret = typed.get(hashlib.sha256(b"WebAuthn PRF\0" + key_record_input(slot.record)).digest())
                    if secret is None:
                        continue
                both = digest(64, slot.at, key=secret)
            if hmac.compare_digest(digest(32, slot.at, slot.public, key=both[32:]), slot.commitment):
                return self.open_slot(slot, both[:32])
        raise Refused(failure)

    def open_slot(self, slot, wrapping):
        pair = self.open(wrapping, slot.pair, 1, "slot_pair", id=slot.id)
        require(nacl.bindings.crypto_scalarmult_base(pair[:32]) == slot.public, "slot_pair")
        self.check_proof(slot, pair[32:])
        try:
            return nacl.bindings.crypto_box_seal_open(slot.box, slot.public, pair[:32])
        except nacl.exceptions.CryptoError:
            raise Refused("slot_box") from None

    def check_proof(self, slot, key):
        proof = digest(32, b"TVSP", little(4, self.header.epoch), slot.at, slot.public, slot.box, key=key)
        require(hmac.compare_digest(proof, slot.proof), "slot_proof")

    def check_slots_before_rekey(self):
        for slot in self.header.slots:
            key = self.open(self.slot_key, slot.sealed_key, 7, "slot_key", id=slot.id, revision=self.header.epoch)
            self.check_proof(slot, key)
            try:
                nacl.bindings.crypto_scalarmult(bytes(32), slot.public)
            except nacl.exceptions.CryptoError:  # zeros, whatever the secret key is
                raise Refused("slot_box") from None

    # Section 6: state, rollback record

    def open_state(self, record):
        require(record is not None, "state_missing")
        require(len(record) % 5 == 2 and 197 <= len(record) <= 1472, "state_length")
        require(record[:4] == little(4, 2), "state_format")
        text = self.open(self.state_key, record[4:], 6, "state_seal", more=digest(32, self.header.data))
        cursor = Cursor(text, "state_seal")
        self.buckets_sum = cursor.number(64)
        self.items, self.earlier, self.counter = (cursor.number(8) for _ in range(3))
        self.lineage, self.history = cursor.raw(16), cursor.raw(32)
        self.restored_from, self.restored_at = cursor.number(8, signed=True), cursor.number(8)
        self.values = {number: value for number, (value, *_) in SETTINGS.items()}
        last = 0
        for _ in range(cursor.number(1)):
            require(len(text) - cursor.place >= 5, "state_content")
            number, value = cursor.number(1), cursor.number(4)
            require(last < number and number in SETTINGS, "state_content")
            created, lowest, highest = SETTINGS[number]
            require(value != created and lowest <= value <= highest, "state_content")
            self.values[number], last = value, number
        cursor.finish("state_content")
        require(0 < self.counter < 2**63, "state_content")
        require((self.restored_from == 0) == (self.restored_at == 0), "state_content")
        require(self.restored_at <= self.counter, "state_content")
        self.state_digest = digest(32, record)

    def settings(self):
        return " ".join(map(str, [self.counter, self.restored_from, self.restored_at, *self.values.values()]))

    # Section 8

    def check_rollback_records(self, here, elsewhere, links):
        """`here`: the rollback record of this place or None; `elsewhere`: those of other places."""
        record = newest_slot(here) if here else None
        if record:
            require(record.vault_id == self.header.vault_id and record.status == 1, "other_vault")
            self.compare(record, links)
            return
        for record in map(valid_slot, elsewhere):
            if record and (record.vault_id, record.lineage) == (self.header.vault_id, self.lineage):
                require(record.status == 1, "other_vault")
                self.compare(record, links)

    def compare(self, record, links):
        require(self.header.epoch >= record.epoch and self.counter >= record.counter, "rolled_back")
        require(record.lineage == self.lineage, "forked")
        require(self.counter > record.counter or record.digest == self.state_digest, "forked")
        history = record.history
        for counter in range(record.counter + 1, self.counter + 1):
            found = [record for number, record in links if number == counter]
            require(found, "link_missing")
            require(len(found) == 1 and len(found[0]) == 60 and found[0][:4] == little(4, 2), "link_damaged")
            link = self.open(self.state_key, found[0][4:], 8, "link_damaged", revision=counter)
            history = digest(32, b"TVHI", history, little(8, counter), link)
        require(history == self.history, "forked")

    def check_links(self, links):
        """Exactly those that a machine may still need."""
        expected = max(1, self.counter - 99_999)
        for counter, record in links:
            if counter < 1:
                continue
            require(expected <= counter <= self.counter, "link_damaged")
            require(counter == expected, "link_missing")
            require(len(record) == 60 and record[:4] == little(4, 2), "link_damaged")
            self.open(self.state_key, record[4:], 8, "link_damaged", revision=counter)
            expected += 1
        require(expected > self.counter, "link_missing")

    # Section 6: buckets and rows

    def check_bucket_records(self, records):
        self.records = records
        for number in sorted(records):
            require(0 <= number <= 511, "bucket_number")
            require(len(records[number]) == 116, "bucket_length")
            require(records[number][:4] == little(4, 2), "bucket_format")
        elements = (digest(64, b"TVBK", little(2, number), record, key=self.row_hash) for number, record in records.items())
        require(sum(int.from_bytes(element, "little") for element in elements) % WORD == self.buckets_sum, "buckets_sum")

    def check_bucket(self, number, rows):
        """Returns how many rows the bucket has, after all its checks."""
        record, count, wanted = self.records.get(number), 0, 0
        if record is not None:
            cursor = Cursor(self.open(self.state_key, record[4:], 5, "bucket_seal", revision=number >> 8, part=number & 255), "bucket_seal")
            count, wanted = cursor.number(8), cursor.number(64)
            require(count > 0, "bucket_content")
        found, names = 0, set()
        for row in rows:
            require(len(row.item_id) == 16 and row.cls in (1, 2) and 1 <= row.revision < 2**63, "row_shape")
            require(max(len(row.attributes), len(row.value)) <= 4 * 2**20, "row_shape")
            if number < 256:
                name, magic, start, end = row.tag, b"TVRW", row.tag, b""
                require(len(row.tag) == 32, "row_shape")
            else:
                name, magic, start, end = row[:2], b"TVER", b"", row.moved
                require(len(row.moved) == 49, "row_shape")
            require(name not in names, "row_shape")
            names.add(name)
            require(row.format == 2, "row_format")
            element = digest(64, magic, little(4, 2), start, row.item_id, little(1, row.cls), little(8, row.revision),
                             little(4, len(row.attributes)), row.attributes, little(4, len(row.value)), row.value, end,
                             key=self.row_hash)
            found += int.from_bytes(element, "little")
        require(len(rows) == count and found % WORD == wanted, "bucket_rows")
        return count

    def list(self, rows):
        """Checks all buckets of the items; returns each row and its attributes, by tag."""
        listed = []
        counted = self.check_buckets(range(256), lambda row: row.tag[:1], rows, lambda row: listed.append((row, self.attributes(row))))
        require(counted == self.items, "items_count")
        return listed

    def list_earlier(self, rows):
        """Likewise of the earlier rows, by item id and revision, with their moves."""
        listed = []
        counted = self.check_buckets(range(256, 512), lambda row: b"\1" + (row.item_id[:1] or b"\0"), rows,
                                     lambda row: listed.append((row, self.moved(row), self.attributes(row))))
        require(counted == self.earlier, "earlier_count")
        return listed

    def check_buckets(self, numbers, bucket, rows, look):
        of_bucket = collections.defaultdict(list)
        for row in rows:
            of_bucket[int.from_bytes(bucket(row), "big")].append(row)
        counted = 0
        for number in numbers:
            counted += self.check_bucket(number, of_bucket[number])
            for row in of_bucket[number]:
                look(row)
        return counted

    # Section 5: items

    def tag_of(self, *names):
        return digest(32, *(part for name in names for part in (little(4, len(name)), name)), key=self.lookup)

    def moved(self, row):
        """When the row became an earlier one, and 1 if its item was removed."""
        text = self.open(self.attribute_key, row.moved, 9, "moved_seal", row.item_id, row.cls, row.revision)
        require(text[8] < 2, "moved_content")
        return int.from_bytes(text[:8], "little", signed=True), text[8]

    def attributes(self, row):
        padded = self.open(self.attribute_key, row.attributes, 3, "attributes_seal", row.item_id, row.cls, row.revision, 1)
        item = parse_attributes(unpad(padded, "attributes_padding"))
        if isinstance(row, Record):
            require(self.tag_of(item["service"], item["account"], item["field"]) == row.tag, "tag_names")
        return item

    def value(self, row):
        padded = self.open(self.value_keys[row.cls], row.value, 4, "value_seal", row.item_id, row.cls, row.revision, 2)
        value = unpad(padded, "value_padding")
        require(len(value) <= 1_048_576, "value_too_large")
        return value


# --- Sections 9 and 13: streams ---------------------------------------------------------------------------------------

CHUNK = 65_536
MESSAGE, FINAL = 0, 3


class Stream:
    """Opens the chunks of a secretstream one after the other."""

    def __init__(self, key, header, failure):
        self.failure = failure
        self.state = nacl.bindings.crypto_secretstream_xchacha20poly1305_state()
        nacl.bindings.crypto_secretstream_xchacha20poly1305_init_pull(self.state, header, key)

    def chunk(self, data, associated, is_last):
        require(17 <= len(data) <= CHUNK + 17, self.failure)
        try:
            text, tag = nacl.bindings.crypto_secretstream_xchacha20poly1305_pull(self.state, data, associated or None)
        except (nacl.exceptions.CryptoError, RuntimeError):
            raise Refused(self.failure) from None
        require(tag == (FINAL if is_last else MESSAGE), self.failure)
        return text


def file_line(value, chunks):
    """Reads a file, of which `value` is that of its item."""
    failure = "file_content"
    cursor = Cursor(value, failure)
    require(cursor.number(4) == 2, failure)
    version, key, header, size, count = cursor.raw(16), cursor.raw(32), cursor.raw(24), cursor.number(8), cursor.number(4)
    for most in (255, 65_536):
        plain_text(cursor.counted(), 0, most, failure, controls=True)
    cursor.finish(failure)
    require(size <= 4 * GIB and count == max(1, -(-size // CHUNK)), failure)
    found = dict(chunks)
    stream, content = Stream(key, header, "chunk_seal"), b""
    for number in range(count):
        require((version, number) in found, "chunk_missing")
        is_last = number == count - 1
        data = found[version, number]
        require(len(data) == 17 + (size - number * CHUNK if is_last else CHUNK), "chunk_seal")
        content += stream.chunk(data, version + little(4, number), is_last)
    return f"{version.hex()} {len(content)} {digest(32, content).hex()}"


def open_backup(vector):
    """Returns the lines of a backup: time, machine and the parts that count."""
    data = vector.backup
    require(data[:4] == b"TVBU", "file_foreign")
    cursor = Cursor(data[4:], "backup_truncated")
    version = cursor.number(4)
    require(version <= 2, "newer_version")
    require(version == 2, "earlier_build")
    time, header = cursor.number(8, signed=True), cursor.counted()
    box, machine, stream_header = cursor.raw(80), cursor.raw(16), cursor.raw(24)
    require(len(header) <= 65_536, "header_trailing_bytes")
    end = 4 + cursor.place
    require(len(data) - end >= 50, "backup_truncated")
    head, body, mac = data[:end], data[end:-32], data[-32:]
    vault = Opened(Header(header, vector.kdf == "testing"), *vector.secret)
    try:
        key = nacl.bindings.crypto_box_seal_open(box, vault.header.backup_public, vault.backup_secret)
    except nacl.exceptions.CryptoError:
        raise Refused("backup_box") from None
    stream, plain = Stream(key, stream_header, "backup_chunk"), b""
    for start in range(0, len(body), CHUNK + 17):
        chunk = body[start:start + CHUNK + 17]
        text = stream.chunk(chunk, digest(32, head) if start == 0 else b"", start + CHUNK + 17 >= len(body))
        require(text, "backup_chunk")
        plain += text
    failure = "backup_content"
    cursor, parts = Cursor(plain, failure), {}
    while cursor.place < len(plain):
        kind = cursor.number(1)
        require(max(parts, default=0) < kind <= 3, failure)
        parts[kind] = cursor.raw(cursor.number(8))
    require(1 in parts, failure)
    if vector.key is None or digest(32, head, body, key=vector.key) != mac:
        parts = {1: parts[1]}
    plain_text(parts.get(3, b""), 0, 65_536, failure, controls=True)
    return [f"time {time}", f"machine {machine.hex()}"] + [
        f"part {kind} {len(part)} {digest(32, part).hex()}" for kind, part in parts.items()]


def run_backup(vector):
    try:
        return "opens", open_backup(vector)
    except Refused as refused:
        return str(refused), []


# --- Section 13: the log of reads -----------------------------------------------------------------------------------

def read_log(vector):
    """Returns the number of lost reads, whether the log was cut, and what was read."""
    failure, public = "log_changed", nacl.bindings.crypto_scalarmult_base(vector.key)
    heads, lost, cut, names = [], 0, False, []
    end, dropped = None, 0  # the head at the end of the former file, and the size of those before it

    def read(data):
        nonlocal lost, cut
        cursor = Cursor(data, failure)
        require(cursor.raw(24) == b"TVLG" + little(4, 2) + vector.vault, failure)
        chain, start, former, key, last = digest(32, b"TVRC", data[:24]), 0, None, None, None
        if end is None:
            heads.append(little(8, 24) + chain)
        while cursor.place < len(data):
            begin, size = cursor.place, cursor.number(4)
            require(1 <= size <= 1_048_576, failure)
            kind, body, last = cursor.number(1), cursor.raw(size - 1), None
            if kind == 1:
                try:
                    plain = nacl.bindings.crypto_box_seal_open(body, public, vector.key)
                except (nacl.exceptions.CryptoError, TypeError, ValueError):
                    raise Refused(failure) from None
                require(len(plain) == 80 and plain[48:] == chain, failure)
                key, segment, number = plain[:32], plain[32:48], 0
            elif kind == 2:
                require(key and len(body) >= 40, failure)
                where = b"TVAD\x0a" + little(4, 2) + vector.vault + segment + b"\0" + little(8, number) + b"\0"
                try:
                    plain = nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(body[24:], where, body[:24], key)
                except nacl.exceptions.CryptoError:
                    raise Refused(failure) from None
                reads = Cursor(unpad(plain, failure), failure)
                last = reads.number(4)
                cut |= last == 2**32 - 1
                lost += last if last < 2**32 - 2 else 0
                while reads.place < len(reads.data):
                    reads.raw(12)
                    for _ in range(2):
                        plain_text(reads.counted(), 0, 2**20, failure, controls=True)
                    service, account, _ = (plain_text(reads.counted(), 1, 1024, failure) for _ in range(3))
                    names.append(f"{service.decode()} {account.decode()}")
                key, number = digest(32, b"TVRK", key=key), number + 1
            else:
                require(kind == 3 and begin == 24 and len(body) == 40, failure)
                former, start = body, int.from_bytes(body[:8], "little")
            chain = digest(32, b"TVRC", chain, data[begin:cursor.place])
            heads.append(little(8, start + cursor.place) + chain)
        return former, start, last == 2**32 - 2

    if vector.former:
        _, dropped, ended = read(vector.former)
        require(ended, failure)
        end = heads[-1]
    if vector.log:
        require(read(vector.log)[0] == end, failure)
    head = vector.head
    is_known = head is None or head in heads or (len(head) == 40 and int.from_bytes(head[:8], "little") < dropped)
    require(is_known, failure)
    return " ".join(filter(None, (str(lost), "cut" if cut else "", ", ".join(names))))


def run_log(vector):
    try:
        return "valid", read_log(vector)
    except Refused:
        return "refused", "-"


def right_size(length):
    if length <= 64:
        return 64
    if length <= 4096:
        return 1 << (length - 1).bit_length()
    exponent = length.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return -(-length // step) * step


def unpad(padded, failure):
    cursor = Cursor(padded, failure)
    data = cursor.counted()
    require(len(padded) == right_size(4 + len(data)), failure)
    require(not any(padded[cursor.place:]), failure)
    return data


def parse_attributes(text):
    failure = "attributes_content"
    require(len(text) <= 65_536, failure)
    cursor = Cursor(text, failure)

    def string(least, most, controls=False):
        return plain_text(cursor.counted(), least, most, failure, controls)

    item = dict(service=string(1, 1024), account=string(1, 1024), field=string(1, 1024), label=string(0, 1024),
                created=cursor.number(8, signed=True), modified=cursor.number(8, signed=True), extra=[])
    for _ in range(cursor.number(4)):
        key, value = string(1, 1024), string(0, 65_536, controls=True)
        require(not item["extra"] or item["extra"][-1][0] < key, failure)
        item["extra"].append((key, value))
    cursor.finish(failure)
    return item


# --- The program of the runner ----------------------------------------------------------------------------------------

def content_line(row, item, value):
    text = lambda data: data.hex() or "-"
    fields = [text(item["service"]), text(item["account"]), text(item["field"]), text(item["label"]), row.cls, row.revision,
              item["created"], item["modified"], text(value)]
    return " ".join([str(field) for field in fields] + [f"{text(key)}={text(data)}" for key, data in item["extra"]])


def check_version(number):
    """Section 7: `user_version` of the file."""
    require(number <= 2, "newer_version")
    require(number != 1, "earlier_build")
    require(number == 2, "file_foreign")


def run(vector):
    """Returns the result and what was read."""
    try:
        if vector.version is not None:
            check_version(int(vector.version))
        vault = Opened(Header(vector.header, vector.kdf == "testing"), *vector.secret)
        vault.open_state(vector.state)
        vault.check_rollback_records(vector.rollback_record, vector.elsewhere, vector.links)
        if vector.do == "rekey":
            vault.check_slots_before_rekey()
        if vector.do == "links":
            vault.check_links(vector.links)
        vault.check_bucket_records(vector.buckets)
        if vector.do == "earlier":
            lines = [f"{row.item_id.hex()} {time} {removed} " + content_line(row, item, vault.value(row))
                     for row, (time, removed), item in vault.list_earlier(vector.earlier)]
            return "opens", lines, vault.settings()
        if vector.read is None:
            listed = vault.list(vector.rows)
        else:
            tag = vault.tag_of(*vector.read)
            bucket = [row for row in vector.rows if row.tag[:1] == tag[:1]]
            vault.check_bucket(tag[0], bucket)
            listed = [(row, vault.attributes(row)) for row in bucket if row.tag == tag]
            require(listed, "not_found")
        values = [vault.value(row) for row, _ in listed]
        lines = [content_line(row, item, value) for (row, item), value in zip(listed, values)]
        if vector.do == "files":
            lines += [file_line(value, vector.chunks) for (_, item), value in zip(listed, values)
                      if item["service"] == b"taskvault.file"]
    except Refused as refused:
        return str(refused), [], None
    return "opens", lines, vault.settings()


def main(arguments):
    loud = "-v" in arguments
    paths = [pathlib.Path(argument) for argument in arguments if argument != "-v"]
    folder = pathlib.Path(__file__).resolve().parent
    paths = paths or sorted(path for pattern in ("*.vector", "Chunks/*.vector", "Backups/*.vector", "Reads/*.vector") for path in folder.glob(pattern))
    wrong, seen = 0, collections.Counter()
    for path in paths:
        if path.parent.name == "Backups":
            vector = BackupFile(path)
            found, expected = run_backup(vector), (vector.expect, vector.content)
        elif path.parent.name == "Reads":
            vector = LogFiles(path)
            found, expected = run_log(vector), (vector.expect, vector.means)
        else:
            vector = VectorFile(path)
            found, expected = run(vector), (vector.expect, vector.content, vector.settings)
        result, agrees = found[0], found == expected
        seen[result] += 1
        wrong += not agrees
        if loud or not agrees:
            print(f"{'ok     ' if agrees else 'DIFFERS'} {path.stem}: {result}" + ("" if agrees else f", expected {vector.expect}"))
    if loud:
        print("; ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    print(f"{len(paths)} vectors, {wrong} differ")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

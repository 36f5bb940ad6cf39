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
WORD = 2**512

Record = collections.namedtuple("Record", "tag item_id cls revision format attributes value")
Parameters = collections.namedtuple("Parameters", "at id kind algorithm passes memory salt commitment sealed")


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
    ORDER = ["comment", "expect", "kdf", "unlock", "mark", "header", "state", "bucket", "item", "content", "settings", "read"]

    def __init__(self, path):
        self.buckets, self.rows, self.content = {}, [], []
        self.kdf = self.mark = self.header = self.state = self.settings = self.read = None
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
        self.secret = (kind, unhex(text) if kind == "passphrase" else text)

    def take_binary(self, name, value):
        setattr(self, name, unhex(value))

    take_mark = take_header = take_state = take_binary

    def take_bucket(self, name, value):
        number = int(name.split(" ")[1])
        if self.buckets and number <= max(self.buckets):
            raise ValueError("order of buckets")
        self.buckets[number] = unhex(value)

    def take_item(self, name, value):
        tag, item_id, cls, revision, form, attributes, blob = value.split(" ")
        row = Record(unhex(tag), unhex(item_id), int(cls), int(revision), int(form), unhex(attributes), unhex(blob))
        if self.rows and row.tag <= self.rows[-1].tag:
            raise ValueError("order of items")
        self.rows.append(row)

    def take_content(self, name, value):
        self.content.append(value)

    def take_read(self, name, value):
        self.read = tuple(unhex(part) for part in value.split(" "))


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
        require(start[4:] == b"\x01\0\0\0", "header_format")
        self.vault_id = cursor.raw(16)
        self.epoch = cursor.number(4)
        count = cursor.number(1)
        require(self.epoch > 0, "key_epoch_zero")
        require(0 < count <= 8, "slot_count")
        slots = [cursor.raw(162) for _ in range(count)]
        self.wrapped = [cursor.raw(72) for _ in range(3)]
        cursor.finish("header_trailing_bytes")
        floor = (1, 8) if testing else (2, 19_456)
        self.slots = [self.check_slot(slot, floor) for slot in slots]
        require(len({slot.id for slot in self.slots}) == count, "slot_duplicate")

    def check_slot(self, data, floor):
        require(digest(16, b"TVSL", self.vault_id, data[:146]) == data[146:], "slot_checksum")
        cursor = Cursor(data, None)
        at = b"TVSL" + self.vault_id + data[:42]
        slot = Parameters(at, cursor.raw(16), cursor.number(1), cursor.number(1), cursor.number(4), cursor.number(4),
                          cursor.raw(16), cursor.raw(32), cursor.raw(72))
        require(slot.kind in (1, 2), "slot_kind")
        require(slot.algorithm == slot.kind, "slot_algorithm")
        if slot.kind == 2:
            require(slot.passes == slot.memory == 0, "slot_recovery_parameters")
        else:
            require(slot.passes >= floor[0] and slot.memory >= floor[1], "slot_kdf_weak")
            size = slot.memory * 1024
            require(slot.passes <= 64 and size <= min(4 * GIB, half_of_memory()) and slot.passes * size <= 16 * GIB,
                    "slot_kdf_excessive")
        return slot


def normal_passphrase(typed):
    require(typed, "passphrase_length")
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
        wrapping, self.lookup, self.row_hash, self.state_key = (self.derive(n) for n in (1, 2, 3, 4))
        places = ((0, 1), (1, 2), (2, 2))
        self.attribute_key, *values = [
            self.open(wrapping, blob, 2, "wrapped_key_seal", cls=cls, revision=header.epoch, part=part)
            for blob, (cls, part) in zip(header.wrapped, places)]
        self.value_keys = dict(zip((1, 2), values))

    def derive(self, number):
        return hashlib.blake2b(digest_size=32, key=self.root, salt=little(16, number), person=b"TVaultKy").digest()

    def open(self, key, blob, purpose, failure, id=bytes(16), cls=0, revision=0, part=0, more=b""):
        where = b"".join((b"TVAD", little(1, purpose), little(4, 1), self.header.vault_id, id, little(1, cls),
                          little(8, revision), little(1, part), more))
        require(len(blob) >= 40, failure)
        try:
            return nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(blob[24:], where, blob[:24], key)
        except nacl.exceptions.CryptoError:
            raise Refused(failure) from None

    def unlock(self, kind, typed):
        if kind == "passphrase":
            number, secret, failure = 1, normal_passphrase(typed), "wrong_passphrase"
        else:
            number, secret, failure = 2, code_from_text(typed), "wrong_recovery_code"
        for slot in self.header.slots:
            if slot.kind != number:
                continue
            if number == 1:
                both = nacl.bindings.crypto_pwhash_alg(64, secret, slot.salt, slot.passes, slot.memory * 1024,
                                                       nacl.bindings.crypto_pwhash_ALG_ARGON2ID13)
            else:
                both = digest(64, slot.at, key=secret)
            if hmac.compare_digest(digest(32, slot.at, key=both[32:]), slot.commitment):
                return self.open(both[:32], slot.sealed, 1, "root_key_seal", id=slot.id, revision=self.header.epoch)
        raise Refused(failure)

    # Section 6: state, mark

    def open_state(self, record):
        require(record is not None, "state_missing")
        require(len(record) == 153, "state_length")
        require(record[:4] == little(4, 1), "state_format")
        text = self.open(self.state_key, record[4:], 6, "state_seal", more=digest(32, self.header.data))
        cursor = Cursor(text, "state_seal")
        self.buckets_sum = cursor.number(64)
        self.items, self.counter = cursor.number(8), cursor.number(8)
        self.lineage = cursor.raw(16)
        self.limits, self.locked = [cursor.number(4) for _ in range(3)], cursor.number(1)
        require(all(1 <= limit <= 86_400 for limit in self.limits), "state_content")
        require(self.locked < 2 and self.counter > 0, "state_content")
        self.state_digest = digest(32, record)

    def check_mark(self, mark):
        require(len(mark) == 96, "mark_damaged")
        require(mark[:24] == b"TVMK\x01\0\0\0" + self.header.vault_id, "mark_damaged")
        require(digest(16, mark[:80]) == mark[80:], "mark_damaged")
        seen = int.from_bytes(mark[40:48], "little")
        require(self.counter > seen or (self.counter == seen and mark[48:80] == self.state_digest), "rolled_back")

    # Section 6: buckets and rows

    def check_bucket_records(self, records):
        self.records = records
        for number in sorted(records):
            require(0 <= number <= 255, "bucket_number")
            require(len(records[number]) == 116, "bucket_length")
            require(records[number][:4] == little(4, 1), "bucket_format")
        elements = (digest(64, b"TVBK", little(1, number), record, key=self.row_hash) for number, record in records.items())
        require(sum(int.from_bytes(element, "little") for element in elements) % WORD == self.buckets_sum, "buckets_sum")

    def check_bucket(self, number, rows):
        """Returns how many rows the bucket has, after all its checks."""
        record, count, wanted = self.records.get(number), 0, 0
        if record is not None:
            cursor = Cursor(self.open(self.state_key, record[4:], 5, "bucket_seal", part=number), "bucket_seal")
            count, wanted = cursor.number(8), cursor.number(64)
            require(count > 0, "bucket_content")
        found = 0
        for row in rows:
            require(len(row.tag) == 32 and len(row.item_id) == 16 and row.cls in (1, 2), "row_shape")
            require(1 <= row.revision < 2**63, "row_shape")
            require(row.format == 1, "row_format")
            element = digest(64, b"TVRW", little(4, row.format), row.tag, row.item_id, little(1, row.cls),
                             little(8, row.revision), little(4, len(row.attributes)), row.attributes,
                             little(4, len(row.value)), row.value, key=self.row_hash)
            found += int.from_bytes(element, "little")
        require(len(rows) == count and found % WORD == wanted, "bucket_rows")
        return count

    def check_all_buckets(self, rows):
        of_bucket = collections.defaultdict(list)
        for row in rows:
            of_bucket[row.tag[0] if row.tag else 0].append(row)
        counted = sum(self.check_bucket(number, of_bucket[number]) for number in range(256))
        require(counted == self.items, "items_count")

    # Section 5: items

    def tag_of(self, service, account):
        parts = (little(4, len(service)), service, little(4, len(account)), account)
        return digest(32, *parts, key=self.lookup)

    def attributes(self, row):
        padded = self.open(self.attribute_key, row.attributes, 3, "attributes_seal", row.item_id, row.cls, row.revision, 1)
        item = parse_attributes(unpad(padded, "attributes_padding"))
        require(self.tag_of(item["service"], item["account"]) == row.tag, "tag_names")
        return item

    def value(self, row):
        padded = self.open(self.value_keys[row.cls], row.value, 4, "value_seal", row.item_id, row.cls, row.revision, 2)
        value = unpad(padded, "value_padding")
        require(len(value) <= 1_048_576, "value_too_large")
        return value


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

    def string(least, most, plain=True):
        data = cursor.counted()
        require(least <= len(data) <= most, failure)
        try:
            characters = data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(failure) from None
        require(not plain or all(unicodedata.category(c) != "Cc" for c in characters), failure)
        return data

    item = dict(service=string(1, 1024), account=string(1, 1024), label=string(0, 1024),
                created=cursor.number(8, signed=True), modified=cursor.number(8, signed=True), extra=[])
    for _ in range(cursor.number(4)):
        key, value = string(1, 1024), string(0, 65_536, plain=False)
        require(not item["extra"] or item["extra"][-1][0] < key, failure)
        item["extra"].append((key, value))
    cursor.finish(failure)
    return item


# --- The program of the runner ----------------------------------------------------------------------------------------

def content_line(row, item, value):
    text = lambda data: data.hex() or "-"
    fields = [text(item["service"]), text(item["account"]), text(item["label"]), row.cls, row.revision,
              item["created"], item["modified"], text(value)]
    return " ".join([str(field) for field in fields] + [f"{text(key)}={text(data)}" for key, data in item["extra"]])


def run(vector):
    """Returns the result and what was read."""
    try:
        vault = Opened(Header(vector.header, vector.kdf == "testing"), *vector.secret)
        vault.open_state(vector.state)
        if vector.mark is not None:
            vault.check_mark(vector.mark)
        vault.check_bucket_records(vector.buckets)
        if vector.read is None:
            vault.check_all_buckets(vector.rows)
            listed = [(row, vault.attributes(row)) for row in vector.rows]
        else:
            tag = vault.tag_of(*vector.read)
            bucket = [row for row in vector.rows if row.tag[:1] == tag[:1]]
            vault.check_bucket(tag[0], bucket)
            listed = [(row, vault.attributes(row)) for row in bucket if row.tag == tag]
            require(listed, "not_found")
        lines = [content_line(row, item, vault.value(row)) for row, item in listed]
    except Refused as refused:
        return str(refused), [], None
    return "opens", lines, " ".join(map(str, [*vault.limits, vault.locked, vault.counter]))


def main(arguments):
    loud = "-v" in arguments
    paths = [pathlib.Path(argument) for argument in arguments if argument != "-v"]
    paths = paths or sorted(pathlib.Path(__file__).resolve().parent.glob("*.vector"))
    wrong, seen = 0, collections.Counter()
    for path in paths:
        vector = VectorFile(path)
        result, content, settings = run(vector)
        seen[result] += 1
        agrees = (result, content, settings) == (vector.expect, vector.content, vector.settings)
        wrong += not agrees
        if loud or not agrees:
            print(f"{'ok     ' if agrees else 'DIFFERS'} {path.stem}: {result}" + ("" if agrees else f", expected {vector.expect}"))
    if loud:
        print("; ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    print(f"{len(paths)} vectors, {wrong} differ")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

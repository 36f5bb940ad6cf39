"""A writer of the vault format, from Docs/Format.md alone. The section numbers are those of that page.

Everything it makes is determined by the name of the vector, so that a second run gives the same bytes.
"""

import base64
import copy
import struct
from dataclasses import dataclass, field

import nacl.bindings as sodium

FLOOR_PASSES, FLOOR_MEMORY = 2, 19_456  # section 4
MAXIMUM_VALUE = 1_048_576  # section 5


# --- Section 1: conventions ---------------------------------------------------------------------------------------

def u8(number): return struct.pack("<B", number)
def u32(number): return struct.pack("<I", number)
def u64(number): return struct.pack("<Q", number)
def i64(number): return struct.pack("<q", number)
def counted(data): return u32(len(data)) + data


def hash_(size, key, *message):
    return sodium.crypto_generichash_blake2b_salt_personal(b"".join(message), digest_size=size, key=key)


def total(elements):
    """`sum` of 64-byte elements."""
    return (sum(int.from_bytes(element, "little") for element in elements) % 2**512).to_bytes(64, "little")


class Source:
    """Stands in for the random generator: a counter under BLAKE2b, keyed by the name of the vector."""

    def __init__(self, name):
        self.key = hash_(64, b"", name.encode())
        self.count = 0

    def __call__(self, size):
        data = b""
        while len(data) < size:
            self.count += 1
            data += hash_(64, self.key, u64(self.count))
        return data[:size]


def context(purpose, vault_id, id=bytes(16), class_=0, revision=0, part=0):
    return b"TVAD" + u8(purpose) + u32(1) + vault_id + id + u8(class_) + u64(revision) + u8(part)


def seal(source, key, plaintext, associated):
    nonce = source(24)
    return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, associated, nonce, key)


def padded_size(length):
    if length <= 4096:
        size = 64
        while size < length:
            size *= 2
        return size
    e = length.bit_length() - 1
    s = e.bit_length()  # floor(log2 E) + 1
    m = 2**(e - s) - 1
    return (length + m) & ~m


def pad(data, size=None, filler=None, length=None):
    """`padded`; the optional arguments make faulty ones."""
    text = u32(len(data) if length is None else length) + data
    room = (padded_size(len(text)) if size is None else size) - len(text)
    return text + (bytes(room) if filler is None else filler(room))


# --- Section 2: keys ----------------------------------------------------------------------------------------------

CLASS_WRAPPING, LOOKUP, ROW_HASH, STATE = 1, 2, 3, 4


def subkey(root, number):
    return sodium.crypto_generichash_blake2b_salt_personal(
        b"", digest_size=32, key=root, salt=u64(number) + bytes(8), person=b"TVaultKy" + bytes(8))


# --- Section 4: slots and secrets -----------------------------------------------------------------------------------

PASSPHRASE, RECOVERY = 1, 2
ARGON2ID, BLAKE2B = 1, 2


@dataclass
class Slot:
    id: bytes
    salt: bytes
    secret: bytes  # the normalised passphrase or the 32 bytes of the code; None: a slot that nobody can use
    kind: int = RECOVERY
    algorithm: int = BLAKE2B
    passes: int = 0
    memory: int = 0
    commitment: bytes = None  # given: instead of the right one
    sealed: bytes = None      # given: instead of the right one

    def prefix(self, vault_id):
        return (b"TVSL" + vault_id + self.id + u8(self.kind) + u8(self.algorithm) + u32(self.passes)
                + u32(self.memory) + self.salt)

    def key(self, vault_id):
        """K: the wrapping key and the commitment key."""
        if self.secret is None:
            return hash_(64, b"", b"nobody", self.id)
        if self.kind == RECOVERY:
            return hash_(64, self.secret, self.prefix(vault_id))
        return sodium.crypto_pwhash_alg(
            64, self.secret, self.salt, self.passes, self.memory * 1024, sodium.crypto_pwhash_ALG_ARGON2ID13)

    def root_key_context(self, vault):
        return context(1, vault.id, id=self.id, revision=vault.epoch)

    def encode(self, vault):
        key, prefix = self.key(vault.id), self.prefix(vault.id)
        commitment = self.commitment or hash_(32, key[32:], prefix)
        sealed = self.sealed or seal(vault.source, key[:32], vault.root, self.root_key_context(vault))
        checksum = hash_(16, b"", prefix, commitment, sealed)
        return prefix[20:] + commitment + sealed + checksum


def recovery_text(code):
    check = hash_(32, b"", b"TVRC" + code)
    characters = base32(code)[:52] + base32(check)[:4]
    return "-".join(characters[i:i + 4] for i in range(0, 56, 4))


def base32(data):
    return base64.b32encode(data).decode()


# --- Section 5: items -----------------------------------------------------------------------------------------------

@dataclass
class Item:
    id: bytes
    service: bytes
    account: bytes
    value: bytes = b"a secret value"
    label: bytes = b""
    class_: int = 1
    revision: int = 1
    created: int = 1_700_000_000_000
    modified: int = 1_700_000_000_001
    extra: list = field(default_factory=list)
    # Given: instead of the right ones.
    format: int = 1
    tag: bytes = None
    attributes_text: bytes = None
    attributes_padded: bytes = None
    value_padded: bytes = None

    def attributes(self):
        pairs = b"".join(counted(key) + counted(text) for key, text in self.extra)
        return (counted(self.service) + counted(self.account) + counted(self.label)
                + i64(self.created) + i64(self.modified) + u32(len(self.extra)) + pairs)


@dataclass
class Row:
    tag: bytes
    item_id: bytes
    class_: int
    revision: int
    format: int
    attributes: bytes
    value: bytes


# --- Sections 2, 3, 5, 6: a vault and the keys to it ----------------------------------------------------------------

@dataclass
class Settings:
    window: int = 120
    idle: int = 900
    absolute: int = 43_200
    locked: int = 0
    counter: int = 1


class Vault:
    def __init__(self, name):
        self.source = Source(name)
        self.id, self.root, self.attribute_key = self.source(16), self.source(32), self.source(32)
        self.value_keys = {1: self.source(32), 2: self.source(32)}
        self.lineage = self.source(16)
        self.epoch = 1
        self.slots, self.items = [], []
        self.settings = Settings()

    def subkey(self, number):
        return subkey(self.root, number)

    def new_slot(self, secret, **fields):
        return Slot(self.source(16), self.source(16), secret, **fields)

    def passphrase_slot(self, secret, passes=1, memory=8, **fields):
        return self.new_slot(secret, kind=PASSPHRASE, algorithm=ARGON2ID, passes=passes, memory=memory, **fields)

    def add(self, service, account, *value, **fields):
        item = Item(self.source(16), service, account, *value, **fields)
        self.items.append(item)
        return item

    def tag(self, service, account):
        return hash_(32, self.subkey(LOOKUP), counted(service), counted(account))

    # Section 3

    def wrapped_keys(self):
        key = self.subkey(CLASS_WRAPPING)
        at = lambda class_, part: context(2, self.id, class_=class_, revision=self.epoch, part=part)
        return [seal(self.source, key, self.attribute_key, at(0, 1)),
                seal(self.source, key, self.value_keys[1], at(1, 2)),
                seal(self.source, key, self.value_keys[2], at(2, 2))]

    def header(self):
        return (b"TVHD" + u32(1) + self.id + u32(self.epoch) + u8(len(self.slots))
                + b"".join(slot.encode(self) for slot in self.slots) + b"".join(self.wrapped_keys()))

    # Section 5

    def row(self, item):
        value_key = self.value_keys.get(item.class_) or bytes(32)
        at = lambda purpose, part: context(
            purpose, self.id, id=item.id, class_=item.class_, revision=item.revision, part=part)
        text = item.attributes() if item.attributes_text is None else item.attributes_text
        attributes = pad(text) if item.attributes_padded is None else item.attributes_padded
        value = pad(item.value) if item.value_padded is None else item.value_padded
        tag = self.tag(item.service, item.account) if item.tag is None else item.tag
        return Row(tag, item.id, item.class_, item.revision, item.format,
                   seal(self.source, self.attribute_key, attributes, at(3, 1)),
                   seal(self.source, value_key, value, at(4, 2)))

    # Section 6

    def row_element(self, row):
        return hash_(64, self.subkey(ROW_HASH), b"TVRW", u32(row.format), row.tag, row.item_id, u8(row.class_),
                     u64(row.revision), counted(row.attributes), counted(row.value))

    def bucket_record(self, number, count, rows):
        content = u64(count) + total(self.row_element(row) for row in rows)
        return u32(1) + seal(self.source, self.subkey(STATE), content, context(5, self.id, part=number))

    def bucket_records(self, rows):
        buckets = {}
        for row in rows:
            buckets.setdefault(row.tag[0], []).append(row)
        return {number: self.bucket_record(number, len(its), its) for number, its in buckets.items()}

    def bucket_element(self, number, record):
        return hash_(64, self.subkey(ROW_HASH), b"TVBK", u8(number % 256), record)

    def state_text(self, buckets, items):
        s = self.settings
        return (total(self.bucket_element(number, record) for number, record in buckets.items())
                + u64(items) + u64(s.counter) + self.lineage
                + u32(s.window) + u32(s.idle) + u32(s.absolute) + u8(s.locked))

    def state_context(self, header):
        return context(6, self.id) + hash_(32, b"", header)

    def state(self, header, buckets, items):
        text = self.state_text(buckets, items)
        return u32(1) + seal(self.source, self.subkey(STATE), text, self.state_context(header))

    # Section 8

    def mark(self, state, counter=None, magic=b"TVMK", format=1, vault_id=None, lineage=None):
        body = (magic + u32(format) + (vault_id or self.id) + (lineage or self.lineage)
                + u64(self.settings.counter if counter is None else counter) + hash_(32, b"", state))
        return body + hash_(16, b"", body)


# --- A vector: a vault, its records, what is done to them, what must come out ------------------------------------------

class Vector:
    def __init__(self, name, expect, comment):
        self.name, self.expect, self.comment = name, expect, comment
        self.vault = Vault(name)
        self.source = self.vault.source
        self.code = self.source(32)
        self.vault.slots = [self.vault.new_slot(self.code)]
        self.unlock = "recovery " + recovery_text(self.code)
        self.testing = False
        self.mark = self.header = self.state = self.read = None
        self.buckets, self.rows = {}, []
        self.built = False

    # Before `build`.

    def passphrase(self, typed, normal=None, passes=1, memory=8):
        """Replaces the recovery slot by a passphrase slot; `typed` is what the runner types."""
        self.vault.slots = [self.vault.passphrase_slot(typed if normal is None else normal, passes, memory)]
        self.type(typed)
        self.testing = passes < FLOOR_PASSES or memory < FLOOR_MEMORY

    def type(self, typed):
        self.unlock = "passphrase " + hexadecimal(typed)

    def name_in_bucket(self, number, nth=0):
        """An account name whose tag with the service "service" falls into the bucket."""
        account, found = 0, -1
        while True:
            name = b"account %d" % account
            found += self.vault.tag(b"service", name)[0] == number
            if found == nth:
                return name
            account += 1

    def add_in_bucket(self, number, nth=0, **fields):
        return self.vault.add(b"service", self.name_in_bucket(number, nth), **fields)

    def three_items(self):
        """Two in bucket 5, one of each class, and one in bucket 200."""
        return (self.add_in_bucket(5, value=b"first value"),
                self.add_in_bucket(5, 1, value=b"second value", class_=2),
                self.add_in_bucket(200, value=b"third value!"))

    # The records. `build` makes all, the others make some of them anew, as only a holder of the keys can.

    def build(self):
        self.built = True
        self.header = self.vault.header()
        self.rows = sorted((self.vault.row(item) for item in self.vault.items), key=lambda row: row.tag)
        self.reseal()

    def reseal(self):
        self.rows.sort(key=lambda row: row.tag)
        self.buckets = self.vault.bucket_records(self.rows)
        self.reseal_state()

    def reseal_state(self, items=None):
        items = len(self.rows) if items is None else items
        self.state = self.vault.state(self.header, self.buckets, items)

    def row_of(self, item):
        return next(row for row in self.rows if row.item_id == item.id)

    def snapshot(self):
        return copy.deepcopy((self.header, self.state, self.buckets, self.rows))

    # The file.

    def text(self):
        lines = ["comment: " + self.comment, "expect: " + self.expect]
        if self.testing:
            lines.append("kdf: testing")
        lines.append("unlock: " + self.unlock)
        for name, data in (("mark", self.mark), ("header", self.header), ("state", self.state)):
            if data is not None:
                lines.append(f"{name}: {hexadecimal(data)}")
        lines += [f"bucket {number}: {hexadecimal(self.buckets[number])}" for number in sorted(self.buckets)]
        for row in sorted(self.rows, key=lambda row: row.tag):
            lines.append(f"item: {hexadecimal(row.tag)} {hexadecimal(row.item_id)} {row.class_} {row.revision} "
                         f"{row.format} {hexadecimal(row.attributes)} {hexadecimal(row.value)}")
        if self.expect == "opens":
            lines += self.content_lines()
            s = self.vault.settings
            lines.append(f"settings: {s.window} {s.idle} {s.absolute} {s.locked} {s.counter}")
        if self.read:
            lines.append("read: " + " ".join(hexadecimal(name) for name in self.read))
        return "\n".join(lines) + "\n"

    def content_lines(self):
        tag = lambda item: self.vault.tag(item.service, item.account)
        wanted = [i for i in self.vault.items if self.read in (None, (i.service, i.account))]
        for item in sorted(wanted, key=tag):
            fields = [hexadecimal(item.service), hexadecimal(item.account), hexadecimal(item.label), str(item.class_),
                      str(item.revision), str(item.created), str(item.modified), hexadecimal(item.value)]
            fields += [f"{hexadecimal(key)}={hexadecimal(text)}" for key, text in item.extra]
            yield "content: " + " ".join(fields)


def hexadecimal(data):
    return data.hex() or "-"


VECTORS = {}


def vector(expect, comment, name=None):
    """Registers a function that prepares one vector; its name is the name of the file."""
    def register(prepare):
        key = name or prepare.__name__
        assert key not in VECTORS, key
        VECTORS[key] = (expect, comment, prepare)
        return prepare
    return register


def produce(name):
    expect, comment, prepare = VECTORS[name]
    v = Vector(name, expect, comment)
    prepare(v)
    if not v.built:
        v.build()
    return v.text()


def flipped(data, position, bit=1):
    changed = bytearray(data)
    changed[position] ^= bit
    return bytes(changed)


# Places in a slot and in the header, for attacks on finished bytes (sections 3 and 4).

SLOT = dict(id=(0, 16), kind=(16, 17), algorithm=(17, 18), passes=(18, 22), memory=(22, 26), salt=(26, 42),
            commitment=(42, 74), sealed=(74, 146), checksum=(146, 162))


def slot_start(index):
    return 29 + 162 * index


def get_slot(header, index, name):
    start, end = SLOT[name]
    return header[slot_start(index) + start:slot_start(index) + end]


def set_slot(header, index, name, data):
    """Replaces a field of a slot and makes its checksum fit again, which needs no key."""
    start, end = (slot_start(index) + place for place in SLOT[name])
    header = header[:start] + data + header[end:]
    begin, end = slot_start(index), slot_start(index) + SLOT["checksum"][0]
    checksum = hash_(16, b"", b"TVSL", header[8:24], header[begin:end])
    return header[:end] + checksum + header[end + 16:]


def wrapped_parts(header):
    """The header without the wrapped keys, and these three."""
    end = len(header) - 216
    return header[:end], [header[end + 72 * i:end + 72 * i + 72] for i in range(3)]

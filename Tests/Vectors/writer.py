"""A writer of the vault format, from Docs/Format.md alone. The section numbers are those of that page.

Everything it makes is determined by the name of the vector, so that a second run gives the same bytes.
"""

import base64
import copy
import hashlib
import struct
from dataclasses import dataclass, field

import nacl.bindings as sodium

FORMAT = 2  # of header and records
PASSWORD = b"password"  # the usual field
FLOOR_PASSES, FLOOR_MEMORY = 2, 19_456  # section 4
MAXIMUM_VALUE = 1_048_576  # section 5


# --- Section 1: conventions ---------------------------------------------------------------------------------------

def u8(number): return struct.pack("<B", number)
def u16(number): return struct.pack("<H", number)
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


def context(purpose, vault_id, id=bytes(16), class_=0, revision=0, part=0, format=FORMAT):
    return b"TVAD" + u8(purpose) + u32(format) + vault_id + id + u8(class_) + u64(revision) + u8(part)


def seal(source, key, plaintext, associated):
    nonce = source(24)
    return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, associated, nonce, key)


def public_key(secret_key):
    return sodium.crypto_scalarmult_base(secret_key)


def seal_to(source, public, plaintext):
    """`crypto_box_seal`, whose key pair for the one message comes from the source."""
    secret = source(32)
    once = public_key(secret)
    return once + sodium.crypto_box(plaintext, hash_(24, b"", once, public), public, secret)


MESSAGE, PUSH, REKEY, FINAL = range(4)  # tags of libsodium's secretstream
CHUNK = 65_536


def stream(key, header, plaintexts, associated, tags=None):
    """The chunks of a secretstream; `associated` gives the associated data of a number."""
    state = sodium.crypto_secretstream_xchacha20poly1305_state()
    # A state for reading is one for writing with a header that is given.
    sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key)
    tags = tags or [MESSAGE] * (len(plaintexts) - 1) + [FINAL]
    return [sodium.crypto_secretstream_xchacha20poly1305_push(state, text, associated(number) or None, tags[number])
            for number, text in enumerate(plaintexts)]


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

CLASS_WRAPPING, LOOKUP, ROW_HASH, STATE, SLOT_KEY = 1, 2, 3, 4, 5


def subkey(root, number):
    return sodium.crypto_generichash_blake2b_salt_personal(
        b"", digest_size=32, key=root, salt=u64(number) + bytes(8), person=b"TVaultKy" + bytes(8))


# --- Section 4: slots and secrets -----------------------------------------------------------------------------------

PASSPHRASE, RECOVERY, HMAC_SECRET = 1, 2, 3
ARGON2ID, BLAKE2B = 1, 2
SECURITY_KEY, PASSKEY = 1, 2


@dataclass
class Slot:
    id: bytes
    salt: bytes
    secret_key: bytes
    authentication_key: bytes  # L
    secret: bytes  # the normalised passphrase, the code or the authenticator's output; None: a slot that nobody can use
    kind: int = RECOVERY
    algorithm: int = BLAKE2B
    passes: int = 0
    memory: int = 0
    record: bytes = b""
    sealed: bytes = None      # given: instead of the right one; otherwise made once, a rekey keeps it
    # Given: instead of the right ones.
    public: bytes = None
    commitment: bytes = None
    sealed_key: bytes = None
    box: bytes = None
    proof: bytes = None

    def prefix(self, vault_id):
        return (b"TVSL" + vault_id + self.id + u8(self.kind) + u8(self.algorithm) + u32(self.passes)
                + u32(self.memory) + self.salt + counted(self.record))

    def key(self, vault_id):
        """K: the wrapping key and the commitment key."""
        if self.secret is None:
            return hash_(64, b"", b"nobody", self.id)
        if self.kind != PASSPHRASE:
            return hash_(64, self.secret, self.prefix(vault_id))
        return sodium.crypto_pwhash_alg(
            64, self.secret, self.salt, self.passes, self.memory * 1024, sodium.crypto_pwhash_ALG_ARGON2ID13)

    def public_key(self):
        return self.public or public_key(self.secret_key)

    def pair_context(self, vault_id, /, **wrong):
        return context(**dict(purpose=1, vault_id=vault_id, id=self.id) | wrong)

    def make_proof(self, vault_id, epoch, box, key=None):
        return hash_(32, self.authentication_key if key is None else key,
                     b"TVSP", u32(epoch), self.prefix(vault_id), self.public_key(), box)

    def encode(self, vault):
        key, prefix, public = self.key(vault.id), self.prefix(vault.id), self.public_key()
        commitment = self.commitment or hash_(32, key[32:], prefix, public)
        self.sealed = self.sealed or seal(
            vault.source, key[:32], self.secret_key + self.authentication_key, self.pair_context(vault.id))
        sealed_key = self.sealed_key or vault.seal_slot_key(self)
        box = self.box or seal_to(vault.source, public, vault.root)
        proof = self.proof or self.make_proof(vault.id, vault.epoch, box)
        fields = prefix + public + commitment + self.sealed + sealed_key + box + proof
        return fields[20:] + hash_(16, b"", fields)


def key_record(input, transport=SECURITY_KEY, synchronised=0, credential=b"a credential id", key=None, name=b"Security key"):
    """The record of a slot of kind 3."""
    key = cose_key(input) if key is None else key
    return u8(transport) + u8(synchronised) + input + counted(credential) + counted(key) + counted(name)


def cose_key(seed):
    """A COSE_Key of ES256: {1: 2, 3: -7, -1: 1, -2: x, -3: y}, with any x and y."""
    x, y = hash_(32, b"", b"x", seed), hash_(32, b"", b"y", seed)
    return bytes.fromhex("a5010203262001215820") + x + bytes.fromhex("225820") + y


def prf_salt(input):
    return hashlib.sha256(b"WebAuthn PRF\0" + input).digest()


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
    field_: bytes = PASSWORD
    extra: list = field(default_factory=list)
    # Given: instead of the right ones.
    format: int = FORMAT
    tag: bytes = None
    attributes_text: bytes = None
    attributes_padded: bytes = None
    value_padded: bytes = None

    def attributes(self):
        pairs = b"".join(counted(key) + counted(text) for key, text in self.extra)
        return (counted(self.service) + counted(self.account) + counted(self.field_) + counted(self.label)
                + i64(self.created) + i64(self.modified) + u32(len(self.extra)) + pairs)


@dataclass
class Earlier:
    """An item as it was before its value was replaced or it was removed."""
    item: Item
    time: int
    removed: int
    moved: bytes = None  # given: instead of the right one, before it is sealed

    def content(self):
        return i64(self.time) + u8(self.removed) if self.moved is None else self.moved


@dataclass
class EarlierRow:
    item_id: bytes
    revision: int
    class_: int
    format: int
    attributes: bytes
    value: bytes
    moved: bytes

    def element(self):
        return (b"TVER", u32(self.format), self.item_id, u8(self.class_), u64(self.revision),
                counted(self.attributes), counted(self.value), self.moved)

    def bucket(self):
        return 256 + (self.item_id[0] if self.item_id else 0)


@dataclass
class Row:
    tag: bytes
    item_id: bytes
    class_: int
    revision: int
    format: int
    attributes: bytes
    value: bytes

    def element(self):
        return (b"TVRW", u32(self.format), self.tag, self.item_id, u8(self.class_), u64(self.revision),
                counted(self.attributes), counted(self.value))

    def bucket(self):
        return self.tag[0]


# --- Sections 2, 3, 5, 6: a vault and the keys to it ----------------------------------------------------------------

@dataclass
class Settings:
    counter: int = 1
    restored_from: int = 0
    restored_at: int = 0
    window: int = 120
    idle: int = 900
    absolute: int = 43_200
    locked: int = 0
    record: int = 0
    earlier_values: int = 10
    earlier_days: int = 90
    removed_days: int = 30
    finger: int = 0
    theme: int = 0
    language: int = 0

    NUMBERS = dict(window=1, idle=2, absolute=3, locked=4, record=5, earlier_values=6, earlier_days=7, removed_days=8, finger=9, theme=10, language=11)

    def line(self):
        return " ".join(str(getattr(self, name)) for name in ("counter", "restored_from", "restored_at", *self.NUMBERS))

    def changed(self):
        """The numbers and values other than at creation."""
        return [(number, getattr(self, name)) for name, number in self.NUMBERS.items() if getattr(self, name) != getattr(Settings, name)]

    def encoded(self):
        return pairs(self.changed())


def pairs(values):
    return u8(len(values)) + b"".join(u8(number) + u32(value) for number, value in values)


class Vault:
    def __init__(self, name):
        self.source = Source(name)
        self.id, self.root, self.attribute_key = self.source(16), self.source(32), self.source(32)
        self.value_keys = {1: self.source(32), 2: self.source(32)}
        self.backup_key = self.source(32)
        self.lineage = self.source(16)
        self.epoch = 1
        self.histories, self.links = {0: bytes(32)}, {}  # by counter
        self.slots, self.items, self.earlier = [], [], []
        self.settings = Settings()

    def subkey(self, number):
        return subkey(self.root, number)

    def new_slot(self, secret, **fields):
        return Slot(self.source(16), self.source(16), self.source(32), self.source(32), secret, **fields)

    def passphrase_slot(self, secret, passes=1, memory=8, **fields):
        return self.new_slot(secret, kind=PASSPHRASE, algorithm=ARGON2ID, passes=passes, memory=memory, **fields)

    def key_slot(self, output, input=None, **fields):
        record = key_record(self.source(32) if input is None else input, **fields)
        return self.new_slot(output, kind=HMAC_SECRET, record=record)

    def rekey(self):
        """New keys for the next key epoch; the slots stay, and what is sealed to them is made anew."""
        self.root, self.attribute_key, self.backup_key = self.source(32), self.source(32), self.source(32)
        self.value_keys = {1: self.source(32), 2: self.source(32)}
        self.epoch += 1

    def add(self, service, account, *value, **fields):
        item = Item(self.source(16), service, account, *value, **fields)
        self.items.append(item)
        return item

    def replace(self, item, value, time=1_700_000_100_000, **fields):
        """The next revision of an item, whose row becomes an earlier one."""
        self.earlier.append(Earlier(copy.copy(item), time, 0))
        item.value, item.revision = value, item.revision + 1
        for key, value in fields.items():
            setattr(item, key, value)

    def remove(self, item, time=1_700_000_200_000):
        self.earlier.append(Earlier(item, time, 1))
        self.items.remove(item)

    def tag(self, service, account, field=PASSWORD):
        return hash_(32, self.subkey(LOOKUP), counted(service), counted(account), counted(field))

    def tag_of(self, item):
        return self.tag(item.service, item.account, item.field_)

    # Section 3

    def wrapped_keys(self):
        key = self.subkey(CLASS_WRAPPING)
        at = lambda class_, part: context(2, self.id, class_=class_, revision=self.epoch, part=part)
        return [seal(self.source, key, self.attribute_key, at(0, 1)),
                seal(self.source, key, self.value_keys[1], at(1, 2)),
                seal(self.source, key, self.value_keys[2], at(2, 2)),
                public_key(self.backup_key),
                seal(self.source, key, self.backup_key, at(0, 3))]

    def seal_slot_key(self, slot, key=None, **wrong):
        at = context(**dict(purpose=7, vault_id=self.id, id=slot.id, revision=self.epoch) | wrong)
        return seal(self.source, self.subkey(SLOT_KEY), slot.authentication_key if key is None else key, at)

    def header(self):
        return (b"TVHD" + u32(FORMAT) + self.id + u32(self.epoch) + u8(len(self.slots))
                + b"".join(slot.encode(self) for slot in self.slots) + b"".join(self.wrapped_keys()))

    # Section 5

    def row(self, item):
        value_key = self.value_keys.get(item.class_) or bytes(32)
        at = lambda purpose, part: context(
            purpose, self.id, id=item.id, class_=item.class_, revision=item.revision, part=part)
        text = item.attributes() if item.attributes_text is None else item.attributes_text
        attributes = pad(text) if item.attributes_padded is None else item.attributes_padded
        value = pad(item.value) if item.value_padded is None else item.value_padded
        tag = self.tag_of(item) if item.tag is None else item.tag
        return Row(tag, item.id, item.class_, item.revision, item.format,
                   seal(self.source, self.attribute_key, attributes, at(3, 1)),
                   seal(self.source, value_key, value, at(4, 2)))

    def earlier_row(self, earlier):
        row = self.row(earlier.item)
        return EarlierRow(row.item_id, row.revision, row.class_, row.format, row.attributes, row.value,
                          self.seal_moved(earlier))

    def seal_moved(self, earlier, **wrong):
        item = earlier.item
        at = context(**dict(purpose=9, vault_id=self.id, id=item.id, class_=item.class_, revision=item.revision) | wrong)
        return seal(self.source, self.attribute_key, earlier.content(), at)

    # Section 6

    def row_element(self, row):
        return hash_(64, self.subkey(ROW_HASH), *row.element())

    def bucket_record(self, number, count, rows):
        return self.bucket_record_of(number, u64(count) + total(self.row_element(row) for row in rows))

    def bucket_record_of(self, number, content):
        at = context(5, self.id, revision=number // 256, part=number % 256)
        return u32(FORMAT) + seal(self.source, self.subkey(STATE), content, at)

    def bucket_records(self, rows):
        buckets = {}
        for row in rows:
            buckets.setdefault(row.bucket(), []).append(row)
        return {number: self.bucket_record(number, len(its), its) for number, its in buckets.items()}

    def bucket_element(self, number, record):
        return hash_(64, self.subkey(ROW_HASH), b"TVBK", u16(number % 65_536), record)

    def state_text(self, buckets, items, earlier=0):
        """The state of the commit `settings.counter`, with a link of its own."""
        s = self.settings
        start = (total(self.bucket_element(number, record) for number, record in buckets.items())
                 + u64(items) + u64(earlier) + u64(s.counter) + self.lineage)
        end = i64(s.restored_from) + u64(s.restored_at) + s.encoded()
        self.links[s.counter] = hash_(16, self.subkey(ROW_HASH), b"TVLK", self.source(16), start, end)
        self.histories[s.counter] = self.next_history(s.counter, self.links[s.counter])
        return start + self.histories[s.counter] + end

    def history(self, counter):
        """That of a commit; one that was not made here has some history."""
        return self.histories.setdefault(counter, hash_(32, b"", b"some history", self.id, u64(counter)))

    def next_history(self, counter, link):
        return hash_(32, b"", b"TVHI", self.history(max(counter - 1, 0)), u64(counter), link)

    def link_record(self, counter, link=None, **wrong):
        at = context(**dict(purpose=8, vault_id=self.id, revision=counter) | wrong)
        return u32(FORMAT) + seal(self.source, self.subkey(STATE), self.links[counter] if link is None else link, at)

    def state_context(self, header):
        return context(6, self.id) + hash_(32, b"", header)

    def state(self, header, buckets, items, earlier=0):
        text = self.state_text(buckets, items, earlier)
        return u32(FORMAT) + seal(self.source, self.subkey(STATE), text, self.state_context(header))

    # Section 8

    def rollback_slot(self, state, counter=None, sequence=1, status=1, magic=b"TVMK", format=2, vault_id=None, lineage=None,
                  epoch=None, history=None, backup=None):
        """A slot of a rollback record, 512 bytes."""
        counter = self.settings.counter if counter is None else counter
        body = (magic + u32(format) + u64(sequence) + u8(status) + (vault_id or self.id) + (lineage or self.lineage)
                + u32(self.epoch if epoch is None else epoch) + u64(counter) + (history or self.history(counter))
                + hash_(32, b"", state) + (backup or public_key(self.backup_key)))
        return (body + hash_(16, b"", body)).ljust(512, b"\0")

    def rollback_record(self, state, *counter, **fields):
        """A rollback record whose second slot was never written."""
        return self.rollback_slot(state, *counter, **fields) + bytes(512)


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
        self.rollback_record = self.version = self.header = self.state = self.read = self.do = None
        self.elsewhere, self.links = [], []  # links: pairs of counter and record
        self.buckets, self.rows, self.earlier = {}, [], []
        self.chunks, self.files = [], []  # section 13
        self.built = False

    # Before `build`.

    def passphrase(self, typed, normal=None, passes=1, memory=8):
        """Replaces the recovery slot by a passphrase slot; `typed` is what the runner types."""
        self.vault.slots = [self.vault.passphrase_slot(typed if normal is None else normal, passes, memory)]
        self.type(typed)
        self.testing = passes < FLOOR_PASSES or memory < FLOOR_MEMORY

    def key(self, **fields):
        """Replaces the recovery slot by one of kind 3, which is used."""
        output, input = self.source(32), self.source(32)
        self.vault.slots = [self.vault.key_slot(output, input, **fields)]
        self.touch(output, input)

    def touch(self, output, input):
        """The authenticator that gives this output for the salt of this input."""
        self.unlock = f"key {hexadecimal(prf_salt(input))} {hexadecimal(output)}"

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
        self.links = [(counter, self.vault.link_record(counter)) for counter in self.vault.links]
        self.rows = [self.vault.row(item) for item in self.vault.items]
        self.earlier = [self.vault.earlier_row(earlier) for earlier in self.vault.earlier]
        self.reseal()

    def reseal(self):
        self.rows.sort(key=lambda row: row.tag)
        self.earlier.sort(key=lambda row: (row.item_id, row.revision))
        self.buckets = self.vault.bucket_records(self.rows + self.earlier)
        self.reseal_state()

    def reseal_state(self, items=None, earlier=None):
        items = len(self.rows) if items is None else items
        earlier = len(self.earlier) if earlier is None else earlier
        self.state = self.vault.state(self.header, self.buckets, items, earlier)
        counter = self.vault.settings.counter
        if 0 < counter < 2**63:
            self.links = [link for link in self.links if link[0] != counter] + [(counter, self.vault.link_record(counter))]

    def commit(self):
        """One more state of the same vault."""
        self.vault.settings.counter += 1
        self.build()

    def link(self, counter, record):
        """Puts a record in the place of a link; None removes it."""
        self.links = [link for link in self.links if link[0] != counter]
        if record is not None:
            self.links.append((counter, record))

    def row_of(self, item):
        return next(row for row in self.rows if row.item_id == item.id)

    def snapshot(self):
        """A copy of the records."""
        return copy.deepcopy({name: getattr(self, name) for name in ("header", "state", "buckets", "rows", "earlier", "links")})

    def put_back(self, snapshot):
        for name, records in snapshot.items():
            setattr(self, name, records)

    # The file.

    def text(self):
        lines = ["comment: " + self.comment, "expect: " + self.expect]
        if self.testing:
            lines.append("kdf: testing")
        lines.append("unlock: " + self.unlock)
        if self.do:
            lines.append("do: " + self.do)
        if self.version is not None:
            lines.append(f"version: {self.version}")
        if self.rollback_record is not None:
            lines.append("rollback_record: " + hexadecimal(self.rollback_record))
        lines += ["elsewhere: " + hexadecimal(record) for record in self.elsewhere]
        for name, data in (("header", self.header), ("state", self.state)):
            if data is not None:
                lines.append(f"{name}: {hexadecimal(data)}")
        lines += [f"link {counter}: {hexadecimal(record)}" for counter, record in sorted(self.links, key=lambda link: link[0])]
        lines += [f"bucket {number}: {hexadecimal(self.buckets[number])}" for number in sorted(self.buckets)]
        for row in sorted(self.rows, key=lambda row: row.tag):
            lines.append(f"item: {hexadecimal(row.tag)} {hexadecimal(row.item_id)} {row.class_} {row.revision} "
                         f"{row.format} {hexadecimal(row.attributes)} {hexadecimal(row.value)}")
        for row in sorted(self.earlier, key=lambda row: (row.item_id, row.revision)):
            lines.append(f"earlier: {hexadecimal(row.item_id)} {row.revision} {row.class_} {row.format} "
                         f"{hexadecimal(row.attributes)} {hexadecimal(row.value)} {hexadecimal(row.moved)}")
        lines += [f"chunk: {version.hex()} {number} {stored} {hexadecimal(data)}" for version, number, stored, data in sorted(self.chunks)]
        if self.expect == "opens":
            lines += self.content_lines()
            lines.append("settings: " + self.vault.settings.line())
        if self.read:
            lines.append("read: " + " ".join(hexadecimal(name) for name in self.read))
        return "\n".join(lines) + "\n"

    def content_lines(self):
        if self.do == "earlier":
            for row in sorted(self.vault.earlier, key=lambda row: (row.item.id, row.item.revision)):
                yield f"past: {row.item.id.hex()} {row.time} {row.removed} " + self.content(row.item)
            return
        wanted = [i for i in self.vault.items if self.read in (None, (i.service, i.account, i.field_))]
        for item in sorted(wanted, key=self.vault.tag_of):
            yield "content: " + self.content(item)
        if self.do == "files":
            for file in sorted(self.files, key=lambda file: self.vault.tag_of(file.item)):
                yield f"file: {file.version.hex()} {len(file.content)} {hash_(32, b'', file.content).hex()}"

    def content(self, item):
        fields = [hexadecimal(item.service), hexadecimal(item.account), hexadecimal(item.field_), hexadecimal(item.label),
                  str(item.class_), str(item.revision), str(item.created), str(item.modified), hexadecimal(item.value)]
        return " ".join(fields + [f"{hexadecimal(key)}={hexadecimal(text)}" for key, text in item.extra])


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


# Places in the header, for attacks on finished bytes (sections 3 and 4).

WRAPPED_SIZES = (72, 72, 72, 32, 72)
SLOT_SIZES = dict(id=16, kind=1, algorithm=1, passes=4, memory=4, salt=16, record=None, public=32, commitment=32,
                  sealed=104, sealed_key=72, box=80, proof=32, checksum=16)


def slot_places(header, index):
    """Where each field of a slot starts and ends; `record` with its length."""
    end = 29
    for _ in range(index + 1):
        places = {}
        for name, size in SLOT_SIZES.items():
            start = end
            end += 4 + struct.unpack_from("<I", header, start)[0] if size is None else size
            places[name] = (start, end)
    return places


def slot_place(header, index, name):
    return slot_places(header, index)[name][0]


def get_slot(header, index, name):
    start, end = slot_places(header, index)[name]
    return header[start:end]


def set_slot(header, index, name, data):
    """Replaces a field of a slot and makes its checksum fit again, which needs no key."""
    start, end = slot_places(header, index)[name]
    header = header[:start] + data + header[end:]
    places = slot_places(header, index)
    start, end = places["checksum"]
    return header[:start] + hash_(16, b"", b"TVSL", header[8:24], header[places["id"][0]:start]) + header[end:]


def slots_of(header):
    places = [slot_places(header, index) for index in range(header[28])]
    return [header[place["id"][0]:place["checksum"][1]] for place in places]


def with_slots(header, slots):
    return header[:28] + u8(len(slots)) + b"".join(slots) + header[-sum(WRAPPED_SIZES):]


def wrapped_parts(header):
    """The header without the wrapped keys; these three, the public key for backups and its sealed secret key."""
    start = end = len(header) - sum(WRAPPED_SIZES)
    parts = []
    for size in WRAPPED_SIZES:
        parts.append(header[end:end + size])
        end += size
    return header[:start], parts

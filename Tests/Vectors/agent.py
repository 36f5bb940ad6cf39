#!/usr/bin/python3
"""Writes the vectors of the agent's protocol, from Docs/AgentProtocol.md alone.

    agent.py            rewrites all files in the folder Agent beside this one
    agent.py --check    exits with 1 if the files on disk differ from what would be written
"""

import pathlib
import struct
import sys

sys.dont_write_bytecode = True

import vector_files  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "Agent"
VECTORS = {}


# --- The encoding of Docs/Format.md, section 1 ---------------------------------------------------------------------

def u8(value): return struct.pack("<B", value)
def u32(value): return struct.pack("<I", value)
def u64(value): return struct.pack("<Q", value)
def i64(value): return struct.pack("<q", value)


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return u32(len(value)) + value


def shown(value):
    """Bytes as the vector files show them."""
    value = value.encode() if isinstance(value, str) else value
    return value.hex() or "-"


# --- Parts, each as its bytes and what they mean -------------------------------------------------------------------

class Part:
    def __init__(self, data, *words):
        self.data, self.words = data, [str(word) for word in words]

    def __add__(self, other):
        return Part(self.data + other.data, *self.words, *other.words)


def number(size, value): return Part({8: u8, 32: u32, 64: u64}[size](value), value)
def time(value): return Part(i64(value), value)
def words(value): return Part(text(value), shown(value))
def name(service, account, field="password"): return words(service) + words(account) + words(field)
def secret(value): return Part(text(value), "secret", shown(value))


def further(pairs):
    joined = [shown(key) + "=" + shown(value) for key, value in pairs]
    return Part(u32(len(pairs)) + b"".join(text(key) + text(value) for key, value in pairs), len(pairs), *joined)


def attributes(cls, label, pairs=()): return number(8, cls) + words(label) + further(pairs)


def edit(name_=None, label=None, cls=None, pairs=None):
    flags = sum(bit for bit, part in ((1, name_), (2, label), (4, cls), (8, pairs)) if part is not None)
    whole = number(8, flags)
    if name_ is not None:
        whole += name(*name_)
    if label is not None:
        whole += words(label)
    if cls is not None:
        whole += number(8, cls)
    if pairs is not None:
        whole += further(pairs)
    return whole


def expected(revision=None):
    return number(8, 0) if revision is None else number(8, 1) + number(64, revision)


def search(kind, *texts): return number(8, kind) + sum(map(words, texts), Part(b""))
def edited(old, revision=None, **parts): return name(*old) + expected(revision) + number(8, 1) + edit(**parts)


def removed(name_, revision=None, permanently=0):
    return name(*name_) + expected(revision) + number(8, 2) + number(8, permanently)


def item(service="service", account="account", cls=1, label="label", pairs=(), revision=1, created=0, modified=0,
         field="password"):
    return (name(service, account, field) + attributes(cls, label, pairs) + number(64, revision)
            + time(created) + time(modified))


def item_id(value=bytes(range(16))): return Part(value, shown(value))


def record(name_="blue key", transport=1, synchronised=0, credential=b"\7" * 64, public=b"\x08" * 77):
    """The record of Docs/Format.md, section 4, as its bytes."""
    data = u8(transport) + u8(synchronised) + bytes(range(32)) + text(credential) + text(public) + text(name_)
    return Part(text(data), shown(data))


def slot(kind=1, passes=3, memory=262_144, record_=None):
    return item_id() + number(8, kind) + number(32, passes) + number(32, memory) + (record_ or words(""))


def assertion(): return words(b"\7" * 16) + words('{"type":"webauthn.get"}') + words(b"\x01" * 37) + words(b"\x30\x06")


def key_slot(**parts): return slot(3, 0, 0, record(**parts))


def optional(value, part): return number(8, 0) if value is None else number(8, 1) + part(value)


def file(name_="photo.jpg", protected=0, size=3, media="image/jpeg", pixels=None, task=None, added=0, modified=0, revision=1):
    return (item_id() + words(name_) + number(8, protected) + number(64, size) + words(media)
            + optional(pixels, lambda size: number(32, size[0]) + number(32, size[1])) + optional(task, words)
            + time(added) + time(modified) + number(64, revision))


def file_edit(name_=None, protected=None, *task):
    return (optional(name_, words) + optional(protected, lambda flag: number(8, flag))
            + (number(8, 1) + optional(task[0], words) if task else number(8, 0)))


def earlier(moved=0, **parts): return item_id() + item(**parts) + time(moved)


def failure(code, numbers=(), texts=()):
    return Part(u8(0xFF) + text(code) + u8(len(numbers)) + b"".join(map(u64, numbers)) + u8(len(texts))
                + b"".join(map(text, texts)),
                "failure", shown(code), len(numbers), *numbers, len(texts), *map(shown, texts))


def challenge(): return Part(bytes(range(32)), bytes(range(32)).hex())
def choice(id_, size=32): return words(id_) + Part(b"\x11" * size, "11" * size)

LABEL = "abcdefghijklmnopqrstuvwxyz"
PAGE = Part(LABEL.encode(), LABEL)

REQUESTS = dict(hello=0x00, end=0x01, status=0x10, unlock=0x11, verify=0x12, lock=0x13, settings=0x14,
                change_setting=0x15, notices=0x16, slots=0x17, add_key=0x18, rename_key=0x19, remove_slot=0x1A, verify_by_finger=0x1B, check=0x1C, background=0x1D, read=0x20, save=0x21, update=0x22, edit=0x23, remove=0x24, list=0x25,
                describe=0x26, save_all=0x27, history=0x28, removed=0x29, restore=0x2A, restore_removed=0x2B, find=0x2C,
                change=0x2D, generation=0x2E, reader=0x2F, begin_passkey=0x30, register_passkey=0x31, unlock_by_passkey=0x32, verify_by_passkey=0x33, add_passkey=0x34,
                list_files=0x40, earlier_files=0x41, begin_file=0x42, append_to_file=0x43, finish_file=0x44, read_file=0x45,
                next_chunk=0x46, edit_file=0x47, remove_file=0x48, restore_file=0x49, file_settings=0x4A, change_file_settings=0x4B, read_earlier=0x50)
ANSWERS = dict(hello=0x80, done=0x81, status=0x82, settings=0x83, item=0x84, value=0x85, items=0x86, refused=0x87,
               earlier=0x88, notices=0x89, slots=0x8A, passkey=0x8B, finger=0x8C,
               file=0x8D, files=0x8E, earlier_files=0x8F, chunk=0x90, file_settings=0x91, generation=0x92)


def request(type_, *parts): return sum(parts, Part(u8(REQUESTS[type_]), type_))
def answer(type_, *parts): return sum(parts, Part(u8(ANSWERS[type_]), type_))


def valid(direction, file, comment, part):
    add(direction, file, comment, part.data, " ".join(part.words))


def refused(direction, file, comment, data):
    add(direction, file, comment, data if isinstance(data, bytes) else data.data, None)


def add(direction, file, comment, data, means):
    lines = ["comment: " + comment, "direction: " + direction, "expect: " + ("valid" if means else "refused")]
    if means:
        lines.append("means: " + means)
    lines.append("payload: " + shown(data))
    key = direction + "_" + file
    assert key not in VECTORS, key
    VECTORS[key] = "\n".join(lines) + "\n"


# --- What is right -------------------------------------------------------------------------------------------------

MAGIC = Part(b"TVAG")
PAIRS = [("url", "https://example.org"), ("note", "two\nlines")]


def hello(version=1, program="0.4.0"): return request("hello", MAGIC, number(32, version), words(program))


def agent_hello(version=1, program="0.4.0", vault=bytes(range(16))):
    return answer("hello", MAGIC, number(32, version), words(program), Part(vault, shown(vault)))


def status(flags=(1, 1, 1, 1), times=(120_000, 900_000, 43_200_000), process=4242, finger=1, limited=1):
    return answer("status", *(number(8, flag) for flag in flags), *(number(64, left) for left in times),
                  number(32, process), number(8, finger), number(8, limited))


def finger(reason=1, process=4242, program="taskvault"):
    return answer("finger", number(8, reason), number(32, process), words(program))


CREATED = dict(window=120, idle=900, absolute=43_200, locked=0, recorded=0, values=10, days=90, removed_days=30, finger=0, theme=0, language=0)


def settings(*pairs, **values):
    """Of the settings by name, or whatever pairs of number and value."""
    pairs = pairs or [(n, values[name]) for n, name in enumerate(CREATED, 1) if values.get(name, CREATED[name]) != CREATED[name]]
    data = u8(len(pairs)) + b"".join(u8(n) + u32(value) for n, value in pairs)
    return answer("settings", Part(data, *(CREATED | values).values()))


def refusal(place, code, numbers=(), texts=()):
    whole = failure(code, numbers, texts)
    return number(32, place) + Part(whole.data[1:], *whole.words[1:])


SAVE = request("save", name("service", "account"), attributes(2, "label", PAIRS), secret("value"))
UPDATE = request("update", name("service", "account"), edit(), expected(7), secret("value"))
REQUEST_SAMPLES = dict(
    hello=hello(), end=request("end"), status=request("status"),
    unlock=request("unlock", number(8, 1), number(8, 0), number(8, 0), secret("correct horse")),
    verify=request("verify", number(8, 1), secret("correct horse")), lock=request("lock"),
    settings=request("settings"), change_setting=request("change_setting", number(8, 2), number(32, 60)),
    notices=request("notices"), slots=request("slots"),
    add_key=request("add_key", number(8, 1), record(), secret(b"correct horse" + b"\x40" * 32)),
    rename_key=request("rename_key", words("red key"), secret(b"\x40" * 32)),
    remove_slot=request("remove_slot", number(8, 2), item_id(), number(8, 1), secret("AAAA-BBBB")),
    verify_by_finger=request("verify_by_finger"), check=request("check"),
    read=request("read", name("service", "account")), save=SAVE, update=UPDATE,
    edit=request("edit", name("service", "account"), edit(label="new"), expected()),
    remove=request("remove", name("service", "account"), expected(2**63 - 1), number(8, 0)), list=request("list"),
    describe=request("describe", name("service", "account")),
    save_all=request("save_all", number(8, 1), number(32, 2), number(8, 0), secret("records")),
    history=request("history", name("service", "account")), removed=request("removed"),
    restore=request("restore", name("service", "account"), number(64, 3)),
    read_earlier=request("read_earlier", name("service", "account"), number(64, 3)),
    restore_removed=request("restore_removed", item_id(), number(8, 0)),
    find=request("find", number(32, 20), search(4, "git")),
    change=request("change", number(32, 2), edited(("s", "a"), 3, label="new", pairs=PAIRS), removed(("s", "a", "pin"))),
    begin_passkey=request("begin_passkey", number(8, 1), PAGE, number(32, 65_535)),
    register_passkey=request("register_passkey", words('{"type":"webauthn.create"}'), words(b"\xa3")),
    unlock_by_passkey=request("unlock_by_passkey", assertion(), number(8, 1), number(8, 0), secret(b"\x40" * 32)),
    verify_by_passkey=request("verify_by_passkey", assertion(), secret(b"\x40" * 32)),
    add_passkey=request("add_passkey", number(8, 1), assertion(), words("phone"), secret(b"correct horse" + b"\x40" * 32)),
    list_files=request("list_files", number(8, 1), number(8, 1)), earlier_files=request("earlier_files", number(8, 1), item_id()),
    begin_file=request("begin_file", number(8, 1), words("photo.jpg"), number(8, 0), optional("k7m2qx", words)),
    append_to_file=request("append_to_file", secret(b"\xff\xd8\xff")), finish_file=request("finish_file"),
    read_file=request("read_file", item_id(), expected(3)), next_chunk=request("next_chunk"),
    edit_file=request("edit_file", item_id(), file_edit("sunset.jpg", 1, "k7m2qx")),
    remove_file=request("remove_file", item_id(), number(8, 1)),
    restore_file=request("restore_file", item_id(), number(8, 2), optional("old.jpg", words)),
    file_settings=request("file_settings"), generation=request("generation"), background=request("background"),
    reader=request("reader", number(32, 4242), words("org.example.App (Flatpak)")),
    change_file_settings=request("change_file_settings", number(8, 1), number(8, 1), number(8, 2), number(8, 0)))
ANSWER_SAMPLES = dict(
    hello=agent_hello(), done=answer("done"), status=status(), settings=settings(idle=60, finger=1),
    item=answer("item", item(pairs=PAIRS, revision=3, created=-1, modified=2**40)),
    value=answer("value", item(), secret("value")),
    items=answer("items", number(32, 2), item(), item(service="other", cls=2)),
    refused=answer("refused", number(32, 2), refusal(3, "duplicate"), refusal(7, "too_large", [2**20])),
    earlier=answer("earlier", number(32, 2), earlier(2**40, pairs=PAIRS, revision=3), earlier(-1, cls=2)),
    notices=answer("notices", time(1_790_000_000_000), number(32, 28), number(8, 1)),
    slots=answer("slots", number(32, 3), slot(), slot(2, 0, 0), key_slot()),
    passkey=answer("passkey", challenge(), number(32, 2), choice(b"\7" * 16), choice(b"\x08" * 64)),
    finger=finger(),
    file=answer("file", file(pixels=(4_000, 3_000), task="k7m2qx", modified=2**40)),
    files=answer("files", number(32, 2), file(), file("b", 1, 2**32, "application/pdf", revision=9)),
    earlier_files=answer("earlier_files", number(32, 1), file() + time(2**40)), chunk=answer("chunk", secret(b"\xff\xd8\xff")),
    file_settings=answer("file_settings", number(8, 4), number(8, 1)),
    generation=answer("generation", number(64, 2**64 - 1), number(64, 3)), failure=failure("conflict", numbers=[7]))

for kind, sample in REQUEST_SAMPLES.items():
    valid("request", kind, f"A request of the type {kind}.", sample)
for kind, sample in ANSWER_SAMPLES.items():
    valid("answer", kind, f"An answer of the type {kind}.", sample)

valid("request", "hello_of_version_0", "A hello of version 0, with an empty program version.", hello(0, ""))
valid("request", "hello_of_last_version", "A hello of the version 2^32 - 1; the program version has 64 bytes.",
      hello(2**32 - 1, "v" * 64))
valid("request", "unlock_recovery_older", "A recovery code, and an older vault is accepted.",
      request("unlock", number(8, 2), number(8, 1), number(8, 0), secret("AAAA-BBBB")))
valid("request", "unlock_other", "Another vault is accepted.",
      request("unlock", number(8, 1), number(8, 0), number(8, 1), secret("x")))
valid("request", "unlock_key", "The output of a security key.",
      request("unlock", number(8, 3), number(8, 0), number(8, 0), secret(b"\x40" * 32)))
valid("request", "verify_key", "The output of a security key.", request("verify", number(8, 3), secret(b"\x40" * 32)))
valid("request", "add_key_passkey", "A passkey on several devices, without a name; a recovery code verifies.",
      request("add_key", number(8, 2), record("", 2, 1, b"i", b"k"), secret("")))
valid("request", "rename_key_refused_by_vaults", "A name that no slot can have, which the vault refuses.",
      request("rename_key", words("\n" * 65), secret("")))
valid("request", "begin_passkey_assertion", "An assertion, on a port that no server has.",
      request("begin_passkey", number(8, 0), PAGE, number(32, 0)))
valid("request", "register_passkey_empty", "An answer of no bytes, which a ceremony refuses.", request("register_passkey", words(""), words("")))
valid("request", "verify_by_passkey_empty", "An answer of no bytes, which a ceremony refuses.",
      request("verify_by_passkey", words(""), words(""), words(""), words(""), secret("")))
valid("request", "unlock_without_secret", "A secret of no bytes.",
      request("unlock", number(8, 1), number(8, 0), number(8, 0), secret("")))
valid("request", "verify_secret_of_any_bytes", "A secret that is not UTF-8.",
      request("verify", number(8, 1), secret(b"\xff\x00\xfe")))
for setting, value in ((1, 1), (2, 0), (3, 2**32 - 1), (4, 0), (4, 1), (5, 1), (6, 0), (7, 90), (8, 2**32 - 1), (9, 1), (10, 2), (11, 3)):
    valid("request", f"change_setting_{setting}_{value}", f"Setting {setting} is to be {value}; whether it may is the vault's to say.",
          request("change_setting", number(8, setting), number(32, value)))
valid("request", "read_composed_name", "A name in normalisation form C.", request("read", name("caf\u00e9", "a")))
valid("request", "read_decomposed_name", "The same name in normalisation form D, which is another one.",
      request("read", name("cafe\u0301", "a")))
valid("request", "read_longest_name", "Service, account and field of 1,024 bytes.",
      request("read", name("s" * 1024, "\u00e9" * 512, "f" * 1024)))
valid("request", "read_field", "Another field.", request("read", name("service", "account", "notes")))
valid("request", "save_plain", "No label, no further attributes, a value of no bytes.",
      request("save", name("s", "a"), attributes(1, ""), secret("")))
valid("request", "save_refused_by_stores", "A label with a control character and a key twice, of which the store says what is wrong.",
      request("save", name("s", "a"), attributes(1, "\n", [("k", "1"), ("k", "2"), ("", "")]), secret("v")))
for flags in range(16):
    parts = dict(name_=("new", "name") if flags & 1 else None, label="new label" if flags & 2 else None,
                 cls=2 if flags & 4 else None, pairs=PAIRS if flags & 8 else None)
    valid("request", f"edit_{flags}", f"An edit with the fields {flags}.",
          request("edit", name("service", "account"), edit(**parts), expected()))
    valid("request", f"update_{flags}", f"An update with the fields {flags}, of an expected revision.",
          request("update", name("service", "account"), edit(**parts), expected(flags + 1), secret("v")))
valid("request", "edit_empties", "An edit that empties label and further attributes.",
      request("edit", name("service", "account"), edit(label="", pairs=[]), expected()))
valid("request", "remove_any", "A removal in whatever revision.", request("remove", name("s", "a"), expected(), number(8, 0)))
valid("request", "remove_permanently", "A removal that cannot be taken back.",
      request("remove", name("s", "a"), expected(7), number(8, 1)))
valid("request", "remove_revision_0", "A removal in revision 0, which no secret has.", request("remove", name("s", "a"), expected(0), number(8, 0)))
valid("request", "restore_removed_as", "A removed secret under another name.",
      request("restore_removed", item_id(), number(8, 1), name("new", "name", "pin")))
for kind, texts in ((1, ("service", "")), (2, ("Caf\u00e9",)), (3, ("",)), (4, ("a\0b",))):
    valid("request", f"find_kind_{kind}", f"A search of the kind {kind}; its texts may have any content.",
          request("find", number(32, 2**32 - 1), search(kind, *texts)))
valid("request", "change_nothing", "No change.", request("change", number(32, 0)))
valid("request", "change_permanently", "A permanent removal, and an edit of everything.",
      request("change", number(32, 2), removed(("s", "a"), 7, 1), edited(("s", "b"), None, name_=("new", "b"), label="", cls=2, pairs=[])))
for order in range(1, 5):
    valid("request", f"list_files_order_{order}", f"All files in the order {order}.", request("list_files", number(8, 1), number(8, order)))
for kind, part in ((2, words("a/b\n")), (3, words(""))):
    valid("request", f"list_files_kind_{kind}", f"A selection of the kind {kind}; a text may have any content.",
          request("list_files", number(8, kind), part))
valid("request", "earlier_files_removed", "The removed files.", request("earlier_files", number(8, 0)))
valid("request", "begin_file_replacing", "Another content of a file.", request("begin_file", number(8, 2), item_id()))
valid("request", "begin_file_refused_by_vaults", "A name that no file can have, which the vault refuses.",
      request("begin_file", number(8, 1), words("../\n"), number(8, 1), optional(None, words)))
valid("request", "append_nothing_to_file", "A part of no bytes.", request("append_to_file", secret("")))
valid("request", "read_file_present", "The present content.", request("read_file", item_id(), expected()))
valid("request", "edit_file_nothing", "An edit without a field.", request("edit_file", item_id(), file_edit()))
valid("request", "edit_file_task_none", "A file that belongs to no task from now on.", request("edit_file", item_id(), file_edit(None, 0, None)))
valid("request", "restore_file_revision", "An earlier content.", request("restore_file", item_id(), number(8, 1), number(64, 3)))
valid("request", "restore_file_own_name", "A removed file under its own name.",
      request("restore_file", item_id(), number(8, 2), optional(None, words)))
valid("request", "restore_revision_0", "An earlier value of revision 0, which no secret has.",
      request("restore", name("s", "a"), number(64, 0)))

valid("answer", "hello_of_another_version", "An agent of version 2.", agent_hello(2))
valid("answer", "status_locked", "A locked vault.", status((0, 0, 0, 1), (0, 0, 0), 1, 0, 0))
valid("answer", "status_finger_off", "Three other fingers have touched the reader.", status(finger=2))
valid("answer", "status_finger_later", "A finger, after the next verification.", status(finger=3))
valid("answer", "settings_finger", "A finger verifies.", settings(finger=1))
for reason in (2, 3):
    valid("answer", f"finger_{reason}", "The reader waits again, for a process without a name.", finger(reason, 0, ""))
valid("answer", "status_largest", "The largest numbers.", status((1, 0, 1, 0), (2**64 - 1,) * 3, 2**32 - 1))
valid("answer", "settings_least", "The narrowest settings.", settings(window=1, idle=1, absolute=1, locked=1, recorded=1, values=0, days=1, removed_days=0))
valid("answer", "settings_most", "The widest settings.", settings(window=86_400, idle=86_400, absolute=86_400, values=100, days=3_650, removed_days=3_650, theme=2, language=2))
valid("answer", "items_none", "A page without an item.", answer("items", number(32, 0)))
valid("answer", "slots_none", "No slot.", answer("slots", number(32, 0)))
valid("answer", "passkey_none", "No credential.", answer("passkey", challenge(), number(32, 0)))
valid("answer", "refused_none", "A page without a refused secret.", answer("refused", number(32, 0)))
valid("answer", "earlier_none", "A page without an earlier version.", answer("earlier", number(32, 0)))
valid("answer", "files_none", "No file.", answer("files", number(32, 0)))
valid("answer", "earlier_files_none", "No earlier file.", answer("earlier_files", number(32, 0)))
valid("answer", "chunk_empty", "A chunk of no bytes.", answer("chunk", secret("")))
valid("answer", "file_extremes", "Numbers at the ends of their ranges.",
      answer("file", file("", 1, 2**64 - 1, "", (2**32 - 1, 0), "", -2**63, 2**63 - 1, 2**64 - 1)))
valid("answer", "value_empty", "A value of no bytes.", answer("value", item(), secret("")))
valid("answer", "item_extremes", "Times and revision at the ends of their range.",
      answer("item", item(revision=2**64 - 1, created=-2**63, modified=2**63 - 1)))

FAILURES = [
    ("locked",), ("not_verified",), ("not_found",), ("duplicate",), ("conflict", [2**63]), ("too_large", [2**20]),
    ("damaged", [], ["value_seal"]), ("wrong_passphrase",), ("wrong_recovery_code",), ("unusable", [], ["passphrase_length"]),
    ("vault_damaged", [], ["header_format"]), ("rolled_back", [3, 5]), ("forked", [11, 12]),
    ("other_vault", [0]), ("no_rollback_record",), ("wrong_key",), ("keys_replaced",), ("vault_conflict",),
    ("invalid_settings",), ("out_of_memory",), ("storage", [28], ["input_output", "write"]), ("throttled",),
    ("memory_not_locked",), ("last_slot",), ("too_many_slots",), ("no_such_slot",), ("duplicate_key",), ("duplicate_label",),
    ("passkey", [], ["not_verified"]), ("finger", [], ["asked", "taskvault, process 4242"]), ("malformed",), ("of_a_later_version", [1, 2], ["a", "", "b"]),
]
for code, *rest in FAILURES:
    valid("answer", "failure_" + code, f"The failure {code}.", failure(code, *rest))
for case, *texts in (("unreachable", "cannot connect to the server"), ("outcome_unknown",)):
    valid("answer", "failure_storage_" + case, f"A vault on a server: {case}.", failure("storage", [0], [case, *texts]))
for reason, most in (("empty", 0), ("too_long", 1024), ("control_character", 0), ("repeated", 0),
                     ("not_a_file_name", 0), ("reserved", 0)):
    valid("answer", "failure_invalid_name_" + reason, f"A name that is not one: {reason}.",
          failure("invalid_name", [most], ["service", reason]))
for reason in ("read_only", "full", "busy", "out_of_memory", "unreachable", "failed"):
    valid("answer", "failure_unavailable_" + reason, f"A storage that does not serve: {reason}.",
          failure("unavailable", [], [reason, "detail"]))

# --- What is not ---------------------------------------------------------------------------------------------------

for direction, samples, types in (("request", REQUEST_SAMPLES, REQUESTS.values()),
                                  ("answer", ANSWER_SAMPLES, [*ANSWERS.values(), 0xFF])):
    refused(direction, "empty", "Nothing.", b"")
    known = set(types)
    for type_ in sorted({0x02, 0x0F, 0x1E, 0x1F, 0x2E, 0x35, 0x3F, 0x4C, 0x7F, 0x80, 0x81, 0x92, 0xFE, 0xFF, 0x00, 0x10} - known):
        refused(direction, f"type_{type_}", f"The type {type_}, which there is not.", u8(type_))
    for kind, sample in samples.items():
        data = sample.data
        refused(direction, kind + "_trailing", "A byte too many.", data + b"\0")
        if len(data) > 1:
            refused(direction, kind + "_cut", "The last byte is missing.", data[:-1])
            refused(direction, kind + "_type_only", "Nothing but the type.", data[:1])
            refused(direction, kind + "_half", "Half of it.", data[:len(data) // 2])

for order in (0, 5, 255):
    refused("request", f"list_files_order_{order}", f"The order {order}.", request("list_files", number(8, 1), number(8, order)))
    refused("request", f"change_file_settings_order_{order}", f"The order {order}.",
            request("change_file_settings", number(8, 1), number(8, 1), number(8, order), number(8, 1)))
    refused("answer", f"file_settings_order_{order}", f"The order {order}.", answer("file_settings", number(8, order), number(8, 1)))
for kind in (0, 3, 5, 255):
    refused("request", f"begin_file_kind_{kind}", f"The kind {kind}.", request("begin_file", number(8, kind), item_id()))
    refused("request", f"restore_file_kind_{kind}", f"The kind {kind}.", request("restore_file", item_id(), number(8, kind), number(64, 1)))
for kind in (0, 4, 255):
    refused("request", f"list_files_kind_{kind}", f"The kind {kind}.", request("list_files", number(8, kind), item_id()))
refused("request", "begin_file_flag_2", "A yes or no that is neither.",
        request("begin_file", number(8, 1), words("n"), number(8, 2), number(8, 0)))
refused("request", "begin_file_name_not_utf8", "A name that is not UTF-8.",
        request("begin_file", number(8, 1), words(b"\xff"), number(8, 0), number(8, 0)))
refused("request", "edit_file_flag_2", "A yes or no that is neither.", request("edit_file", item_id(), number(8, 2), number(8, 0), number(8, 0)))
refused("request", "append_to_file_length_most", "A length of 2^32 - 1.", u8(0x43) + u32(2**32 - 1) + b"x")
refused("answer", "file_flag_2", "A yes or no that is neither.", answer("file", file(protected=2)))
refused("answer", "files_count_most", "2^32 - 1 files, of which there is one.", u8(ANSWERS["files"]) + u32(2**32 - 1) + file().data)
refused("answer", "chunk_length_most", "A length of 2^32 - 1.", u8(ANSWERS["chunk"]) + u32(2**32 - 1) + b"x")

HELLO = hello().data
refused("request", "hello_magic", "Another magic.", HELLO.replace(b"TVAG", b"TVAH"))
refused("request", "hello_program_65_bytes", "A program version of 65 bytes.", hello(1, "v" * 65))
refused("request", "hello_program_not_utf8", "A program version that is not UTF-8.", hello(1, b"\xff"))
refused("request", "reader_application_513_bytes", "A name of a sandboxed application of 513 bytes.",
        request("reader", number(32, 1), words("a" * 513)))
refused("answer", "hello_magic", "Another magic.", agent_hello().data.replace(b"TVAG", b"tvag"))
refused("answer", "hello_program_65_bytes", "A program version of 65 bytes.", agent_hello(1, "v" * 65))
refused("answer", "hello_vault_id_15_bytes", "A vault id of 15 bytes.", agent_hello(vault=bytes(15)))
for kind in (0, 4, 255):
    refused("request", f"add_key_kind_{kind}", f"The kind {kind}.", request("add_key", number(8, kind), record(), secret("x")))
    refused("request", f"add_passkey_kind_{kind}", f"The kind {kind}.",
            request("add_passkey", number(8, kind), assertion(), words(""), secret("x")))
    refused("request", f"remove_slot_kind_{kind}", f"The kind {kind}.",
            request("remove_slot", number(8, kind), item_id(), number(8, 0), secret("x")))
    refused("answer", f"slots_kind_{kind}", f"The kind {kind}.", answer("slots", number(32, 1), slot(kind, 0, 0)))
    refused("request", f"unlock_kind_{kind}", f"The kind {kind}.", request("unlock", number(8, kind), number(8, 0), number(8, 0), secret("x")))
    refused("request", f"verify_kind_{kind}", f"The kind {kind}.", request("verify", number(8, kind), secret("x")))
for why, parts in (("transport_3", dict(transport=3)), ("synchronised_2", dict(synchronised=2)), ("name_65_bytes", dict(name_="n" * 65)),
                   ("name_line_end", dict(name_="n\n")), ("credential_empty", dict(credential=b"")),
                   ("credential_1024_bytes", dict(credential=b"c" * 1024)), ("public_key_513_bytes", dict(public=b"k" * 513))):
    refused("request", "add_key_" + why, "A record that no slot can have.",
            request("add_key", number(8, 1), record(**parts), secret("x")))
    refused("answer", "slots_" + why, "A record that no slot can have.", answer("slots", number(32, 1), key_slot(**parts)))
refused("request", "remove_slot_flag_2", "A yes or no that is neither.",
        request("remove_slot", number(8, 1), item_id(), number(8, 2), secret("x")))
refused("request", "begin_passkey_flag_2", "A yes or no that is neither.", request("begin_passkey", number(8, 2), PAGE, number(32, 1)))
for why, label in (("upper_case", LABEL.upper()), ("dot", LABEL[:-2] + ".z"), ("not_utf8", LABEL[:-1].encode() + b"\xff")):
    refused("request", "begin_passkey_label_" + why, "A label that no page has.",
            request("begin_passkey", number(8, 1), Part(label if isinstance(label, bytes) else label.encode()), number(32, 1)))
refused("request", "begin_passkey_port_65536", "A port that no machine has.", request("begin_passkey", number(8, 1), PAGE, number(32, 65_536)))
for position in range(2):
    refused("request", f"unlock_by_passkey_flag_{position}", "A yes or no that is neither.",
            request("unlock_by_passkey", assertion(), *(number(8, 2 * (each == position)) for each in range(2)), secret("x")))
refused("answer", "passkey_input_31_bytes", "An input of 31 bytes.", answer("passkey", challenge(), number(32, 1), choice(b"i", 31)))
refused("answer", "passkey_count_most", "2^32 - 1 credentials, of which there is one.",
        u8(0x8B) + bytes(range(32)) + u32(2**32 - 1) + choice(b"i").data)
refused("answer", "slots_passphrase_with_record", "A passphrase with a record.", answer("slots", number(32, 1), slot(1, 3, 8, record())))
refused("answer", "slots_key_without_record", "A key without a record.", answer("slots", number(32, 1), slot(3, 0, 0)))
refused("answer", "slots_count_most", "2^32 - 1 slots, of which there is one.", u8(0x8A) + u32(2**32 - 1) + slot().data)
for position in range(2):
    flags = [0, 0]
    flags[position] = 2
    refused("request", f"unlock_flag_{position}", "A yes or no that is neither.",
            request("unlock", number(8, 1), *(number(8, flag) for flag in flags), secret("x")))
for where, value in (("too_long", 14), ("too_short", 12), ("most", 2**32 - 1), ("sign", 2**31)):
    refused("request", "unlock_secret_length_" + where, "A length of the secret that is not that of the rest.",
            u8(0x11) + u8(1) + u8(0) + u8(0) + u32(value) + b"correct horse")
refused("request", "verify_secret_length_big_endian", "A big-endian length.", u8(0x12) + u8(1) + b"\0\0\0\1" + b"x")
for setting, value in ((0, 1), (12, 1), (255, 1), (4, 2), (4, 2**32 - 1), (5, 2), (9, 2)):
    refused("request", f"change_setting_{setting}_{value}", f"Setting {setting}, {value}.",
            request("change_setting", number(8, setting), number(32, value)))
for why, service, account, *field in (
        ("empty_field", "s", "a", ""), ("field_1025_bytes", "s", "a", "f" * 1025), ("field_line_end", "s", "a", "f\n"),
        ("empty_service", "", "a"), ("empty_account", "s", ""), ("service_1025_bytes", "s" * 1025, "a"),
        ("account_1025_bytes", "s", "\u00e9" * 512 + "x"), ("line_end", "s\n", "a"), ("nul", "s", "\0"), ("delete", "s\x7f", "a"),
        ("c1", "s\u0085", "a"), ("not_utf8", b"\xc3(", "a"), ("overlong", b"\xc0\xaf", "a"), ("surrogate", b"\xed\xa0\x80", "a"),
        ("too_high", b"\xf4\x90\x80\x80", "a")):
    refused("request", "read_name_" + why, "A name that no secret can have.", request("read", name(service, account, *field)))
    refused("answer", "item_name_" + why, "A name that no secret can have.",
            answer("item", item(service, account, field=field[0] if field else "password")))
refused("request", "edit_new_name_empty", "A new name that no secret can have.",
        request("edit", name("s", "a"), edit(name_=("", "a")), expected()))
refused("request", "read_length_most", "A length of 2^32 - 1.", u8(0x20) + u32(2**32 - 1) + b"service")
refused("request", "read_two_names", "Two names.", request("read", name("s", "a"), name("s", "a")))
for cls in (0, 3, 255):
    refused("request", f"save_class_{cls}", f"The class {cls}.", request("save", name("s", "a"), attributes(cls, ""), secret("")))
    refused("request", f"edit_class_{cls}", f"The class {cls}.", request("edit", name("s", "a"), edit(cls=cls), expected()))
    refused("answer", f"item_class_{cls}", f"The class {cls}.", answer("item", item(cls=cls)))
PREFIX = u8(0x21) + name("s", "a").data + u8(1) + text("")
refused("request", "save_count_most", "2^32 - 1 further attributes, of which there is none.", PREFIX + u32(2**32 - 1))
refused("request", "save_count_one_more", "One further attribute more than there are.", PREFIX + u32(2) + text("k") + text("t") + text("v"))
refused("request", "save_key_not_utf8", "A key that is not UTF-8.", PREFIX + u32(1) + text(b"\xff") + text("t") + text("v"))
refused("request", "save_label_not_utf8", "A label that is not UTF-8.",
        request("save", name("s", "a"), attributes(1, b"\x80"), secret("")))
refused("request", "save_without_secret", "No secret.", PREFIX + u32(0))
for flags in (16, 128, 255):
    refused("request", f"edit_{flags}", f"The fields {flags}.", u8(0x23) + name("s", "a").data + u8(flags) + expected().data)
refused("request", "edit_with_secret", "A secret where there is none.", REQUEST_SAMPLES["edit"] + secret("v"))
refused("request", "update_without_secret", "No secret.", request("update", name("s", "a"), edit(), expected()))
for flag in (2, 255):
    refused("request", f"remove_expected_{flag}", "A yes or no that is neither.",
            u8(0x24) + name("s", "a").data + u8(flag) + u64(1) + u8(0))
    refused("request", f"remove_permanently_{flag}", "A yes or no that is neither.",
            request("remove", name("s", "a"), expected(), number(8, flag)))
    refused("request", f"restore_removed_named_{flag}", "A yes or no that is neither.",
            request("restore_removed", item_id(), number(8, flag)))
refused("request", "find_limit_0", "No entry is wanted.", request("find", number(32, 0), search(4, "git")))
for kind in (0, 5, 255):
    refused("request", f"find_kind_{kind}", f"A search of the kind {kind}.", request("find", number(32, 1), search(kind, "git")))
refused("request", "find_entry_without_account", "A service without an account.", request("find", number(32, 1), search(1, "git")))
refused("request", "find_not_utf8", "A text that is not UTF-8.", request("find", number(32, 1), search(4, b"\xff")))
for action in (0, 3, 255):
    refused("request", f"change_action_{action}", f"The action {action}.",
            request("change", number(32, 1), name("s", "a"), expected(), number(8, action), number(8, 0)))
refused("request", "change_permanently_2", "A yes or no that is neither.", request("change", number(32, 1), removed(("s", "a"), None, 2)))
refused("request", "change_name_empty", "A name that no secret can have.", request("change", number(32, 1), removed(("", "a"))))
refused("request", "change_count_most", "2^32 - 1 changes, of which there is one.", request("change", number(32, 2**32 - 1), removed(("s", "a"))))
refused("request", "change_count_less", "A change more than is said.", request("change", number(32, 1), removed(("s", "a")), removed(("s", "a"))))
refused("request", "remove_without_permanently", "It is not said whether the removal is permanent.",
        request("remove", name("s", "a"), expected()))
refused("request", "restore_removed_without_name", "A name is said to follow.", request("restore_removed", item_id(), number(8, 1)))
refused("request", "restore_removed_name_empty", "A name that no secret can have.",
        request("restore_removed", item_id(), number(8, 1), name("", "a")))
refused("request", "remove_expected_nothing", "A revision is said to follow.", u8(0x24) + name("s", "a").data + u8(1))
refused("request", "remove_unexpected_revision", "A revision that is said not to follow.",
        u8(0x24) + name("s", "a").data + u8(0) + u64(1) + u8(0))
refused("request", "status_with_hello", "Two payloads in one.", u8(0x10) + HELLO)

for position in range(4):
    flags = [1, 1, 1, 1]
    flags[position] = 2
    refused("answer", f"status_flag_{position}", "A yes or no that is neither.", status(flags))
refused("answer", "status_finger_4", "A state of the finger that there is not.", status(finger=4))
refused("answer", "status_files_2", "Limited files: a yes or no that is neither.", status(limited=2))
for reason in (0, 4):
    refused("answer", f"finger_reason_{reason}", f"The reason {reason}.", finger(reason))
refused("request", "verify_by_finger_with_secret", "A secret where there is none.", REQUEST_SAMPLES["verify_by_finger"] + secret("v"))
for field, bad in (("window", 0), ("window", 86_401), ("idle", 0), ("idle", 86_401), ("absolute", 0), ("absolute", 2**32 - 1), ("locked", 2),
                   ("recorded", 2), ("values", 101), ("days", 0), ("days", 3_651), ("removed_days", 3_651), ("finger", 2), ("theme", 3), ("language", 3)):
    refused("answer", f"settings_{field}_{bad}", "A setting that no vault has.", settings(**{field: bad}))
for file, pairs in (("unknown", [(12, 1)]), ("number_0", [(0, 1)]), ("twice", [(2, 60)] * 2), ("descending", [(3, 60), (2, 60)]), ("as_created", [(2, 900)])):
    refused("answer", "settings_" + file, "Settings that no vault has.", settings(*pairs))
refused("answer", "items_count_most", "2^32 - 1 items, of which there is one.", u8(0x86) + u32(2**32 - 1) + item().data)
refused("answer", "items_count_less", "An item more than is said.", u8(0x86) + u32(1) + item().data * 2)
refused("answer", "refused_count_most", "2^32 - 1 refused secrets, of which there is one.",
        u8(0x87) + u32(2**32 - 1) + refusal(0, "duplicate").data)
refused("answer", "earlier_count_most", "2^32 - 1 earlier versions, of which there is one.",
        u8(0x88) + u32(2**32 - 1) + earlier().data)
refused("answer", "earlier_name_empty", "A name that no secret can have.", answer("earlier", number(32, 1), earlier(account="")))
for position in (0, 2):
    flags = [1, 1]
    flags[position // 2] = 2
    refused("request", f"save_all_flag_{position}", "A yes or no that is neither.",
            request("save_all", number(8, flags[0]), number(32, 0), number(8, flags[1]), secret("")))
refused("answer", "value_secret_length", "A length of the secret that is not that of the rest.", u8(0x85) + item().data + u32(4) + b"value")
refused("answer", "failure_numbers_cut", "Fewer numbers than are said.", u8(0xFF) + text("conflict") + u8(255) + u64(1))
refused("answer", "failure_texts_cut", "Fewer texts than are said.", u8(0xFF) + text("damaged") + u8(0) + u8(2) + text("one"))
refused("answer", "failure_code_not_utf8", "A code that is not UTF-8.", u8(0xFF) + text(b"\xff") + u8(0) + u8(0))


if __name__ == "__main__":
    sys.exit(vector_files.main(FOLDER, VECTORS, __doc__))

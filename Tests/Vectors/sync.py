#!/usr/bin/python3
"""sync.py [--check]: writes the vectors of segments and epochs into Sync and Epochs, from Docs/Sync.md alone."""

import pathlib
import sys

sys.dont_write_bytecode = True

import nacl.bindings as sodium  # noqa: E402
import vector_files  # noqa: E402
from writer import Source, counted, hash_, i64, pad, public_key, seal, seal_to, u8, u32, u64  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = {}
GROUP, AUTHOR, OTHER, STRANGER = (bytes([n]) * 16 for n in (0x10, 0xA0, 0xB0, 0xC0))
ITEM, TASK, SUBTASK = (bytes([n]) * 16 for n in (0x01, 0x02, 0x03))
L, U, V, FALSE = (bytes([n]) * 32 for n in (0x4C, 0x55, 0x56, 0xFF))
EPOCH = bytes([0xEE]) * 32
TIME = 1_800_000_000_000
CLOCK = TIME << 16
SEGMENT_SEED, MEMBER_SEED = b"s" * 32, b"m" * 32
END = counted(b"")


def signing(seed): return sodium.crypto_sign_seed_keypair(seed)
def dot(device, number): return device + u64(number)
def field(number, detail=b""): return u32(number) + counted(detail)
def vector(*dots): return u32(len(dots)) + b"".join(dot(*each) for each in dots)
def flag(value): return u8(1 if value else 0)


class Record:
    def __init__(self, object_, number, content=b"", detail=b"", clock=CLOCK):
        self.object, self.number, self.detail, self.clock, self.content = object_, number, detail, clock, content

    @property
    def key(self): return self.object, self.number, self.detail, self.clock

    @property
    def entry(self): return self.object + field(self.number, self.detail) + u64(self.clock) + u32(len(self.content))

    def name(self, device): return self.object + field(self.number, self.detail) + u64(self.clock) + device


class Repeated:
    """The records of an earlier segment."""

    def __init__(self, device, number, seen, *records, kind=1):
        self.device, self.number, self.seen, self.records, self.kind = device, number, seen, records, kind


def list_(records=(), repeated=(), ordered=True):
    groups = []
    if records:
        groups.append((u8(0), AUTHOR, records))
    for group in repeated:
        groups.append((u8(group.kind) + dot(group.device, group.number) + vector(*group.seen), group.device, group.records))
    groups = [(start, device, sorted(each, key=lambda r: r.key) if ordered else each) for start, device, each in groups]
    data = u32(len(groups))
    for start, _, each in groups:
        data += start + u32(len(each)) + b"".join(record.entry for record in each)
    return data + b"".join(record.content for _, _, each in groups for record in each), groups


class Segment:
    """A segment and the reader's state before it; the arguments make faulty ones."""

    def __init__(self, name, list=(), unlocked=(), verified=(), repeated={}, heads=(), number=1, previous=None, format=1, kind=1, group=GROUP,
                 device=AUTHOR, epoch=EPOCH, following=0, magic=b"TVSG", ordered=True, names=None, proof_key=V, runs=None):
        self.source = Source("sync " + name)
        self.number = number
        previous = (bytes(32) if number == 1 else hash_(32, b"", b"before")) if previous is None else previous
        self.prefix = magic + u32(format) + u8(kind) + group + dot(device, number) + previous + epoch
        self.previous, self.following, self.heads = previous, following, heads
        self.addition, self.names = b"", names
        if names is not None:
            covered = vector(*sorted([(AUTHOR, number - 1)] + [(other, n) for other, n, _ in heads]))
            listed = u32(len(names)) + b"".join(names)
            self.addition = listed + hash_(32, proof_key, b"TVSP", group, dot(device, number), covered, listed)
        if runs is not None:
            self.addition = u32(len(runs)) + b"".join(
                dot(author, first) + u32(used) + i64(time) + vector(*seen) + u32(len(hashes)) + b"".join(hashes)
                for author, first, used, time, seen, hashes in runs)
        self.list, self.groups = list_(list, repeated.get(0, ()), ordered)
        self.unlocked, groups = list_(unlocked, repeated.get(1, ()))
        self.groups = [(0, *group) for group in self.groups] + [(1, *group) for group in groups]
        self.verified, groups = list_(verified, repeated.get(2, ()))
        names = [record.name(device_) for _, device_, each in groups for record in each]
        self.has_verified = bool(groups)
        self.has_unlocked = self.has_verified or len(self.unlocked) > 4
        self.unlocked += u32(len(names)) + b"".join(names)
        self.groups += [(2, *group) for group in groups]

    def part(self, level, key, plaintext):
        context = b"TVAD" + u8(12) + u32(2) + self.prefix[9:41] + u8(level) + self.prefix[41:49] + u8(0) + hash_(32, b"", self.prefix)
        return seal(self.source, key, plaintext, context)

    def plaintext(self, u=U, v=V):
        heads = u32(len(self.heads)) + b"".join(dot(device, number) + hash__ for device, number, hash__ in self.heads)
        unlocked = self.part(1, u, self.unlocked) if self.has_unlocked else b""
        verified = self.part(2, v, self.verified) if self.has_verified else b""
        return i64(TIME) + u8(self.following) + heads + self.list + counted(unlocked) + counted(verified) + counted(self.addition)

    def bytes(self, plaintext=None, padded=pad, l=L, u=U, v=V, body=None, seed=SEGMENT_SEED):
        body = self.part(0, l, padded(self.plaintext(u, v) if plaintext is None else plaintext)) if body is None else body
        message = self.prefix + body
        return message + sodium.crypto_sign(message, signing(seed)[1])[:64]


def add(name, comment, expect, segment, data, seen=(), used=1):
    lines = ["comment: " + comment, "expect: " + expect, "group: " + GROUP.hex(), "author: " + AUTHOR.hex(),
             "segment_key: " + signing(SEGMENT_SEED)[0].hex(), "member_key: " + signing(MEMBER_SEED)[0].hex(),
             "epoch: " + EPOCH.hex(), "keys: " + " ".join(key.hex() for key in (L, U, V)), f"used_format: {used}"]
    lines += [f"seen: {device.hex()} {number}" for device, number in seen]
    lines += ["segment: " + data.hex()]
    if expect == "opens":
        lines += ["hash: " + hash_(32, b"", data).hex(), f"time: {TIME}", f"following: {segment.following}"]
        lines += [f"head: {device.hex()} {number} {hash__.hex()}" for device, number, hash__ in segment.heads]
        lines += ["snapshot: " + " ".join(name.hex() for name in segment.names)] if segment.names else []
        for level, start, device, each in segment.groups:
            origin = segment.number if start[0] == 0 else int.from_bytes(start[17:25], "little")
            written = f":{start[0] - 2}" if start[0] > 1 else ""
            lines += [f"record: {level}{written} {device.hex()} {origin} {r.object.hex()} {r.number} {r.detail.hex() or '-'} {r.clock} {r.content.hex() or '-'}"
                      for r in each]
    VECTORS["Sync/" + name] = "\n".join(lines) + "\n"


def opens(name, comment, seen=(), **arguments):
    segment = Segment(name, **arguments)
    add(name, comment, "opens", segment, segment.bytes(), seen)


def refused(failure, name, comment, seen=(), used=1, data=lambda segment: segment.bytes(), **arguments):
    segment = Segment(name, **arguments)
    add(name, comment, failure, segment, data(segment), seen, used)


NAME = Record(TASK, 32, b"buy bread")
LABEL = Record(ITEM, 18, b"bank")
VALUE = Record(ITEM, 16, b"s3cret")
NEW_ITEM = [Record(ITEM, 1, u8(1)), Record(ITEM, 17, b"bank\0ada"), LABEL, Record(ITEM, 6, flag(True))]
HEAD = (OTHER, 5, bytes([5]) * 32)

# --- Segments that open ----------------------------------------------------------------------------------------------

opens("empty", "A segment without records: it only says that the device is there.")
opens("list", "One record of the list.", list=[NAME])
opens("unlocked", "A label: there is a part U, and no part V.", unlocked=[LABEL])
opens("all_levels", "An item with a protected value, and a task.", list=[NAME, Record(TASK, 1, u8(2))], unlocked=NEW_ITEM, verified=[VALUE])
opens("verified_alone", "A protected value alone: part U has no records, and names it.", verified=[VALUE])
opens("heads", "Two heads that changed, by ascending device.", heads=[HEAD, (STRANGER, 2**40, bytes(32))])
opens("heads_again", "A head that stays where it was.", seen=[(OTHER, 5)], heads=[HEAD])
opens("number_64_all_heads", "The 64th segment names all heads.", number=64, seen=[(OTHER, 5)], heads=[HEAD, (STRANGER, 1, bytes(32))])
opens("number_65_one_head", "The 65th names those that changed.", number=65, seen=[(OTHER, 4), (STRANGER, 1)], heads=[HEAD])
opens("following_63", "The first of 64 segments of a change.", following=63)
opens("task_fields", "Each field of a task that has a form.", list=[
    Record(TASK, 1, u8(2)), Record(TASK, 6, flag(False)), Record(TASK, 34, flag(True)), Record(TASK, 36, i64(-5) + flag(True) + b"date"),
    Record(TASK, 37, flag(True) + i64(7) + b"next", i64(-5)), Record(TASK, 37, flag(False), i64(7)), Record(TASK, 38, flag(True), b"home"),
    Record(TASK, 49, u32(2**31 - 1) + u64(CLOCK) + AUTHOR, SUBTASK), Record(TASK, 50, flag(False), SUBTASK), Record(TASK, 51, b"", SUBTASK),
    Record(TASK, 48, b"", SUBTASK), Record(TASK, 2), Record(TASK, 3), Record(TASK, 5, u64(1) + AUTHOR + u64(1) + OTHER)])
opens("alias", "Two items are one.", unlocked=[Record(ITEM, 4, b"", TASK), Record(TASK, 4, b"", ITEM)])
opens("unknown_field", "A field with an unknown number is kept.", list=[Record(TASK, 4_000_000_000, b"later", b"detail")])
opens("detail_1024_bytes", "The longest detail.", list=[Record(TASK, 19, b"", b"k" * 1024)])
opens("two_stamps", "Two versions of one field: the first exchange of a vault with earlier values.",
      unlocked=[Record(ITEM, 16, b"old", clock=1), Record(ITEM, 16, b"new", clock=2)])
opens("clock_most", "The largest clock of a first segment.", list=[Record(TASK, 32, b"", clock=2**61 + 2**20 - 1)])
opens("clock_seen", "The largest clock of an author who has seen four segments.", number=2, heads=[(OTHER, 2, bytes(32))],
      list=[Record(TASK, 32, b"", clock=2**61 + 4 * 2**20 - 1)])
opens("repeated", "A restored object: records of the author's earlier segment and of another device, with their vectors.", number=3, heads=[HEAD],
      unlocked=[Record(ITEM, 3)], repeated={1: [Repeated(AUTHOR, 2, [(OTHER, 1)], LABEL), Repeated(OTHER, 5, [], Record(ITEM, 1, u8(1)))],
                                            2: [Repeated(OTHER, 5, [], VALUE)]})

opens("raised", "Records of one earlier segment in part V that were written at the levels 2, 0 and 1.", number=3, heads=[HEAD],
      repeated={2: [Repeated(OTHER, 5, [], VALUE), Repeated(OTHER, 5, [], NAME, kind=2), Repeated(OTHER, 5, [], LABEL, kind=3)]})

# --- Prefix and signature --------------------------------------------------------------------------------------------

refused("segment_truncated", "shorter_than_any", "176 bytes.", data=lambda s: s.bytes()[:176])
refused("segment_magic", "magic", "Another magic.", magic=b"TVST")
refused("segment_format", "format_0", "Format 0.", format=0)
refused("segment_later_format", "format_2", "A later format.", format=2)
refused("segment_earlier_format", "format_went_back", "The author has used format 2 before.", used=2)
refused("segment_kind", "kind_0", "An unknown kind.", kind=0)
refused("segment_kind", "kind_2", "An unknown kind.", kind=2)
refused("segment_kind", "kind_4", "An unknown kind.", kind=4)
refused("segment_number", "number_0", "Number 0.", number=0, previous=bytes(32))
refused("segment_number", "number_most", "The number after which there is none.", number=2**64 - 1)
refused("segment_number", "previous_of_first", "The first segment names a previous one.", previous=b"\1" * 32)
refused("segment_number", "previous_missing", "The second segment names none.", number=2, previous=bytes(32))
refused("segment_group", "another_group", "A segment of another group.", group=b"\x11" * 16)
refused("segment_number", "another_author", "A segment of another device, which the author's key signed.", device=OTHER)
refused("segment_signature", "signature_of_member_key", "The member key signs no changes.", data=lambda s: s.bytes(seed=MEMBER_SEED))
refused("segment_signature", "signature_changed", "The last bit is another.", data=lambda s: s.bytes()[:-1] + bytes([s.bytes()[-1] ^ 1]))
refused("segment_signature", "body_changed", "A changed byte of the body.", list=[NAME],
        data=lambda s: (lambda b: b[:120] + bytes([b[120] ^ 1]) + b[121:])(s.bytes()))
refused("segment_signature", "cut_short", "The last byte is missing.", data=lambda s: s.bytes()[:-1])
refused("segment_signature", "trailing_byte", "A byte after the signature.", data=lambda s: s.bytes() + b"\0")

# --- The body --------------------------------------------------------------------------------------------------------

refused("body_seal", "body_under_u", "The body is sealed under U.", data=lambda s: s.bytes(l=U))
refused("body_seal", "body_empty", "No body.", data=lambda s: s.bytes(body=b""))
refused("body_seal", "body_of_another_number", "The body of segment 2 in the place of that of segment 1.",
        data=lambda s: s.bytes(body=Segment("other", number=2).bytes()[113:-64]))
refused("body_seal", "part_as_body", "A part of level 1 in the place of the body.", data=lambda s: s.bytes(body=s.part(1, L, pad(s.plaintext()))))
refused("body_padding", "padding_nonzero", "Filler that is not zero.", data=lambda s: s.bytes(padded=lambda d: pad(d, filler=lambda n: b"\1" * n)))
refused("body_padding", "padding_next_size", "The next padded size.", data=lambda s: s.bytes(padded=lambda d: pad(d, size=128)))
refused("body_content", "trailing_in_body", "A byte after the parts.", data=lambda s: s.bytes(plaintext=s.plaintext() + b"\0"))
refused("body_content", "body_cut", "The body ends early.", data=lambda s: s.bytes(plaintext=s.plaintext()[:-1]))
refused("body_content", "following_64", "More segments than a change may have.", following=64)
refused("body_content", "heads_descending", "The heads do not ascend.", heads=[(STRANGER, 1, bytes(32)), HEAD])
refused("body_content", "heads_twice", "One device twice.", heads=[HEAD, HEAD])
refused("body_content", "head_0", "A head of number 0.", heads=[(OTHER, 0, bytes(32))])
refused("body_heads", "head_of_author", "The author names its own head.", heads=[(AUTHOR, 1, bytes(32))])
refused("body_heads", "head_went_back", "A head that goes back.", seen=[(OTHER, 6)], heads=[HEAD])
refused("body_heads", "number_64_lacks_head", "The 64th segment leaves out a device.", number=64, seen=[(OTHER, 5), (STRANGER, 1)], heads=[HEAD])
refused("body_content", "verified_without_unlocked", "A part V without part U.", verified=[VALUE],
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + s.list + counted(b"") + counted(s.part(2, V, s.verified)) + END))
refused("body_content", "records_unordered", "The records do not ascend.", list=[Record(TASK, 35), NAME], ordered=False)
refused("body_content", "record_twice", "One record twice.", list=[NAME, NAME])
refused("body_content", "detail_1025_bytes", "A detail that is too long.", list=[Record(TASK, 19, b"", b"k" * 1025)])
refused("body_content", "clock_too_high", "A clock that leaves too few others.", list=[Record(TASK, 32, b"", clock=2**61 + 2**20)])
refused("part_content", "clock_too_high_unlocked", "The same in part U.", unlocked=[Record(ITEM, 18, b"", clock=2**61 + 2**20)])
refused("body_content", "clock_63", "A clock of 2^63.", list=[Record(TASK, 32, b"", clock=2**63)])
refused("body_content", "flag_2", "A flag of 2.", list=[Record(TASK, 34, b"\2")])
refused("body_content", "remove_with_content", "A remove with a content.", list=[Record(TASK, 2, b"x")])
refused("body_content", "position_empty", "A position without digits.", list=[Record(TASK, 49, b"", SUBTASK)])
refused("body_content", "digit_too_high", "A digit of 2^31.", list=[Record(TASK, 49, u32(2**31) + u64(1) + AUTHOR, SUBTASK)])
refused("body_content", "looked_descending", "Stamps that do not ascend.", list=[Record(TASK, 5, u64(2) + AUTHOR + u64(1) + AUTHOR)])
refused("body_content", "completion_cut", "A completion without the next occurrence.", list=[Record(TASK, 37, flag(True) + b"1234567", i64(1))])
refused("body_content", "group_empty", "A group without records.",
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + u32(1) + u8(0) + u32(0) + counted(b"") * 3))
refused("body_content", "own_group_second", "The segment's own records come after repeated ones.", number=3,
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + u32(2) + u8(1) + dot(AUTHOR, 1) + vector() + u32(1) + NAME.entry + u8(0) + u32(1)
                               + NAME.entry + NAME.content * 2 + counted(b"") * 3))
refused("body_content", "repeated_unseen", "A repeated record of a segment that the author had not seen.", heads=[HEAD],
        repeated={0: [Repeated(OTHER, 6, [], NAME)]})
refused("body_content", "repeated_itself", "A repeated record of this segment.", repeated={0: [Repeated(AUTHOR, 1, [], NAME)]})

refused("body_content", "raised_to_list", "A record at level 0 that was written at level 0, as if that were lower.", heads=[HEAD],
        repeated={0: [Repeated(OTHER, 5, [], NAME, kind=2)]})
refused("body_content", "raised_before_repeated", "Groups of one segment that do not ascend.", heads=[HEAD],
        repeated={0: [Repeated(OTHER, 5, [], NAME), Repeated(OTHER, 5, [], NAME)]})

# --- Parts -----------------------------------------------------------------------------------------------------------

refused("part_seal", "unlocked_under_l", "Part U is sealed under L, by a thief of a locked machine.", unlocked=[LABEL], data=lambda s: s.bytes(u=L))
refused("part_seal", "unlocked_short", "Part U has 39 bytes.",
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + s.list + counted(bytes(39)) + counted(b"") + END))
refused("part_seal", "verified_under_u", "Part V is sealed under U, by an unverified agent.", verified=[VALUE], data=lambda s: s.bytes(v=U))
refused("part_seal", "parts_exchanged", "Part V in the place of part U.", unlocked=[LABEL], verified=[VALUE],
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + s.list + counted(s.part(2, V, s.verified)) + counted(s.part(1, U, s.unlocked)) + END))
refused("part_content", "unlocked_trailing", "A byte after the names.", unlocked=[LABEL],
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + s.list + counted(s.part(1, U, s.unlocked + b"\0")) + counted(b"") + END))
refused("part_content", "name_missing", "Part U does not name the record of part V.", unlocked=[LABEL], verified=[VALUE],
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + s.list + counted(s.part(1, U, list_([LABEL])[0] + u32(0)))
                               + counted(s.part(2, V, s.verified)) + END))
refused("part_content", "name_of_another_stamp", "Part U names another stamp.", unlocked=[LABEL], verified=[VALUE],
        data=lambda s: s.bytes(plaintext=i64(TIME) + u8(0) + u32(0) + s.list
                               + counted(s.part(1, U, list_([LABEL])[0] + u32(1) + Record(ITEM, 16, clock=1).name(AUTHOR)))
                               + counted(s.part(2, V, s.verified)) + END))
refused("part_content", "raised_from_above", "A record at level 1 that was written at level 1, as if that were lower.", heads=[HEAD],
        repeated={1: [Repeated(OTHER, 5, [], LABEL, kind=3)]})
refused("part_content", "protection_2", "A flag of 2 in part U.", unlocked=[Record(ITEM, 6, b"\2")])

# --- Snapshots -------------------------------------------------------------------------------------------------------

NAMES = [bytes([n]) * 32 for n in (0x31, 0x32)]
RUNS = [(AUTHOR, 2, 1, TIME, [(OTHER, 5)], [bytes([2]) * 32]), (OTHER, 3, 1, TIME, [], [bytes([n]) * 32 for n in (3, 4, 5)])]
COVERED = [(OTHER, 5), (AUTHOR, 2)]

opens("announcement", "A segment that announces a snapshot of two files names all heads.", seen=[(OTHER, 5)], number=3, heads=[HEAD], names=NAMES)
opens("snapshot_runs", "A file of a snapshot with the ends of two chains.", seen=COVERED, kind=3, number=3, runs=RUNS)
opens("snapshot_records", "A file of a snapshot with records of all levels, each as it was first written.", seen=COVERED, kind=3, number=3, runs=[],
      repeated={0: [Repeated(OTHER, 5, [(AUTHOR, 1)], NAME)], 1: [Repeated(AUTHOR, 2, [(OTHER, 1)], LABEL)], 2: [Repeated(OTHER, 4, [], VALUE)]})
refused("snapshot_proof", "announcement_under_u", "The author of the announcement had not V.", seen=[(OTHER, 5)], number=3, heads=[HEAD], names=NAMES, proof_key=U)
refused("body_heads", "announcement_lacks_head", "An announcement leaves out a device.", seen=[(OTHER, 5), (STRANGER, 1)], number=3, heads=[HEAD], names=NAMES)
refused("body_content", "announcement_empty", "An announcement without files.", number=3, names=[])
refused("body_content", "announcement_first", "The first segment announces a snapshot, which has nothing.", names=NAMES)
refused("body_heads", "snapshot_heads", "A file of a snapshot that names heads.", kind=3, number=3, heads=[HEAD], runs=[])
refused("body_content", "snapshot_following", "A file of a snapshot that says that others follow.", kind=3, number=3, following=1, runs=[])
refused("body_content", "snapshot_runs_missing", "A file of a snapshot without the list of ends.", kind=3, number=3)
refused("body_content", "snapshot_run_empty", "The end of a chain without hashes.", kind=3, number=3, runs=[(OTHER, 3, 1, TIME, [], [])])
refused("body_content", "snapshot_runs_descending", "The ends of chains do not ascend.", kind=3, number=3, runs=RUNS[::-1])
refused("body_seal", "snapshot_as_change", "The body of a file of a snapshot in a change.", number=3,
        data=lambda s: s.bytes(body=Segment("other snapshot", kind=3, number=3, runs=[]).bytes()[113:-64]))

# --- Epochs ----------------------------------------------------------------------------------------------------------


def commitment(key, level, group=GROUP): return hash_(32, key, b"TVEC", group, u8(level))


class Epoch:
    def __init__(self, name, members=(AUTHOR, OTHER), keys=(L, U, V), committed=(L, U, V), place={}, sealed_to={}):
        self.source = Source("epoch " + name)
        self.value = self.source(32)
        self.secrets = {(device, level): hash_(32, b"", b"box", device, u8(level)) for device in members for level in range(3)}
        self.bytes = b"TVES" + GROUP + self.value + b"".join(commitment(key, level) for level, key in enumerate(committed)) + u32(len(members))
        for device in members:
            self.bytes += device
            for level, key in enumerate(keys):
                spot = {"group": GROUP, "value": self.value, "level": level, "device": device} | place
                plaintext = spot["group"] + spot["value"] + u8(spot["level"]) + spot["device"] + key
                owner = sealed_to.get((device, level), (device, level))
                self.bytes += seal_to(self.source, public_key(self.secrets[owner]), plaintext)


def epoch(name, comment, expect, make=lambda e: e.bytes, device=OTHER, level=2, pair=None, **arguments):
    made = Epoch(name, **arguments)
    data = make(made)
    secret = made.secrets.get(pair or (device, level), b"\x77" * 32)
    lines = ["comment: " + comment, "expect: " + expect, "device: " + device.hex(), f"level: {level}", "secret_key: " + secret.hex(), "statement: " + data.hex()]
    if expect == "opens":
        lines += ["id: " + hash_(32, b"", data).hex(), "key: " + (L, U, V)[level].hex()]
    VECTORS["Epochs/" + name] = "\n".join(lines) + "\n"


for number, letter in enumerate("luv"):
    epoch(f"key_{letter}", f"The key {letter.upper()}.", "opens", level=number)
epoch("first_member", "The first of two members.", "opens", device=AUTHOR, level=0)
epoch("no_box", "A device that is no member.", "epoch_box_missing", device=STRANGER)
epoch("no_members", "A statement without members.", "epoch_box_missing", members=())
epoch("another_pair", "The key pair of another level.", "epoch_box_seal", pair=(OTHER, 0))
epoch("box_changed", "A changed byte of the box.", "epoch_box_seal", make=lambda e: e.bytes[:-1] + bytes([e.bytes[-1] ^ 1]))
epoch("box_of_another_group", "The box names another group.", "epoch_box_place", place={"group": bytes(16)})
epoch("box_of_another_statement", "The box names another value.", "epoch_box_place", place={"value": bytes(32)})
epoch("box_of_another_level", "The box names level 1.", "epoch_box_place", place={"level": 1})
epoch("box_of_another_device", "The box names the other member.", "epoch_box_place", place={"device": AUTHOR})
epoch("known_key", "The box has another key than the commitment.", "epoch_commitment", keys=(L, U, FALSE))
epoch("commitment_of_another_level", "The commitments of U and V are exchanged.", "epoch_commitment", committed=(L, V, U))
epoch("magic", "Another magic.", "malformed", make=lambda e: b"TVSG" + e.bytes[4:])
epoch("trailing_byte", "A byte after the last member.", "malformed", make=lambda e: e.bytes + b"\0")
epoch("cut_short", "The last byte is missing.", "malformed", make=lambda e: e.bytes[:-1])
epoch("members_descending", "The members do not ascend.", "malformed", members=(OTHER, AUTHOR))
epoch("eighteen_members", "More members than a group has.", "malformed", members=tuple(bytes([n]) * 16 for n in range(1, 18)) + (OTHER,))
epoch("seventeen_members", "As many members as a group has.", "opens", members=tuple(bytes([n]) * 16 for n in range(1, 17)) + (OTHER,))

FOLDERS = {"Sync": {}, "Epochs": {}}
for key, content in VECTORS.items():
    folder, _, name = key.partition("/")
    FOLDERS[folder][name] = content
sys.exit(max(vector_files.main(HERE / folder, vectors, __doc__) for folder, vectors in FOLDERS.items()))

#!/usr/bin/python3
"""members.py [--check]: writes the vectors of statements, members, joining and recovery into Members, from Docs/Sync.md alone."""

import pathlib
import sys

sys.dont_write_bytecode = True

import nacl.bindings as sodium  # noqa: E402
import vector_files  # noqa: E402
from writer import Source, context, counted, hash_, pad, public_key, recovery_text, seal, seal_to, u8, u32, u64  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = {}
NONE, NO_ID = bytes(32), bytes(16)
CREATE, ADD, REMOVE, RENAME, EPOCH, DELIVER = range(1, 7)
DEVICE, RECOVERY = 1, 2
START = 1_800_000_000_000 << 16


# --- Sections 2 and 3: keys and epochs -------------------------------------------------------------------------------


class Member:
    """The keys of a device or of a recovery member."""

    def __init__(self, name):
        source = Source("member " + name)
        self.pairs = [(source(32), source(32)) for _ in range(3)]
        boxes = b"".join(public_key(secret) for secret, _ in self.pairs)
        self.keys = boxes + b"".join(sodium.crypto_sign_seed_keypair(seed)[0] for _, seed in self.pairs)
        self.id = hash_(16, b"", b"TVDI", self.keys)
        self.secrets_chain = hash_(16, b"", b"TVDS", self.id)

    def sign(self, data): return sodium.crypto_sign(data, sodium.crypto_sign_seed_keypair(self.pairs[2][1])[1])[:64]

    def part(self, level): return b"TVSK" + u8(level) + self.id + self.pairs[level][0] + self.pairs[level][1]

    def box_key(self, level): return self.keys[32 * level:32 * level + 32]


A, B, C, D, R, STRANGER = (Member(name) for name in ("A", "B", "C", "D", "R", "stranger"))


class EpochKeys:
    """Keys of an epoch, and its statement for some members."""

    def __init__(self, name, group, members, committed=None):
        self.source, self.group = Source("epoch of members " + name), group
        self.keys, self.value = [self.source(32) for _ in range(3)], self.source(32)
        self.data = b"TVES" + group + self.value
        for level, key in enumerate(committed or self.keys):
            self.data += hash_(32, key, b"TVEC", group, u8(level))
        self.data += u32(len(members))
        for member in sorted(members, key=lambda each: each.id):
            self.data += member.id + self.boxes(member)
        self.id = hash_(32, b"", self.data)

    def boxes(self, member, keys=None):
        place = self.group + self.value
        return b"".join(seal_to(self.source, member.box_key(level), place + u8(level) + member.id + key)
                        for level, key in enumerate(keys or self.keys))


# --- Section 9: statements -------------------------------------------------------------------------------------------


def heads(*entries): return u32(len(entries)) + b"".join(device + u64(number) + hash__ for device, number, hash__ in sorted(entries))


class History:
    """Statements, and what a reader must find. `seen` of each is what the author had not yet seen named by others, unless it is given."""

    def __init__(self, name):
        self.name, self.source = name, Source("history " + name)
        self.data, self.past, self.order, self.failures, self.clock = {}, {}, [], [], START
        self.introductions = {}
        self.epochs = {}
        message = b"TVST" + u32(1) + u8(CREATE) + NO_ID + A.id + NONE + u64(self.clock) + u32(0) + A.keys
        created = message + A.sign(message)
        self.group = hash_(16, b"", b"TVGR", created)
        self.create = self.note(created, ())
        self.introductions[A.id] = self.create

    def note(self, data, seen):
        id = hash_(32, b"", data)
        self.data[id], self.past[id] = data, set(seen).union(*(self.past[each] for each in seen if each in self.past))
        self.order.append(id)
        return id

    def latest(self, ids=None):
        """Of some statements those that none of the others has seen."""
        ids = set(self.order if ids is None else ids)
        return ids - set().union(*(self.past[id] for id in ids))

    def write(self, kind, author, content, seen=None, *, introduction=None, clock=None, group=None, magic=b"TVST", format=1, signer=None,
              change=lambda data: data, descending=False):
        """`seen` are statements with all that they have seen."""
        self.clock += 1 << 16
        seen = self.latest(seen)
        introduction = self.introductions.get(author.id, NONE) if introduction is None else introduction
        message = magic + u32(format) + u8(kind) + (self.group if group is None else group) + author.id + introduction
        message += u64(self.clock if clock is None else clock) + u32(len(seen)) + b"".join(sorted(seen, reverse=descending)) + content
        return self.note(change(message + (signer or author).sign(message)), seen)

    def seal_name(self, epoch, member, text):
        if epoch is None:
            return NONE + counted(b"")
        return epoch.id + counted(seal(self.source, epoch.keys[0], pad(text), context(14, self.group, member.id) + epoch.id))

    def add(self, author, member, seen=None, role=DEVICE, name=None, last=(), consent=None, **more):
        signed = b"TVJN" + self.group + u8(role) + member.keys if consent is None else consent
        content = u8(role) + member.keys + member.sign(signed) + (name or self.seal_name(None, member, b"")) + heads(*last)
        id = self.write(ADD, author, content, seen, **more)
        self.introductions.setdefault(member.id, id)
        return id

    def remove(self, author, member, seen=None, last=(), **more):
        return self.write(REMOVE, author, member.id + heads(*last), seen, **more)

    def rename(self, author, member, epoch, text, seen=None, **more):
        return self.write(RENAME, author, member.id + self.seal_name(epoch, member, text), seen, **more)

    def epoch(self, author, members, seen=None, name="", committed=None, **more):
        keys = EpochKeys(self.name + name, self.group, members, committed)
        return self.write(EPOCH, author, counted(keys.data), seen, **more), keys

    def deliver(self, author, member, epochs, seen=None, **more):
        """`epochs` are (epoch, boxes)."""
        pairs = sorted((epoch.id, boxes) for epoch, boxes in epochs)
        return self.write(DELIVER, author, member.id + u32(len(pairs)) + b"".join(id + boxes for id, boxes in pairs), seen, **more)

    def fails(self, id, failure):
        self.failures.append((id, failure))
        return id


def expect(history, comment, members, *, recovery=(), former=(), usable=(), names=(), secrets=None, keys=()):
    """Saves a vector: statements in the order of their bytes, and what follows from them."""
    lines = ["comment: " + comment, "kind: group", "group: " + history.group.hex()]
    lines += ["statement: " + data.hex() for data in sorted(history.data.values())]
    lines += [f"failure: {id.hex()} {failure}" for id, failure in sorted(history.failures)]
    lines += ["member: " + member for member in sorted(each.id.hex() for each in members)]
    lines += ["recovery: " + member for member in sorted(each.id.hex() for each in recovery)]
    lines += [f"former: {member.id.hex()} {number} {of_secrets}" for member, number, of_secrets in sorted(former, key=lambda each: each[0].id)]
    lines += ["usable: " + epoch.id.hex() for epoch in usable]
    if secrets:
        lines += ["secrets: " + secrets.part(level).hex() for level in range(3)]
        lines += [f"key: {epoch.id.hex()} {level} {epoch.keys[level].hex()}" for epoch, level in sorted(keys, key=lambda each: (each[0].id, each[1]))]
        lines += [f"name: {member.id.hex()} {text.hex() or '-'}" for member, text in sorted(names, key=lambda each: each[0].id)]
    VECTORS[history.name] = "\n".join(lines) + "\n"


def all_levels(*epochs): return [(epoch, level) for epoch in epochs for level in range(3)]


def group(name, *others):
    """A with its epoch, and others that A added, each with its epoch delivered."""
    history = History(name)
    _, history.first = history.epoch(A, [A])
    for member in others:
        history.add(A, member)
    return history


# --- Groups ----------------------------------------------------------------------------------------------------------

h = History("group_alone")
_, e = h.epoch(A, [A])
h.rename(A, A, e, "Настільний".encode())
expect(h, "A device alone, with keys and a name.", [A], usable=[e], secrets=A, keys=all_levels(e), names=[(A, "Настільний".encode())])

h = History("group_added")
_, e = h.epoch(A, [A])
h.add(A, B, name=h.seal_name(e, B, b"laptop"), last=[(A.id, 3, b"\3" * 32), (A.secrets_chain, 4, b"\4" * 32)])
h.deliver(A, B, [(e, e.boxes(B))])
expect(h, "A device that was added with a name and got the keys.", [A, B], usable=[e], secrets=B, keys=all_levels(e), names=[(A, b""), (B, b"laptop")])

h = History("group_name_twice")
_, e = h.epoch(A, [A])
h.add(A, B)
before = list(h.order)
h.rename(A, A, e, b"older")
h.rename(A, A, e, b"newer", before)
expect(h, "Of two names that did not know of each other the newer one.", [A, B], usable=[e], secrets=A, keys=all_levels(e),
       names=[(A, b"newer"), (B, b"")])

h = History("group_name_of_another")
_, e = h.epoch(A, [A])
h.add(A, B, name=h.seal_name(e, A, b"laptop"))
expect(h, "A name that was sealed for another member is none.", [A, B], usable=[e], secrets=A, keys=all_levels(e), names=[(A, b""), (B, b"")])

h = group("group_removed", B)
h.deliver(A, B, [(h.first, h.first.boxes(B))])
before = list(h.order)
h.remove(A, B, last=[(B.id, 7, b"\7" * 32)])
_, e = h.epoch(A, [A], name="2")
h.fails(h.rename(B, B, None, b"", before, clock=h.clock + (9 << 16)), "statement_removed")
_, late = h.epoch(B, [A, B], before, name="late")
h.fails(h.order[-1], "statement_removed")
expect(h, "A removed device: its segments count up to 7 of the list; its later name and epoch do not count, and the keys of that epoch are readable.",
       [A], former=[(B, 7, 0)], usable=[e], secrets=A, keys=all_levels(h.first, e, late))

h = group("group_removed_device_opens", B)
h.deliver(A, B, [(h.first, h.first.boxes(B))])
h.remove(A, B)
expect(h, "Without an epoch after the removal there is no usable one.", [A], former=[(B, 0, 0)], secrets=B, keys=all_levels(h.first))

h = group("group_last_heads", B, C)
before = list(h.order)
h.remove(A, B, last=[(B.id, 7, b"\7" * 32), (B.secrets_chain, 1, b"\1" * 32)])
h.remove(C, B, before, last=[(B.id, 3, b"\3" * 32), (B.secrets_chain, 5, b"\5" * 32)])
expect(h, "Two removes of one device: the highest heads of each chain.", [A, C], former=[(B, 7, 5)], usable=[h.first])

h = group("group_each_other", B)
before = list(h.order)
h.remove(A, B)
h.remove(B, A, before)
expect(h, "Two that remove each other are both removed.", [], former=[(A, 0, 0), (B, 0, 0)])

h = group("group_removed_remover", B, C)
before = list(h.order)
h.remove(A, B)
h.fails(h.remove(B, C, before), "statement_removed")
expect(h, "A remove by one who was removed is void.", [A, C], former=[(B, 0, 0)], usable=[h.first])

h = group("group_chain_of_removes", B, C, D)
before = list(h.order)
h.remove(A, B)
h.fails(h.remove(B, C, before), "statement_removed")
h.remove(C, D, before)
expect(h, "The remove by one whose remover was removed counts.", [A, C], former=[(B, 0, 0), (D, 0, 0)], usable=[h.first])

h = group("group_ring", B, C)
before = list(h.order)
h.remove(A, B)
h.remove(B, C, before)
h.remove(C, A, before)
expect(h, "In a ring of removes nothing is sure, and all count.", [], former=[(A, 0, 0), (B, 0, 0), (C, 0, 0)])

h = group("group_rests_on", B)
before = list(h.order)
h.remove(A, B)
h.fails(h.add(B, C, before), "statement_removed")
h.fails(h.rename(C, C, None, b"", [h.order[-1]]), "statement_removed")
expect(h, "A device that a removed one added, and what that device says.", [A], former=[(B, 0, 0)], usable=[h.first])

h = group("group_itself", B)
h.remove(B, B)
expect(h, "A device removes itself.", [A], former=[(B, 0, 0)], usable=[h.first])

h = group("group_again", B)
h.remove(A, B)
h.add(A, B)
expect(h, "A removed device never comes back with its keys.", [A], former=[(B, 0, 0)], usable=[h.first])

h = group("group_added_before_remove_known", B, C)
before = list(h.order)
h.remove(A, B)
h.add(C, D, before)
expect(h, "What others did without knowing of a remove counts.", [A, C, D], former=[(B, 0, 0)], usable=[h.first])

h = History("recovery_member")
h.add(A, R, role=RECOVERY)
_, e = h.epoch(A, [A, R])
expect(h, "A recovery member opens epochs, and is no device.", [A], recovery=[R], usable=[e], secrets=R, keys=all_levels(e))

h = History("recovery_outranks")
h.add(A, R, role=RECOVERY)
h.add(A, B)
before = list(h.order)
h.fails(h.remove(B, R), "statement_removed")
h.remove(R, B, before)
expect(h, "Recovery member and device remove each other: the device goes.", [A], recovery=[R], former=[(B, 0, 0)])

h = History("recovery_revoked")
h.add(A, R, role=RECOVERY)
before = list(h.order)
h.remove(A, R)
h.fails(h.add(R, B, before), "statement_removed")
expect(h, "What a revoked recovery member adds does not count.", [A])

h = History("recovery_revoked_in_vain")
h.add(A, R, role=RECOVERY)
before = list(h.order)
h.fails(h.remove(A, R), "statement_removed")
h.remove(R, A, before)
expect(h, "One who revokes is removed by the recovery member, which had not seen it: the revoking is void.", [], recovery=[R], former=[(A, 0, 0)])

MANY = [Member(f"device {number}") for number in range(17)]
h = History("sixteen_devices")
for each in MANY[:15]:
    h.add(A, each)
before = list(h.order)
h.fails(h.add(A, MANY[15]), "statement_full")
h.add(A, R, before, role=RECOVERY)
h.remove(A, MANY[0], before)
h.add(A, MANY[16], [*before, h.order[-1]])
expect(h, "With sixteen devices none can be added; a recovery member can, and another device after a removal.", [A, *MANY[1:15], MANY[16]],
       recovery=[R], former=[(MANY[0], 0, 0)])

h = History("seventeen_apart")
for each in MANY[:14]:
    h.add(A, each)
before = list(h.order)
h.add(A, MANY[15], before)
h.add(MANY[0], MANY[14], before, clock=h.clock - (1 << 16))
expect(h, "Of seventeen devices that joined apart the one that joined last is no member.", [A, *MANY[:15]])

# --- Epochs ----------------------------------------------------------------------------------------------------------

h = History("epoch_newest")
h.add(A, B)
before = list(h.order)
_, e1 = h.epoch(A, [A, B], before, name="1")
_, e2 = h.epoch(B, [A, B], before, name="2")
expect(h, "Of two epochs the one with the newer clock is first.", [A, B], usable=[e2, e1], secrets=A, keys=all_levels(e1, e2))


# --- Section 10: epochs that a removed member opens ------------------------------------------------------------------


def segment(history, author, number, previous, epoch, seen=()):
    """A segment of the list without records; `seen` are heads."""
    prefix = b"TVSG" + u32(1) + u8(1) + history.group + author.id + u64(number) + previous + epoch.id
    bound = context(12, history.group, author.id, 0, number) + hash_(32, b"", prefix)
    plain = (START >> 16).to_bytes(8, "little") + u8(0) + heads(*seen) + u32(0) + counted(b"") * 3
    message = prefix + seal(history.source, epoch.keys[0], pad(plain), bound)
    return message + sodium.crypto_sign(message, sodium.crypto_sign_seed_keypair(author.pairs[0][1])[1])[:64]


def chain(history, comment, secrets, segments, applied, refused=()):
    """Saves a vector: statements, segments of the list, how far each chain can be applied, and what is refused."""
    lines = ["comment: " + comment, "kind: chain", "group: " + history.group.hex()]
    lines += ["statement: " + data.hex() for data in sorted(history.data.values())]
    lines += ["secrets: " + secrets.part(level).hex() for level in range(3)]
    lines += [f"segment: {author.id.hex()} {number} {data.hex()}" for author, number, data in segments]
    lines += sorted(f"applied: {author.id.hex()} {number}" for author, number in applied)
    lines += sorted(f"refused: {author.id.hex()} {number} segment_epoch_open" for author, number in refused)
    VECTORS[history.name] = "\n".join(lines) + "\n"


def removal(name):
    """A, B and D remain, and have the keys of before the removal of C and of after it."""
    history = group(name, B, C, D)
    for member in (B, C, D):
        history.deliver(A, member, [(history.first, history.first.boxes(member))])
    history.remove(A, C)
    return history, history.epoch(A, [A, B, D], name="after")[1]


h, after = removal("segment_epoch_open_own")
one = segment(h, B, 1, NONE, after)
two = segment(h, B, 2, hash_(32, b"", one), h.first)
chain(h, "The author has used the new keys, and goes back to those of the removed member.", A, [(B, 1, one), (B, 2, two)], [(B, 1)], [(B, 2)])

h, after = removal("segment_epoch_open_heads")
one = segment(h, B, 1, NONE, after)
of_d = segment(h, D, 1, NONE, h.first, [(B.id, 1, hash_(32, b"", one))])
chain(h, "The author has seen a segment under the new keys.", A, [(B, 1, one), (D, 1, of_d)], [(B, 1)], [(D, 1)])

h, after = removal("segment_epoch_open_unknown")
one, of_d = segment(h, B, 1, NONE, after), segment(h, D, 1, NONE, h.first)
chain(h, "The author need not know of the removal: it has seen nothing under the new keys.", A, [(B, 1, one), (D, 1, of_d)], [(B, 1), (D, 1)])

h, after = removal("segment_epoch_open_before")
one = segment(h, B, 1, NONE, h.first)
two = segment(h, B, 2, hash_(32, b"", one), after)
chain(h, "First the old keys, then the new ones.", A, [(B, 1, one), (B, 2, two)], [(B, 2)])

h = group("epoch_delivered_twice", B)
h.deliver(A, B, [(h.first, h.first.boxes(B, [b"\xff" * 32] * 3))])
h.deliver(A, B, [(h.first, h.first.boxes(B))])
expect(h, "A delivery with known keys beside one with the right keys.", [A, B], usable=[h.first], secrets=B, keys=all_levels(h.first))

h = group("epoch_delivered_known_keys", B)
h.deliver(A, B, [(h.first, h.first.boxes(B, [b"\xff" * 32] * 3))])
expect(h, "A delivery with known keys alone gives none.", [A, B], usable=[h.first], secrets=B)

h = History("epoch_known_keys")
h.add(A, B)
_, e = h.epoch(A, [A, B], committed=[b"\xff" * 32] * 3)
expect(h, "An epoch whose boxes have other keys than its commitments gives none.", [A, B], usable=[e], secrets=B)

h = group("epoch_struck_delivery", B, C)
before = list(h.order)
h.remove(A, B)
h.fails(h.deliver(B, B, [(h.first, h.first.boxes(B))], before), "statement_removed")
expect(h, "A delivery that does not count makes no opener.", [A, C], former=[(B, 0, 0)], usable=[h.first], secrets=A, keys=all_levels(h.first))

# --- Statements that are refused -------------------------------------------------------------------------------------


def refused(failure, name, comment, write, *others, members=None):
    history = group("statement_" + name, *others)
    id = write(history)
    history.fails(id, failure)
    expect(history, comment, [A, *others] if members is None else members, usable=[history.first])


def cut(data): return data[:-1]


def raw(kind, content, **more):
    return lambda h: h.write(kind, A, content(h) if callable(content) else content, **more)


SMALL = bytes(32) + B.keys[32:]
NAME = NONE + counted(b"")
refused("statement_too_long", "too_long", "32,769 bytes.", raw(RENAME, A.id + NAME, change=lambda data: data + bytes(32_769 - len(data))))
refused("statement_magic", "magic", "Another magic.", raw(RENAME, A.id + NAME, magic=b"TVSG"))
refused("statement_format", "format_0", "Format 0.", raw(RENAME, A.id + NAME, format=0))
refused("statement_later_format", "format_2", "A later format.", raw(RENAME, A.id + NAME, format=2))
refused("statement_kind", "kind_0", "An unknown kind.", raw(0, b""))
refused("statement_kind", "kind_7", "An unknown kind.", raw(7, b""))
refused("statement_content", "trailing_byte", "A byte after the signature.", raw(RENAME, A.id + NAME, change=lambda data: data + b"\0"))
refused("statement_content", "cut_short", "The last byte is missing.", raw(RENAME, A.id + NAME, change=cut))
refused("statement_content", "clock_too_high", "A clock of 2^63.", raw(RENAME, A.id + NAME, clock=2**63))
refused("statement_content", "seen_nothing", "A rename that had seen nothing.", raw(RENAME, A.id + NAME, seen=[]))
refused("statement_content", "seen_descending", "What was seen does not ascend.",
        lambda h: h.write(RENAME, A, A.id + NAME, [h.rename(A, A, None, b"", [h.order[1]]), h.rename(A, A, None, b"", [h.order[1]])], descending=True))
refused("statement_content", "role_3", "An unknown role.", lambda h: h.add(A, C, role=3))
refused("statement_content", "small_order", "A key of small order.",
        raw(ADD, lambda h: u8(DEVICE) + SMALL + B.sign(b"TVJN" + h.group + u8(DEVICE) + SMALL) + NAME + heads()))
refused("statement_content", "name_without_epoch", "An epoch without a name.", raw(RENAME, A.id + b"\1" * 32 + counted(b"")))
refused("statement_content", "name_257_bytes", "A name that is too long.", raw(RENAME, A.id + b"\1" * 32 + counted(bytes(257))))
refused("statement_content", "heads_of_another", "The last heads of another device.", lambda h: h.remove(A, B, last=[(A.id, 1, b"\1" * 32)]), B)
refused("statement_content", "delivers_nothing", "A delivery without an epoch.", lambda h: h.deliver(A, B, []), B)
refused("statement_content", "epoch_of_another_group", "The statement of an epoch of another group.",
        raw(EPOCH, lambda h: counted(EpochKeys("foreign", b"\1" * 16, [A]).data)))
refused("statement_content", "create_with_group", "A first statement that names a group.",
        lambda h: h.write(CREATE, B, B.keys, [], introduction=NONE, group=h.group))
refused("statement_group", "another_group", "A statement of another group.", raw(RENAME, A.id + NAME, group=b"\x11" * 16))
refused("statement_group", "second_create", "The first statement of another group.",
        lambda h: h.write(CREATE, B, B.keys, [], introduction=NONE, group=NO_ID))
refused("statement_author", "introduction_of_another", "A names the introduction of B.", lambda h: h.write(RENAME, A, A.id + NAME,
        introduction=h.introductions[B.id]), B)
refused("statement_author", "introduction_unseen", "B had not seen how it became a member.",
        lambda h: h.write(RENAME, B, B.id + NAME, [h.create]), B)
refused("statement_author", "stranger", "Somebody who was never added, such as the folder's owner.",
        lambda h: h.write(ADD, STRANGER, u8(DEVICE) + C.keys + C.sign(b"TVJN" + h.group + u8(DEVICE) + C.keys) + NAME + heads(), introduction=h.create))
refused("statement_signature", "signature_of_another", "B signs in the name of A.", lambda h: h.add(A, C, signer=B), B)
refused("statement_consent", "consent_of_another_group", "The newcomer consented to another group.",
        lambda h: h.add(A, C, consent=b"TVJN" + b"\x11" * 16 + u8(DEVICE) + C.keys))
refused("statement_consent", "consent_of_another_role", "The newcomer consented to be a recovery member.",
        lambda h: h.add(A, C, consent=b"TVJN" + h.group + u8(RECOVERY) + C.keys))
refused("statement_member", "rename_of_a_stranger", "A name for one who was not added.", raw(RENAME, STRANGER.id + NAME))
refused("statement_member", "remove_of_a_stranger", "The removal of one who was not added.", raw(REMOVE, STRANGER.id + heads()))
refused("statement_member", "epoch_for_a_stranger", "An epoch for one who was not added.", lambda h: h.epoch(A, [A, STRANGER], name="2")[0])
refused("statement_member", "deliver_to_a_stranger", "Keys for one who was not added.",
        lambda h: h.deliver(A, STRANGER, [(h.first, h.first.boxes(STRANGER))]))


def segment_key_signs(h):
    """A thief of a locked machine has the keys of the list alone."""
    thief = Member("A")
    thief.pairs[2] = thief.pairs[0]
    return h.add(A, C, signer=thief)


refused("statement_signature", "signature_of_segment_key", "The segment key of the list signs an addition.", segment_key_signs)

h = group("statement_seen_missing")
gone = h.rename(A, A, None, b"")
h.fails(h.rename(A, A, None, b""), "statement_seen")
del h.data[gone]
expect(h, "A statement whose past is missing.", [A], usable=[h.first])

h = group("statement_seen_invalid")
wrong = h.fails(h.rename(A, STRANGER, None, b""), "statement_member")
h.fails(h.rename(A, A, None, b"", [wrong]), "statement_seen")
expect(h, "A statement whose past is not valid.", [A], usable=[h.first])

# --- Section 11: joining ---------------------------------------------------------------------------------------------


def joining(name, comment, expected, *, version=1, role=DEVICE, exchange=None, opened=None, value=None, consent=None, change=lambda messages: messages):
    source = Source("joining " + name)
    group_, create, own = source(16), source(32), source(16)
    values = source(32), source(32)
    head = b"TVJM" + u32(version) + group_
    commitment = hash_(32, b"", b"TVJC", u32(1), u8(DEVICE), B.keys, values[0])
    opener = opened or B
    signed = opener.sign(b"TVJN" + (consent or group_) + u8(DEVICE) + opener.keys)
    messages = change([
        head + own + u8(1) + commitment, head + own + u8(2) + A.keys + create + values[1],
        head + (exchange or own) + u8(3) + u8(role) + opener.keys + signed + (value or values[0])])
    lines = ["comment: " + comment, "kind: joining", "expect: " + expected, "group: " + group_.hex()]
    lines += ["message: " + message.hex() for message in messages]
    if expected == "joins":
        digits = hash_(32, b"", b"TVJH", u32(1), group_, create, b"new device", B.keys, b"member", A.keys, commitment, *values)
        lines += ["digits: " + " ".join(f"{int.from_bytes(digits[at:at + 8], 'little') % 1_000_000:06}" for at in (0, 8))]
    VECTORS["joining_" + name] = "\n".join(lines) + "\n"


joining("right", "The three messages, and the digits.", "joins")
for number in range(3):
    joining(f"again_{number}", "Other keys would give other digits; these have other values.", "joins")
joining("version_0", "Version 0.", "message", version=0)
joining("version_2", "A later version.", "later_version", version=2)
joining("role_recovery", "A recovery member does not join by digits.", "message", role=RECOVERY)
joining("another_exchange", "The opening of another exchange.", "message", exchange=b"\1" * 16)
joining("other_keys", "The opened keys are not those of the commitment.", "commitment", opened=C)
joining("other_value", "The opened value is not that of the commitment.", "commitment", value=b"\1" * 32)
joining("other_consent", "The new device consented to another group.", "consent", consent=b"\1" * 16)
joining("cut_short", "The last byte of the opening is missing.", "message", change=lambda each: [*each[:2], each[2][:-1]])
joining("trailing_byte", "A byte after the answer.", "message", change=lambda each: [each[0], each[1] + b"\0", each[2]])
joining("number_4", "An unknown number.", "message", change=lambda each: [each[0][:40] + u8(4) + each[0][41:], *each[1:]])
joining("small_order", "A key of small order in the answer.", "message", change=lambda each: [each[0], each[1][:41] + bytes(32) + each[1][73:], each[2]])

# --- Section 12: recovery, and heads to compare ----------------------------------------------------------------------


def recovery(name, comment, expected, *, member=R, parts=None, code=None, place=None, change=lambda blob: blob):
    source = Source("recovery " + name)
    group_, own = source(16), source(32)
    id = (place or member).id
    key = hash_(32, own, b"TVRB", group_, id)
    plaintext = b"".join(member.part(level) for level in (parts or range(3)))
    blob = change(b"TVRM" + u32(1) + group_ + id + seal(source, key, plaintext, context(15, group_, id)))
    lines = ["comment: " + comment, "kind: recovery", "expect: " + expected, "code: " + recovery_text(code or own), "blob: " + blob.hex()]
    if expected == "opens":
        lines += ["secrets: " + member.part(level).hex() for level in range(3)]
    VECTORS["recovery_" + name] = "\n".join(lines) + "\n"


recovery("blob", "The keys of a recovery member.", "opens")
recovery("another_code", "Another code.", "nothing", code=b"\1" * 32)
recovery("of_another_member", "The keys are not those of the member.", "nothing", place=A)
recovery("levels_exchanged", "The keys of two levels are exchanged.", "nothing", parts=(1, 0, 2))
recovery("changed", "A changed byte.", "nothing", change=lambda blob: blob[:-1] + bytes([blob[-1] ^ 1]))
recovery("format_2", "A later format.", "nothing", change=lambda blob: blob[:4] + u32(2) + blob[8:])
recovery("trailing_byte", "A byte after the seal.", "nothing", change=lambda blob: blob + b"\0")


def compared(name, comment, *entries):
    encoded = heads(*entries)
    words = hash_(64, b"", b"TVHC", b"\x10" * 16, encoded)
    numbers = [int.from_bytes(words[at:at + 8], "little") % 7_776 for at in range(0, 64, 8)]
    lines = ["comment: " + comment, "kind: heads", "group: " + (b"\x10" * 16).hex()]
    lines += [f"head: {device.hex()} {number} {hash__.hex()}" for device, number, hash__ in sorted(entries)]
    VECTORS["heads_" + name] = "\n".join([*lines, "below: 7776", "numbers: " + " ".join(map(str, numbers))]) + "\n"


compared("none", "No heads.")
compared("two", "The heads of two devices.", (A.id, 1, b"\1" * 32), (B.id, 2**40, b"\2" * 32))

sys.exit(vector_files.main(HERE / "Members", VECTORS, __doc__))

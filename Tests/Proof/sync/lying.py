"""The owner of the folder changes, repeats, reorders, cuts, withholds and puts back what is in it, and files of other kinds.

Each time the other device has its earlier state or that of the first one, never another; the problem has a name; and with the right files both agree.
"""

import json
import os
import pathlib
import random
import shutil
import sys
import time
from secrets import token_bytes

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import not_run  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from support.sync_homes import Pair, view  # noqa: E402
from sync.forging import Forger, put_statement, stolen  # noqa: E402
from syncformat.folder import Chain  # noqa: E402
from syncformat.keys import LIST, UNLOCKED, VERIFIED, NewMember, secrets_chain  # noqa: E402
from syncformat.statements import ADD, DEVICE, NO_NAME, REMOVE, RENAME, add_content  # noqa: E402
from syncformat.statements import encode as encode_statement  # noqa: E402
from syncformat.values import encoded_heads  # noqa: E402
from vaultformat.primitives import hash  # noqa: E402

UNREADABLE = {"change_incomplete"}


class Scene:
    def __init__(self, pair):
        self.pair, self.tries, self.numbers = pair, 0, 0
        self.named = set()

    def change(self, count=1):
        """Changes of the first device, which are in the folder. The numbers of its newest segments, by chain."""
        first = self.pair.first
        for _ in range(count):
            self.numbers += 1
            first.save(f"service{self.numbers}.example", f"value {self.numbers}")
            first.add(f"task {self.numbers}")
            first.sync()
        device = stolen(self.pair, first, LIST).secrets[LIST].device
        return [self.path(chain) for chain in (device, secrets_chain(device))]

    def path(self, chain):
        folder = pathlib.Path(self.pair.group) / chain.hex()
        return folder / str(max(int(name) for name in os.listdir(folder) if name.isdigit()))

    def attack(self, what, body, names=UNREADABLE, count=1, heard=True):
        """`body` gets the newest segments of the first device. `names` are the problems that there may be; none without any."""
        second = self.pair.second
        before = view(second)
        newest = self.change(count)
        right = self.pair.copy()
        body(*newest)
        report = second.sync(code=None)
        found = {problem["code"] for problem in report.get("problems", [])} | {report.get("code")} - {None}
        after = view(second)
        # A prefix of each chain may have come.
        first = view(self.pair.first)
        assert all(old <= new <= own for old, new, own in zip(before, after, first)), (what, before, after)
        assert not heard or after != first, what
        assert found <= names | {"needs_other", "keys_missing"} and (found or not names), (what, found, names)
        self.named |= found
        self.pair.put(right)
        shutil.rmtree(right)
        second.sync()
        self.pair.first.sync()
        assert view(second) == view(self.pair.first), (what, view(second), view(self.pair.first))
        self.tries += 1


def each(paths, change):
    for path in paths:
        data = path.read_bytes()
        path.unlink()
        change(path, data)


def changed(at):
    return lambda *paths: each(paths, lambda path, data: path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:] if at != -1 else
                                                                           data[:-1] + bytes([data[-1] ^ 1])))


def cut(size):
    return lambda *paths: each(paths, lambda path, data: path.write_bytes(data[:size] if size else b""))


def before(path):
    return path.with_name(str(int(path.name) - 1))


def swapped(*paths):
    for path in paths:
        earlier, later = before(path).read_bytes(), path.read_bytes()
        path.write_bytes(earlier)
        before(path).write_bytes(later)


def bodies_exchanged(*paths):
    for path in paths:
        earlier, later = before(path).read_bytes(), path.read_bytes()
        path.write_bytes(later[:113] + earlier[113:])


def chains_exchanged(first, second):
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)


def sparse(path, _):
    with open(path, "wb") as file:
        file.truncate(1 << 30)


def changes(scene):
    # Each field of the prefix, the body and the signature.
    for name, at in (("magic", 0), ("format", 4), ("kind", 8), ("group", 9), ("device", 25), ("number", 41), ("previous", 49), ("epoch", 81), ("body", 130),
                     ("signature", -1)):
        scene.attack(f"one bit of {name}", changed(at))
    for size in (0, 1, 112, 176, 177, -1):
        scene.attack(f"cut to {size}", cut(size))
    scene.attack("one byte more", lambda *paths: each(paths, lambda path, data: path.write_bytes(data + b"\0")))
    scene.attack("a file of 1 GiB", lambda *paths: each(paths, sparse), {"change_missing", *UNREADABLE, "folder_unusable"})
    scene.attack("a pipe", lambda *paths: each(paths, lambda path, _: os.mkfifo(path)), {"change_missing", *UNREADABLE, "folder_unusable"})
    scene.attack("a folder", lambda *paths: each(paths, lambda path, _: path.mkdir()), {"change_missing", *UNREADABLE, "folder_unusable"})
    scene.attack("a link", lambda *paths: each(paths, lambda path, _: path.symlink_to("/etc/passwd")), {"change_missing", *UNREADABLE, "folder_unusable"})


def places(scene):
    scene.attack("the newest segments exchanged", swapped, count=2)
    scene.attack("bodies exchanged between segments", bodies_exchanged, count=2)
    scene.attack("both chains exchanged", chains_exchanged)
    scene.attack("a segment under the next number, too", lambda *paths: [shutil.copy(path, path.with_name(str(int(path.name) + 1))) for path in paths],
                 UNREADABLE, heard=False)
    scene.attack("a segment repeated in the place of the next", lambda *paths: [shutil.copy(before(path), path) for path in paths], count=2)
    scene.attack("a segment of the middle is missing", lambda *paths: [before(path).unlink() for path in paths], {"change_missing"}, count=2)
    scene.attack("everything of the device is missing", lambda *paths: [shutil.rmtree(path.parent) for path in paths], set())
    scene.attack("the newest are missing", lambda *paths: [path.unlink() for path in paths], set())
    scene.attack("a conflict copy that the author did not sign beside the right one",
                 lambda *paths: [path.with_name(path.name + ".sync-conflict-20260101-000000-ABCDEFG").write_bytes(b"odd") for path in paths], set(), heard=False)
    names = ("0", "01", "18446744073709551615", "-1", "é", "x" * 200)
    scene.attack("foreign names", lambda *paths: [(path.parent / name).write_bytes(b"odd") for path in paths for name in names], set(), heard=False)


def older_folder(scene):
    """The whole folder as it was: nothing that was acknowledged is lost, and the devices put again what they have."""
    pair = scene.pair
    old = pair.copy()
    scene.change(2)
    pair.second.sync()
    pair.second.save("other.example", "of the second")
    pair.second.sync()
    pair.first.sync()
    both = view(pair.first)
    pair.put(old)
    pair.sync()
    assert view(pair.first) == view(pair.second) == both
    scene.tries += 1


def other_group(scene):
    """The folder of other people in the place of the group's: nothing of it is taken, nothing is lost."""
    pair = scene.pair
    both, right = view(pair.first), pair.copy()
    with Pair(joined=False, names=("foreign", "unused")) as other:
        other.first.save("foreign.example", "foreign")
        other.enable()
        for path in pathlib.Path(pair.shared).iterdir():
            shutil.rmtree(path)
        shutil.copytree(other.group, os.path.join(pair.shared, os.path.basename(other.group)))
        pair.sync()
        assert view(pair.first) == view(pair.second) == both
        # Their segments and statements under the name of this group.
        for path in pathlib.Path(other.group).iterdir():
            shutil.copytree(path, os.path.join(pair.group_of(pair.first), path.name), dirs_exist_ok=True)
        pair.sync()
        assert view(pair.first) == view(pair.second) == both
    pair.put(right)
    scene.tries += 2


def branches(scene):
    """Whoever has all keys of the first device writes another history; each device is shown one of them."""
    pair = scene.pair
    scene.change()
    folder = stolen(pair, pair.first, LIST, UNLOCKED, VERIFIED)
    chain = Chain(folder, "list")
    device = folder.secrets[LIST].device
    number, _ = chain.applied[device]
    last = number - 1, chain.hashes[device, number - 1]
    right = pair.copy()
    forger = Forger(folder, last=last)
    forger.put([forger.record(b"\x96" * 16, 1, b"\2"), forger.record(b"\x96" * 16, 32, b"of another branch"), forger.record(b"\x96" * 16, 58, b"yyyyyy")])
    pair.second.sync(code=None)
    assert "of another branch" in pair.second.task_names()
    pair.second.add("answers the branch")
    pair.second.sync()
    # The first one sees what the second wrote after the branch.
    shown = pair.copy()
    pair.put(right)
    for name in os.listdir(pair.group):
        ahead = pathlib.Path(shown, os.path.basename(pair.group), name)
        if ahead.is_dir() and name != device.hex():
            shutil.copytree(ahead, pathlib.Path(pair.group, name), dirs_exist_ok=True)
    found = pair.first.codes()
    assert found & {"sync_forked", "put_back", "sync_cloned"}, found
    assert "answers the branch" not in pair.first.task_names()
    # And the second one the first one's own history.
    pair.first.add("after the branch")
    pair.first.sync(code=None)
    more = pair.second.codes()
    assert more & {"sync_forked", "change_invalid"}, more
    scene.named |= found | more
    scene.tries += 2


def withheld_removal():
    """A third device is removed. One that is not shown it notices that others go on with keys that it lacks; what the removed one writes counts nowhere."""
    with Pair() as pair:
        third = pair.third()
        pair.join(third)
        pair.first.save("shared.example", "for all three")
        pair.sync()
        # The third one writes on with what it knew.
        third.add("written before it knew")
        known = set(pathlib.Path(pair.group, "members").iterdir())
        pair.first.direct("device", "remove", "third", "--yes")
        pair.first.save("later.example", "for two")
        pair.first.sync()
        removal = set(pathlib.Path(pair.group, "members").iterdir()) - known
        hidden = {path: path.read_bytes() for path in removal}
        assert removal
        for path in removal:
            path.unlink()
        state = third.sync(code=None)
        assert "later.example" not in third.entries(), "a removed device has the new keys"
        for path in removal:
            path.unlink(missing_ok=True)
        assert "keys_missing" in pair.second.codes(), "a withheld removal is not noticed"
        assert "later.example" not in pair.second.entries()
        for path, data in hidden.items():
            path.write_bytes(data)
        pair.first.sync()
        pair.second.sync()
        assert pair.second.value("later.example") == "for two"
        names = pair.first.task_names(), state.get("code")
        # The removed device knows now, and what it writes from now on is replayed by the folder.
        assert third.sync(code=None)["code"] == "device_removed"
        folder = stolen(pair, third, LIST, UNLOCKED, VERIFIED)
        for chain, level, number in (("list", LIST, 32), ("secrets", UNLOCKED, 18)):
            forger = Forger(folder, chain)
            forger.put([forger.record(b"\x95" * 16, 1, bytes([2 - level])), forger.record(b"\x95" * 16, number, b"from the removed one", level=level)])
        pair.sync(pair.first, pair.second)
        folder = stolen(pair, third, LIST, UNLOCKED, VERIFIED)
        own, (other, *_) = folder.secrets[LIST].device, folder.group.members
        introduction = next(each.id for each in folder.group.valid.values() if each.introduced == own)
        for kind, content in ((ADD, add_content(NewMember.random(), DEVICE, folder.id)), (REMOVE, other + encoded_heads({})), (RENAME, other + NO_NAME.encoded)):
            put_statement(folder, kind, own, introduction, content, folder.secrets[VERIFIED].seed)
        pair.sync(pair.first, pair.second)
        for home in (pair.first, pair.second):
            assert "from the removed one" not in home.task_names(), names
            assert {device["name"] for device in home.json("device", "list")["devices"]} == {"first", "second"}
    return 7


def formats(scene):
    """Formats that do not exist, and a chain that begins anew, signed as they should be."""
    pair = scene.pair
    for format in (0, 2, 2**32 - 1):
        folder = stolen(pair, pair.first, LIST)
        forger = Forger(folder)
        path = forger.put([forger.record(b"\x94" * 16, 1, b"\2"), forger.record(b"\x94" * 16, 32, b"of another format")], format=format)
        found = pair.second.codes()
        assert found & UNREADABLE and "of another format" not in pair.second.task_names(), found
        path.unlink()
        scene.tries += 1
    folder = stolen(pair, pair.first, LIST)
    forger = Forger(folder, last=(0, bytes(32)))
    right = pair.copy()
    path = forger.put([forger.record(b"\x94" * 16, 1, b"\2"), forger.record(b"\x94" * 16, 32, b"of a chain that begins anew")])
    for other in path.parent.iterdir():
        if other != path:
            other.unlink()
    pair.second.sync(code=None)
    assert "of a chain that begins anew" not in pair.second.task_names()
    pair.put(right)
    scene.tries += 1


def contents(scene):
    """Parts of files that are cut, changed, exchanged or withheld. Nothing of them is given out; the right ones are put again."""
    pair, first, second = scene.pair, scene.pair.first, scene.pair.second
    box = pathlib.Path(pair.group, "files")

    def exchanged(parts, others):
        one, other = parts[0].read_bytes(), parts[1].read_bytes()
        parts[0].write_bytes(other)
        parts[1].write_bytes(one)

    attacks = {
        "one bit": lambda parts, _: changed(100)(*parts), "cut": lambda parts, _: cut(-1)(*parts), "emptied": lambda parts, _: cut(0)(*parts),
        "one byte more": lambda parts, _: each(parts, lambda path, data: path.write_bytes(data + b"\0")), "exchanged": exchanged,
        "of another file": lambda parts, others: each(parts[:1], lambda path, _: shutil.copy(others[0], path)),
        "withheld": lambda parts, _: [path.unlink() for path in parts]}
    others = []
    for what, attack in {"nothing": lambda *_: None, **attacks}.items():
        before, data = set(box.glob("*-*")), random.randbytes(1_300_000)
        name = what.replace(" ", "-") + ".bin"
        first.direct("file", "add", "-", "--name", name, data=data)
        pair.sync()
        parts = sorted(set(box.glob("*-*")) - before)
        assert len(parts) == 2, parts
        attack(parts, others)
        others = parts
        found = second.direct("file", "get", name, "--output", "-", code=None)
        if what == "nothing":
            assert found.stdout == data
            print("control: the unchanged parts of a file are its content")
            continue
        assert found.returncode and not found.stdout, (what, found)
        scene.named.add(json.loads(second.direct("file", "get", name, "--output", "-", "--json", code=None).stderr)["code"])
        # Each attempt finds one part that is wrong, and deletes it.
        for _ in parts:
            first.sync()
            found = second.direct("file", "get", name, "--output", "-", code=None)
            assert found.returncode or found.stdout == data, what
        assert found.stdout == data, (what, found)
        scene.tries += 1


def costs(scene):
    """Thousands of files that cost work: statements in the name of a member with wrong signatures, messages, copies. A round still ends soon, and
    nothing of them is kept or put again."""
    pair, second = scene.pair, scene.pair.second
    folder = stolen(pair, pair.first, LIST)
    author, group = folder.secrets[LIST].device, pathlib.Path(pair.group)
    create = folder.group.introductions[author]
    kept = pathlib.Path(second.sync_folder, "statements")
    statements, path = set(os.listdir(kept)), scene.path(author)
    for area in ("mailbox", "recovery"):
        (group / area).mkdir(exist_ok=True)
    false = []
    for number in range(2_000):
        data = encode_statement(RENAME, folder.id, author, create.id, create.clock + number, [create.id],
                                author + NO_NAME.encoded, token_bytes(32))
        false.append(group / "members" / hash(32, b"", data).hex())
        false[-1].write_bytes(data)
        for area, name in (("mailbox", f"{token_bytes(16).hex()}-1"), ("recovery", token_bytes(16).hex())):
            false.append(group / area / name)
            false[-1].write_bytes(token_bytes(64))
        false.append(path.with_name(f"{path.name}.sync-conflict-20260101-000000-{number:07}"))
        false[-1].write_bytes(token_bytes(64))
    start = time.monotonic()
    second.sync(code=None)
    took = time.monotonic() - start
    assert set(os.listdir(kept)) == statements, "statements that nobody signed are kept"
    for each_ in false:
        each_.unlink(missing_ok=True)
    scene.change()
    second.sync()
    assert view(second) == view(pair.first)
    assert not [each_ for each_ in false if each_.exists()], "they are put again"
    # What a member signed is kept.
    pair.first.direct("device", "rename", "first", "renamed")
    second.sync()
    assert len(os.listdir(kept)) == len(statements) + 1
    pair.first.direct("device", "rename", "renamed", "first")
    second.sync()
    assert took < 20, took
    print(f"control: a statement that a member signed is kept; {len(false):,} false files made a round of {took:.1f} s")
    scene.tries += 1


def main(only=""):
    """`only` is the name of one of the groups."""
    with Pair() as pair:
        pair.sync()
        scene = Scene(pair)
        scene.attack("nothing", lambda *_: None, set(), heard=False)
        print("control: the same change without an attack arrives")
        for group in (changes, places, older_folder, other_group, contents, costs, formats, branches):
            if only in ("", group.__name__):
                group(scene)
    scene.tries += withheld_removal()
    print(f"proof: attacks={scene.tries} names={len(scene.named)}")
    print("named: " + ", ".join(sorted(scene.named)))


main(*(word for word in sys.argv[1:] if word != "server"))

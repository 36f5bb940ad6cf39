"""Who has the disk of a locked machine, or the keys of an agent that is not verified, and writes in the name of its device.

The other device syncs with all its keys after each attempt.
"""

import base64
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import not_run, random_text  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from support.sync_homes import Pair  # noqa: E402
from sync.forging import Forger, put_statement, stolen  # noqa: E402
from syncformat.keys import LIST, UNLOCKED, VERIFIED, NewMember, box, encode_epoch, place, secrets_chain, signing_key  # noqa: E402
from syncformat.segments import Segment, context  # noqa: E402
from syncformat.statements import ADD, DELIVER, DEVICE, EPOCH, RECOVERY, REMOVE, add_content  # noqa: E402
from syncformat.values import encoded_heads  # noqa: E402
from vaultformat.encoding import sized, u32  # noqa: E402
from vaultformat.primitives import seal  # noqa: E402

TASK_TEXT, VALUE = random_text(), random_text()
KNOWN = [b"\x11" * 32, b"\x22" * 32, b"\x33" * 32]


def in_the_open(home):
    """Files of the list and of a locked machine's records, in which there is protected text."""
    names = [path for folder in (home.path, home.sync_folder) for path in pathlib.Path(folder).iterdir() if path.is_file()]
    return [path.name for path in names if any(word.encode() in path.read_bytes() for word in (TASK_TEXT, VALUE))]


class Scene:
    """Two devices with a protected task and a protected secret. The first one's keys are stolen."""

    def __init__(self, pair):
        self.pair, self.tries = pair, 0
        pair.first.direct("task", "add", "--protected", data=TASK_TEXT.encode() + b"\n")
        pair.first.save("bank.example", VALUE, "--class", "after-verification")
        pair.first.save("mail.example", "hunter2")
        pair.sync()

    def stolen(self, *levels):
        return stolen(self.pair, self.pair.first, *levels)

    def holds(self, what):
        """The other device syncs, and has what it had."""
        second = self.pair.second
        report = second.sync(code=None)
        devices = {device["name"] for device in second.json("device", "list")["devices"]}
        assert devices == {"first", "second"}, (what, devices)
        (task,) = [each for each in second.tasks("--reveal") if each["name"] == TASK_TEXT]
        assert task["protected"], what
        assert second.entries().keys() == {"bank.example", "mail.example"}, (what, second.entries())
        assert second.entries()["bank.example"]["class"] == "after-verification", what
        assert (second.value("bank.example"), second.value("mail.example")) == (VALUE, "hunter2"), what
        assert not in_the_open(second), (what, in_the_open(second))
        second.sync(code=None)
        self.nothing_readable(what)
        self.tries += 1
        return {problem["code"] for problem in report.get("problems", [])}

    def nothing_readable(self, what):
        """Without the keys of the third level, nothing in the folder shows protected text."""
        folder = self.stolen(LIST, UNLOCKED)
        for chain in ("list", "secrets"):
            for record in folder.records(chain).values():
                assert TASK_TEXT.encode() not in record.content and VALUE.encode() not in record.content, (what, record.number)


def statements(scene):
    """Statements by the folder's owner, the thief of a locked disk, and an agent that is not verified."""
    folder = scene.stolen(LIST, UNLOCKED)
    author, introduction = folder.secrets[LIST].device, folder.group.introductions[folder.secrets[LIST].device].id
    newcomer, owner = NewMember.random(), NewMember.random()
    victim = next(each for each in folder.group.members if each != author)
    members = {device: folder.group.keys(device) for device in folder.group.members}
    known = encode_epoch(folder.id, b"\x44" * 32, KNOWN, members)
    newest = folder.group.epochs[folder.group.usable[0]]
    boxes = b"".join(box(members[victim][32 * level:32 * level + 32], place(folder.id, newest.value, level, victim) + KNOWN[level]) for level in range(3))
    contents = {
        "a device": (ADD, add_content(newcomer, DEVICE, folder.id)), "a recovery member": (ADD, add_content(newcomer, RECOVERY, folder.id)),
        "a removal": (REMOVE, victim + encoded_heads({})), "an epoch with known keys": (EPOCH, sized(known)),
        "known keys delivered": (DELIVER, victim + u32(1) + newest.id + boxes)}
    signers = {"the folder's owner": owner.parts[VERIFIED][1], "a stolen disk": folder.secrets[LIST].seed, "an unverified agent": folder.secrets[UNLOCKED].seed}
    for who, seed in signers.items():
        for what, (kind, content) in contents.items():
            path = put_statement(folder, kind, author, introduction, content, seed)
            scene.holds(f"{what} by {who}")
            path.unlink(missing_ok=True)
            # Its own keys in its own name.
            if who == "the folder's owner":
                put_statement(folder, kind, owner.id, introduction, content, seed)
                scene.holds(f"{what} by a stranger")


def parts(scene):
    """Parts for U and V that were sealed with the keys of lower levels, or with known ones."""
    object_ = protected(scene.stolen(LIST, UNLOCKED), "list")
    for name, key in (("L", None), ("known", KNOWN[0])):
        forger = Forger(scene.stolen(LIST))
        keys = scene.stolen(LIST).keys
        key = key or next(iter(keys.values()))[LIST]
        record = forger.record(object_, 32, b"forged", level=VERIFIED)
        prefix = prefix_of(forger)
        names = u32(0) + u32(1) + record.name
        ready = seal(key, names, context(prefix, UNLOCKED)), seal(key, b"", context(prefix, VERIFIED))
        forger.put([], parts=ready)
        assert "sync_part_ignored" in scene.holds(f"parts under {name}")


def moved_parts(scene):
    """The parts of an earlier segment, which are rightly sealed, in a new one: values of one time, or of one entry, in the place of another's."""
    folder = scene.stolen(LIST)
    chain = secrets_chain(folder.secrets[LIST].device)
    keys = folder.group.keys(folder.secrets[LIST].device)
    for path in sorted((folder.path / chain.hex()).iterdir()):
        if path.name.isdigit() and len(path.name) < 20:
            segment = Segment.decode(path.read_bytes(), folder.id, (chain, int(path.name)), signing_key(keys, UNLOCKED))
            if all(ready := segment.parts(folder.keys[segment.epoch])):
                break
    else:
        raise AssertionError("no segment has both parts")
    forger = Forger(scene.stolen(LIST, UNLOCKED), "secrets")
    forger.put([], parts=ready)
    assert "sync_part_ignored" in scene.holds("parts of another segment")


def prefix_of(forger):
    epoch = forger.folder.group.sealing(forger.folder.keys)
    return b"TVSG" + u32(1) + b"\1" + forger.folder.id + forger.device + forger.dot[1].to_bytes(8, "little") + forger.previous + epoch


def protected(folder, chain):
    """The protected object of a chain. What it is called does not matter."""
    (found,) = [each for each in folder.objects(chain) if each.is_protected]
    return found.id


def records(scene):
    """Records that are signed and sealed as they should be, at the level of the stolen keys."""
    folder = scene.stolen(LIST)
    task = protected(folder, "list")
    item = protected(scene.stolen(LIST, UNLOCKED), "secrets")
    name = b"".join(sized(each) for each in (b"mail.example", b"ada", b"password"))
    new = b"\x99" * 16
    forge(scene, "the end of a task's protection", [(task, 6, b"\0")])
    forge(scene, "an item among the tasks, in the open", [(new, 1, b"\1"), (new, 17, name), (new, 16, b"forged")])
    forge(scene, "an alias of a protected task", [(task, 4, b"", new), (new, 4, b"", task)])
    forge(scene, "the end of a secret's protection", [(item, 6, b"\0")], "secrets")
    reserved = b"".join(sized(each) for each in (b"taskvault.sync", folder.secrets[LIST].device.hex().encode(), b"verified"))
    forge(scene, "an item of a reserved service", [(b"\x98" * 16, 1, b"\1"), (b"\x98" * 16, 17, reserved), (b"\x98" * 16, 16, b"known keys")], "secrets")
    # Only the keys of the list: the segment of the secrets has a wrong signature.
    thief = scene.stolen(LIST, UNLOCKED)
    forger = Forger(thief, "secrets")
    path = forger.put([forger.record(item, 18, b"stolen", level=UNLOCKED)], seed=thief.secrets[LIST].seed)
    assert "change_incomplete" in scene.holds("a change of secrets signed by the key of the list")
    path.unlink()


def in_front(scene):
    """A text and a value in the open, by one who had seen that both are protected. They are shown, marked, and the right ones are earlier ones."""
    second = scene.pair.second
    for chain, number, level in (("list", 32, LIST), ("secrets", 16, UNLOCKED)):
        forger = Forger(scene.stolen(LIST, UNLOCKED), chain)
        forger.put([forger.record(protected(scene.stolen(LIST, UNLOCKED), chain), number, b"in front", level=level)])
        second.sync()
        scene.tries += 1
    (task,) = [each for each in second.tasks("--reveal") if each["name"] == "in front"]
    assert task["protected"] and task["concurrent"] and len(second.json("task", "history", task["id"])) == 1, task
    entry = second.entries()["bank.example"]
    assert entry["concurrent"] and entry["class"] == "after-verification", entry
    earlier = [base64.b64decode(each["value_base64"]).decode() for each in second.json("secret", "history", "bank.example", "ada", "--show")]
    assert earlier == [VALUE], earlier


def forge(scene, what, fields, chain="list"):
    forger = Forger(scene.stolen(LIST, UNLOCKED), chain)
    level = LIST if chain == "list" else UNLOCKED
    forger.put([forger.record(object_, number, content, *detail, level=level) for object_, number, content, *detail in fields])
    scene.holds(what)


def controls(scene):
    """What the stolen keys can do, and the same statement with the key of the third level."""
    forger = Forger(scene.stolen(LIST))
    new = b"\x97" * 16
    forger.put([forger.record(new, 1, b"\2"), forger.record(new, 32, b"from the thief"), forger.record(new, 58, b"zzzzzz")])
    scene.pair.second.sync()
    assert "from the thief" in scene.pair.second.task_names(), scene.pair.second.task_names()
    forger = Forger(scene.stolen(LIST, UNLOCKED, VERIFIED))
    task = protected(scene.stolen(LIST), "list")
    forger.put([forger.record(task, 6, b"\0", level=VERIFIED)])
    scene.pair.second.sync()
    assert not any(each["protected"] for each in scene.pair.second.tasks("--reveal")), "the keys of all levels end protection"
    folder = scene.stolen(LIST, UNLOCKED, VERIFIED)
    author = folder.secrets[LIST].device
    for format in (0, 2, 2**32 - 1):
        put_statement(folder, ADD, author, folder.group.introductions[author].id, add_content(NewMember.random(), DEVICE, folder.id),
                      folder.secrets[VERIFIED].seed, format)
        scene.pair.second.sync(code=None)
        assert len(scene.pair.second.json("device", "list")["devices"]) == 2, format
        scene.tries += 1
    put_statement(folder, ADD, author, folder.group.introductions[author].id, add_content(NewMember.random(), DEVICE, folder.id),
                  folder.secrets[VERIFIED].seed)
    scene.pair.second.sync()
    assert len(scene.pair.second.json("device", "list")["devices"]) == 3
    print("control: a task of the thief's own arrives; with the keys of the third level protection ends and a device is added")


def main():
    with Pair() as pair:
        scene = Scene(pair)
        statements(scene)
        parts(scene)
        moved_parts(scene)
        records(scene)
        in_front(scene)
        controls(scene)
        print(f"proof: attempts={scene.tries}")


main()

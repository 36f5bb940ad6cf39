"""A reader in Python, written from Docs/Sync.md, and two homes: each of the three has the same secrets, files and list.

It gets the folder and the keys of one home, and nothing of the stores of either. Another one, written from Docs/Storage.md and Docs/Format.md, reads the
list of each home in its file.
"""

import base64
import datetime
import json
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import not_run  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from support.sync_homes import Pair  # noqa: E402
from syncformat import contents, merging, vectors  # noqa: E402
from syncformat.folder import Folder  # noqa: E402
from syncformat.home import read_device  # noqa: E402
from vaultformat import task_list  # noqa: E402
from vaultformat.file import read_records  # noqa: E402
from vaultformat.passphrase import Passphrase  # noqa: E402
from vaultformat.vault import Vault  # noqa: E402


def reader(pair, home):
    device = read_device(home.sync_folder, home.vault, Passphrase(home.passphrase.encode()))
    return Folder(pair.shared, device.group, device.secrets)


def of_home(home):
    """What its commands say, in the form of `contents`."""
    listed = {(entry["service"], entry["account"]): entry for entry in home.json("secret", "list")}
    secrets = {}
    for item in json.loads(home.direct("secret", "export").stdout)["items"]:
        entry = listed[item["service"], item["account"]]
        secrets[item["service"], item["account"], item["field"]] = {
            "label": item["label"], "class": item["class"], "concurrent": entry["concurrent"], "value": base64.b64decode(item["value_base64"])}
    tasks = {}
    for task in home.tasks("--reveal"):
        tasks[task["id"]] = {
            **{name: task[name] for name in ("name", "notes", "protected", "done", "list", "priority", "concurrent")}, "tags": sorted(task["tags"]),
            "subtasks": [(each["name"], each["done"]) for each in task["subtasks"]], "due": due(task["due"])}
    files = {each["name"]: {"class": "after-verification" if each["protected"] else "while-unlocked",
                             "content": home.direct("file", "get", each["name"], "--output", "-").stdout} for each in home.json("file", "list")}
    return secrets, tasks, files


def due(text):
    """A day is the odd number before its end; a time twice its milliseconds."""
    if text is None:
        return None
    if len(text) == 10:
        return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days * contents.UNTIL_DAY_ENDS + contents.UNTIL_DAY_ENDS - 1
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 2000)


def of_reader(folder):
    objects = list(folder.objects("secrets"))
    secrets = contents.secrets(objects)
    for each in secrets.values():
        each.pop("attributes")
    return secrets, contents.tasks(folder.objects("list")), contents.files(objects, folder)


def of_file(home):
    """The list by its file; and the machine knows its head."""
    path = pathlib.Path(home.vault).with_name("tasks.db")
    records = pathlib.Path(home.sync_folder).parents[1] / "rollback"
    assert task_list.head(path) == task_list.recorded_head(path, records), task_list.head(path)
    return task_list.tasks(path, Vault(read_records(pathlib.Path(home.vault)), Passphrase(home.passphrase.encode())))


def compare(pair, stage):
    """Both homes and the reader with the keys of each."""
    views = {home.name: of_home(home) for home in pair.homes}
    views |= {f"reader with keys of {home.name}": of_reader(reader(pair, home)) for home in pair.homes}
    for home in pair.homes:
        listed = {key: {name: value for name, value in task.items() if name != "concurrent"} for key, task in views[home.name][1].items()}
        assert of_file(home) == listed, f"{stage}: tasks.db of {home.name}: {of_file(home)}, listed {listed}"
    (name, first), *others = views.items()
    for other, view in others:
        for kind, left, right in zip(("secrets", "tasks", "files"), first, view):
            for key in left.keys() | right.keys():
                # A field is marked as a whole entry is.
                assert left.get(key) == right.get(key), f"{stage}: {kind} {key}: {name} {left.get(key)}, {other} {right.get(key)}"
    return sum(map(len, first))


def change(pair):
    """Changes of each row of the table, while the homes are apart."""
    first, second = pair.homes
    first.save("mail.example", "one", "--label", "Mail")
    first.save("bank.example", "very secret", "--class", "after-verification")
    second.save("mail.example", "other", "--label", "Post")
    second.save("wiki.example", "paper")
    milk = first.add("buy milk", "--list", "home", "--tag", "dairy", "--priority", "high", "--due", "2027-03-01")
    plants = first.add("water plants", "--due", "2027-01-02 09:00", "--repeat", "weekly")
    first.direct("task", "subtask", "add", milk, "of oats")
    first.direct("task", "subtask", "add", milk, "of soy")
    first.direct("task", "add", "--protected", data=b"see a doctor\n")
    pair.sync()
    yield "what both made"
    first.direct("file", "add", "-", "--name", "nothing.txt")
    first.direct("file", "add", "-", "--name", "photo.bin", data=random.randbytes(2_500_000))
    second.direct("file", "add", "-", "--name", "letter.txt", "--protected", data=b"a letter")
    pair.sync()
    yield "files"
    first.direct("file", "replace", "photo.bin", "-", "--yes", data=random.randbytes(70_000))
    second.direct("file", "protect", "photo.bin")
    first.direct("file", "remove", "nothing.txt", "--yes")
    pair.sync()
    yield "files that were changed"
    first.update("mail.example", "two")
    second.update("mail.example", "three")
    first.direct("secret", "edit", "wiki.example", "ada", "--class", "after-verification")
    second.direct("secret", "edit", "wiki.example", "ada", "--label", "Wiki")
    first.direct("task", "edit", milk, "--name", "buy milk today")
    second.direct("task", "edit", milk, "--name", "buy much milk", "--tag", "weekend", "--due", "2027-03-05")
    second.direct("task", "subtask", "add", milk, "of rice")
    first.direct("task", "subtask", "done", milk, "1")
    first.direct("task", "done", plants)
    second.direct("task", "done", plants)
    pair.sync()
    yield "changes while apart"
    first.direct("secret", "remove", "wiki.example", "ada", "--yes")
    second.update("wiki.example", "changed after all")
    first.direct("secret", "remove", "bank.example", "ada", "--yes")
    first.direct("task", "remove", milk, "--yes")
    second.direct("task", "edit", milk, "--notes", "of the day")
    bread = second.add("bake bread")
    pair.sync()
    yield "removes against changes"
    first.direct("task", "done", bread)
    first.direct("task", "protect", milk)
    for home in pair.homes:
        home.direct("sync", "seen", "--all")
    first.direct("device", "rename", "second", "laptop")
    pair.sync()
    yield "looked at, done, protected, renamed"
    first.direct("task", "unprotect", milk)
    second.direct("secret", "edit", "wiki.example", "ada", "--class", "while-unlocked")
    pair.sync()
    assert not of_home(first)[0]["wiki.example", "ada", "password"]["class"].startswith("after")
    assert not of_home(second)[1][milk]["protected"]
    yield "protection that ends"
    first.direct("recovery", "show-new")
    third = pair.third()
    pair.join(third)
    third.save("third.example", "three")
    pair.sync()
    yield "a third home"
    first.direct("device", "remove", "third", "--yes")
    pair.homes.pop().__exit__()
    pair.first.save("late.example", "late")
    pair.sync()
    yield "a home that was removed"


def controls(pair):
    """A reader that leaves out one rule, or gets one other byte, has something else."""
    right = of_reader(reader(pair, pair.first))
    rule = merging.Object.is_removed
    merging.Object.is_removed = property(lambda each: bool(each.removes))
    assert of_reader(reader(pair, pair.first)) != right, "removes that beat changes make no difference"
    merging.Object.is_removed = rule
    assert of_reader(reader(pair, pair.first)) == right
    listed = of_file(pair.first)
    task_list.PRIORITIES = task_list.PRIORITIES[::-1]
    assert of_file(pair.first) != listed, "priorities in the other order make no difference"
    folder = reader(pair, pair.first)
    # The newest segment: earlier ones may be in a snapshot, too.
    numbers = (path for path in (folder.path / folder.secrets[0].device.hex()).iterdir() if path.name.isdigit() and len(path.name) < 20)
    path = max(numbers, key=lambda each: int(each.name))
    data = bytearray(path.read_bytes())
    data[150] ^= 1
    path.write_bytes(data)
    assert of_reader(reader(pair, pair.first)) != right, "a changed byte makes no difference"
    return "the reader differs with removes that beat changes, and with one changed byte"


def main():
    answers = vectors.answer_all(pathlib.Path(__file__).resolve().parents[2] / "Vectors")
    wrong = [each for each in answers if each[1] != each[2]]
    assert answers and not wrong, wrong
    compared = stages = 0
    with Pair() as pair:
        for stage in change(pair):
            compared += compare(pair, stage)
            stages += 1
        names = sorted(reader(pair, pair.first).names().values())
        assert names == ["first", "laptop"], names
        print("control: " + controls(pair))
    print(f"proof: vectors={len(answers)} stages={stages} compared={compared}")


main()

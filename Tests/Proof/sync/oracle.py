"""Random histories of the model of sync, whose objects are computed once more by the rules of `../shared/sync-model`, beside the project.

    python3 Tests/Proof/sync/oracle.py [--strict] [FIRST COUNT]

Without numbers it tries 200, from 0. `--strict` fails where the rules are absent. Prints each difference with the seed of its history."""

import copy
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from harness import building  # noqa: E402

RULES = os.path.abspath("../shared/sync-model/rules.py")
# The page wins: done, completions, snooze, reminders that were shown, and of subtasks done and their times bring nothing back. In the model
# they do, and so does the removal of a subtask bring back its task.
NO_CHANGE = {34, 37, 40, 41, 43, 44, 50, 52, 53, 54, 56}
POSITION, SUBTASK_REMOVED = 49, 51
REMOVE, ALIAS, LOOKED, PROTECTION, VALUE, NAME, NOTES = 2, 4, 5, 6, 16, 32, 33
TEXTS, AFTER_VERIFICATION = (VALUE, NAME, NOTES), 2
CONTROL_SEEDS = 10


class Record:
    def __init__(self, line, shown):
        self.number, self.level = line["field"], line["level"]
        self.index, self.past = line["index"], set(line["past"])
        self.s = self.idx = (line["stamp"]["clock"], line["stamp"]["device"])
        self.dev, self.n = line["device"], line["segment"]
        self.key = (line["object"], self.number, line["detail"], self.s)
        self.text = line["content"]
        self.f, self.v = meaning(self.number, line["detail"], bytes.fromhex(self.text), self.text, shown)
        # The page wins: only at the level after verification does a record end protection. In the model a new item of the same name does, too.
        if self.number == PROTECTION and not self.v and self.level < AFTER_VERIFICATION:
            self.f = ("other", self.number, "")


def integer(data):
    return int.from_bytes(data, "little", signed=True)


def stamps(data):
    return [(int.from_bytes(data[at:at + 8], "little"), data[at + 8:at + 24].hex()) for at in range(0, len(data), 24)]


def meaning(number, detail, content, text, shown):
    """Field and value of a record in the words of the model, which has one text of a task: `shown` is the field that takes its place."""
    if number == 36:
        return ("due",), (integer(content[:8]), content[8], content[9:].hex())
    if number == 37:
        value = ("done", integer(content[1:9]), content[9:].hex()) if content[0] else ("undo",)
        return ("comp", integer(bytes.fromhex(detail))), value
    if number == POSITION:
        digits = [content[at:at + 28] for at in range(0, len(content), 28)]
        return ("sub", detail, "pos"), tuple((int.from_bytes(d[:4], "little"), *stamps(d[4:])) for d in digits)
    if number in (NAME, NOTES):
        return (("name",), (text,)) if number == shown else (("text", number), text)
    simple = {
        1: (("life",), "create"), REMOVE: (("life",), "remove"), 3: (("life",), "restore"), ALIAS: (("alias",), detail),
        LOOKED: (("looked",), stamps(content) if number == LOOKED else None), PROTECTION: (("class",), content == b"\1"),
        VALUE: (("val",), (text,)), 17: (("name",), text), 18: (("label",), text), 34: (("done",), content == b"\1"),
        35: (("list",), text), 38: (("tag", detail), content == b"\1"),
        50: (("sub", detail, "done"), content == b"\1"), 51: (("sub", detail, "life"), "gone"),
    }
    return simple.get(number, (("other", number, detail), text))


def knows(later, earlier):
    """Whether the author of a record really had another one."""
    same = later.dev == earlier.dev and (earlier.n, earlier.s) <= (later.n, later.s)
    return later is earlier or earlier.index in later.past or same


def computed(model, line, shown=NAME):
    """The records, what the model makes of them, and its life and its subtasks, which are without the records that bring nothing back."""
    records = [Record(each, shown) for each in line["records"]]
    whole = model.compute(records, knows)
    changes = [record for record in records if record.number not in NO_CHANGE]
    life = model.compute([record for record in changes if record.number != SUBTASK_REMOVED], knows)
    if life and "subs" in life:
        life["subs"] = model.compute(changes, knows)["subs"]
    return records, whole, life


def protecting(records):
    """The records that protect: of a task also its protected texts, which the model does not have."""
    is_task = any(record.f == ("due",) for record in records)
    return [r for r in records if r.f == ("class",) and r.v or is_task and r.number in TEXTS and r.level == AFTER_VERIFICATION]


def compare(model, line, compared):
    """What differs between the devices and the model. Adds to the number of comparisons."""
    records, whole, life = computed(model, line)
    if whole is None:
        return []
    is_task = any(record.f == ("due",) for record in records)
    protected = protecting(records)
    # Of a text or value that came in the open by somebody who had seen the protection, the page marks what it replaces; the model does not.
    is_open = any(r.number in TEXTS and r.level < AFTER_VERIFICATION and any(knows(r, p) for p in protected) for r in records)
    removes = [record for record in records if record.v == "remove"]
    known = {r.s for r in records if any(knows(remove, r) for remove in removes)}
    found = []

    def same(what, left, right):
        compared[what] = compared.get(what, 0) + 1
        if left != right:
            found.append(f"seed {line['seed']}: {what} of {line['object'][:6]}: shown {left!r}, the model has {right!r}")

    for state in line["states"]:
        if state is None or not state["alive"] or not life["alive"]:
            # What was removed may be erased by then, in part or whole.
            same("alive", bool(state and state["alive"]), life["alive"])
            continue
        fields = {(field["field"], field["detail"]): field for field in state["fields"]}
        same("alive", True, life["alive"])
        same("returned", state["returned"], life["returned"])
        if all(record.f == ("class",) for record in protected):
            same("protected", state["protected"], whole["class"])
        for name, number in (("name", 17), ("label", 18), ("list", 35), ("done", 34)):
            if (number, "") in fields and (name, is_task) != ("name", True):
                shown = fields[number, ""]["current"]
                same(name, shown == "01" if name == "done" else shown, whole[name])
        for number in ((NAME, NOTES) if is_task else (VALUE,)):
            if (number, "") not in fields:
                continue
            result = computed(model, line, number)[1] if number == NOTES else whole
            field = fields[number, ""]
            same("value", field["current"], result["value"])
            shown = {(e["content"], (e["stamp"]["clock"], e["stamp"]["device"]), e["concurrent"]) for e in field["earlier"]}
            # Values that a remove had seen may be erased on some of the devices.
            mark = (lambda e: e[:2]) if is_open else (lambda e: e)
            kept = {mark(e) for e in result["earlier"] if e[1] not in known}
            same("earlier", sorted({mark(e) for e in shown if e[1] not in known}), sorted(kept))
            same("earlier and known to a remove", sorted({mark(e) for e in shown} - {mark(e) for e in result["earlier"]}), [])
        if is_task:
            # The page wins: positions that no remove of the task has seen rank first. In the model the newest one counts.
            order = sorted if any(r.number == POSITION and r.s in known for r in records) else list
            same("subtasks", order(state["subtasks"]), order(identity for identity, _ in life["subs"]))
            task(same, state, whole)
    return found


def task(same, state, whole):
    # The model has the number of the next occurrence as its date, histories of the product its last byte.
    date = whole["due"] if isinstance(whole["due"], str) else bytes([whole["due"] & 255]).hex()
    same("occurrence", state["occurrence"], whole["occ"])
    same("due", state["due"], date)
    same("completions", state["completions"], sorted(whole["comps"]))
    same("tags", state["tags"], sorted(whole["tags"]))


def histories(first, count, tests="histories"):
    """The objects that the histories of the model make."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        result = subprocess.run(
            [building.BUNDLES["tests"], "--testing-library", "swift-testing", "--filter", f"SyncTests.ModelTests/{tests}"],
            env=dict(os.environ, TASKVAULT_SYNC_EXPORT=file.name, TASKVAULT_SYNC_SEED=str(first), TASKVAULT_SYNC_HISTORIES=str(count)),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        # What the model's own checks say is for histories.py: here only that they ran.
        if not re.search(r"Test run with [1-9]\d* tests? in ", result.stdout):
            sys.exit(result.stdout)
        return [json.loads(line) for line in file]


def changes(line):
    """The same object with one wrong result of its first device each."""
    def changed(change):
        other = copy.deepcopy(line)
        change(other["states"][0])
        return other

    state = line["states"][0]
    if not state or not state["alive"]:
        return
    for name in ("alive", "returned"):
        yield name, changed(lambda s: s.update({name: not s[name]}))
    for at, field in enumerate(state["fields"]):
        if field["field"] in (VALUE, NAME, 17, 35):
            yield f"field {field['field']}", changed(lambda s: s["fields"][at].update(current="00"))
        if field["field"] == VALUE and field["earlier"]:
            yield "mark", changed(lambda s: s["fields"][at]["earlier"][0].update(concurrent=not field["earlier"][0]["concurrent"]))
    if "occurrence" in state:
        yield "occurrence", changed(lambda s: s.update(occurrence=s["occurrence"] + 1))
        yield "completions", changed(lambda s: s["completions"].append(999))
        yield "tags", changed(lambda s: s["tags"].append("ff"))
    if len(state["subtasks"]) > 1 and all(record["field"] != REMOVE for record in line["records"]):
        yield "order", changed(lambda s: s["subtasks"].reverse())


def main(words):
    if not os.path.exists(RULES):
        print(f"not run: {os.path.relpath(RULES)} is absent")
        sys.exit(1 if "--strict" in words else 77)
    place = importlib.util.spec_from_file_location("rules", RULES)
    rules = importlib.util.module_from_spec(place)
    place.loader.exec_module(rules)
    model = rules.Replica.__new__(rules.Replica)
    model.rules, model.lit_marks = "final", set()
    numbers = [int(word) for word in words if word.isdigit()]
    count = numbers[1] if numbers else int(os.environ.get("TASKVAULT_SYNC_HISTORIES") or 200)
    start = numbers[0] if numbers else int(os.environ.get("TASKVAULT_ROUND") or 0) * count
    is_failed, compared, objects, noticed = False, {}, 0, {}
    for first in range(start, start + count, 250):
        part = min(250, start + count - first)
        lines = histories(first, part)
        for line in lines:
            objects += 1
            for difference in compare(model, line, compared):
                is_failed = True
                print(difference, flush=True)
            if first == start and line["seed"] < first + CONTROL_SEEDS:
                for name, wrong in changes(line):
                    if not compare(model, wrong, {}):
                        sys.exit(f"not noticed: {name} of seed {line['seed']}")
                    noticed[name] = noticed.get(name, 0) + 1
        print(f"proof: histories={part}", flush=True)
    print(f"proof: objects={objects} compared={sum(compared.values())}")
    print(", ".join(f"{what} {number}" for what, number in sorted(compared.items())))
    if not objects or len(noticed) < 8:
        sys.exit(f"too little was made: {objects} objects, wrong results {sorted(noticed)}")
    print(f"control: {sum(noticed.values())} wrong results of {len(noticed)} kinds are noticed")
    sys.exit(is_failed)


if not os.path.exists(building.BUNDLES["tests"]):
    building.make("tests")
main(sys.argv[1:])

"""A2, A3, A4, A6: the executable asked for everything in vaults that were damaged

Each of TASKVAULT_DAMAGED_FILES vaults has one damage, of its file, its log or its rows. Then the list, secrets that are there, one that is
not, and the doctor have to say what they said of the sound vault, or end with exit code 7. Nothing else passes: another answer,
another exit code, a signal.
"""

import collections
import json
import os
import random
import shutil
import sqlite3
import sys
import threading

from vault_home import VaultHome
from support.product import amount

QUESTIONS = {
    "list": ["secret", "list", "--json"],
    "small": ["secret", "get", "mail.example", "ada"],
    "large": ["secret", "get", "large", "ada"],
    "missing": ["secret", "get", "missing", "ada", "--json"],
    "doctor": ["doctor", "--json"],
}
PAGE = 4096


def make(home):
    """A vault whose last change lies in its log; the files of it, and what it answers."""
    home.save("mail.example", "ada", b"before")
    home.save("large", "ada", bytes(range(256)) * 12)
    # The first read gives the vault the key of this machine's log of reads. Later ones change nothing.
    home.direct("secret", "get", "large", "ada")
    for number in range(4):
        home.save(f"service {number}", "ada", b"value")
    alone = home.vault.read_bytes()
    # Who is not the last to close a file leaves its log.
    reader = sqlite3.connect(home.vault)
    reader.execute("BEGIN").execute("SELECT count(*) FROM items").fetchall()
    home.direct("secret", "set", "--replace", "mail.example", "ada", data=b"after")
    home.save("service 4", "ada", b"new")
    files = home.vault.read_bytes(), home.log.read_bytes()
    reader.close()
    assert len(files[1]) > PAGE
    return alone, files


class Asker:
    """One thread's home, a copy of the first one's."""

    def __init__(self, home):
        self.home = VaultHome(has_vault=False)
        self.home.write(self.home.secret_file, home.secret_file.read_bytes())
        for name in ("home", "state"):
            shutil.copytree(home.folder / name, self.home.folder / name)

    def put(self, file, log):
        for path in (self.home.vault, self.home.log, self.home.vault.with_name("vault.db-shm"), self.home.vault.with_name("vault.db-journal")):
            path.unlink(missing_ok=True)
        self.home.write(self.home.vault, file)
        if log:
            self.home.write(self.home.log, log)

    def ask(self, file, log, edit=None):
        answers = {}
        for name, words in QUESTIONS.items():
            self.put(file, log)
            if edit:
                edit(self.home.vault)
            result = self.home.direct(*words)
            output = result.stdout
            if name == "doctor" and result.returncode == 0:
                # Its warnings may differ: that a log was left behind is one.
                told = json.loads(output)
                output = f"{told['sound']} {told['sound_items']} {told['problems']}"
            answers[name] = (result.returncode, output, result.stderr)
        return answers


def damaged(data, chance):
    """The bytes with one damage, and its name."""
    kind = chance.choice(["bit"] * 5 + ["zero", "ones", "random", "block", "page", "cut", "cut", "longer"])
    changed = bytearray(data)
    place = chance.randrange(len(data))
    if kind == "bit":
        changed[place] ^= 1 << chance.randrange(8)
    elif kind in ("zero", "ones", "random"):
        changed[place] = {"zero": 0, "ones": 255, "random": chance.randrange(256)}[kind]
    elif kind in ("block", "page"):
        size = 16 if kind == "block" else PAGE
        first, second = (chance.randrange(max(1, len(data) // size)) * size for _ in range(2))
        way = chance.choice(["zeroed", "exchanged", "repeated"])
        if way == "zeroed":
            changed[first:first + size] = bytes(len(changed[first:first + size]))
        else:
            changed[second:second + size] = data[first:first + size]
            if way == "exchanged":
                changed[first:first + size] = data[second:second + size]
        kind += " " + way
    elif kind == "cut":
        del changed[place:]
    else:
        tail = chance.choice([bytes(PAGE), chance.randbytes(chance.randrange(1, 9000)), data[-PAGE:], data])
        changed += tail
    return kind, bytes(changed)


def edits(chance):
    """One change of rows, as somebody makes it who can write SQL but has no key."""
    def change(path):
        database = sqlite3.connect(path)
        database.execute("PRAGMA synchronous = OFF")
        rows = database.execute("SELECT tag FROM items ORDER BY tag").fetchall()
        tag, other = (row[0] for row in chance_of.sample(rows, 2))
        column = chance_of.choice(["item_id", "class", "revision", "attributes", "value"])
        table = chance_of.choice(["header", "state", "buckets"])
        {
            "row removed": lambda: database.execute("DELETE FROM items WHERE tag = ?", (tag,)),
            "row doubled": lambda: database.execute(
                "INSERT INTO items SELECT ?, item_id, class, revision, format, attributes, value FROM items WHERE tag = ?",
                (tag[:-1] + bytes([tag[-1] ^ 1]), tag)),
            "row under another tag": lambda: database.execute(
                "UPDATE items SET tag = ? WHERE tag = ?", (tag[:-1] + bytes([tag[-1] ^ 1]), tag)),
            "column of another row": lambda: database.execute(
                f"UPDATE items SET {column} = (SELECT {column} FROM items WHERE tag = ?) WHERE tag = ?", (other, tag)),
            "bit of a record": lambda: [
                database.execute(f"UPDATE {table} SET bytes = ? WHERE {key} = ?", (flipped(blob), number))
                for key in ["number" if table == "buckets" else "id"]
                for number, blob in [chance_of.choice(database.execute(f"SELECT {key}, bytes FROM {table}").fetchall())]],
            "bucket removed": lambda: database.execute(
                "DELETE FROM buckets WHERE number = (SELECT number FROM buckets ORDER BY number LIMIT 1)"),
        }[kind]()
        database.commit()
        database.close()

    def flipped(blob):
        place = chance_of.randrange(len(blob))
        return blob[:place] + bytes([blob[place] ^ 1 << chance_of.randrange(8)]) + blob[place + 1:]

    kind = chance.choice(["row removed", "row doubled", "row under another tag", "column of another row", "bit of a record", "bucket removed"])
    seed = chance.randrange(1 << 60)

    def seeded(path):
        # The same change for each question.
        nonlocal chance_of
        chance_of = random.Random(seed)
        change(path)

    chance_of = None
    return kind, seeded


def believing(path):
    """The control: how many rows a reader sees who asks SQLite only; nil if SQLite notices the damage itself."""
    try:
        database = sqlite3.connect(path)
        count = database.execute("SELECT count(*), sum(length(value)) FROM items").fetchone()
        database.close()
        return count
    except (sqlite3.Error, UnicodeDecodeError):
        # What SQLite says of a damaged schema quotes it.
        return None


def main():
    total = amount("TASKVAULT_DAMAGED_FILES", 200)
    seed = amount("TASKVAULT_ROUND", 0)
    counts, wrong, lock = collections.Counter(), [], threading.Lock()
    with VaultHome() as first:
        alone, (file, log) = make(first)
        asker = Asker(first)
        sound = {}
        with asker.home:
            sound = asker.ask(file, log)
            expected = {name: 5 if name == "missing" else 0 for name in QUESTIONS}
            assert {name: answer[0] for name, answer in sound.items()} == expected, sound
            assert sound["small"][1] == b"after"
            # What SQLite alone tells of a sound file.
            asker.put(file, log)
            rows = believing(asker.home.vault)

        def work(numbers):
            asker = Asker(first)
            with asker.home:
                for number in numbers:
                    chance = random.Random(f"{seed} {number}")
                    target = chance.choice(["file", "file", "log", "rows"])
                    edit = None
                    files = [file, log]
                    if target == "rows":
                        kind, edit = edits(chance)
                    else:
                        index = ["file", "log"].index(target)
                        kind, files[index] = damaged(files[index], chance)
                    asker.put(*files)
                    if edit:
                        edit(asker.home.vault)
                    believed = believing(asker.home.vault)
                    answers = asker.ask(*files, edit)
                    judge(number, target, kind, answers, believed)

        def judge(number, target, kind, answers, believed):
            refused = 0
            problems = []
            for name, (code, output, errors) in answers.items():
                if code == 7 and (name == "doctor" or not output):
                    refused += 1
                elif (code, output) != sound[name][:2]:
                    problems.append(f"{seed} {number}, {target}, {kind}: {name} ended with {code}: {output[:80]} {errors[:200]}")
            with lock:
                wrong.extend(problems)
                counts["damaged"] += 1
                counts["runs"] += len(answers)
                counts["refused" if refused else "identical"] += 1
                if target == "rows" and not refused:
                    counts["rows identical"] += 1
                if believed is not None and believed != rows:
                    counts["believed"] += 1

        lanes = os.cpu_count() or 1
        threads = [threading.Thread(target=work, args=(range(lane, total, lanes),)) for lane in range(lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print("\n".join(wrong[:40]))
    print(f"proof: damaged-files={counts['damaged']} runs={counts['runs']} refused={counts['refused']} "
          f"identical={counts['identical']} wrong={len(wrong)}")
    print(f"control: SQLite alone gave other rows or values without an error for {counts['believed']} of {total}")
    if wrong or counts["damaged"] != total:
        sys.exit(1)
    if not counts["refused"] or not counts["identical"] or not counts["believed"]:
        sys.exit("the damages did not reach the vault")


main()

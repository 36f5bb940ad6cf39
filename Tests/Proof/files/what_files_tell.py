"""A15, A16, P1, P2: what somebody learns who has the files, or several copies of them

Sizes: 1,000 secrets of 1 to 4,096 bytes, with much and with little in them, have at most 16 sizes, and the same ones. Words: 32 random
canaries in everything that a person types are in no file, not even while the agent runs. Copies: nothing of a value or a name comes again.
"""

import base64
import json
import os
import random
import shutil
import sqlite3
import string
import sys

from vault_home import VaultHome

ENCODINGS = {
    "UTF-8": lambda data: [data],
    "UTF-16": lambda data: [data.decode().encode("utf-16-le"), data.decode().encode("utf-16-be")],
    "hexadecimal": lambda data: [data.hex().encode(), data.hex().upper().encode()],
    # At each place among three bytes; what depends on the neighbours is left out at both ends.
    "Base64": lambda data: [
        base64.b64encode(bytes(shift) + data)[(0, 2, 3)[shift]:][:(len(data) * 8 // 6) - 2] for shift in range(3)],
}


def exported(items):
    return json.dumps({"format": "taskvault-export", "version": 1, "items": [
        {"service": service, "account": account, "field": "password", "label": label, "class": kind, "created": "2026-01-01T00:00:00.000Z",
         "modified": "2026-01-01T00:00:00.000Z", "extra": [], "value_base64": base64.b64encode(value).decode()}
        for service, account, label, kind, value in items]}).encode()


def column_sizes(vault, column):
    database = sqlite3.connect(vault)
    found = [row[0] for row in database.execute(f"SELECT length({column}) FROM items")]
    database.close()
    return sorted(found)


def sizes(chance):
    """A15."""
    lengths = [1, 4096] + [chance.randrange(1, 4097) for _ in range(498)]
    found = []
    for fill in (lambda size: b"a" * size, chance.randbytes):
        with VaultHome() as home:
            taken = home.direct("secret", "import", "-", data=exported(
                (f"service {number:03}", "ada", "label", "while-unlocked", fill(size)) for number, size in enumerate(lengths)))
            # The file stands on standard input, and the passphrase in its own.
            assert taken.returncode == 0, taken.stderr
            found.append(column_sizes(home.vault, "value"))
    distinct = len(set(found[0] + found[1]))
    print(f"proof: secrets={sum(map(len, found))} sizes={distinct}")
    print(f"control: {len(set(lengths))} different lengths before padding")
    if found[0] != found[1] or distinct > 16 or len(found[0]) != 500 or len(set(lengths)) <= 16:
        sys.exit("sizes tell of lengths or contents")


def searched(folders, canaries):
    """Which canary is found in which file, in which encoding; and how many files there were."""
    hits, files = set(), 0
    for folder in folders:
        for path, _, names in os.walk(folder):
            for name in names:
                try:
                    data = open(os.path.join(path, name), "rb").read()
                except (FileNotFoundError, OSError):
                    continue
                files += 1
                data += b"\n" + os.path.join(path, name).encode()
                hits |= {(canary, encoding, name) for canary in canaries for encoding, encode in ENCODINGS.items()
                         if any(needle in data for needle in encode(canary.encode()))}
    return hits, files


def words(chance):
    """A16, and the half of P1 that is about contents."""
    def canary(number):
        return f"canary{number:02}" + "".join(chance.choices(string.ascii_lowercase + string.digits, k=16))

    canaries = [canary(number) for number in range(32)]
    passphrase, *rest = canaries
    with VaultHome(has_vault=False) as home:
        home.write(home.secret_file, passphrase.encode() + b"\n")
        secrets = home.folder.with_name(home.folder.name + "-typed")
        secrets.mkdir(mode=0o700)
        try:
            # What the test itself writes lies elsewhere.
            home.secret_file = home.secret_file.rename(secrets / "passphrase")
            seen = set()
            files = 0

            def look():
                nonlocal files
                hits, count = searched([home.folder], canaries + [code])
                seen.update(hits)
                files += count

            made = home.direct("init", "--kdf-memory", "19", "--kdf-passes", "2")
            assert made.returncode == 0, made.stderr
            code = made.stdout.split(b"\n    ")[1].split(b"\n")[0].decode()
            unlocked = home.run("unlock", "--json", "--passphrase-file", str(home.secret_file))
            assert unlocked.returncode == 0, unlocked.stderr
            try:
                used = iter(rest)
                for number in range(4):
                    service, account, label, value = (next(used) for _ in range(4))
                    saved = home.run("secret", "set", service, account, "--label", label, data=value.encode())
                    assert saved.returncode == 0, saved.stderr
                    look()
                    if number == 0:
                        new_value, new_label, new_service = (next(used) for _ in range(3))
                        for command in (["update", service, account], ["edit", service, account, "--label", new_label, "--service", new_service]):
                            assert home.run("secret", *command, data=new_value.encode()).returncode == 0
                            look()
                        account_of, service_of = account, new_service
                name, notes, second, third = (next(used) for _ in range(4))
                added = home.run("task", "add", "--protected", "--notes", "-", "--json", data=f"{name}\n{notes}".encode())
                assert added.returncode == 0, added.stderr
                look()
                task = json.loads(added.stdout)["id"]
                for text in (second, third):
                    subtask = home.run("task", "subtask", "add", task, data=text.encode())
                    assert subtask.returncode == 0, subtask.stderr
                look()
                # Eight more in one file of another program.
                taken = home.direct("secret", "import", "-", data=exported(
                    (next(used), next(used), next(used), "after-verification", next(used).encode()) for _ in range(2)))
                assert taken.returncode == 0, taken.stderr
                assert next(used, None) is None, "a canary was not used"
                look()
                assert home.log.exists() and home.vault.with_name("vault.db-shm").exists(), "the log was to be searched as well"
                assert home.run("secret", "remove", "--yes", service_of, account_of).returncode == 0
                assert home.run("backup", "backup.db").returncode == 0
                look()
                assert home.run("lock").returncode == 0
                look()
            finally:
                home.end_agent()
            look()
        finally:
            shutil.rmtree(secrets)
        # The control: the same words in a plain database, a folder further down.
        plain = home.folder / "plain"
        plain.mkdir()
        database = sqlite3.connect(plain / "plain.db")
        database.execute("CREATE TABLE items (text TEXT)")
        database.executemany("INSERT INTO items VALUES (?)", ((word,) for word in canaries))
        for encode in list(ENCODINGS.values())[1:]:
            database.executemany("INSERT INTO items VALUES (?)", ((encode(word.encode())[0],) for word in canaries))
        database.commit()
        database.close()
        control, _ = searched([plain], canaries)
    print(f"proof: canaries={len(canaries)} encodings={len(ENCODINGS)} files-searched={files} found={len(seen)}")
    print(f"control: a plain SQLite file showed {len({hit[0] for hit in control})} canaries, each in {len({hit[1] for hit in control})} encodings")
    for hit in sorted(seen):
        print("found:", *hit)
    if seen or len(control) < len(canaries) * len(ENCODINGS):
        sys.exit("the files tell words, or the search finds none")


def pieces(blobs):
    return {blob[place:place + 8] for blob in blobs for place in range(len(blob) - 7)}


def copies():
    """P2: one who has several copies learns which items changed, and nothing of what they hold."""
    with VaultHome() as home:
        value = b"the same value in each, long enough to be seen " * 4
        for number in range(4):
            home.save(f"service {number}", "ada", value)
        first = everything(home.vault)
        home.direct("secret", "set", "--replace", "service 1", "ada", data=value)
        second = everything(home.vault)
        assert home.direct("rekey").returncode == 0
        third = everything(home.vault)
    changed = [tag for tag in first if first[tag] != second.get(tag)]
    blobs = [blob for row in first.values() for blob in row]
    again = pieces(second[changed[0]]) & pieces(blobs)
    rekeyed = pieces(blob for row in third.values() for blob in row) & pieces(blobs + second[changed[0]])
    within = sum(len(pieces(row)) for row in first.values()) - len(pieces(blobs))
    print(f"proof: copies=3 rows-changed={len(changed)} pieces-again={len(again) + len(rekeyed) + within}")
    print(f"control: {sum(len(value) - 7 for _ in first) - len(pieces([value]))} pieces of the plain values would repeat")
    if len(changed) != 1 or again or rekeyed or within or set(third) & set(first):
        sys.exit("copies tell more than which items changed")


def everything(vault):
    database = sqlite3.connect(vault)
    found = {row[0]: list(row[1:]) for row in database.execute("SELECT tag, attributes, value FROM items")}
    database.close()
    return found


seed = os.environ.get("TASKVAULT_ROUND", "0")
sizes(random.Random(f"sizes {seed}"))
words(random.SystemRandom())
copies()

"""Vaults that the executable made and changed, read by the reader after each step."""

import base64
import json
import shutil
import subprocess
import time
from dataclasses import replace
from datetime import timedelta
from os import urandom

from vaultformat.failures import Failure
from vaultformat.recovery_code import RecoveryCode

from .check import Checker, read_vault
from .content import CLASSES, EPOCH, Content, Difference, by_name, compare, of_item, of_reader
from .executable import COST, Home
from .samples import many_contents, odd_contents

CLASS_NAMES = {number: name for name, number in CLASSES.items()}


def save(home: Home, each: Content) -> None:
    options = ["--class", CLASS_NAMES[each.item_class], f"--label={each.label}", f"--field={each.field}"]
    home.do("secret", "set", "--allow-empty", *options, "--", each.service, each.account, given=each.value, secrets=b"")


def exported(contents: list[Content]) -> bytes:
    """What `secret import` takes: its own export."""

    def time(milliseconds: int) -> str:
        return (EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    items = [
        {
            "service": each.service, "account": each.account, "field": each.field, "label": each.label,
            "class": CLASS_NAMES[each.item_class], "created": time(each.created), "modified": time(each.modified),
            "extra": [{"key": key, "text": text} for key, text in each.extra],
            "value_base64": base64.b64encode(each.value).decode(),
        }
        for each in contents
    ]  # fmt: skip
    return json.dumps({"format": "taskvault-export", "version": 1, "items": items}).encode()


def odd_names(checker: Checker, home: Home) -> None:
    home.init()
    checker.agree(home, {})
    contents = odd_contents()
    home.unlock()
    for each in contents:
        save(home, each)
    checker.agree(home, by_name(contents))
    gets(home, contents)
    home.end_agent()


def gets(home: Home, contents: list[Content]) -> None:
    for each in contents:
        if home.get(each.service, each.account, each.field) != each.value:
            raise Difference(f"get prints another value of {each.service!a}")


def a_life(checker: Checker, home: Home) -> None:
    """Imported, changed, removed, rolled back; other passphrases, codes and keys."""
    home.init()
    contents = many_contents(300)
    home.do("secret", "import", "-", given=exported(contents))
    imported = checker.agree(home)
    times = {"created": None, "modified": None}  # an import may say when it was
    compare(by_name([replace(each, **times) for each in contents]), imported, "meant and imported")

    name, password = ("service 1", "account 1"), ("password",)
    older = shutil.copy(home.file, home.state / "older.db")
    home.do("secret", "update", *name, given=b"a new value")
    home.do("secret", "edit", *name, "--class", "while-unlocked", "--label", "e\u0301")
    gone = []
    for removed in (("service 2", "account 2"), ("service 3", "account 3")):
        home.do("secret", "remove", "--yes", *removed)
        gone.append(imported.pop(removed + password))
    replaced = imported[name + password]
    changed = replace(replaced, value=b"a new value", label="e\u0301", item_class=1, revision=3, modified=None)
    imported[name + password] = changed
    newer = shutil.copy(home.file, home.state / "newer.db")
    checker.agree(home, imported)
    has_earlier(home, [(True, each) for each in gone] + [(False, replaced)])

    shutil.copy(older, home.file)
    checker.both_refuse(home, "rolled_back", 7)
    shutil.copy(newer, home.file)

    old_passphrase = home.passphrase
    home.passphrase = "Zoe\u0308 \u1e9b\u0323\0 \U0001f511".encode()  # has another normal form
    both = old_passphrase + b"\n" + home.passphrase + b"\n"
    home.do("--no-agent", "passphrase", "change", *COST, secrets=both)
    checker.agree(home, imported)
    checker.both_refuse(home, "wrong_passphrase", 4, old_passphrase)
    checker.both_refuse(home, "passphrase_encoding", 8, b"\xff\xfe")

    old_code = home.recovery_code
    home.recovery_code = json.loads(home.do("recovery", "show-new"))["recovery_code"]
    checker.agree(home, imported)
    refuses(checker, home, old_code)

    epoch = read_vault(home).header.key_epoch
    home.do("rekey")  # keeps each slot, so passphrase and code as well
    checker.agree(home, imported)
    has_earlier(home, [(True, each) for each in gone] + [(False, replaced)])
    if read_vault(home).header.key_epoch != epoch + 1:
        raise Difference("rekey is not one key epoch more")

    home.recovery_code = json.loads(home.do("recovery", "show-new"))["recovery_code"]
    home.passphrase = b"forgotten and replaced"
    both = home.recovery_code.encode() + b"\n" + home.passphrase + b"\n"
    home.do("--no-agent", "passphrase", "change", "--recovery", *COST, secrets=both)
    checker.agree(home, imported)
    home.do("recovery", "revoke")
    refuses(checker, home, home.recovery_code)
    home.recovery_code = ""
    checker.agree(home, imported)


def has_earlier(home: Home, meant: list[tuple[bool, Content]]) -> None:
    """The reader finds these earlier values and removed items, and no others."""
    items = read_vault(home).earlier_items()
    read = sorted(((each.removed, of_item(each.item)) for each in items), key=repr)
    if read != sorted(meant, key=repr):
        raise Difference(f"{len(read)} earlier rows, or others than the {len(meant)} that were meant")
    if not all(abs(time.time() * 1000 - each.time) < 600_000 for each in items):
        raise Difference("earlier rows of another time")


def refuses(checker: Checker, home: Home, code: str) -> None:
    """A recovery code that holds no more."""
    answer = home.try_to("--no-agent", "doctor", "--recovery", secrets=code.encode() + b"\n")
    try:
        read_vault(home, RecoveryCode(code.encode()))
        ours = "opens"
    except Failure as failure:
        ours = failure.name
    if not answer.code == ours == "wrong_recovery_code" or answer.exit_code != 4:
        raise Difference(f"an old recovery code: the executable says {answer}, the reader {ours}")
    checker.figures.refusals += 1


def from_other_programs(checker: Checker, home: Home) -> None:
    home.init()
    browser = "name,url,username,password\nMail,https://mail.example,ada,\u00fcber geheim\n,https://b.example,e\u0301,x\n"
    home.do("secret", "import", "--format", "browser", "-", given=browser.encode())
    keepassxc = '"Group","Title","Username","Password","URL","Notes"\n"Root","Bank","ada","p""w","https://bank","two\nlines"\n'
    home.do("secret", "import", "--format", "keepassxc", "--class", "after-verification", "-", given=keepassxc.encode())
    contents = checker.agree(home)
    if len(contents) < 3:
        raise Difference(f"imported {len(contents)} items")


def killed_agent(checker: Checker, home: Home) -> None:
    """What it wrote last is in the log only."""
    home.init()
    home.unlock()
    contents = many_contents(5)
    for each in contents:
        save(home, each)
    home.kill_agent()
    ours = of_reader(read_vault(home))
    if not home.file.with_name("vault.db-wal").stat().st_size or len(ours) != len(contents):
        raise Difference("the log of a killed writer was not read")
    compare(ours, checker.agree(home), "before and after the executable put the log in order")


def killed_writer(checker: Checker, home: Home) -> None:
    """In the middle of a large import: all of it is there, or nothing."""
    home.init()
    contents = many_contents(300)
    incoming = home.state / "incoming.json"
    incoming.write_bytes(exported(contents))
    log = home.file.with_name("vault.db-wal")
    killed = 0
    for attempt in range(4):
        secrets = home.passphrase + b"\n"
        arguments = ("--no-agent", "secret", "import", "--replace", str(incoming))
        process = home.start(*arguments, secrets=secrets, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (log.exists() and log.stat().st_size > attempt * 40_000):
            time.sleep(0.0005)
        process.kill()
        killed += process.wait() < 0
        ours = of_reader(read_vault(home))
        if len(ours) not in (0, len(contents)):
            raise Difference(f"{len(ours)} items of an import of {len(contents)}")
        compare(ours, checker.agree(home), "before and after the executable put the log in order")
    if not killed:
        raise Difference("the writer was always done before it was killed")


def stored_files(checker: Checker, home: Home) -> None:
    """Files with sizes around a chunk's; one is replaced, and the vault gets new keys."""
    home.init()
    meant = {f"file {size}": urandom(size) for size in (0, 1, 65_535, 65_536, 65_537, 131_072, 300_000)}
    for name, content in meant.items():
        home.do("file", "add", "-", "--name", name, given=content)
    checker.figures.values += compare_files(home, meant)
    meant["file 1"] = urandom(200_000)
    home.do("file", "replace", "file 1", "-", given=meant["file 1"])
    home.do("rekey")
    checker.figures.values += compare_files(home, meant)
    home.is_sound()


def compare_files(home: Home, meant: dict[str, bytes]) -> int:
    vault = read_vault(home)
    items = vault.items()
    names = [item.attributes.label for item in items if item.attributes.service == "taskvault.file"]
    found = dict(zip(names, (content for _, content in vault.files(items)), strict=True))
    if found != meant:
        raise Difference(f"the reader finds files of {[(name, len(found[name])) for name in found]}")
    return len(found)


SCENARIOS = [odd_names, a_life, from_other_programs, killed_agent, killed_writer, stored_files]

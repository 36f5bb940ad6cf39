"""Vaults that the reader wrote, opened by the executable and written on by it."""

import json
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from vaultformat.draft import Draft
from vaultformat.file import write_records
from vaultformat.hmac_secret import PASSKEY
from vaultformat.items import Attributes

from .check import Checker, read_vault
from .content import Content, Difference, by_name
from .executable import COST, Home
from .from_executable import gets, save
from .samples import many_contents, odd_contents, with_attributes

PASSES, MEMORY = 2, 19_456
READER = Path(__file__).parents[1] / "reader.py"


def drafted(home: Home, contents: list[Content], fields: dict[str, int] | None = None, **settings: int) -> Draft:
    """`fields` are those of the state, such as its counter."""
    draft = Draft()
    draft.settings, draft.fields = settings, fields or {}
    draft.add_passphrase(home.passphrase, PASSES, MEMORY)
    home.recovery_code = draft.add_recovery_code()
    for each in contents:
        draft.add(attributes_of(each), each.value, each.item_class, each.revision)
    return draft


def attributes_of(each: Content) -> Attributes:
    names = (each.service, each.account, each.label)
    return Attributes(*names, each.created or 0, each.modified or 0, each.extra, each.field)


def nothing(checker: Checker, home: Home) -> None:
    """No items, and the eight slots that there may be, of all kinds."""
    draft = drafted(home, [])
    home.key_outputs = [draft.add_key("", PASSKEY), draft.add_key("\u00e9" * 32)]
    others = [f"passphrase {number}".encode() for number in range(4)]
    for typed in others:
        draft.add_passphrase(typed, PASSES, MEMORY)
    write_records(home.file, draft.records())
    first = home.passphrase
    for home.passphrase in (first, others[-1]):
        checker.agree(home, {})
    home.passphrase = first
    checker.both_refuse(home, "wrong_passphrase", 4, b"none of them")


def everything(checker: Checker, home: Home) -> None:
    """All that the format can hold: any field and text in attributes, any time, high revisions, other settings."""
    contents = with_attributes(odd_contents())
    contents += [replace(each, field=field) for each in contents[:5] for field in ("notes", each.account)]
    settings = {"verification_window": 1, "idle_limit": 86_400, "absolute_limit": 1_234, "require_locked_memory": 0}
    history = {"counter": 9, "restored_from": 1_700_000_000_000, "restored_at": 4}
    draft = drafted(home, contents, history, **settings, earlier_values=100, earlier_days=1, removed_days=0)
    for each in contents[:7]:
        draft.add_earlier(attributes_of(each), each.value, each.item_class, each.revision, time=-1)
    write_records(home.file, draft.records())
    checker.agree(home, by_name(contents))
    listed = json.loads(home.do("settings", "list"))
    if any(int(listed[name]) != value for name, value in settings.items()):
        raise Difference(f"the settings are {listed}")
    checker.both_refuse(home, "wrong_passphrase", 4, b"another")


def a_session(checker: Checker, home: Home) -> None:
    """The agent keeps the classes apart, and then the executable changes what the reader made."""
    contents = by_name(many_contents(40))
    draft = drafted(home, list(contents.values()), verification_window=2)
    home.key_outputs.append(draft.add_key("a key"))
    write_records(home.file, draft.records())
    home.unlock()
    gets(home, [each for each in contents.values() if each.item_class == 1][:3])
    while home.agent()["verified"]:  # for two seconds, as the reader's settings say
        time.sleep(0.1)
    protected = next(each for each in contents.values() if each.item_class == 2)
    answer = home.try_to("secret", "get", protected.service, protected.account)
    if answer.exit_code != 8 or protected.value and protected.value in answer.output:
        raise Difference(f"a protected value without verification: {answer}")
    # Time enough for what follows, on a machine that has other things to do.
    home.do("--no-agent", "settings", "set", "verification-window", "1m", secrets=home.passphrase + b"\n")
    home.do("verify", secrets=home.passphrase + b"\n")
    gets(home, [protected])

    added = Content("added", "by the executable", "", 2, b"\0")
    save(home, added)
    home.do("secret", "update", "--allow-empty", protected.service, protected.account, given=b"", secrets=b"")
    home.end_agent()
    contents["added", "by the executable", added.field] = added
    updated = replace(protected, value=b"", revision=2, modified=None)
    contents[protected.service, protected.account, protected.field] = updated
    checker.agree(home, contents)

    old, home.passphrase = home.passphrase, b"the second passphrase"
    home.do("--no-agent", "passphrase", "change", *COST, secrets=old + b"\n" + home.passphrase + b"\n")
    checker.agree(home, contents)
    checker.both_refuse(home, "wrong_passphrase", 4, old)

    copy = home.state / "copy.db"
    home.do("backup", str(copy))
    before = read_vault(home).state
    home.do("restore", "--replace", str(copy))
    after = read_vault(home).state
    if (after.lineage, after.counter, after.restored_at) != (before.lineage, before.counter + 1, before.counter + 1):
        raise Difference("to restore is a commit on the history of the vault that opens")
    # A restored item of the same id has a revision above both.
    contents = {name: replace(content, revision=content.revision + 1) for name, content in contents.items()}
    checker.agree(home, contents)

    home.do("rekey")  # knows neither the code nor what the key gives, and keeps their slots
    checker.agree(home, contents)


def other_normal_form(checker: Checker, home: Home) -> None:
    """A passphrase of the reader, typed on another keyboard."""
    composed, decomposed = "Zo\u00eb \uac01 \u212b".encode(), "Zoe\u0308 \u1100\u1161\u11a8 A\u030a".encode()
    contents, home.passphrase = many_contents(3), composed
    write_records(home.file, drafted(home, contents).records())
    home.passphrase = decomposed
    checker.agree(home, by_name(contents))


def by_command(checker: Checker, home: Home) -> None:
    """What a person would do: `reader.py write`, the executable, `reader.py read`, and their exit codes."""
    typed, wrong = home.state / "typed", home.state / "wrong"
    typed.write_bytes(home.passphrase + b"\n")
    wrong.write_bytes(b"another\n")

    def reader(exit_code: int, *arguments) -> bytes:
        done = subprocess.run([READER, *arguments], env=home.environment(), capture_output=True)
        if done.returncode != exit_code:
            raise Difference(f"reader.py {arguments} ended with {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    cost = ("--kdf-memory", "19", "--kdf-passes", "2")
    code = reader(0, "write", home.file, "--passphrase-file", typed, *cost)
    home.recovery_code = code.decode().strip()
    contents = checker.agree(home)
    (home.state / "code").write_bytes(code)
    read = json.loads(reader(0, "read", home.path, "--recovery-code-file", home.state / "code"))
    # The executable's read gave the vault the key of its log of reads.
    if len([item for item in read["items"] if not item["service"].startswith("taskvault.")]) != len(contents):
        raise Difference("reader.py read prints other items")
    reader(4, "read", home.path, "--passphrase-file", wrong)
    reader(5, "read", home.state / "none", "--passphrase-file", typed)
    reader(7, "read", typed, "--passphrase-file", typed)
    checker.figures.refusals += 3


SCENARIOS = [by_command, nothing, everything, a_session, other_normal_form]

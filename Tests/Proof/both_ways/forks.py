"""Histories that follow from each other, and others: both compare a vault with what its machine remembers."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from vaultformat.encoding import u32
from vaultformat.failures import Failure
from vaultformat.file import read_records, write_records
from vaultformat.history import link_context, open_link, seal_link
from vaultformat.passphrase import Passphrase
from vaultformat.rollback_record import RETIRED, SLOT_SIZE, RollbackRecord, RollbackRecords, name_of_place
from vaultformat.primitives import seal
from vaultformat.records import Records
from vaultformat.vault import Vault

from .check import Checker, read_vault
from .content import Difference, compare, of_reader
from .executable import Home
from .from_reader import drafted
from .samples import many_contents

REMEMBERED, NOW = 3, 8
"""Counters of what the machine remembers, and of the vault."""


def put_file(source: Path, target: Path) -> None:
    """As a program does that synchronises files."""
    for path in target.parent.glob(target.name + "*"):
        path.unlink()
    with closing(sqlite3.connect(source)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    shutil.copy(source, target)


def commit(home: Home, count: int) -> None:
    """As many as are to be: each update is one."""
    for number in range(count):
        home.do("secret", "update", "service 1", "account 1", given=f"value {number}".encode())


def two_machines(checker: Checker, home: Home) -> None:
    """With one vault, which somebody carries between them, and forks."""
    home.init()
    home.do("secret", "set", "service 1", "account 1", given=b"value")
    other = Home(home.executable, home.path.parent, home.path.name + "-other", home.passphrase)
    other.recovery_code, sound = home.recovery_code, home.state / "sound.db"
    put_file(home.file, other.file)
    checker.agree(other)
    commit(other, 3)
    put_file(other.file, home.file)
    checker.agree(home)  # one follows from the other
    home.do("rekey")
    commit(home, 1)
    put_file(home.file, other.file)
    checker.agree(other)  # also over a rekey

    before, epoch = read_vault(home).state, read_vault(home).header.key_epoch
    for mine, theirs in ((1, 1), (1, 2), (2, 1)):
        put_file(home.file, other.file)
        commit(home, mine)
        commit(other, theirs)
        put_file(home.file, sound)
        put_file(other.file, home.file)
        checker.both_refuse(home, "forked" if theirs >= mine else "rolled_back", 7)
        put_file(sound, home.file)
        forget(other)
    after = read_vault(home)
    if after.state.counter != before.counter + 4 or after.header.key_epoch != epoch:
        raise Difference("an update is not one commit")
    checker.agree(home)


def beside_a_writer(checker: Checker, home: Home) -> None:
    """The record before the snapshot: a commit in between is no rollback. The other order is the control."""
    home.init()
    home.do("secret", "set", "service 1", "account 1", given=b"value")
    known = RollbackRecords.at(home.file, home.state)
    commit(home, 1)
    records = read_records(home.file)
    Vault(records, Passphrase(home.passphrase), known).items()
    commit(home, 1)
    try:
        Vault(records, Passphrase(home.passphrase), RollbackRecords.at(home.file, home.state))
    except Failure as failure:
        if failure.name != "rolled_back":
            raise
    else:
        raise Difference("a snapshot from before the rollback record is accepted")


def forget(home: Home) -> None:
    for path in home.rollback_records.glob("*"):
        path.unlink()


def record_file(home: Home) -> Path:
    return home.rollback_records / name_of_place(home.file)


def remembering(home: Home, record: RollbackRecord | bytes, name: str | None = None) -> None:
    """The machine has this record, at the place or under another name."""
    forget(home)
    home.rollback_records.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home.rollback_records / name if name else record_file(home)
    path.write_bytes(record.encode() if isinstance(record, RollbackRecord) else record)
    path.chmod(0o600)


def rollback_records(checker: Checker, home: Home) -> None:
    """Records of the reader, and links that do not lead where they should."""
    draft = drafted(home, many_contents(3), {"counter": NOW})
    sound = draft.records()
    write_records(home.file, sound)
    state = read_vault(home).state
    now = RollbackRecord.of(state, sound, sequence=2**40)
    keys, vault_id = draft.keys, draft.vault_id
    earlier = replace(now, counter=REMEMBERED, history=draft.history_at(REMEMBERED), digest=bytes(32))

    remembering(home, earlier)
    # A list reads no value, so it changes nothing.
    home.do("secret", "list")
    if newest(home) != replace(now, sequence=2**40 + 1):
        raise Difference(f"the executable remembers {newest(home)}")

    refusals = {
        "another vault id": ("other_vault", replace(now, vault_id=bytes(16))),
        "retired": ("other_vault", replace(now, status=RETIRED)),
        "a later key epoch": ("rolled_back", replace(now, key_epoch=2)),
        "a later counter": ("rolled_back", replace(now, counter=NOW + 1)),
        "a later counter of another lineage": ("rolled_back", replace(now, counter=NOW + 1, lineage=bytes(16))),
        "another lineage": ("forked", replace(earlier, lineage=bytes(16))),
        "another digest": ("forked", replace(now, digest=bytes(32))),
        "another history of this counter": ("forked", replace(now, history=bytes(32))),
        "another history": ("forked", replace(earlier, history=bytes(32))),
        "status 3": ("rollback_record_damaged", replace(now, status=3)),
        "cut": ("rollback_record_damaged", now.encode()[:172]),
        "over 1,024 bytes": ("rollback_record_damaged", now.encode() * 2 + b"\0"),
        "a byte in the filler": ("rollback_record_damaged", now.encode()[:-1] + b"\1"),
    }
    for what, (name, record) in refusals.items():
        remembering(home, record)
        refuse(checker, home, name, what)
    for what, record in {
        "the second slot is newer": replace(now, sequence=1, status=RETIRED).encode() + replace(now, sequence=2).encode(),
        "the second slot is as new": replace(now, sequence=1).encode() + replace(now, sequence=1, status=RETIRED).encode(),
        "the newer slot is damaged": replace(now, sequence=1).encode() + bytes(SLOT_SIZE),
        "empty": b"",
    }.items():
        remembering(home, record)
        accept(home, what)
    elsewhere = "0" * 32
    remembering(home, replace(now, counter=NOW + 1), elsewhere)
    refuse(checker, home, "rolled_back", "a later counter at another place")
    remembering(home, replace(now, status=RETIRED), elsewhere)
    refuse(checker, home, "other_vault", "retired at another place")
    for what, record in {
        "another lineage at another place": replace(now, counter=NOW + 1, lineage=bytes(16)),
        "another vault at another place": replace(now, counter=NOW + 1, vault_id=bytes(16)),
        "retired in another lineage at another place": replace(now, lineage=bytes(16), status=RETIRED),
    }.items():
        remembering(home, record, elsewhere)
        accept(home, what)
    remembering(home, replace(now, counter=NOW + 1), "0" * 31 + "A")
    accept(home, "a file with another name than that of a record")

    def with_link(records: Records, counter: int, *link: bytes) -> Records:
        kept = [each for each in records.links if each[0] != counter]
        return replace(records, links=kept + [(counter, each) for each in link])

    link = REMEMBERED + 2
    text = open_link(dict(sound.links)[link], link, vault_id, keys)
    for what, name, records in (
        ("a link is missing", "link_missing", with_link(sound, link)),
        ("a link is sealed for another counter", "link_damaged", with_link(sound, link, seal_link(text, 1, vault_id, keys))),
        ("a link of format 1", "link_damaged", with_link(sound, link, u32(1) + dict(sound.links)[link][4:])),
        ("a link of 59 bytes", "link_damaged", with_link(sound, link, dict(sound.links)[link][:59])),
        ("a link under the row-hash key", "link_damaged",
         with_link(sound, link, u32(2) + seal(keys.row_hash, text, link_context(vault_id, link)))),
        ("a link of another commit", "forked", with_link(sound, link, seal_link(bytes(16), link, vault_id, keys))),
    ):  # fmt: skip
        replaced(home, records)
        remembering(home, earlier)
        refuse(checker, home, name, what)
    replaced(home, with_link(sound, REMEMBERED))
    remembering(home, earlier)
    accept(home, "a link that is not needed is missing")


def replaced(home: Home, records: Records) -> None:
    for path in home.path.glob("vault.db*"):
        path.unlink()
    write_records(home.file, records)


def newest(home: Home) -> RollbackRecord | None:
    return RollbackRecord.decode(record_file(home).read_bytes())


def accept(home: Home, what: str) -> None:
    """Without `doctor`, which may look at more than an answer needs."""
    kept = home.file.read_bytes()
    try:
        compare(home.contents(), of_reader(read_vault(home)), "executable and reader")
    except Difference as difference:
        raise Difference(f"{what}: {difference}") from None
    # The first read gave the vault the key of the log of reads.
    home.file.write_bytes(kept)


def refuse(checker: Checker, home: Home, name: str, what: str) -> None:
    try:
        checker.both_refuse(home, name, 7)
    except Difference as difference:
        raise Difference(f"{what}: {difference!s:.500}") from None
    checker.figures.mistakes += 1


SCENARIOS = [two_machines, beside_a_writer, rollback_records]

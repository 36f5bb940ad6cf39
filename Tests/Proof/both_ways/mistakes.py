"""Vaults with one mistake of their writer. Who has the keys sealed them again, so that nothing else is wrong."""

import sqlite3
from contextlib import closing
from dataclasses import replace

from vaultformat.failures import Failure
from vaultformat.file import write_records
from vaultformat.items import Attributes
from vaultformat.records import Records

from . import earlier_mistakes, file_mistakes, record_mistakes, row_mistakes, slot_mistakes
from .check import Checker, read_vault
from .content import Content, Difference, by_name, compare, of_reader
from .executable import Home
from .from_reader import drafted
from .mistake import SECRET

FIRST = row_mistakes.ONE
CONTENTS = [
    Content(FIRST.service, FIRST.account, FIRST.label, 1, b"while unlocked", FIRST.extra, 1, 0, 0),
    Content("service", "two", "", 2, b"after verification", (), 1, 0, 0),
    Content("service", "large", "", 1, b"v" * 10_000, (), 1, 0, 0),
]


def put(home: Home, records: Records) -> None:
    """Another vault, of which the machine remembers nothing."""
    for path in [*home.path.iterdir(), *home.rollback_records.glob("*")]:
        path.unlink()
    write_records(home.file, records)


def mistakes(checker: Checker, home: Home) -> None:
    home.passphrase = SECRET.typed
    put(home, drafted(home, CONTENTS).records())
    checker.agree(home, by_name(CONTENTS))  # without a mistake the same vault opens
    sees_one_byte(home)

    def refuse(failure: str, function, before_rekey: bool = False) -> None:
        try:
            checker.both_refuse(home, failure, Failure(failure).exit_code, before_rekey=before_rekey)
        except Difference as difference:
            raise Difference(f"{function.__name__}: {difference}") from None
        checker.figures.mistakes += 1

    for failure, function in row_mistakes.MISTAKES:
        draft = drafted(home, CONTENTS)
        draft.rows[0] = function(draft, draft.rows[0])
        put(home, draft.records())
        refuse(failure, function)
    for failure, function in record_mistakes.MISTAKES + slot_mistakes.MISTAKES:
        put(home, function(drafted(home, CONTENTS)))
        refuse(failure, function)
    for failure, function in slot_mistakes.MISTAKES_BEFORE_REKEY:
        put(home, function(drafted(home, CONTENTS)))
        opens(home)
        refuse(failure, function, before_rekey=True)
    for failure, function in earlier_mistakes.MISTAKES:
        draft = drafted(home, CONTENTS)
        draft.add_earlier(Attributes("service", "removed"), b"a removed item")
        draft.earlier[0] = function(draft, draft.earlier[0])
        put(home, draft.records())
        opens(home)
        checker.both_find(home, failure)
    for failure, function in file_mistakes.MISTAKES:
        put(home, drafted(home, CONTENTS).records())
        with closing(sqlite3.connect(home.file)) as database:
            function(database)
            database.commit()
        refuse(failure, function)


def opens(home: Home) -> None:
    """For both, because the mistake is in what a list of all items does not look at."""
    ours, theirs = of_reader(read_vault(home)), home.contents()
    compare(theirs, ours, "executable and reader")
    compare(by_name(CONTENTS), ours, "meant and read")


def sees_one_byte(home: Home) -> None:
    """The comparison itself can fail: one byte of one value, one letter of one attribute."""
    read = of_reader(read_vault(home))
    for changed in (replace(CONTENTS[0], value=b"while unlockeD"), replace(CONTENTS[0], extra=(("Key", "text"),))):
        try:
            compare(read, by_name([changed, *CONTENTS[1:]]), "control")
        except Difference:
            continue
        raise AssertionError("a changed byte was not seen")


SCENARIOS = [mistakes]

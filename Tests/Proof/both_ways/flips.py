"""Each sampled byte of a small vault is changed: both refuse it by one name, or both read what was there."""

import json
import random

from vaultformat.failures import Failure
from vaultformat.file import read_records
from vaultformat.recovery_code import RecoveryCode
from vaultformat.vault import Vault

from .check import Checker, read_vault
from .content import Contents, Difference, compare, of_executable, of_reader
from .executable import Home
from .from_reader import drafted
from .mistake import SECRET
from .mistakes import CONTENTS, put

READER_FLIPS, EXECUTABLE_FLIPS, SEED = 1_200, 60, 7
CHANGED_SCHEMA = {"file_foreign", "file_damaged"}
"""Either is right for a changed schema: SQLite may refuse it before it is compared."""


def flips(checker: Checker, home: Home) -> None:
    home.passphrase = SECRET.typed
    put(home, drafted(home, CONTENTS).records())
    home.do("secret", "export")  # the first one begins the log of reads, which is a commit
    whole, content = home.file.read_bytes(), of_reader(read_vault(home))
    code = RecoveryCode(home.recovery_code.encode())
    used = [offset for offset in range(len(whole)) if whole[offset]]
    places = random.Random(SEED).sample(used, min(READER_FLIPS, len(used)))
    refused = 0
    for number, place in enumerate(places):
        changed = bytearray(whole)
        changed[place] ^= 1 << number % 8
        home.file.write_bytes(changed)
        ours = reader_says(home, code, content, place)
        refused += ours is not None
        if number < EXECUTABLE_FLIPS:
            theirs = executable_says(home, content, place)
            if theirs != ours and {theirs, ours} != CHANGED_SCHEMA:
                raise Difference(f"byte {place} is changed: the executable says {theirs}, the reader {ours}")
        checker.figures.flips += 1
    if refused <= len(places) // 2:
        raise Difference(f"{refused} of {len(places)} changed vaults were refused: too few to be true")


def reader_says(home: Home, code: RecoveryCode, content: Contents, place: int) -> str | None:
    """The failure, or None where nothing of the content is changed. With the code, because it costs no time."""
    try:
        read = of_reader(Vault(read_records(home.file), code))
    except Failure as failure:
        return failure.name
    compare(content, read, f"byte {place} is changed")
    return None


def executable_says(home: Home, content: Contents, place: int) -> str | None:
    # The reader reads earlier values too, as only `history` does here.
    answers = [home.try_to("--no-agent", *words, secrets=home.passphrase + b"\n") for words in (["secret", "export"], ["secret", "list"], ["secret", "history", "service", "two"])]
    for answer in answers:
        if answer.exit_code:
            return answer.code
    compare(content, of_executable(*(json.loads(answer.output) for answer in answers[:2])), f"byte {place} is changed")
    return None


SCENARIOS = [flips]

"""Each sampled byte of a small vault is changed: whoever reads it refuses, or reads what was there before."""

import json
import random
import sqlite3

from vaultformat.failures import Failure
from vaultformat.file import read_records
from vaultformat.recovery_code import RecoveryCode
from vaultformat.vault import Vault

from .check import Checker, read_vault
from .content import Contents, Difference, compare, of_executable, of_reader
from .executable import Home
from .mistake import SECRET
from .mistakes import CONTENTS, put
from .from_reader import drafted

READER_FLIPS, EXECUTABLE_FLIPS, SEED = 1_500, 60, 7


def flips(checker: Checker, home: Home) -> None:
    home.passphrase = SECRET.typed
    put(home, drafted(home, CONTENTS).records())
    whole, content = home.file.read_bytes(), of_reader(read_vault(home))
    code = RecoveryCode(home.recovery_code.encode())
    used = [offset for offset in range(len(whole)) if whole[offset]]
    places = random.Random(SEED).sample(used, min(READER_FLIPS, len(used)))
    refused = 0
    for number, place in enumerate(places):
        changed = bytearray(whole)
        changed[place] ^= 1 << number % 8
        home.file.write_bytes(changed)
        ours = reads(home, code, content, place)
        refused += not ours
        if number < EXECUTABLE_FLIPS and executable_reads(home, content, place) != ours:
            raise Difference(f"byte {place} is changed, and one of both reads the vault")
        checker.figures.flips += 1
    if not refused > len(places) // 2:
        raise Difference(f"{refused} of {len(places)} changed vaults were refused: too few to be true")


def reads(home: Home, code: RecoveryCode, content: Contents, place: int) -> bool:
    """Without a passphrase, because that would cost time for each byte."""
    try:
        read = of_reader(Vault(read_records(home.file), code))
    except (Failure, sqlite3.Error):
        return False
    compare(content, read, f"byte {place} is changed")
    return True


def executable_reads(home: Home, content: Contents, place: int) -> bool:
    answers = [home.try_to("--no-agent", "secret", what, secrets=home.passphrase + b"\n") for what in ("export", "list")]
    if any(answer.exit_code for answer in answers):
        return False
    compare(content, of_executable(*(json.loads(answer.output) for answer in answers)), f"byte {place} is changed")
    return True


SCENARIOS = [flips]

"""G4, P4: every key that a person once had, together with the newest rows

Passphrases are changed, and a recovery code is revoked; after each change secrets are saved, replaced and removed. Someone kept each header, each
passphrase and the code, and now has the newest file. The independent reader opens each old header with its own secrets, and tries these keys on each
row of now. The executable gets each old header back in its file.
"""

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace

from vault_home import VaultHome

from support.product import not_run, random_text  # noqa: E402

try:
    import nacl  # noqa: F401
except ImportError:
    not_run("python3-nacl is missing")

from vaultformat.failures import Failure  # noqa: E402
from vaultformat.file import read_records  # noqa: E402
from vaultformat.header import CostLimits, Header  # noqa: E402
from vaultformat.items import open_attributes, open_value  # noqa: E402
from vaultformat.keys import unlock  # noqa: E402
from vaultformat.passphrase import Passphrase  # noqa: E402
from vaultformat.recovery_code import RecoveryCode  # noqa: E402
from vaultformat.vault import Vault  # noqa: E402


def write(home, generation):
    """Rows of this generation of keys, of both classes: new ones, a changed one, and a removed one."""
    home.save(f"new {generation}", "ada", b"a value of this generation")
    home.save(f"protected {generation}", "ada", b"a value of this generation", "--class", "after-verification")
    home.save(f"removed {generation}", "ada", b"a value of this generation")
    home.expect(0, "secret", "remove", "--yes", f"removed {generation}", "ada", "--no-agent", "--passphrase-file", str(home.secret_file))
    home.save("changed", "ada", str(generation).encode(), "--replace")


def change_passphrase(home, *options):
    new = random_text()
    home.expect(0, "passphrase", "change", *options, "--no-agent", "--passphrase-file", "-", lines=[home.passphrase, new])
    home.passphrase = new
    home.write(home.secret_file, new.encode() + b"\n")


def revoke_code(home, *options):
    home.expect(0, "recovery", "revoke", *options, "--no-agent", "--passphrase-file", str(home.secret_file))


def opened(rows, vault_id, keys):
    """How many rows these keys open, name or value."""
    count = 0
    for row in rows:
        for part in (open_attributes, open_value):
            try:
                part(row, vault_id, keys)
            except Failure:
                continue
            count += 1
            break
    return count


def put_header(home, header):
    with closing(sqlite3.connect(home.vault)) as database, database:
        database.execute("UPDATE header SET bytes = ?", (header,))


def attempt(changes, *options):
    """What all old keys open of the newest rows, how many rows there are, and the answers that were no refusal."""
    with VaultHome() as home:
        kept, wrong = [], []
        write(home, 0)
        for generation, change in enumerate(changes, 1):
            kept.append((read_records(home.vault).header, [Passphrase(home.passphrase.encode())]))
            if generation == 1:
                kept[0][1].append(RecoveryCode(home.recovery_code.encode()))
            change(home, *options)
            write(home, generation)
        newest = read_records(home.vault)
        rows, found = newest.rows + newest.earlier, 0
        for bytes_of_header, secrets in kept:
            header = Header.decode(bytes_of_header, CostLimits())
            for secret in secrets:
                found = max(found, opened(rows, header.vault_id, unlock(header, secret)))
                for records in (newest, replace(newest, header=bytes_of_header)):
                    try:
                        Vault(records, secret)
                        wrong.append("the reader opened the vault")
                    except Failure:
                        pass
            put_header(home, bytes_of_header)
            answer = home.run("secret", "list", "--json", "--no-agent", "--passphrase-file", "-", lines=[secrets[0].typed.decode()])
            if answer.returncode != 7 or json.loads(answer.stderr)["code"] != "state_seal":
                wrong.append(f"the executable ended with {answer.returncode}")
        put_header(home, newest.header)
        if opened(rows, header.vault_id, Vault(newest, Passphrase(home.passphrase.encode())).keys) != len(rows):
            wrong.append("the newest passphrase opens less than all")
    return found, len(rows), wrong


CHANGES = [change_passphrase, revoke_code, change_passphrase, change_passphrase]
found, rows, wrong = attempt(CHANGES)
print(f"proof: changes={len(CHANGES)} rows={rows} opened={found} wrong={len(wrong)}")
kept, of, _ = attempt(CHANGES, "--keep-keys")
print(f"control: after changes with --keep-keys an old passphrase opened {kept} of {of} rows")
if found or wrong or kept != of:
    sys.exit("; ".join(wrong) or "old keys open new rows, or the keys that were kept do not")

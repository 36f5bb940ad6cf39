#!/usr/bin/python3
"""A second program for TaskVault's vaults, written from Docs/Format.md alone, and for the vectors of sync, from Docs/Sync.md.

    reader.py read HOME-or-FILE (--passphrase-file FILE | --recovery-code-file FILE) [--rollback-record FILE]
    reader.py write FILE --passphrase-file FILE [--items FILE]
    reader.py vectors FOLDER

`read` checks everything and prints settings and items as JSON, values included. `write` makes a new vault with the items
of such a JSON (or with a few examples) and prints its recovery code. A refusal is `{"code": NAME}` on standard error, with
the exit code of Docs/CommandLine.md.
"""

import argparse
import json
import os
import sqlite3
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the modules

try:
    import nacl  # noqa: F401
except ImportError:
    print("not run: python3-nacl is missing")
    sys.exit(77)

from syncformat import vectors as sync_vectors
from vaultformat import backup_vectors, read_log_vectors, task_vectors
from vaultformat import vectors as vault_vectors
from vaultformat.as_json import draft_from_json, examples, vault_to_json
from vaultformat.failures import Failure
from vaultformat.file import read_records, write_records
from vaultformat.rollback_record import RollbackRecords
from vaultformat.passphrase import Passphrase
from vaultformat.recovery_code import RecoveryCode
from vaultformat.vault import Vault


def first_line(path: str) -> bytes:
    return Path(path).read_bytes().split(b"\n")[0]


def read(arguments) -> None:
    path = Path(arguments.vault)
    path = path / "vault.db" if path.is_dir() else path
    if arguments.passphrase_file:
        secret = Passphrase(first_line(arguments.passphrase_file))
    else:
        secret = RecoveryCode(first_line(arguments.recovery_code_file))
    state_folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state")
    if arguments.rollback_record:
        rollback_records = RollbackRecords(Path(arguments.rollback_record).read_bytes())
    else:
        rollback_records = RollbackRecords.at(path, state_folder)
    records = read_records(path)  # after the rollback record: another program may be writing both, the vault first
    print(json.dumps(vault_to_json(Vault(records, secret, rollback_records)), indent=1))


def write(arguments) -> None:
    content = json.loads(Path(arguments.items).read_text()) if arguments.items else examples()
    passphrase = first_line(arguments.passphrase_file)
    draft, code = draft_from_json(content, passphrase, arguments.kdf_passes, arguments.kdf_memory * 1024)
    path = Path(arguments.vault)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_records(path, draft.records())
    print(code)


def vectors(arguments) -> None:
    folder = Path(arguments.folder)
    of_vaults = vault_vectors.answer_all(folder) + vault_vectors.answer_all(folder / "Chunks")
    of_backups, of_tasks = backup_vectors.answer_all(folder / "Backups"), task_vectors.answer_all(folder / "Tasks")
    of_logs, of_sync = read_log_vectors.answer_all(folder / "Reads"), sync_vectors.answer_all(folder)
    different = [each for each in of_vaults + of_backups + of_tasks + of_logs + of_sync if each[1] != each[2]]
    for name, expected, given in different:
        print(f"{name}: expected {expected}, answered {given}", file=sys.stderr)
    counts = f"vectors={len(of_vaults)} backup-vectors={len(of_backups)} text-vectors={len(of_tasks)} log-vectors={len(of_logs)} sync-vectors={len(of_sync)}"
    print(f"proof: {counts} differences={len(different)}")
    sys.exit(1 if different or not all((of_vaults, of_backups, of_tasks, of_logs, of_sync)) else 0)


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    reading = commands.add_parser("read")
    reading.add_argument("vault")
    secret = reading.add_mutually_exclusive_group(required=True)
    secret.add_argument("--passphrase-file")
    secret.add_argument("--recovery-code-file")
    reading.add_argument("--rollback-record")
    reading.set_defaults(run=read)
    writing = commands.add_parser("write")
    writing.add_argument("vault")
    writing.add_argument("--passphrase-file", required=True)
    writing.add_argument("--items")
    writing.add_argument("--kdf-memory", type=int, default=256, help="MiB")
    writing.add_argument("--kdf-passes", type=int, default=3)
    writing.set_defaults(run=write)
    answering = commands.add_parser("vectors")
    answering.add_argument("folder")
    answering.set_defaults(run=vectors)
    return parser


if __name__ == "__main__":
    parsed = command_line().parse_args()
    try:
        parsed.run(parsed)
    except Failure as failure:
        print(json.dumps({"code": failure.name}), file=sys.stderr)
        sys.exit(failure.exit_code)
    except (OSError, sqlite3.Error) as error:
        print(json.dumps({"code": "failed", "message": str(error)}), file=sys.stderr)
        sys.exit(1)

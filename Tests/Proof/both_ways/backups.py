"""Backups of the executable, opened by the reader, and backups of the reader, restored by the executable."""

import secrets
import time

from vaultformat.backup import SETTINGS, SETTINGS_BYTES_MAXIMUM, TASKS, VAULT, read_backup, write_backup
from vaultformat.failures import Failure
from vaultformat.file import read_records, write_records
from vaultformat.passphrase import Passphrase
from vaultformat.recovery_code import RecoveryCode
from vaultformat.vault import Vault

from .check import Checker, read_vault
from .content import Difference, by_name, compare, of_reader
from .executable import Home
from .from_executable import exported
from .from_reader import drafted
from .samples import many_contents


def vault_in(home: Home, part: bytes, secret) -> Vault:
    path = home.state / "part.db"
    path.write_bytes(part)
    return Vault(read_records(path), secret)


def backup_of_the_executable(checker: Checker, home: Home) -> None:
    home.init()
    home.do("secret", "import", "-", given=exported(many_contents(400)))
    meant = checker.agree(home)
    path = home.state / "copy"
    home.do("backup", str(path))
    # A vault that is locked does not have the key yet.
    kept = home.state / f"taskvault/backup-keys/{read_vault(home).header.vault_id.hex()}.new"
    if not kept.exists():
        raise Difference("the state folder has no key for backups of this vault")
    data, machine_key = path.read_bytes(), kept.read_bytes()
    home.unlock()  # before, the vault cannot have the key that a locked one was backed up with
    for secret in (Passphrase(home.passphrase), RecoveryCode(home.recovery_code.encode())):
        backup = read_backup(data, secret, machine_key)
        compare(meant, of_reader(vault_in(home, backup.parts[VAULT], secret)), "vault and backup")
    if abs(backup.time - time.time() * 1000) > 600_000:
        raise Difference(f"a backup of {backup.time}")
    if read_vault(home).read("taskvault.backup", backup.machine.hex()).value != machine_key:
        raise Difference("the vault has another key of this machine")
    if read_backup(data, secret, bytes(32)).parts.keys() != {VAULT}:
        raise Difference("without the machine's key, only the vault counts")
    for place, name in ((0, "file_foreign"), (len(data) // 2, "backup_chunk"), (len(data) - 33, "backup_chunk")):
        changed = bytearray(data)
        changed[place] ^= 1
        try:
            read_backup(bytes(changed), secret, machine_key)
        except Failure as failure:
            if failure.name != name:
                raise
        else:
            raise Difference(f"byte {place} of a backup is changed")


def backup_of_settings(checker: Checker, home: Home) -> None:
    """Lines that are not known are left out; what is no text, or too much of it, is refused before anything is replaced."""
    home.init()
    home.unlock()
    path = home.state / "copy"
    home.do("backup", str(path))
    data, secret = path.read_bytes(), Passphrase(home.passphrase)
    machine = read_backup(data, secret, None).machine
    machine_key = read_vault(home).read("taskvault.backup", machine.hex()).value
    vault = read_backup(data, secret, machine_key).parts[VAULT]
    line = b"task-order = name\n"
    filler = b"#" * (SETTINGS_BYTES_MAXIMUM - len(line) - 1) + b"\n"
    for settings, name in (
        (line + b"theme dark\nunknown = 1\n", None), (line + filler, None),
        (line + filler + b"\n", "backup_content"), (line + b"#\xff\n", "backup_content"),
    ):  # fmt: skip
        records = read_records(home.file)
        path.write_bytes(write_backup(int(time.time() * 1000), records.header, {VAULT: vault, SETTINGS: settings}, machine, machine_key))
        try:
            read_backup(path.read_bytes(), secret, machine_key)
            ours = None
        except Failure as failure:
            ours = failure.name
        answer = home.try_to("--no-agent", "restore", "--replace", str(path), secrets=home.passphrase + b"\n")
        if ours != name or answer.exit_code != (7 if name else 0) or (name and answer.code != name):
            raise Difference(f"settings of {len(settings)} bytes: the executable says {answer}, the reader {ours}")
        if name and read_records(home.file).state != records.state:
            raise Difference("a refused backup replaced the vault")
        order = home.do("settings", "get", "task-order")
        if b"name" not in order:
            raise Difference(f"the restored order is {order}")


def backup_of_the_reader(checker: Checker, home: Home) -> None:
    """Restored where no vault is: the vault alone, because the machine has not made it."""
    contents = many_contents(400)
    draft = drafted(home, contents, {"counter": 4})
    part, records = home.state / "part.db", draft.records()
    write_records(part, records)  # leaves no log
    parts = {VAULT: part.read_bytes(), TASKS: b"no database"}
    path = home.state / "backup"
    keys = secrets.token_bytes(16), secrets.token_bytes(32)
    path.write_bytes(write_backup(int(time.time() * 1000), records.header, parts, *keys))
    home.do("restore", str(path))
    state = read_vault(home).state
    checker.agree(home, by_name(contents))
    if state.lineage == draft.lineage or state.counter != 5:
        raise Difference("a restored vault has another lineage and the next counter")


SCENARIOS = [backup_of_the_executable, backup_of_settings, backup_of_the_reader]

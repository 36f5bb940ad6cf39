"""Asks the executable and the reader for everything in a vault, and counts what was compared."""

from dataclasses import dataclass, fields

from vaultformat.failures import Failure
from vaultformat.file import read_records
from vaultformat.rollback_record import RollbackRecords
from vaultformat.passphrase import Passphrase
from vaultformat.recovery_code import RecoveryCode
from vaultformat.vault import Vault

from .content import Contents, Difference, compare, of_reader
from .executable import Home


@dataclass
class Figures:
    vaults: int = 0
    items: int = 0
    values: int = 0
    refusals: int = 0
    mistakes: int = 0
    flips: int = 0
    differences: int = 0

    def add(self, other: "Figures") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def __str__(self) -> str:
        return " ".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))


def read_vault(home: Home, secret=None) -> Vault:
    known = RollbackRecords.at(home.file, home.state)
    return Vault(read_records(home.file), secret or Passphrase(home.passphrase), known)


def refusal(home: Home, secret=None, before_rekey: bool = False) -> str | None:
    """The reader's, or None if it reads everything, or all that must hold before a `rekey`."""
    try:
        vault = read_vault(home, secret)
        if before_rekey:
            vault.check_before_rekey()
        else:
            vault.items()
            vault.earlier_items()
    except Failure as failure:
        return failure.name
    return None


class Checker:
    def __init__(self):
        self.figures = Figures()

    def agree(self, home: Home, expected: Contents | None = None) -> Contents:
        """Both say the same of the whole vault, and what was meant to be there is."""
        home.is_sound()
        theirs = home.contents()
        self.figures.vaults += 1
        secrets = [Passphrase(home.passphrase)]
        if home.recovery_code:
            secrets.append(RecoveryCode(home.recovery_code.encode()))
        for secret in [*secrets, *home.key_outputs]:
            vault = read_vault(home, secret)
            vault.check_before_rekey()
            vault.earlier_items()
            ours = of_reader(vault)
            compare(theirs, ours, f"{home.path.name}, executable and reader")
            self.figures.items += len(ours)
            self.figures.values += len(ours)
        if expected is not None:
            compare(expected, theirs, f"{home.path.name}, meant and read")
        return theirs

    def both_refuse(
        self, home: Home, name: str, exit_code: int, secret: bytes | None = None, before_rekey: bool = False
    ) -> None:
        """The same name from both, and the exit code."""
        typed = home.passphrase if secret is None else secret
        command = ["rekey"] if before_rekey else ["secret", "export"]
        answer = home.try_to("--no-agent", *command, secrets=typed + b"\n")
        ours = refusal(home, Passphrase(typed), before_rekey)
        if (answer.code, answer.exit_code) != (name, exit_code):
            raise Difference(f"{home.path.name}: the executable says {answer}, instead of {name}")
        if ours != name or Failure(name).exit_code != exit_code:
            raise Difference(f"{home.path.name}: the reader says {ours}, instead of {name}")
        self.figures.refusals += 1

    def both_find(self, home: Home, name: str) -> None:
        """The same name from both, in an earlier row: `doctor` looks at all of them."""
        answer = home.try_to("--no-agent", "doctor", secrets=home.passphrase + b"\n")
        ours = refusal(home)
        if answer.exit_code != 7 or f'"{name}"' not in answer.output.decode() + answer.errors:
            raise Difference(f"{home.path.name}: doctor says {answer}, instead of {name}")
        if ours != name:
            raise Difference(f"{home.path.name}: the reader says {ours}, instead of {name}")
        self.figures.refusals += 1
        self.figures.mistakes += 1

"""A home whose files the attacks read and write. It is asked without an agent, with the passphrase in a file."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home  # noqa: E402


class VaultHome(Home):
    def __init__(self, has_vault=True):
        super().__init__(has_vault)
        self.folder = pathlib.Path(self.folder)
        self.vault = pathlib.Path(self.vault)
        self.log = self.vault.with_name("vault.db-wal")
        self.secret_file = self.folder / "passphrase"
        self.write(self.secret_file, self.passphrase.encode() + b"\n")

    def direct(self, *words, data=b""):
        return self.run(*words, "--no-agent", "--passphrase-file", str(self.secret_file), data=data)

    def save(self, service, account, value, *options):
        saved = self.direct("secret", "set", service, account, *options, data=value)
        assert saved.returncode == 0, saved.stderr

    @staticmethod
    def write(path, data):
        """A file of mode 0600, over one that is there."""
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)

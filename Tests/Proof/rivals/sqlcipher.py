"""SQLCipher's shell over a table of secrets: with the passphrase, and with the key that was derived from it, which is the nearest it has to a session."""

import hashlib
import os

from . import items
from .process import private_file
from .tool import Tool, Way, check_names, check_value, checked

SCHEMA = "CREATE TABLE secrets (service TEXT, account TEXT, value TEXT, PRIMARY KEY (service, account)) WITHOUT ROWID;"


class SQLCipher(Tool):
    name = "sqlcipher"
    packages = ("sqlcipher",)
    labels = ("sqlcipher, passphrase", "sqlcipher, raw key")

    def __init__(self, machine, folder):
        super().__init__(machine, folder)
        self.path = os.path.join(folder, "store", "secrets.db")
        os.makedirs(os.path.dirname(self.path), mode=0o700)
        self.count = 0
        self.raw = None

    def versions(self):
        text = self.machine.run("sqlcipher", "-batch", ":memory:", input="PRAGMA cipher_version; SELECT sqlite_version();").text
        return "{} (SQLite {})".format(*text.split())

    def shell(self, statements, key=None, **options):
        key = key or f"'{self.passphrase}'"
        return self.machine.run("sqlcipher", "-batch", "-bail", self.path, input=f"PRAGMA key = {key};\n{statements}\n", **options)

    def fill(self, count):
        self.shell(SCHEMA)
        path = private_file(
            os.path.join(self.folder, "import.csv"),
            "".join(f"{items.service(number)},{items.account(number)},{items.value(number)}\n" for number in range(count)),
        )
        measured = self.shell(f".mode csv\n.import {path} secrets")
        os.remove(path)
        self.count = count
        return measured.seconds

    def open(self):
        # Version 3: PBKDF2-HMAC-SHA1, 64,000 times, over the salt that the file begins with.
        with open(self.path, "rb") as file:
            salt = file.read(16)
        self.raw = "\"x'" + hashlib.pbkdf2_hmac("sha1", self.passphrase.encode(), salt, 64_000, 32).hex() + "'\""

    def read(self, number, key=None):
        measured = self.shell(f"SELECT value FROM secrets WHERE service = '{items.service(number)}' AND account = '{items.account(number)}';", key)
        check_value("sqlcipher", number, measured.text.rstrip("\n"))
        return measured

    def add(self, key=None):
        number = self.count
        row = f"'{items.service(number)}', '{items.account(number)}', '{items.value(number)}'"
        measured = self.shell(f"INSERT INTO secrets VALUES ({row});", key)
        self.count += 1
        self.read(number, key)
        return measured

    def list(self, key=None):
        measured = self.shell("SELECT service, account FROM secrets ORDER BY service, account;", key)
        check_names("sqlcipher", {tuple(line.split("|")) for line in measured.text.splitlines()}, items.names(self.count))
        return measured

    def change(self):
        measured = self.shell(f"PRAGMA rekey = '{self.next_passphrase}';")
        refused = self.shell("SELECT count(*) FROM secrets;", succeed=False)
        checked(refused.status != 0 and not refused.output, "sqlcipher: the old passphrase still opens the file")
        self.turn += 1
        self.read(0)
        self.open()
        return measured

    def ways(self):
        return [
            Way(
                self.labels[1],
                lambda number: self.read(number, self.raw),
                lambda: self.add(self.raw),
                lambda: self.list(self.raw),
            ),
            Way(self.labels[0], self.read, self.add, self.list, self.change, self.importing),
        ]

    def files(self):
        return [self.path]

"""The keys of a device in its home: those of the list in the state folder (Storage.md, Sync), the others in the vault (Format.md, section 13)."""

import pathlib
from dataclasses import dataclass

from vaultformat.encoding import Cursor, Malformed
from vaultformat.file import read_records
from vaultformat.vault import Vault

from .keys import LIST, UNLOCKED, VERIFIED, LevelSecrets
from .values import ID


@dataclass(frozen=True)
class HomeDevice:
    group: bytes
    folder: str
    secrets: dict

    @property
    def id(self):
        return self.secrets[LIST].device


def read_list_keys(state):
    """What the disk of a locked machine has."""
    cursor = Cursor((pathlib.Path(state) / "device").read_bytes())
    if cursor.raw(4) != b"TVSD" or cursor.u32() != 1:
        raise Malformed
    group, folder, secrets = cursor.raw(ID), cursor.sized().decode(), LevelSecrets.read(cursor)
    cursor.end()
    return HomeDevice(group, folder, {LIST: secrets})


def read_device(state, vault, secret):
    """All keys, with the passphrase or recovery code of the vault."""
    device = read_list_keys(state)
    opened = Vault(read_records(pathlib.Path(vault)), secret)
    for level, field in ((UNLOCKED, "unlocked"), (VERIFIED, "verified")):
        cursor = Cursor(opened.read("taskvault.sync", device.id.hex(), field).value)
        device.secrets[level] = LevelSecrets.read(cursor)
        # The key of this machine's own records is no matter of the folder.
        cursor.raw(32)
        cursor.end()
    return device

"""Segments and statements that somebody writes with the keys of a level, such as those on a stolen disk."""

import os
import time

from syncformat.folder import CHAINS, Chain, Folder
from syncformat.home import read_device, read_list_keys
from syncformat.keys import LIST, UNLOCKED, VERIFIED, secrets_chain
from syncformat.records import Record
from syncformat.segments import encode
from syncformat.values import NO_HASH
from vaultformat.passphrase import Passphrase


def stolen(pair, home, *levels):
    """The folder, as one reads it who has the secret keys of some levels of a device."""
    if levels == (LIST,):
        device = read_list_keys(home.sync_folder)
    else:
        device = read_device(home.sync_folder, home.vault, Passphrase(home.passphrase.encode()))
    secrets = {level: device.secrets[level] for level in levels}
    return Folder(pair.shared, device.group, secrets)


class Forger:
    """Writes segments in the name of a device, to its own chain."""

    def __init__(self, folder, chain="list", number=None, previous=None):
        self.folder, self.name = folder, chain
        member = folder.secrets[LIST].device
        self.device = member if chain == "list" else secrets_chain(member)
        self.read = Chain(folder, chain)
        last = self.read.applied.get(self.device, (0, NO_HASH))
        self.number = last[0] + 1 if number is None else number
        self.previous = last[1] if previous is None else previous
        self.clock = max([record.clock for record in self.read.records.values()], default=0)
        # As if it had seen all that there is.
        self.heads = {device: head for device, head in self.read.applied.items() if device != self.device and head[0]}
        self.seen = {device: number for device, (number, _) in self.heads.items()}

    @property
    def dot(self):
        return self.device, self.number

    def record(self, object_, number, content, detail=b"", level=LIST, clock=None):
        self.clock = max(self.clock + 1, int(time.time() * 1000) << 16) if clock is None else clock
        return Record(object_, number, detail, self.clock, self.device, content, level, self.dot, self.seen)

    def segment(self, records, **more):
        epoch = more.pop("epoch", None) or self.folder.group.sealing(self.folder.keys)
        keys = more.pop("keys", None) or self.folder.keys[epoch]
        seed = more.pop("seed", None) or self.folder.secrets[CHAINS[self.name]].seed
        group = more.pop("group", None) or self.folder.id
        more.setdefault("heads", self.heads)
        return encode(group, self.dot, self.previous, epoch, keys, records, seed, time=int(time.time() * 1000), **more)

    @property
    def path(self):
        return self.folder.path / self.device.hex() / str(self.number)

    def put(self, data):
        """Into the folder, in the place of what is there."""
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_bytes(data)
        return self.path


def put_statement(folder, data):
    from vaultformat.primitives import hash
    path = folder.path / "members" / hash(32, b"", data).hex()
    path.write_bytes(data)
    return path


__all__ = ["Forger", "LIST", "UNLOCKED", "VERIFIED", "put_statement", "stolen", "os"]

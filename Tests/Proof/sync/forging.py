"""Segments and statements that somebody writes with the keys of a level, such as those on a stolen disk."""

import time
from secrets import token_bytes

from syncformat.folder import CHAINS, Chain, Folder
from syncformat.home import read_device, read_list_keys
from syncformat.keys import LIST, secrets_chain
from syncformat.records import Record
from syncformat.segments import SNAPSHOT, encode
from syncformat.statements import encode as encode_statement
from syncformat.values import NO_HASH, encoded_dot, encoded_vector
from vaultformat.encoding import i64, u32
from vaultformat.passphrase import Passphrase
from vaultformat.primitives import hash


def stolen(pair, home, *levels):
    """The folder, as one reads it who has the secret keys of some levels of a device."""
    if levels == (LIST,):
        device = read_list_keys(home.sync_folder)
    else:
        device = read_device(home.sync_folder, home.vault, Passphrase(home.passphrase.encode()))
    return Folder(pair.shared, device.group, {level: device.secrets[level] for level in levels})


class Forger:
    """Writes segments in the name of a device, to its own chain."""

    def __init__(self, folder, chain="list", last=None):
        """`last` is the number and the hash after which it goes on, in place of the newest segment."""
        self.folder, self.name = folder, chain
        member = folder.secrets[LIST].device
        self.device = member if chain == "list" else secrets_chain(member)
        read = Chain(folder, chain)
        number, self.previous = last or read.applied.get(self.device, (0, NO_HASH))
        self.dot = self.device, number + 1
        self.clock = max([record.clock for record in read.records.values()], default=0)
        # As if it had seen all that there is.
        self.heads = {device: head for device, head in read.applied.items() if device != self.device and head[0]}
        self.seen = {device: number for device, (number, _) in self.heads.items()}

    def record(self, object_, number, content, detail=b"", level=LIST):
        self.clock = max(self.clock + 1, int(time.time() * 1000) << 16)
        return Record(object_, number, detail, self.clock, self.device, content, level, level, self.dot, self.seen)

    def segment(self, records, seed=None, **more):
        more = {"heads": self.heads, "time": int(time.time() * 1000)} | more
        epoch = self.folder.group.sealing(self.folder.keys) or max(self.folder.keys)
        return encode(self.folder.id, self.dot, self.previous, epoch, self.folder.keys[epoch], records,
                      seed or self.folder.secrets[CHAINS[self.name]].seed, **more)

    def put(self, records, seed=None, **more):
        """Writes a segment into the folder, in the place of what is there. Its path."""
        data = self.segment(records, seed, **more)
        path = self.folder.path / self.device.hex() / str(self.dot[1])
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path


def put_snapshot(forger):
    """Announces a snapshot of all chains without any record, and writes it. The proof is a random one: it needs V. The path of
    the announcing segment."""
    chain = Chain(forger.folder, forger.name)
    ends = [encoded_dot(device, number) + u32(1) + i64(0) + encoded_vector(chain.seen[device]) + u32(1) + hash_
            for device, (number, hash_) in sorted(chain.applied.items()) if number]
    file = forger.segment([], kind=SNAPSHOT, addition=u32(len(ends)) + b"".join(ends), heads={})
    name = hash(32, b"", file)
    path = forger.put([], addition=u32(1) + name + token_bytes(32))
    path.with_name(name.hex()).write_bytes(file)
    return path


def put_statement(folder, kind, author, introduction, content, seed, format=1):
    """Writes a statement that has seen all others into the folder. Its path."""
    seen = {each.id for each in folder.group.counting}
    for each in folder.group.counting:
        seen -= set(folder.group.past[each.id])
    clock = max(each.clock for each in folder.group.counting) + 1
    data = encode_statement(kind, folder.id, author, introduction, clock, sorted(seen), content, seed, format)
    path = folder.path / "members" / hash(32, b"", data).hex()
    path.write_bytes(data)
    return path

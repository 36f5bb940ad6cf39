"""Sections 6 and 8: the folder of a group, and what of its segments can be applied."""

import pathlib
import re

from vaultformat.files import File
from vaultformat.primitives import hash
from vaultformat.stream import CHUNK_SIZE, SEAL_SIZE

from .group import Group
from .keys import UNLOCKED, LIST, VERIFIED, secrets_chain, signing_key
from .merging import objects
from .segments import CHANGE, LIMIT, SNAPSHOT, Segment
from .values import NO_HASH, Refused

CHAINS = {"list": LIST, "secrets": UNLOCKED}
CHUNKS_OF_PART, SEALED = 16, CHUNK_SIZE + SEAL_SIZE


def content(path, limit=LIMIT):
    """Bytes of a regular file that is not too long; None for anything else."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > limit:
        return None
    return path.read_bytes()


def content_of_parts(folder, value):
    """The content that the value of a file's item names, from its parts in a folder."""
    file, chunks = File.decode(value), {}
    for number in range(-(-file.chunk_count // CHUNKS_OF_PART)):
        part = content(folder / f"{file.version_id.hex()}-{number}", CHUNKS_OF_PART * SEALED)
        count = min(CHUNKS_OF_PART, file.chunk_count - CHUNKS_OF_PART * number)
        if part is None or len(part) != count * SEALED:
            raise Refused("file_part")
        for place in range(count):
            chunk = CHUNKS_OF_PART * number + place
            # After the last chunk there are random bytes.
            size = min(CHUNK_SIZE, file.size - chunk * CHUNK_SIZE) + SEAL_SIZE
            chunks[file.version_id, chunk] = part[place * SEALED:place * SEALED + size]
    return file.content(chunks)


class Folder:
    def __init__(self, path, group, secrets):
        """`secrets` are those of one device, by level."""
        self.path = pathlib.Path(path) / group.hex()
        self.id, self.secrets = group, secrets
        self.group = Group(group, self.statements())
        self.keys = self.group.open_epochs(secrets)
        self.problems = {}

    def statements(self):
        for path in sorted((self.path / "members").glob("*")):
            data = content(path, 32_768)
            if data is not None and hash(32, b"", data).hex() == path.name:
                yield data

    def list_keys(self):
        return {id: keys[LIST] for id, keys in self.keys.items() if LIST in keys}

    def names(self):
        return {device.hex(): self.group.name(device, self.list_keys()) for device in self.group.members}

    def candidates(self, chain):
        """The copies of each number."""
        found = {}
        for path in (self.path / chain.hex()).glob("*"):
            if match := re.fullmatch(r"([1-9][0-9]{0,19})(\.sync-conflict-.*)?", path.name):
                if (data := content(path)) is not None:
                    found.setdefault(int(match[1]), []).append(data)
        return found

    def records(self, chain_name):
        """Every record of one chain of all devices that can be applied."""
        return Chain(self, chain_name).records

    def content_of_file(self, value):
        """The content that the value of a file's item names."""
        return content_of_parts(self.path / "files", value)

    def objects(self, chain_name):
        return objects(self.records(chain_name).values())


class Chain:
    """Applies the segments of all devices, each after all that its author had seen."""

    def __init__(self, folder, name):
        self.folder, group = folder, folder.group
        level = CHAINS[name]
        self.keys = {}
        self.limits = {}
        for device in [*group.members, *group.former]:
            chain = device if name == "list" else secrets_chain(device)
            keys = group.keys(device)
            self.keys[chain] = signing_key(keys, level)
            if device in group.former:
                self.limits[chain] = group.former[device][chain]
        self.files = {chain: folder.candidates(chain) for chain in self.keys}
        self.applied, self.hashes, self.seen, self.records = {}, {}, {}, {}
        # Of each removed device the first segment of each chain whose author knows of the removal.
        self.knowing = {}
        if any(numbers and 1 not in numbers for numbers in self.files.values()):
            self.begin()
        while any([self.apply_next(chain) for chain in sorted(self.keys)]):
            pass

    def begin(self):
        """Takes over the snapshot that covers most; the remote lacks earlier segments."""
        found = [each for chain, numbers in self.files.items() for number in numbers if (each := self.snapshot(chain, number))]
        if not found:
            return
        _, ends, self.records = max(found, key=lambda each: each[0])
        for device, first, _, _, seen, hashes in ends:
            self.hashes |= {(device, first + place): each for place, each in enumerate(hashes)}
            self.applied[device], self.seen[device] = (first + len(hashes) - 1, hashes[-1]), seen

    def snapshot(self, chain, number):
        """What a segment announces: the number of segments that it covers, ends of chains, records; None if it is not whole."""
        try:
            segment = self.take(chain, number)
            keys = self.folder.keys.get(segment.epoch, {})
            if segment.kind != CHANGE or VERIFIED not in keys or not (body := segment.open(keys, {})).snapshot:
                return None
            covered = {device: head for device, (head, _) in body.heads.items()} | {chain: number - 1}
            ends, records, before = [], {}, segment.previous
            for name in body.snapshot:
                data = content(self.folder.path / chain.hex() / name.hex())
                if data is None or hash(32, b"", data) != name:
                    return None
                file = Segment.decode(data, self.folder.id, (chain, number), self.keys[chain])
                if file.kind != SNAPSHOT or file.previous != before:
                    return None
                part, before = file.open(self.folder.keys[file.epoch], covered), name
                ends += part.ends
                records |= {record.key: record for record in part.records}
            return sum(covered.values()), ends, records
        except Refused:
            return None

    def apply_next(self, chain):
        """Whether a change of the chain was applied."""
        change, last, seen = [], self.applied.get(chain, (0, NO_HASH)), self.seen.get(chain, {})
        try:
            while True:
                number = last[0] + 1
                if number > self.limits.get(chain, number) or number not in self.files[chain]:
                    return False
                segment = self.take(chain, number)
                if segment.previous != last[1]:
                    raise Refused("fork")
                if segment.kind != CHANGE:
                    raise Refused("segment_kind")
                if segment.epoch not in self.folder.keys:
                    raise Refused("epoch_missing")
                body = segment.open(self.folder.keys[segment.epoch], seen)
                if self.is_open_to_removed(segment, body):
                    raise Refused("segment_epoch_open")
                if change and body.following != change[-1][1].following - 1:
                    raise Refused("body_change_parts")
                if not self.reaches(body.heads):
                    return False
                change.append((segment, body))
                last, seen = (number, segment.hash), body.seen
                if body.following == 0:
                    break
        except Refused as failure:
            self.folder.problems[chain.hex(), last[0] + 1] = failure.name
            return False
        for segment, body in change:
            self.hashes[segment.dot] = segment.hash
            for removed in self.folder.group.excluded.get(segment.epoch, ()):
                self.knowing.setdefault(removed, {}).setdefault(chain, segment.dot[1])
            for record in body.records:
                self.records.setdefault(record.key, record)
            for level, failure in body.ignored.items():
                self.folder.problems[chain.hex(), segment.dot[1], level] = failure
        self.applied[chain], self.seen[chain] = last, seen
        return True

    def is_open_to_removed(self, segment, body):
        """Section 10: the author knows of a removal, and sealed for the removed device all the same."""
        reached = body.seen | {segment.dot[0]: segment.dot[1] - 1}
        return any(reached.get(chain, 0) >= number for removed in self.folder.group.admitted.get(segment.epoch, ())
                   for chain, number in self.knowing.get(removed, {}).items())

    def reaches(self, heads):
        """Whether all that the heads name was applied, with these hashes."""
        for device, (number, hash_) in heads.items():
            if device in self.limits and number > self.limits[device]:
                # A member had seen it.
                self.limits[device] = number
            found = self.hashes.get((device, number))
            if found is None:
                return False
            if found != hash_:
                raise Refused("fork")
        return True

    def take(self, chain, number):
        """The candidate that the author signed."""
        found, failure = {}, None
        for data in self.files[chain][number]:
            try:
                found[data] = Segment.decode(data, self.folder.id, (chain, number), self.keys[chain])
            except Refused as refused:
                failure = refused
        if len(found) > 1:
            raise Refused("fork")
        if not found:
            raise failure
        return next(iter(found.values()))

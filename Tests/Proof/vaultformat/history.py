"""Section 6, History: a chain over all commits, which shows whether one state follows from another."""

import secrets

from .encoding import Cursor, u32, u64
from .failures import Failure
from .keys import Keys
from .primitives import RECORD_FORMAT, Context, hash, seal, unseal

LINK_RECORD_SIZE, BEFORE_ALL, KEPT_LINKS = 60, bytes(32), 100_000
"""`BEFORE_ALL` is the history before the first commit."""


def new_link(state_without_history: bytes, keys: Keys) -> bytes:
    return hash(16, keys.row_hash, b"TVLK" + secrets.token_bytes(16) + state_without_history)


def next_history(previous: bytes, counter: int, link: bytes) -> bytes:
    return hash(32, b"", b"TVHI" + previous + u64(counter) + link)


def link_context(vault_id: bytes, counter: int) -> Context:
    return Context(8, vault_id, revision=counter)


def seal_link(link: bytes, counter: int, vault_id: bytes, keys: Keys) -> bytes:
    return u32(RECORD_FORMAT) + seal(keys.state, link, link_context(vault_id, counter))


def open_link(record: bytes, counter: int, vault_id: bytes, keys: Keys) -> bytes:
    if len(record) != LINK_RECORD_SIZE or Cursor(record).u32() != RECORD_FORMAT:
        raise Failure("link_damaged")
    link = unseal(keys.state, record[4:], link_context(vault_id, counter))
    if link is None:
        raise Failure("link_damaged")
    return link


def history_after(before: bytes, first: int, last: int, records, vault_id: bytes, keys: Keys) -> bytes:
    """Where the links `first` to `last` lead from the history before them. Other links may be anything."""
    history = before
    if first > last:
        return history
    if records is None:
        raise Failure("file_damaged")
    stored: dict[int, list[bytes]] = {}
    for counter, record in records:
        stored.setdefault(counter, []).append(record)
    for counter in range(first, last + 1):
        match stored.get(counter, []):
            case []:
                raise Failure("link_missing")
            case [record] if type(record) is not bytes:
                raise Failure("file_damaged")
            case [record]:
                history = next_history(history, counter, open_link(record, counter, vault_id, keys))
            case _:
                raise Failure("link_damaged")
    return history


def check_links(newest: int, records, vault_id: bytes, keys: Keys) -> None:
    """What `doctor` requires: the links of the newest commits, each once, and no others. They may lead anywhere."""
    if records is None:
        raise Failure("file_damaged")
    if any(type(counter) is not int or type(record) is not bytes for counter, record in records):
        raise Failure("file_damaged")
    wanted = max(1, newest - KEPT_LINKS + 1)
    for counter, record in sorted(each for each in records if each[0] > 0):
        if not wanted <= counter <= newest:
            raise Failure("link_damaged")
        if counter != wanted:
            raise Failure("link_missing")
        open_link(record, counter, vault_id, keys)
        wanted += 1
    if wanted <= newest:
        raise Failure("link_missing")

"""What a vault holds, in one form for the executable, the reader and what we meant to put there."""

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from vaultformat.vault import Vault

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CLASSES = {"while-unlocked": 1, "after-verification": 2}


@dataclass(frozen=True)
class Content:
    service: str
    account: str
    label: str
    item_class: int
    value: bytes
    extra: tuple[tuple[str, str], ...] = ()
    revision: int = 1
    created: int | None = None
    """None of what the executable is to make, because it looks at its own clock."""
    modified: int | None = None


Contents = dict[tuple[str, str], Content]


class Difference(Exception):
    """The two implementations, or one of them and what was meant, do not say the same."""


def by_name(contents) -> Contents:
    named = {(each.service, each.account): each for each in contents}
    if len(named) != len(contents):
        raise Difference("a name is there twice")
    return named


def of_reader(vault: Vault) -> Contents:
    return by_name([
        Content(
            item.attributes.service, item.attributes.account, item.attributes.label, item.item_class, item.value,
            item.attributes.extra, item.revision, item.attributes.created, item.attributes.modified,
        )
        for item in vault.items()
    ])  # fmt: skip


def milliseconds(time: str) -> int:
    return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)


def of_executable(exported: dict, listed: list[dict]) -> Contents:
    """From `secret export`, which has everything but the revision, and `secret list --json`, which has that."""
    revisions = {(each["service"], each["account"]): each["revision"] for each in listed}
    if revisions.keys() != {(each["service"], each["account"]) for each in exported["items"]}:
        raise Difference("list and export of the executable differ")
    return by_name([
        Content(
            each["service"], each["account"], each["label"], CLASSES[each["class"]],
            base64.b64decode(each["value_base64"], validate=True),
            tuple((extra["key"], extra["text"]) for extra in each["extra"]),
            revisions[each["service"], each["account"]],
            milliseconds(each["created"]), milliseconds(each["modified"]),
        )
        for each in exported["items"]
    ])  # fmt: skip


def compare(left: Contents, right: Contents, what: str) -> None:
    """Every name, attribute and value, byte for byte; times only where both sides know them."""
    for name in left.keys() ^ right.keys():
        raise Difference(f"{what}: {ascii(name)} is on one side only")
    for name, one in left.items():
        other = right[name]
        for field in ("label", "item_class", "value", "extra", "revision", "created", "modified"):
            values = getattr(one, field), getattr(other, field)
            if values[0] != values[1] and (field not in ("created", "modified") or None not in values):
                raise Difference(f"{what}: {field} of {ascii(name)}: {values[0]!a:.80} and {values[1]!a:.80}")

"""What a vault holds, in one form for the executable, the reader and what we meant to put there."""

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from vaultformat.vault import Item, Vault

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
    field: str = "password"


Contents = dict[tuple[str, str, str], Content]


class Difference(Exception):
    """The two implementations, or one of them and what was meant, do not say the same."""


def by_name(contents) -> Contents:
    named = {(each.service, each.account, each.field): each for each in contents}
    if len(named) != len(contents):
        raise Difference("a name is there twice")
    return named


def of_item(item: Item) -> Content:
    attributes = item.attributes
    return Content(
        attributes.service, attributes.account, attributes.label, item.item_class, item.value,
        attributes.extra, item.revision, attributes.created, attributes.modified, attributes.field,
    )  # fmt: skip


def of_reader(vault: Vault) -> Contents:
    """Without the items of other parts of the program, which an export leaves out."""
    items = [item for item in vault.items() if not item.attributes.service.startswith("taskvault.")]
    return by_name([of_item(item) for item in items])


def milliseconds(time: str) -> int:
    return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)


def of_executable(exported: dict, listed: list[dict]) -> Contents:
    """From `secret export`, which has everything but the revision, and the fields of `secret list --json`, which have that."""

    def name(each: dict) -> tuple[str, str, str]:
        return each["service"], each["account"], each["field"]

    revisions = {name(entry | each): each["revision"] for entry in listed for each in entry["fields"]}
    if revisions.keys() != {name(each) for each in exported["items"]}:
        raise Difference("list and export of the executable differ")
    return by_name([
        Content(
            each["service"], each["account"], each["label"], CLASSES[each["class"]],
            base64.b64decode(each["value_base64"], validate=True),
            tuple((extra["key"], extra["text"]) for extra in each["extra"]),
            revisions[name(each)], milliseconds(each["created"]), milliseconds(each["modified"]), name(each)[2],
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

"""Vaults as JSON: what `read` prints and `write` takes. It is no part of the format."""

import base64
import time

from .draft import Draft
from .items import Attributes
from .vault import EarlierItem, Item, Vault

CLASSES = {1: "while-unlocked", 2: "after-verification"}


def item_to_json(item: Item) -> dict:
    attributes = item.attributes
    return {
        "service": attributes.service,
        "account": attributes.account,
        "field": attributes.field,
        "label": attributes.label,
        "class": CLASSES[item.item_class],
        "revision": item.revision,
        "created": attributes.created,
        "modified": attributes.modified,
        "extra": [list(pair) for pair in attributes.extra],
        "value_base64": base64.b64encode(item.value).decode(),
    }


def earlier_to_json(earlier: EarlierItem) -> dict:
    return {"moved": earlier.time, "removed": earlier.removed, **item_to_json(earlier.item)}


def vault_to_json(vault: Vault) -> dict:
    return {
        "vault_id": vault.header.vault_id.hex(),
        "key_epoch": vault.header.key_epoch,
        "slots": [slot.kind for slot in vault.header.slots],
        "counter": vault.state.counter,
        "settings": vault.state.settings(),
        "items": [item_to_json(item) for item in vault.items()],
        "earlier": [earlier_to_json(item) for item in vault.earlier_items()],
    }


def draft_from_json(content: dict, passphrase: bytes, passes: int, memory: int) -> tuple[Draft, str]:
    """A new vault with the items and settings of what `vault_to_json` gives, without the earlier ones; its recovery code."""
    draft, classes = Draft(), {name: number for number, name in CLASSES.items()}
    draft.settings = dict(content.get("settings", {}))
    draft.add_passphrase(passphrase, passes, memory)
    code = draft.add_recovery_code()
    for item in content["items"]:
        created, modified = item["created"], item["modified"]
        extra = tuple((key, text) for key, text in item["extra"])
        names = (item["service"], item["account"], item["label"])
        attributes = Attributes(*names, created, modified, extra, item["field"])
        draft.add(attributes, base64.b64decode(item["value_base64"]), classes[item["class"]], item["revision"])
    return draft, code


def examples() -> dict:
    now = int(time.time() * 1000)

    def item(service: str, account: str, item_class: int, value: bytes, **extra: str) -> dict:
        attributes = Attributes(service, account, "", now, now, tuple(sorted(extra.items())))
        return item_to_json(Item(attributes, item_class, 1, value))

    return {
        "settings": {"idle_limit": 600},
        "items": [
            item("mail.example", "ada", 1, b"correct horse", url="https://mail.example"),
            item("ci.example", "bot", 1, bytes(range(256))),
            item("diary", "2026-12-01", 2, "Heute war nichts los.".encode()),
        ],
    }

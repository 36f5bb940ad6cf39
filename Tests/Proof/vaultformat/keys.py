"""Section 2: all keys of a vault, and how a secret gives them."""

from dataclasses import dataclass

from .failures import Failure
from .header import Header, Slot
from .primitives import Context, equal, hash, subkey, unseal


@dataclass(frozen=True)
class Keys:
    root: bytes
    attributes: bytes
    values: dict[int, bytes]

    @property
    def class_wrapping(self) -> bytes:
        return subkey(1, self.root)

    @property
    def lookup(self) -> bytes:
        return subkey(2, self.root)

    @property
    def row_hash(self) -> bytes:
        return subkey(3, self.root)

    @property
    def state(self) -> bytes:
        return subkey(4, self.root)


def commitment(slot_secret: bytes, slot: Slot, vault_id: bytes) -> bytes:
    return hash(32, slot_secret[32:], slot.prefix(vault_id))


def root_key_context(vault_id: bytes, key_epoch: int, slot_id: bytes) -> Context:
    return Context(1, vault_id, id=slot_id, revision=key_epoch)


def attribute_key_context(vault_id: bytes, key_epoch: int) -> Context:
    return Context(2, vault_id, revision=key_epoch, part=1)


def value_key_context(vault_id: bytes, key_epoch: int, item_class: int) -> Context:
    return Context(2, vault_id, item_class=item_class, revision=key_epoch, part=2)


def unlock(header: Header, secret) -> Keys:
    """With a `Passphrase` or a `RecoveryCode`. The first slot of its kind whose commitment fits decides."""
    prepared = secret.prepared()
    for slot in header.slots:
        if slot.kind != secret.kind:
            continue
        slot_secret = secret.slot_secret(prepared, slot, slot.prefix(header.vault_id))
        if equal(commitment(slot_secret, slot, header.vault_id), slot.commitment):
            context = root_key_context(header.vault_id, header.key_epoch, slot.id)
            root = unseal(slot_secret[:32], slot.sealed_root_key, context)
            if root is None:
                raise Failure("root_key_seal")
            return unwrap(header, root)
    raise Failure(secret.wrong)


def unwrap(header: Header, root: bytes) -> Keys:
    wrapping = subkey(1, root)
    attributes = unseal(wrapping, header.attribute_key, attribute_key_context(header.vault_id, header.key_epoch))
    values = {
        item_class: unseal(wrapping, blob, value_key_context(header.vault_id, header.key_epoch, item_class))
        for item_class, blob in header.value_keys.items()
    }
    if attributes is None or None in values.values():
        raise Failure("wrapped_key_seal")
    return Keys(root, attributes, values)

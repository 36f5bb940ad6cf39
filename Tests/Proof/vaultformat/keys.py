"""Section 2: all keys of a vault, and how a secret gives them."""

from dataclasses import dataclass

from .failures import Failure
from .header import Header, Slot
from .primitives import Context, equal, public_key_of, subkey, takes_boxes, unbox, unseal


@dataclass(frozen=True)
class Keys:
    root: bytes
    attributes: bytes
    values: dict[int, bytes]
    backup_secret: bytes

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

    @property
    def slot_key(self) -> bytes:
        return subkey(5, self.root)


def pair_context(vault_id: bytes, slot_id: bytes) -> Context:
    """Without the key epoch: `rekey` cannot seal the pair again."""
    return Context(1, vault_id, id=slot_id)


def authentication_key_context(vault_id: bytes, key_epoch: int, slot_id: bytes) -> Context:
    return Context(7, vault_id, id=slot_id, revision=key_epoch)


def attribute_key_context(vault_id: bytes, key_epoch: int) -> Context:
    return Context(2, vault_id, revision=key_epoch, part=1)


def value_key_context(vault_id: bytes, key_epoch: int, item_class: int) -> Context:
    return Context(2, vault_id, item_class=item_class, revision=key_epoch, part=2)


def backup_key_context(vault_id: bytes, key_epoch: int) -> Context:
    return Context(2, vault_id, revision=key_epoch, part=3)


def unlock(header: Header, secret) -> Keys:
    """With a `Passphrase`, `RecoveryCode` or `KeyOutput`. The first slot of its kind whose commitment fits decides."""
    prepared = secret.prepared()
    for slot in header.slots:
        if slot.kind != secret.kind:
            continue
        slot_secret = secret.slot_secret(prepared, slot, slot.prefix(header.vault_id))
        if slot_secret is None:
            continue
        if equal(slot.commitment_of(header.vault_id, slot_secret), slot.commitment):
            return unwrap(header, root_key(header, slot, slot_secret[:32]))
    raise Failure(secret.wrong)


def root_key(header: Header, slot: Slot, slot_wrapping: bytes) -> bytes:
    pair = unseal(slot_wrapping, slot.sealed_pair, pair_context(header.vault_id, slot.id))
    if pair is None:
        raise Failure("slot_pair")
    secret_key, authentication_key = pair[:32], pair[32:]
    if public_key_of(secret_key) != slot.public_key:
        raise Failure("slot_pair")
    check_proof(header, slot, authentication_key)
    root = unbox(secret_key, slot.public_key, slot.box)
    if root is None:
        raise Failure("slot_box")
    return root


def check_proof(header: Header, slot: Slot, authentication_key: bytes) -> None:
    if not equal(slot.proof_of(header.vault_id, header.key_epoch, authentication_key), slot.proof):
        raise Failure("slot_proof")


def unwrap(header: Header, root: bytes) -> Keys:
    wrapping, place = subkey(1, root), (header.vault_id, header.key_epoch)
    attributes = unseal(wrapping, header.attribute_key, attribute_key_context(*place))
    values = {
        item_class: unseal(wrapping, blob, value_key_context(*place, item_class))
        for item_class, blob in header.value_keys.items()
    }
    backup_secret = unseal(wrapping, header.backup_secret_key, backup_key_context(*place))
    if attributes is None or backup_secret is None or None in values.values():
        raise Failure("wrapped_key_seal")
    if public_key_of(backup_secret) != header.backup_public_key:
        raise Failure("backup_key")
    return Keys(root, attributes, values, backup_secret)


def check_slots_before_rekey(header: Header, keys: Keys) -> None:
    """A new root key may be sealed to these slots: each was made by a holder of this root key or an earlier one."""
    for slot in header.slots:
        context = authentication_key_context(header.vault_id, header.key_epoch, slot.id)
        authentication_key = unseal(keys.slot_key, slot.sealed_authentication_key, context)
        if authentication_key is None:
            raise Failure("slot_key")
        check_proof(header, slot, authentication_key)
        if not takes_boxes(slot.public_key):
            raise Failure("slot_box")

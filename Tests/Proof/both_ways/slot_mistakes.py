"""Mistakes in the slots: each takes a draft and gives everything that is stored."""

import secrets
from dataclasses import replace

from vaultformat.draft import Draft
from vaultformat.header import Slot
from vaultformat.hmac_secret import Record
from vaultformat.keys import authentication_key_context, pair_context
from vaultformat.passphrase import Passphrase
from vaultformat.primitives import NO_ID, Context, box, hash, new_pair, seal, unseal
from vaultformat.records import Records

from .from_reader import MEMORY, PASSES
from .mistake import SECRET, Mistakes
from .record_mistakes import resealed

MISTAKES, MISTAKES_BEFORE_REKEY = Mistakes(), Mistakes()


def slot_secret(draft: Draft) -> bytes:
    return SECRET.slot_secret(SECRET.prepared(), draft.slots[0], b"")


def pair(draft: Draft) -> bytes:
    """Secret key and authentication key of the first slot."""
    slot = draft.slots[0]
    return unseal(slot_secret(draft)[:32], slot.sealed_pair, pair_context(draft.vault_id, slot.id))


def with_slot(draft: Draft, **changes) -> Records:
    """With changes in the first slot, and a proof and a checksum that fit to them unless they are among the changes."""
    finished = draft.finished(replace(draft.slots[0], **changes))
    finished = replace(finished, **changes)
    if "checksum" not in changes:
        finished = replace(finished, checksum=finished.checksum_of(draft.vault_id))
    draft.slots[0] = finished
    return resealed(draft)


def committed(draft: Draft, **changes) -> Records:
    """As `with_slot`, with a commitment that fits as well."""
    slot = replace(draft.slots[0], **changes)
    return with_slot(draft, **changes, commitment=slot.commitment_of(draft.vault_id, slot_secret(draft)))


@MISTAKES.named("slot_checksum")
def slot_with_the_checksum_of_another_salt(draft):
    return with_slot(draft, salt=bytes(16), checksum=draft.slots[0].checksum)


@MISTAKES.named("slot_checksum")
def checksum_without_the_proof(draft):
    slot = replace(draft.slots[0], proof=b"")
    return with_slot(draft, checksum=slot.checksum_of(draft.vault_id))


@MISTAKES.named("slot_kdf_weak")
def slot_that_costs_little(draft):
    return with_slot(draft, passes=1)


@MISTAKES.named("slot_kdf_excessive")
def slot_that_costs_too_much(draft):
    return with_slot(draft, passes=65)


@MISTAKES.named("slot_algorithm")
def slot_with_the_algorithm_of_the_other_kind(draft):
    return with_slot(draft, algorithm=2, passes=0, memory=0)


@MISTAKES.named("slot_kind")
def slot_of_kind_4(draft):
    return with_slot(draft, kind=4, algorithm=2, passes=0, memory=0)


@MISTAKES.named("slot_duplicate")
def slot_twice(draft):
    draft.slots.append(draft.slots[0])
    return resealed(draft)


@MISTAKES.named("slot_parameters")
def recovery_slot_with_passes(draft):
    draft.slots.reverse()
    return with_slot(draft, passes=PASSES, memory=MEMORY)


@MISTAKES.named("slot_parameters")
def key_slot_with_memory(draft):
    draft.add_key("a key")
    draft.slots.reverse()
    return with_slot(draft, memory=MEMORY)


@MISTAKES.named("slot_record")
def passphrase_slot_with_a_record(draft):
    return committed(draft, record=example_record().encode())


@MISTAKES.named("slot_record")
def recovery_slot_with_a_record(draft):
    draft.slots.reverse()
    return with_slot(draft, record=b"\0")


def example_record() -> Record:
    return Record(1, 0, bytes(32), b"credential", b"public key", "a key")


def with_record(draft: Draft, record: bytes) -> Records:
    draft.add_key("a key")
    draft.slots.reverse()
    return with_slot(draft, record=record)


@MISTAKES.named("slot_record")
def key_slot_without_a_record(draft):
    return with_record(draft, b"")


@MISTAKES.named("slot_record")
def record_of_transport_3(draft):
    return with_record(draft, replace(example_record(), transport=3).encode())


@MISTAKES.named("slot_record")
def record_with_synchronised_2(draft):
    return with_record(draft, replace(example_record(), synchronised=2).encode())


@MISTAKES.named("slot_record")
def record_without_a_credential_id(draft):
    return with_record(draft, replace(example_record(), credential_id=b"").encode())


@MISTAKES.named("slot_record")
def record_with_a_credential_id_of_1024_bytes(draft):
    return with_record(draft, replace(example_record(), credential_id=bytes(1024)).encode())


@MISTAKES.named("slot_record")
def record_without_a_public_key(draft):
    return with_record(draft, replace(example_record(), public_key=b"").encode())


@MISTAKES.named("slot_record")
def record_with_a_public_key_of_513_bytes(draft):
    return with_record(draft, replace(example_record(), public_key=bytes(513)).encode())


@MISTAKES.named("slot_record")
def record_with_a_name_of_65_bytes(draft):
    return with_record(draft, replace(example_record(), name="\u00e9" * 32 + "n").encode())


@MISTAKES.named("slot_record")
def record_with_a_line_end_in_the_name(draft):
    return with_record(draft, replace(example_record(), name="two\nlines").encode())


@MISTAKES.named("slot_record")
def record_with_a_byte_more(draft):
    return with_record(draft, example_record().encode() + b"\0")


@MISTAKES.named("wrong_passphrase")
def passphrase_not_in_normal_form(draft):
    class AsTyped(Passphrase):
        def prepared(self):
            return self.typed

    draft.slots.clear()
    draft.add_slot(AsTyped(SECRET.typed), 1, PASSES, MEMORY)
    return resealed(draft)


@MISTAKES.named("wrong_passphrase")
def commitment_under_the_wrapping_key(draft):
    both = slot_secret(draft)
    return with_slot(draft, commitment=draft.slots[0].commitment_of(draft.vault_id, both[32:] + both[:32]))


@MISTAKES.named("wrong_passphrase")
def commitment_without_the_public_key(draft):
    slot = draft.slots[0]
    return with_slot(draft, commitment=hash(32, slot_secret(draft)[32:], slot.prefix(draft.vault_id)))


def with_pair(draft: Draft, plaintext: bytes, context: Context) -> Records:
    return with_slot(draft, sealed_pair=seal(slot_secret(draft)[:32], plaintext, context))


@MISTAKES.named("slot_pair")
def pair_without_the_slot_id(draft):
    return with_pair(draft, pair(draft), pair_context(draft.vault_id, NO_ID))


@MISTAKES.named("slot_pair")
def pair_with_the_key_epoch(draft):
    return with_pair(draft, pair(draft), Context(1, draft.vault_id, id=draft.slots[0].id, revision=draft.key_epoch))


@MISTAKES.named("slot_pair")
def pair_with_the_public_key_in_it(draft):
    plaintext = draft.slots[0].public_key + pair(draft)[32:]
    return with_pair(draft, plaintext, pair_context(draft.vault_id, draft.slots[0].id))


@MISTAKES.named("slot_pair")
def pair_in_the_other_order(draft):
    plaintext = pair(draft)[32:] + pair(draft)[:32]
    return with_pair(draft, plaintext, pair_context(draft.vault_id, draft.slots[0].id))


@MISTAKES.named("slot_pair")
def public_key_of_another_pair(draft):
    public_key = new_pair()[1]
    return committed(draft, public_key=public_key, box=box(public_key, draft.keys.root))


def authentication_key(draft: Draft) -> bytes:
    return draft.authentication_keys[draft.slots[0].id]


@MISTAKES.named("slot_proof")
def proof_under_another_key(draft):
    other = secrets.token_bytes(32)
    return with_slot(draft, proof=draft.slots[0].proof_of(draft.vault_id, draft.key_epoch, other))


@MISTAKES.named("slot_proof")
def proof_without_the_box(draft):
    slot = replace(draft.slots[0], box=b"")
    return with_slot(draft, proof=slot.proof_of(draft.vault_id, draft.key_epoch, authentication_key(draft)))


@MISTAKES.named("slot_proof")
def proof_of_the_next_key_epoch(draft):
    next_epoch = draft.key_epoch + 1
    return with_slot(draft, proof=draft.slots[0].proof_of(draft.vault_id, next_epoch, authentication_key(draft)))


@MISTAKES.named("slot_proof")
def box_of_one_who_knows_the_public_key(draft):
    """Another root key that fits to all the rest: without L, nobody can make the proof."""
    slot = draft.slots[0]
    return with_slot(draft, box=box(slot.public_key, draft.keys.root), proof=slot.proof)


@MISTAKES.named("slot_proof")
def key_epoch_raised_alone(draft):
    draft.key_epoch += 1
    return resealed(draft)


@MISTAKES.named("slot_box")
def box_to_another_public_key(draft):
    return with_slot(draft, box=box(new_pair()[1], draft.keys.root))


@MISTAKES.named("slot_box")
def root_key_sealed_and_not_in_a_box(draft):
    """As long as a box."""
    sealed = seal(slot_secret(draft)[:32], draft.keys.root, pair_context(draft.vault_id, draft.slots[0].id))
    return with_slot(draft, box=sealed + bytes(8))


def with_sealed_key(draft: Draft, key: bytes, plaintext: bytes, context: Context, number: int) -> Records:
    sealed = seal(key, plaintext, context)
    draft.slots[number] = draft.finished(replace(draft.slots[number], sealed_authentication_key=sealed))
    return resealed(draft)


def sealed_for(draft: Draft, slot: Slot) -> tuple[bytes, Context]:
    return draft.authentication_keys[slot.id], authentication_key_context(draft.vault_id, draft.key_epoch, slot.id)


@MISTAKES_BEFORE_REKEY.named("slot_key")
def authentication_key_under_the_state_key(draft):
    return with_sealed_key(draft, draft.keys.state, *sealed_for(draft, draft.slots[0]), 0)


@MISTAKES_BEFORE_REKEY.named("slot_key")
def authentication_key_without_the_key_epoch(draft):
    key, _ = sealed_for(draft, draft.slots[1])
    context = authentication_key_context(draft.vault_id, 0, draft.slots[1].id)
    return with_sealed_key(draft, draft.keys.slot_key, key, context, 1)


@MISTAKES_BEFORE_REKEY.named("slot_key")
def authentication_key_of_the_other_slot(draft):
    return with_sealed_key(draft, draft.keys.slot_key, *sealed_for(draft, draft.slots[0]), 1)


@MISTAKES_BEFORE_REKEY.named("slot_proof")
def another_authentication_key_than_that_of_the_pair(draft):
    _, context = sealed_for(draft, draft.slots[0])
    return with_sealed_key(draft, draft.keys.slot_key, secrets.token_bytes(32), context, 0)


@MISTAKES_BEFORE_REKEY.named("slot_proof")
def a_slot_that_is_not_used_with_another_proof(draft):
    slot = replace(draft.slots[1], proof=draft.slots[0].proof)
    draft.slots[1] = replace(slot, checksum=slot.checksum_of(draft.vault_id))
    return resealed(draft)


@MISTAKES_BEFORE_REKEY.named("slot_box")
def a_slot_that_is_not_used_with_a_public_key_of_low_order(draft):
    draft.slots[1] = draft.finished(replace(draft.slots[1], public_key=bytes(32)))
    return resealed(draft)


@MISTAKES_BEFORE_REKEY.named("slot_key")
def a_slot_of_one_who_has_no_root_key(draft):
    """Everything that its maker can know is right."""
    draft.add_key("a stranger")
    return with_sealed_key(draft, secrets.token_bytes(32), *sealed_for(draft, draft.slots[-1]), -1)

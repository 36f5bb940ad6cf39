"""Mistakes in header, state and bucket records: each takes a draft and gives everything that is stored."""

from dataclasses import replace

from vaultformat.draft import Draft
from vaultformat.encoding import u8, u32
from vaultformat.header import Header
from vaultformat.keys import commitment, root_key_context
from vaultformat.passphrase import Passphrase
from vaultformat.primitives import NO_ID, Context, seal, total
from vaultformat.records import Records, bucket_of, row_element, seal_bucket, seal_state

from .from_reader import MEMORY, PASSES
from .mistake import SECRET, Mistakes

MISTAKES = Mistakes()


def resealed(draft: Draft, header: bytes | None = None, buckets=None, **state) -> Records:
    """The records of the draft, but for what is given, and a state that fits to them."""
    header, buckets = header or draft.header(), draft.buckets() if buckets is None else buckets
    sealed = seal_state(replace(draft.state(buckets), **state), draft.vault_id, header, draft.keys)
    return Records(header, sealed, buckets, list(draft.rows))


def with_bucket(draft: Draft, count: int, elements: list[bytes], sealed_for: int | None = None) -> Records:
    """With another record for the bucket of the first row."""
    number = bucket_of(draft.rows[0].tag)
    place = number if sealed_for is None else sealed_for
    record = seal_bucket(place, count, total(elements), draft.vault_id, draft.keys)
    return resealed(draft, buckets=[(each, record if each == number else old) for each, old in draft.buckets()])


def elements(draft: Draft) -> list[bytes]:
    number = bucket_of(draft.rows[0].tag)
    return [row_element(row, draft.keys) for row in draft.rows if bucket_of(row.tag) == number]


@MISTAKES.named("bucket_rows")
def bucket_with_a_higher_count(draft):
    return with_bucket(draft, len(elements(draft)) + 1, elements(draft))


@MISTAKES.named("bucket_rows")
def bucket_with_an_element_twice(draft):
    return with_bucket(draft, len(elements(draft)), elements(draft) * 2)


@MISTAKES.named("bucket_content")
def bucket_with_count_0(draft):
    return with_bucket(draft, 0, [])


@MISTAKES.named("bucket_seal")
def bucket_sealed_without_its_number(draft):
    return with_bucket(draft, 1, elements(draft), sealed_for=(bucket_of(draft.rows[0].tag) + 1) % 256)


@MISTAKES.named("bucket_rows")
def bucket_record_left_out(draft):
    return resealed(draft, buckets=draft.buckets()[1:])


@MISTAKES.named("buckets_sum")
def state_of_other_bucket_records(draft):
    return replace(resealed(draft), buckets=draft.buckets())


@MISTAKES.named("items_count")
def state_with_one_item_more(draft):
    return resealed(draft, items=len(draft.rows) + 1)


@MISTAKES.named("state_content")
def state_with_counter_0(draft):
    return resealed(draft, counter=0)


@MISTAKES.named("state_content")
def state_with_an_idle_limit_of_0(draft):
    return resealed(draft, idle_limit=0)


@MISTAKES.named("state_content")
def state_with_flag_2(draft):
    return resealed(draft, require_locked_memory=2)


@MISTAKES.named("state_seal")
def state_without_the_hash_of_the_header(draft):
    records = resealed(draft)
    state = draft.state(records.buckets).encode()
    context = Context(6, draft.vault_id)
    return replace(records, state=u32(1) + seal(draft.keys.state, state, context))


@MISTAKES.named("state_seal")
def state_of_the_header_before(draft):
    return replace(resealed(draft), header=draft.header())


@MISTAKES.named("state_missing")
def state_left_out(draft):
    return replace(resealed(draft), state=None)


def with_slot(draft: Draft, checksum: bool = True, **changes) -> Records:
    slot = replace(draft.slots[0], **changes)
    draft.slots[0] = replace(slot, checksum=slot.checksum_of(draft.vault_id)) if checksum else slot
    return resealed(draft)


@MISTAKES.named("slot_checksum")
def slot_with_the_checksum_of_another_salt(draft):
    return with_slot(draft, checksum=False, salt=bytes(16))


@MISTAKES.named("slot_kdf_weak")
def slot_that_costs_little(draft):
    return with_slot(draft, passes=1)


@MISTAKES.named("slot_kdf_excessive")
def slot_that_costs_too_much(draft):
    return with_slot(draft, passes=65)


@MISTAKES.named("slot_algorithm")
def slot_with_the_algorithm_of_the_other_kind(draft):
    return with_slot(draft, algorithm=2, passes=0, memory=0)


@MISTAKES.named("slot_duplicate")
def slot_twice(draft):
    draft.slots.append(draft.slots[0])
    return resealed(draft)


@MISTAKES.named("slot_recovery_parameters")
def recovery_slot_with_passes(draft):
    draft.slots.reverse()
    return with_slot(draft, passes=PASSES, memory=MEMORY)


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
    slot = draft.slots[0]
    slot_secret = SECRET.slot_secret(SECRET.prepared(), slot, b"")
    exchanged = slot_secret[32:] + slot_secret[:32]
    return with_slot(draft, commitment=commitment(exchanged, slot, draft.vault_id))


@MISTAKES.named("root_key_seal")
def root_key_without_the_slot_id(draft):
    slot = draft.slots[0]
    key = SECRET.slot_secret(SECRET.prepared(), slot, b"")[:32]
    context = root_key_context(draft.vault_id, draft.key_epoch, NO_ID)
    return with_slot(draft, sealed_root_key=seal(key, draft.keys.root, context))


@MISTAKES.named("root_key_seal")
def key_epoch_raised_alone(draft):
    draft.key_epoch += 1
    return resealed(draft)


@MISTAKES.named("wrapped_key_seal")
def value_keys_exchanged(draft):
    header = Header.decode(draft.header())
    exchanged = {1: header.value_keys[2], 2: header.value_keys[1]}
    return resealed(draft, header=replace(header, value_keys=exchanged).encode())


@MISTAKES.named("key_epoch_zero")
def key_epoch_that_begins_at_0(draft):
    draft.key_epoch = 0
    return resealed(draft)


@MISTAKES.named("header_trailing_bytes")
def header_with_a_byte_more(draft):
    return resealed(draft, header=draft.header() + u8(0))

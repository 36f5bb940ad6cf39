"""Mistakes in header, state and bucket records, but for slots: each takes a draft and gives everything that is stored."""

from dataclasses import replace

from vaultformat.draft import Draft
from vaultformat.encoding import u8, u32
from vaultformat.header import Header
from vaultformat.primitives import RECORD_FORMAT, Context, new_pair, seal, subkey, total
from vaultformat.records import Records, bucket_of, row_element, seal_bucket, seal_state, state_context

from .mistake import Mistakes

MISTAKES = Mistakes()


def resealed(draft: Draft, header: bytes | None = None, buckets=None, **state) -> Records:
    """The records of the draft, but for what is given, and a state that fits to them."""
    header, buckets = header or draft.header(), draft.buckets() if buckets is None else buckets
    sealed = seal_state(replace(draft.state(buckets), **state), draft.vault_id, header, draft.keys)
    return Records(header, sealed, buckets, list(draft.rows), draft.link_records(), list(draft.earlier))


def with_bucket(draft: Draft, count: int, elements: list[bytes], sealed_for: int | None = None) -> Records:
    """With another record for the bucket of the first row."""
    number = bucket_of(draft.rows[0])
    place = number if sealed_for is None else sealed_for
    record = seal_bucket(place, count, total(elements), draft.vault_id, draft.keys)
    return resealed(draft, buckets=[(each, record if each == number else old) for each, old in draft.buckets()])


def elements(draft: Draft) -> list[bytes]:
    number = bucket_of(draft.rows[0])
    return [row_element(row, draft.keys) for row in draft.rows if bucket_of(row) == number]


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
    return with_bucket(draft, 1, elements(draft), sealed_for=(bucket_of(draft.rows[0]) + 1) % 256)


@MISTAKES.named("bucket_number")
def bucket_512(draft):
    return resealed(draft, buckets=[*draft.buckets(), (512, draft.buckets()[-1][1])])


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
    return resealed(draft, changed=((2, 0),))


@MISTAKES.named("state_content")
def state_with_flag_2(draft):
    return resealed(draft, changed=((4, 2),))


@MISTAKES.named("state_content")
def state_with_an_unknown_setting(draft):
    return resealed(draft, changed=((255, 1),))


@MISTAKES.named("state_content")
def state_with_a_setting_as_at_creation(draft):
    return resealed(draft, changed=((2, 900),))


@MISTAKES.named("state_content")
def state_with_settings_in_descending_order(draft):
    return resealed(draft, changed=((3, 60), (2, 60)))


@MISTAKES.named("state_content")
def state_with_a_counter_over_the_limit(draft):
    return resealed(draft, counter=2**63)


@MISTAKES.named("state_content")
def state_restored_at_no_time(draft):
    return resealed(draft, restored_at=1)


@MISTAKES.named("state_content")
def state_restored_by_no_commit(draft):
    return resealed(draft, restored_from=1_700_000_000_000)


@MISTAKES.named("state_content")
def state_restored_later(draft):
    return resealed(draft, restored_from=1_700_000_000_000, restored_at=2)


@MISTAKES.named("state_length")
def state_without_its_history(draft):
    records = resealed(draft)
    state = b"".join(draft.state(records.buckets).around_history())
    context = state_context(draft.vault_id, records.header)
    return replace(records, state=u32(RECORD_FORMAT) + seal(draft.keys.state, state, context))


@MISTAKES.named("state_content")
def state_that_keeps_too_many_values(draft):
    return resealed(draft, changed=((6, 101),))


@MISTAKES.named("state_content")
def state_that_keeps_values_for_no_day(draft):
    return resealed(draft, changed=((7, 0),))


@MISTAKES.named("state_content")
def state_that_keeps_removed_items_too_long(draft):
    return resealed(draft, changed=((8, 3_651),))


@MISTAKES.named("state_seal")
def state_without_the_hash_of_the_header(draft):
    records = resealed(draft)
    state = draft.state(records.buckets).encode()
    context = Context(6, draft.vault_id)
    return replace(records, state=u32(RECORD_FORMAT) + seal(draft.keys.state, state, context))


@MISTAKES.named("state_seal")
def state_of_the_header_before(draft):
    return replace(resealed(draft), header=draft.header())


@MISTAKES.named("state_missing")
def state_left_out(draft):
    return replace(resealed(draft), state=None)


@MISTAKES.named("wrapped_key_seal")
def value_keys_exchanged(draft):
    header = Header.decode(draft.header())
    exchanged = {1: header.value_keys[2], 2: header.value_keys[1]}
    return resealed(draft, header=replace(header, value_keys=exchanged).encode())


@MISTAKES.named("wrapped_key_seal")
def backup_key_sealed_as_part_2(draft):
    context = Context(2, draft.vault_id, revision=draft.key_epoch, part=2)
    sealed = seal(subkey(1, draft.keys.root), draft.keys.backup_secret, context)
    return resealed(draft, header=replace(Header.decode(draft.header()), backup_secret_key=sealed).encode())


@MISTAKES.named("backup_key")
def backup_key_of_another_pair(draft):
    public_key = new_pair()[1]
    return resealed(draft, header=replace(Header.decode(draft.header()), backup_public_key=public_key).encode())


@MISTAKES.named("key_epoch_zero")
def key_epoch_that_begins_at_0(draft):
    draft.key_epoch = 0
    return resealed(draft)


@MISTAKES.named("header_trailing_bytes")
def header_with_a_byte_more(draft):
    return resealed(draft, header=draft.header() + u8(0))

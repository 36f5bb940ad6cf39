"""Mistakes in a row: each takes the first row and gives what a mistaken writer would put there instead."""

from dataclasses import replace

from vaultformat import items
from vaultformat.draft import Draft
from vaultformat.encoding import sized, u32
from vaultformat.items import Attributes, Row, attributes_context, value_context
from vaultformat.padding import pad, padded_size
from vaultformat.primitives import NO_ID, Context, hash, seal

from .mistake import Mistakes

MISTAKES = Mistakes()
ONE = Attributes("service", "one", "label", 0, 0, (("key", "text"), ("url", "https://example.org")))
"""What is in the first row, which is of class 1."""
NAMES = sized(b"service") + sized(b"one") + sized(b"password")


def place(draft: Draft, row: Row) -> tuple:
    return draft.vault_id, row.item_id, row.item_class, row.revision


def with_attributes(draft: Draft, row: Row, padded: bytes, context: Context | None = None) -> Row:
    context = context or attributes_context(*place(draft, row))
    return replace(row, attributes=seal(draft.keys.attributes, padded, context))


def with_value(draft: Draft, row: Row, padded: bytes, context: Context | None = None, key: bytes = b"") -> Row:
    context = context or value_context(*place(draft, row))
    return replace(row, value=seal(key or draft.keys.values[row.item_class], padded, context))


@MISTAKES.named("attributes_seal")
def attributes_of_another_revision(draft, row):
    context = attributes_context(draft.vault_id, row.item_id, row.item_class, row.revision + 1)
    return with_attributes(draft, row, pad(ONE.encode()), context)


@MISTAKES.named("attributes_seal")
def attributes_without_associated_data(draft, row):
    class Nothing:
        def encode(self):
            return b""

    return with_attributes(draft, row, pad(ONE.encode()), Nothing())


@MISTAKES.named("attributes_seal")
def attributes_sealed_as_value(draft, row):
    return with_attributes(draft, row, pad(ONE.encode()), value_context(*place(draft, row)))


@MISTAKES.named("attributes_padding")
def attributes_padded_with_spaces(draft, row):
    return with_attributes(draft, row, pad(ONE.encode()).replace(b"\0" * 8, b" " * 8))


@MISTAKES.named("attributes_padding")
def attributes_not_padded(draft, row):
    return with_attributes(draft, row, sized(ONE.encode()))


@MISTAKES.named("attributes_content")
def attributes_in_another_order(draft, row):
    return with_attributes(draft, row, pad(replace(ONE, extra=ONE.extra[::-1]).encode()))


@MISTAKES.named("attributes_content")
def attributes_with_a_line_end_in_the_label(draft, row):
    return with_attributes(draft, row, pad(replace(ONE, label="two\nlines").encode()))


@MISTAKES.named("attributes_content")
def attributes_with_bytes_after_the_end(draft, row):
    return with_attributes(draft, row, pad(ONE.encode() + b"\0"))


@MISTAKES.named("attributes_content")
def attributes_without_an_account(draft, row):
    return with_attributes(draft, row, pad(replace(ONE, account="").encode()))


@MISTAKES.named("attributes_content")
def attributes_without_a_field(draft, row):
    return with_attributes(draft, row, pad(replace(ONE, field="").encode()))


@MISTAKES.named("tag_names")
def another_field(draft, row):
    return with_attributes(draft, row, pad(replace(ONE, field="notes").encode()))


@MISTAKES.named("tag_names")
def tag_without_lengths(draft, row):
    return replace(row, tag=hash(32, draft.keys.lookup, b"serviceonepassword"))


@MISTAKES.named("tag_names")
def tag_without_key(draft, row):
    return replace(row, tag=hash(32, b"", NAMES))


@MISTAKES.named("tag_names")
def tag_without_the_field(draft, row):
    return replace(row, tag=hash(32, draft.keys.lookup, NAMES.removesuffix(sized(b"password"))))


@MISTAKES.named("tag_names")
def names_changed_and_the_tag_kept(draft, row):
    return with_attributes(draft, row, pad(replace(ONE, account="someone").encode()))


@MISTAKES.named("value_seal")
def value_of_another_item(draft, row):
    return with_value(draft, row, pad(b"x"), value_context(draft.vault_id, NO_ID, row.item_class, row.revision))


@MISTAKES.named("value_seal")
def value_of_class_2_as_class_1(draft, row):
    return with_value(draft, row, pad(b"x"), key=draft.keys.values[2])


@MISTAKES.named("value_seal")
def value_under_the_attribute_key(draft, row):
    return with_value(draft, row, pad(b"x"), key=draft.keys.attributes)


@MISTAKES.named("value_padding")
def value_padded_to_the_next_size(draft, row):
    return with_value(draft, row, pad(b"x") + bytes(64))


@MISTAKES.named("value_padding")
def large_value_padded_to_a_power_of_two(draft, row):
    data = sized(b"v" * 10_000)
    return with_value(draft, row, data + bytes(16_384 - len(data)))


@MISTAKES.named("value_padding")
def value_with_its_length_counted_in(draft, row):
    text = u32(4 + 61) + b"v" * 61
    return with_value(draft, row, text + bytes(padded_size(65) - len(text) - 1) + b"v")


@MISTAKES.named("value_too_large")
def value_of_a_byte_too_many(draft, row):
    return with_value(draft, row, pad(bytes(items.VALUE_BYTES_MAXIMUM + 1)))


@MISTAKES.named("row_shape")
def revision_that_begins_at_0(draft, row):
    place = (draft.vault_id, row.item_id, row.item_class, 0)
    attributes = seal(draft.keys.attributes, pad(ONE.encode()), attributes_context(*place))
    value = seal(draft.keys.values[1], pad(b"x"), value_context(*place))
    return replace(row, revision=0, attributes=attributes, value=value)


@MISTAKES.named("row_format")
def row_of_record_format_1(draft, row):
    return replace(row, format=1)

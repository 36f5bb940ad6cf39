"""Mistakes in an earlier row: each takes the first one and gives what a mistaken writer would put there instead."""

from dataclasses import replace

from vaultformat.draft import Draft
from vaultformat.encoding import i64, u8
from vaultformat.items import Attributes, EarlierRow, attributes_context, moved_context, value_context
from vaultformat.padding import pad
from vaultformat.primitives import Context, seal

from .mistake import Mistakes

MISTAKES = Mistakes()


def place(draft: Draft, row: EarlierRow) -> tuple:
    return draft.vault_id, row.item_id, row.item_class, row.revision


def with_moved(draft: Draft, row: EarlierRow, plaintext: bytes, context: Context | None = None) -> EarlierRow:
    context = context or moved_context(*place(draft, row))
    return replace(row, moved=seal(draft.keys.attributes, plaintext, context))


@MISTAKES.named("row_shape")
def moved_without_its_second_part(draft, row):
    return with_moved(draft, row, i64(0))


@MISTAKES.named("moved_content")
def removed_twice(draft, row):
    return with_moved(draft, row, i64(0) + u8(2))


@MISTAKES.named("moved_seal")
def moved_without_the_revision(draft, row):
    return with_moved(draft, row, i64(0) + u8(1), Context(9, draft.vault_id, row.item_id, row.item_class))


@MISTAKES.named("moved_seal")
def moved_under_the_value_key(draft, row):
    sealed = seal(draft.keys.values[row.item_class], i64(0) + u8(1), moved_context(*place(draft, row)))
    return replace(row, moved=sealed)


@MISTAKES.named("attributes_seal")
def attributes_of_the_next_revision(draft, row):
    context = attributes_context(draft.vault_id, row.item_id, row.item_class, row.revision + 1)
    return replace(row, attributes=seal(draft.keys.attributes, pad(Attributes("s", "a").encode()), context))


@MISTAKES.named("attributes_content")
def attributes_without_a_service(draft, row):
    sealed = seal(draft.keys.attributes, pad(Attributes("", "a").encode()), attributes_context(*place(draft, row)))
    return replace(row, attributes=sealed)


@MISTAKES.named("value_seal")
def value_kept_in_the_other_class(draft, row):
    sealed = seal(draft.keys.values[3 - row.item_class], pad(b"x"), value_context(*place(draft, row)))
    return replace(row, value=sealed)


@MISTAKES.named("row_format")
def earlier_row_of_format_1(draft, row):
    return replace(row, format=1)


@MISTAKES.named("row_shape")
def earlier_row_of_class_3(draft, row):
    return replace(row, item_class=3)

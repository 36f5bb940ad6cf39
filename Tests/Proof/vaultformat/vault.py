"""Sections 6 and 10: opening a vault, and what has to add up before anything is answered."""

from dataclasses import dataclass

from .failures import Failure
from .header import CostLimits, Header
from .items import Attributes, Row, open_attributes, open_value, tag_of
from .keys import Keys, unlock
from .mark import Mark
from .primitives import total
from .records import (
    Records, State, bucket_element, bucket_of, check_bucket_shape, check_row, open_bucket, open_state, row_element,
)


@dataclass(frozen=True)
class Item:
    attributes: Attributes
    item_class: int
    revision: int
    value: bytes


class Vault:
    """A vault that was unlocked. Its state is checked; buckets and rows are when somebody asks for them."""

    def __init__(self, records: Records, secret, mark=None, limits: CostLimits = CostLimits()):
        """`mark` gives, for a vault id, the bytes that this machine remembers, or None."""
        self.header = Header.decode(records.header, limits)
        self.keys: Keys = unlock(self.header, secret)
        self.records = records
        self.rows: dict[int, list[Row]] = {}
        for row in sorted(records.rows, key=lambda row: row.tag):
            self.rows.setdefault(bucket_of(row.tag), []).append(row)
        self.state: State = open_state(records.state, self.header.vault_id, records.header, self.keys)
        remembered = mark(self.header.vault_id) if mark else None
        if remembered is not None:
            Mark.decode(remembered, self.header.vault_id).check(self.state, records.state)

    def items(self) -> list[Item]:
        """All of them, by tag. Attributes are opened bucket by bucket, values when everything adds up."""
        buckets, listed, counted = self.checked_buckets(), [], 0
        for number in range(256):
            rows = self.checked_rows(number, buckets.get(number))
            counted += len(rows)
            listed += [(row, open_attributes(row, self.header.vault_id, self.keys)) for row in rows]
        if counted != self.state.items:
            raise Failure("items_count")
        return [self.item(row, attributes) for row, attributes in listed]

    def read(self, service: str, account: str) -> Item:
        """One of them; `not_found` only after its bucket has shown that it is complete."""
        tag = tag_of(service, account, self.keys)
        buckets = self.checked_buckets()
        for row in self.checked_rows(bucket_of(tag), buckets.get(bucket_of(tag))):
            if row.tag == tag:
                return self.item(row, open_attributes(row, self.header.vault_id, self.keys))
        raise Failure("not_found")

    def item(self, row: Row, attributes: Attributes) -> Item:
        return Item(attributes, row.item_class, row.revision, open_value(row, self.header.vault_id, self.keys))

    def checked_buckets(self) -> dict[int, bytes]:
        """All bucket records, none of them opened yet: the state's sum says that they are the right ones."""
        for number, record in sorted(self.records.buckets):
            check_bucket_shape(number, record)
        elements = [bucket_element(number, record, self.keys) for number, record in self.records.buckets]
        if total(elements) != self.state.sum:
            raise Failure("buckets_sum")
        return dict(self.records.buckets)

    def checked_rows(self, number: int, record: bytes | None) -> list[Row]:
        """The rows of a bucket, by tag: all of them, no other ones, none changed."""
        count, sum = 0, total([])
        if record is not None:
            count, sum = open_bucket(number, record, self.header.vault_id, self.keys)
        rows = self.rows.get(number, [])
        for row in rows:
            check_row(row)
        if len(rows) != count or total(row_element(row, self.keys) for row in rows) != sum:
            raise Failure("bucket_rows")
        return rows

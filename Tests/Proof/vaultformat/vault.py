"""Sections 6 and 10: opening a vault, and what has to add up before anything is answered."""

from dataclasses import dataclass

from .failures import Failure
from .files import SERVICE, File
from .header import CostLimits, Header
from .history import check_links
from .items import Attributes, EarlierRow, Row, open_attributes, open_moved, open_value, tag_of
from .keys import Keys, check_slots_before_rekey, unlock
from .rollback_record import RollbackRecords
from .primitives import total
from .records import (
    EARLIER_BUCKETS, ITEM_BUCKETS, Records, State, bucket_element, bucket_of, check_bucket_shape, check_row,
    open_bucket, open_state, row_element,
)


@dataclass(frozen=True)
class Item:
    attributes: Attributes
    item_class: int
    revision: int
    value: bytes


@dataclass(frozen=True)
class EarlierItem:
    """A value that was replaced at a time, or the last one of an item that was removed then."""

    item_id: bytes
    time: int
    removed: bool
    item: Item


class Vault:
    """A vault that was unlocked. Its state is checked; buckets and rows are when somebody asks for them."""

    def __init__(self, records: Records, secret, rollback_records: RollbackRecords = RollbackRecords(), limits: CostLimits = CostLimits()):
        """`rollback_records` is what this machine remembers."""
        self.header = Header.decode(records.header, limits)
        self.keys: Keys = unlock(self.header, secret)
        self.records = records
        self.rows: dict[int, list[Row | EarlierRow]] = {}
        items = sorted(records.rows, key=lambda row: row.tag)
        for row in items + sorted(records.earlier, key=lambda row: (row.item_id, row.revision)):
            self.rows.setdefault(bucket_of(row), []).append(row)
        self.state: State = open_state(records.state, self.header.vault_id, records.header, self.keys)
        rollback_records.check(self.header, self.state, records, self.keys)

    def check_before_rekey(self) -> None:
        check_slots_before_rekey(self.header, self.keys)

    def check_links(self) -> None:
        check_links(self.state.counter, self.records.links, self.header.vault_id, self.keys)

    def items(self) -> list[Item]:
        """All of them, by tag. Attributes are opened bucket by bucket, values when everything adds up."""
        buckets, listed = self.checked_buckets(), []
        for number in ITEM_BUCKETS:
            rows = self.checked_rows(number, buckets.get(number))
            listed += [(row, open_attributes(row, self.header.vault_id, self.keys)) for row in rows]
        if len(listed) != self.state.items:
            raise Failure("items_count")
        return [self.item(row, attributes) for row, attributes in listed]

    def files(self, items: list[Item]) -> list[tuple[File, bytes]]:
        """Those among the items, with their contents."""
        if self.records.chunks is None:
            raise Failure("file_damaged")
        chunks = {(version_id, number): chunk for version_id, number, _, chunk in self.records.chunks}
        files = (File.decode(item.value) for item in items if item.attributes.service == SERVICE)
        return [(file, file.content(chunks)) for file in files]

    def earlier_items(self) -> list[EarlierItem]:
        """All of them, by item id and revision."""
        buckets, listed = self.checked_buckets(), []
        for number in EARLIER_BUCKETS:
            for row in self.checked_rows(number, buckets.get(number)):
                moved = open_moved(row, self.header.vault_id, self.keys)
                listed.append((row, moved, open_attributes(row, self.header.vault_id, self.keys)))
        if len(listed) != self.state.earlier:
            raise Failure("earlier_count")
        return [EarlierItem(row.item_id, *moved, self.item(row, attributes)) for row, moved, attributes in listed]

    def read(self, service: str, account: str, field: str = "password") -> Item:
        """One of them; `not_found` only after its bucket has shown that it is complete."""
        tag = tag_of(service, account, field, self.keys)
        buckets = self.checked_buckets()
        for row in self.checked_rows(tag[0], buckets.get(tag[0])):
            if row.tag == tag:
                return self.item(row, open_attributes(row, self.header.vault_id, self.keys))
        raise Failure("not_found")

    def item(self, row: Row | EarlierRow, attributes: Attributes) -> Item:
        return Item(attributes, row.item_class, row.revision, open_value(row, self.header.vault_id, self.keys))

    def checked_buckets(self) -> dict[int, bytes]:
        """All bucket records, none of them opened yet: the state's sum says that they are the right ones."""
        for number, record in sorted(self.records.buckets):
            check_bucket_shape(number, record)
        elements = [bucket_element(number, record, self.keys) for number, record in self.records.buckets]
        if total(elements) != self.state.sum:
            raise Failure("buckets_sum")
        return dict(self.records.buckets)

    def checked_rows(self, number: int, record: bytes | None) -> list[Row | EarlierRow]:
        """The rows of a bucket, in their order: all of them, no other ones, none changed."""
        count, sum = 0, total([])
        if record is not None:
            count, sum = open_bucket(number, record, self.header.vault_id, self.keys)
        rows = self.rows.get(number, [])
        for place, row in enumerate(rows):
            check_row(row, rows[place - 1] if place else None)
        if len(rows) != count or total(row_element(row, self.keys) for row in rows) != sum:
            raise Failure("bucket_rows")
        return rows

"""A vault in the making: keys, slots and rows first, then the records that tie them together."""

import secrets
from dataclasses import replace

from . import passphrase, recovery_code
from .header import Header, Slot
from .items import Attributes, Row, seal_row
from .keys import (
    Keys, attribute_key_context, commitment, root_key_context, value_key_context,
)
from .passphrase import Passphrase
from .primitives import seal, subkey, total
from .records import Records, State, bucket_element, bucket_of, row_element, seal_bucket, seal_state
from .recovery_code import RecoveryCode


class Draft:
    def __init__(self):
        self.vault_id = secrets.token_bytes(16)
        self.key_epoch = 1
        root, attributes, first, second = (secrets.token_bytes(32) for _ in range(4))
        self.keys = Keys(root, attributes, {1: first, 2: second})
        self.slots: list[Slot] = []
        self.rows: list[Row] = []
        self.settings: dict[str, int] = {}
        """Fields of `State` that are not as at creation."""

    def add_passphrase(self, typed: bytes, passes: int, memory: int) -> None:
        self.add_slot(Passphrase(typed), passphrase.ALGORITHM, passes, memory)

    def add_recovery_code(self) -> str:
        """The code as it is shown to its owner, once."""
        code = recovery_code.shown(recovery_code.new_code())
        self.add_slot(RecoveryCode(code.encode()), recovery_code.ALGORITHM, 0, 0)
        return code

    def add_slot(self, secret, algorithm: int, passes: int, memory: int) -> None:
        id, salt = secrets.token_bytes(16), secrets.token_bytes(16)
        slot = Slot(id, secret.kind, algorithm, passes, memory, salt, b"", b"", b"")
        slot_secret = secret.slot_secret(secret.prepared(), slot, slot.prefix(self.vault_id))
        context = root_key_context(self.vault_id, self.key_epoch, id)
        slot = replace(
            slot,
            commitment=commitment(slot_secret, slot, self.vault_id),
            sealed_root_key=seal(slot_secret[:32], self.keys.root, context),
        )
        self.slots.append(replace(slot, checksum=slot.checksum_of(self.vault_id)))

    def add(self, attributes: Attributes, value: bytes, item_class: int = 1, revision: int = 1) -> None:
        Attributes.decode(attributes.encode())  # raises for what no reader would take
        place = (item_class, secrets.token_bytes(16), revision, self.vault_id)
        self.rows.append(seal_row(attributes, value, *place, self.keys))

    def header(self) -> bytes:
        wrapping, place = subkey(1, self.keys.root), (self.vault_id, self.key_epoch)
        attribute_key = seal(wrapping, self.keys.attributes, attribute_key_context(*place))
        value_keys = {
            item_class: seal(wrapping, key, value_key_context(*place, item_class))
            for item_class, key in self.keys.values.items()
        }
        return Header(self.vault_id, self.key_epoch, tuple(self.slots), attribute_key, value_keys).encode()

    def buckets(self) -> list[tuple[int, bytes]]:
        """Only of buckets with rows."""
        elements: dict[int, list[bytes]] = {}
        for row in self.rows:
            elements.setdefault(bucket_of(row.tag), []).append(row_element(row, self.keys))
        return [
            (number, seal_bucket(number, len(each), total(each), self.vault_id, self.keys))
            for number, each in sorted(elements.items())
        ]

    def state(self, buckets: list[tuple[int, bytes]]) -> State:
        sum = total(bucket_element(number, record, self.keys) for number, record in buckets)
        beginning = State(sum=sum, items=len(self.rows), counter=1, lineage=secrets.token_bytes(16))
        return replace(beginning, **self.settings)

    def records(self) -> Records:
        header, buckets = self.header(), self.buckets()
        state = seal_state(self.state(buckets), self.vault_id, header, self.keys)
        return Records(header, state, buckets, list(self.rows))

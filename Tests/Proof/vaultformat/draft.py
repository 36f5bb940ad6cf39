"""A vault in the making: keys, slots and rows first, then the records that tie them together."""

import secrets
from dataclasses import replace

from . import hmac_secret, passphrase, recovery_code
from .header import Header, Slot
from .history import BEFORE_ALL, new_link, next_history, seal_link
from .hmac_secret import KeyOutput, Record
from .items import Attributes, EarlierRow, Row, seal_earlier, seal_row
from .keys import (
    Keys, attribute_key_context, authentication_key_context, backup_key_context, pair_context, value_key_context,
)
from .passphrase import Passphrase
from .primitives import box, new_pair, public_key_of, seal, subkey, total
from .records import Records, State, bucket_element, bucket_of, encode_settings, row_element, seal_bucket, seal_state
from .recovery_code import RecoveryCode


class Draft:
    def __init__(self):
        self.vault_id = secrets.token_bytes(16)
        self.key_epoch = 1
        root, attributes, first, second = (secrets.token_bytes(32) for _ in range(4))
        self.keys = Keys(root, attributes, {1: first, 2: second}, new_pair()[0])
        self.slots: list[Slot] = []
        self.authentication_keys: dict[bytes, bytes] = {}
        """Of each slot, by its id."""
        self.rows: list[Row] = []
        self.earlier: list[EarlierRow] = []
        self.lineage = secrets.token_bytes(16)
        self.links: list[bytes] = []
        self.settings: dict[str, int] = {}
        """By name; those that are not given are as at creation."""
        self.fields: dict[str, int] = {}
        """Other fields of `State`."""

    def add_passphrase(self, typed: bytes, passes: int, memory: int) -> None:
        self.add_slot(Passphrase(typed), passphrase.ALGORITHM, passes, memory)

    def add_recovery_code(self) -> str:
        """The code as it is shown to its owner, once."""
        code = recovery_code.shown(recovery_code.new_code())
        self.add_slot(RecoveryCode(code.encode()), recovery_code.ALGORITHM, 0, 0)
        return code

    def add_key(self, name: str, transport: int = hmac_secret.SECURITY_KEY) -> KeyOutput:
        """A key that nobody has, and its output."""
        credential = secrets.token_bytes(48), secrets.token_bytes(77)
        record = Record(transport, 0, secrets.token_bytes(32), *credential, name)
        output = KeyOutput(record.authenticator_salt(), secrets.token_bytes(32))
        self.add_slot(output, hmac_secret.ALGORITHM, 0, 0, record.encode())
        return output

    def add_slot(self, secret, algorithm: int, passes: int, memory: int, record: bytes = b"") -> None:
        id, salt = secrets.token_bytes(16), secrets.token_bytes(16)
        secret_key, public_key = new_pair()
        authentication_key = self.authentication_keys[id] = secrets.token_bytes(32)
        slot = Slot(id, secret.kind, algorithm, passes, memory, salt, record, public_key, *[b""] * 6)
        slot_secret = secret.slot_secret(secret.prepared(), slot, slot.prefix(self.vault_id))
        slot = replace(
            slot,
            commitment=slot.commitment_of(self.vault_id, slot_secret),
            sealed_pair=seal(slot_secret[:32], secret_key + authentication_key, pair_context(self.vault_id, id)),
            sealed_authentication_key=self.sealed_authentication_key(id),
            box=box(public_key, self.keys.root),
        )
        self.slots.append(self.finished(slot))

    def sealed_authentication_key(self, slot_id: bytes) -> bytes:
        context = authentication_key_context(self.vault_id, self.key_epoch, slot_id)
        return seal(self.keys.slot_key, self.authentication_keys[slot_id], context)

    def finished(self, slot: Slot) -> Slot:
        """With its proof and checksum."""
        slot = replace(slot, proof=slot.proof_of(self.vault_id, self.key_epoch, self.authentication_keys[slot.id]))
        return replace(slot, checksum=slot.checksum_of(self.vault_id))

    def add(self, attributes: Attributes, value: bytes, item_class: int = 1, revision: int = 1) -> None:
        Attributes.decode(attributes.encode())  # raises for what no reader would take
        place = (item_class, secrets.token_bytes(16), revision, self.vault_id)
        self.rows.append(seal_row(attributes, value, *place, self.keys))

    def add_earlier(
        self, attributes: Attributes, value: bytes, item_class: int = 1, revision: int = 1,
        time: int = 0, removed: bool = True, item_id: bytes = b"",
    ) -> None:  # fmt: skip
        """Of a removed item, or with the id of another row, whose revision is higher, of that one."""
        place = (item_class, item_id or secrets.token_bytes(16), revision, self.vault_id)
        row = seal_row(attributes, value, *place, self.keys)
        self.earlier.append(seal_earlier(row, time, removed, self.vault_id, self.keys))

    def header(self) -> bytes:
        wrapping, place = subkey(1, self.keys.root), (self.vault_id, self.key_epoch)
        attribute_key = seal(wrapping, self.keys.attributes, attribute_key_context(*place))
        value_keys = {
            item_class: seal(wrapping, key, value_key_context(*place, item_class))
            for item_class, key in self.keys.values.items()
        }
        backup_key = seal(wrapping, self.keys.backup_secret, backup_key_context(*place))
        public_key = public_key_of(self.keys.backup_secret)
        slots = tuple(self.slots)
        return Header(self.vault_id, self.key_epoch, slots, attribute_key, value_keys, public_key, backup_key).encode()

    def buckets(self) -> list[tuple[int, bytes]]:
        """Only of buckets with rows."""
        elements: dict[int, list[bytes]] = {}
        for row in [*self.rows, *self.earlier]:
            elements.setdefault(bucket_of(row), []).append(row_element(row, self.keys))
        return [
            (number, seal_bucket(number, len(each), total(each), self.vault_id, self.keys))
            for number, each in sorted(elements.items())
        ]

    def state(self, buckets: list[tuple[int, bytes]]) -> State:
        """Its commits before the last one are of states that nobody saw."""
        sum = total(bucket_element(number, record, self.keys) for number, record in buckets)
        beginning = State(sum, items=len(self.rows), earlier=len(self.earlier), counter=1, lineage=self.lineage)
        state = replace(beginning, changed=encode_settings(self.settings), **self.fields)
        while len(self.links) < state.counter - 1:
            self.links.append(secrets.token_bytes(16))
        last = new_link(b"".join(state.around_history()), self.keys)
        self.links[state.counter - 1 :] = [last]
        return replace(state, history=self.history_at(state.counter))

    def history_at(self, counter: int) -> bytes:
        history = BEFORE_ALL
        for each, link in enumerate(self.links[:counter], 1):
            history = next_history(history, each, link)
        return history

    def link_records(self) -> list[tuple[int, bytes]]:
        return [(n, seal_link(link, n, self.vault_id, self.keys)) for n, link in enumerate(self.links, 1)]

    def records(self) -> Records:
        header, buckets = self.header(), self.buckets()
        state = seal_state(self.state(buckets), self.vault_id, header, self.keys)
        return Records(header, state, buckets, list(self.rows), self.link_records(), list(self.earlier))

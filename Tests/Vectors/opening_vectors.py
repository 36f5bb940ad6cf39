"""Vectors of vaults that open: one function each, named as its file. `v` is a fresh Vector with one recovery slot and no items.

A body prepares `v.vault`, may call `v.build()` and then damage the finished records. Where the damage needs the keys of
the vault, `v.reseal()` makes bucket records and state fit again, so that the named failure is the only one.
"""

import unicodedata

from writer import MAXIMUM_VALUE, PASSKEY, PASSWORD, flipped, pad, recovery_text, vector

E_ACUTE = "\u00e9"


def entry(service, account, field=PASSWORD):
    return service, account, field


def nfd(text):
    return unicodedata.normalize("NFD", text)


# === Vaults that open ================================================================================================

@vector("opens", "A vault without items.")
def empty_vault(v):
    pass


@vector("opens", "One credential with a label.")
def one_item(v):
    v.vault.add(b"example.org", b"alice", b"correct horse", label=b"Example")


@vector("opens", "A value of no bytes.")
def value_empty(v):
    v.vault.add(b"service", b"account", b"")


@vector("opens", "A value that holds NUL bytes, one of them last.")
def value_nul(v):
    v.vault.add(b"service", b"account", b"\0before\0after\0")


@vector("opens", "A value that is not UTF-8.")
def value_not_utf8(v):
    v.vault.add(b"service", b"account", bytes(range(255, -1, -1)))


def value_of(size, padded):
    @vector("opens", f"A value of {size} bytes, padded to {padded}.", f"value_{size}_bytes_padded_to_{padded}")
    def prepare(v):
        assert len(pad(bytes(size))) == padded
        v.vault.add(b"service", b"account", v.source(size))


for size, padded in ((60, 64), (61, 128), (124, 128), (125, 256), (4092, 4096), (4093, 4352), (8188, 8192),
                     (8189, 8704), (16_380, 16_384), (16_381, 17_408)):
    value_of(size, padded)


@vector("value_seal", "A first value of exactly 1,048,576 bytes, which is in order, and a damaged second one.")
def value_one_mebibyte_then_damaged_value(v):
    first, second = sorted((v.vault.add(b"service", b"first"), v.vault.add(b"service", b"second")),
                           key=v.vault.tag_of)
    first.value = v.source(MAXIMUM_VALUE)
    v.build()
    row = v.row_of(second)
    row.value = flipped(row.value, -1)
    v.reseal()


@vector("value_too_large", "A value of 1,048,577 bytes.")
def value_one_mebibyte_and_one(v):
    v.vault.add(b"service", b"account", v.source(MAXIMUM_VALUE + 1))


@vector("opens", "Two items whose names differ only in their Unicode normalisation.")
def names_nfc_and_nfd(v):
    v.vault.add(b"caf" + E_ACUTE.encode(), b"account", b"composed")
    v.vault.add(b"caf" + nfd(E_ACUTE).encode(), b"account", b"decomposed")


@vector("opens", "One item of each access class.")
def both_classes(v):
    v.vault.add(b"service", b"one", b"while unlocked", class_=1)
    v.vault.add(b"service", b"two", b"after verification", class_=2)


@vector("opens", "Five items in one bucket.")
def five_items_in_one_bucket(v):
    for nth in range(5):
        v.add_in_bucket(77, nth, value=b"value %d" % nth)


@vector("opens", "Items in the first and the last bucket.")
def buckets_0_and_255(v):
    v.add_in_bucket(0)
    v.add_in_bucket(255)


@vector("opens", "A label, two extra attributes, one with an empty text and one with a text of two lines.")
def attributes_extra(v):
    v.vault.add(b"service", b"account", label="Ключ \U0001f511".encode(),
                extra=[(b"note", b""), (b"url", b"https://example.org/\nsecond line\0\x7f")])


@vector("opens", "Keys of extra attributes in ascending byte order, where a shorter one precedes its continuation.")
def attributes_keys_in_byte_order(v):
    v.vault.add(b"service", b"account", extra=[(key.encode(), b"text") for key in
                                               ("B", "a", "aa", E_ACUTE, "\uffee", "\U00010000")])


@vector("opens", "The label is empty.")
def label_empty(v):
    v.vault.add(b"service", b"account", label=b"")


@vector("opens", "Service, account, field, label and a key of 1,024 bytes each.")
def names_1024_bytes(v):
    v.vault.add(b"s" * 1024, (E_ACUTE * 512).encode(), field_=b"f" * 1024, label=b"l" * 1024, extra=[(b"k" * 1024, b"text")])


@vector("opens", "Service, account, field and a key of one byte each, a space.")
def names_one_space(v):
    v.vault.add(b" ", b" ", field_=b" ", extra=[(b" ", b"")])


@vector("opens", "Three names that join to the same bytes but are divided differently.")
def names_divided_differently(v):
    v.vault.add(b"ab", b"c", b"first", field_=b"d")
    v.vault.add(b"a", b"bc", b"second", field_=b"d")
    v.vault.add(b"a", b"b", b"third", field_=b"cd")


@vector("opens", "Four fields of one entry, of both classes, and one of another account.")
def fields_of_an_entry(v):
    for number, name in enumerate(("password", "PASSWORD", "one-time", "\u043a\u043e\u0434")):
        v.vault.add(b"service", b"account", b"value %d" % number, field_=name.encode(), class_=1 + number % 2)
    v.vault.add(b"service", b"another", field_=b"one-time")


@vector("opens", "Two items of one item id, class and revision: what a writer never makes, and no reader compares.")
def item_id_twice(v):
    first, second, third = v.three_items()
    third.id, third.class_ = first.id, first.class_


@vector("opens", "Times before 1970 and at the ends of their range.")
def times_extreme(v):
    v.vault.add(b"service", b"one", created=-2**63, modified=2**63 - 1)
    v.vault.add(b"service", b"two", created=-1, modified=0)


@vector("opens", "Attributes of exactly 65,536 bytes.")
def attributes_65536_bytes(v):
    item = v.vault.add(b"service", b"account", extra=[(b"key", b"")])
    item.extra = [(b"key", b"t" * (65_536 - len(item.attributes())))]


@vector("opens", "An item with the highest revision, 2^63 - 1.")
def revision_maximum(v):
    v.vault.add(b"service", b"account", revision=2**63 - 1)


@vector("opens", "The key epoch is 7.")
def key_epoch_7(v):
    v.vault.epoch = 7
    v.three_items()


@vector("opens", "The key epoch is 2^32 - 1.")
def key_epoch_maximum(v):
    v.vault.epoch = 2**32 - 1


@vector("opens", "The counter is 2^63 - 1.")
def state_counter_maximum(v):
    v.vault.settings.counter = 2**63 - 1


def settings(name, comment, **values):
    @vector("opens", comment, name)
    def prepare(v):
        for key, value in values.items():
            setattr(v.vault.settings, key, value)
        v.vault.add(b"service", b"account")


settings("settings_custom", "Settings other than at creation.", window=60, idle=300, absolute=7200, locked=1, counter=42)
settings("settings_minimum", "All numbers are the lowest.", window=1, idle=1, absolute=1,
         earlier_values=0, earlier_days=1, removed_days=0)
settings("settings_maximum", "All numbers are the highest.", window=86_400, idle=86_400, absolute=86_400, locked=1, record=1,
         earlier_values=100, earlier_days=3650, removed_days=3650, finger=1, theme=2, language=2)
settings("settings_record", "The vault requires a rollback record.", record=1)
settings("settings_finger", "A finger verifies.", finger=1)
settings("settings_record_and_finger", "Both.", record=1, finger=1)
settings("settings_theme_and_language", "The page is light and in English.", theme=1, language=1)
settings("state_restored", "A backup was restored in an earlier commit.", counter=9, restored_from=1_700_000_000_000, restored_at=7)
settings("state_restored_now", "A backup from before 1970 was restored in this commit.", counter=9, restored_from=-1, restored_at=9)


@vector("opens", "Eight slots of all kinds; the passphrase of the last one is used.")
def slots_8(v):
    make = (lambda i: v.vault.passphrase_slot(b"number %d" % i), lambda i: v.vault.new_slot(v.source(32)),
            lambda i: v.vault.key_slot(v.source(32)))
    v.vault.slots = [make[(i + 2) % 3](i) for i in range(8)]
    v.type(b"number 7")
    v.testing = True


@vector("opens", "Eight slots; the recovery code of the seventh is used.")
def slots_8_recovery(v):
    v.vault.slots = [v.vault.passphrase_slot(None, 3, 65_536) if i % 2 else v.vault.new_slot(v.source(32))
                     for i in range(6)] + v.vault.slots + [v.vault.passphrase_slot(None, 3, 65_536)]


@vector("opens", "Eight slots, seven of kind 3; the authenticator of the sixth is used.")
def slots_8_key(v):
    inputs = [v.source(32) for _ in range(7)]
    outputs = [v.source(32) for _ in range(7)]
    v.vault.slots += [v.vault.key_slot(*both) for both in zip(outputs, inputs)]
    v.touch(outputs[4], inputs[4])


def key_that_opens(name, comment, /, **fields):
    @vector("opens", comment, "key_" + name)
    def prepare(v):
        v.key(**fields)
        v.vault.add(b"service", b"account")


# {1: 3, 3: -257, -1: n, -2: 65537}, RS256 with a modulus of 496 bytes: 512 bytes in all.
LONGEST_KEY = bytes.fromhex("a401030339010020" + "5901f0" + "c5" * 496 + "2143010001")
assert len(LONGEST_KEY) == 512

key_that_opens("security_key", "A security key.")
key_that_opens("passkey", "A synchronised passkey, with a name in several scripts.", transport=PASSKEY, synchronised=1,
               name="Ключ ".encode() + "\u9375 \U0001f511".encode())
key_that_opens("name_empty", "A security key without a name.", name=b"")
key_that_opens("credential_1_byte", "A credential id of one byte.", credential=b"\0")
key_that_opens("public_key_1_byte", "A public key of one byte, which is no COSE_Key: a reader of the vault checks its length only.", key=b"\0")
key_that_opens("record_longest", "The longest record: credential id 1,023 bytes, public key 512, name 64.",
               credential=(bytes(range(256)) * 4)[:1023], key=LONGEST_KEY, name=(E_ACUTE * 32).encode())


def rekeyed(name, comment, times=1):
    """A passphrase, a recovery code and a security key, through `rekey`; the function says which one is used."""
    def register(use):
        @vector("opens", comment, name)
        def prepare(v):
            output, input = v.source(32), v.source(32)
            v.vault.slots += [v.vault.passphrase_slot(b"the passphrase"), v.vault.key_slot(output, input)]
            v.testing = True
            for _ in range(times):
                v.vault.header()
                v.vault.rekey()
            v.three_items()
            use(v, output, input)
    return register


@rekeyed("rekeyed_recovery", "A header of key epoch 2, whose three slots were kept; the recovery code is used.")
def use_recovery(v, output, input):
    pass


@rekeyed("rekeyed_passphrase", "A header of key epoch 2, whose three slots were kept; the passphrase is used.")
def use_passphrase(v, output, input):
    v.type(b"the passphrase")


@rekeyed("rekeyed_key", "A header of key epoch 2, whose three slots were kept; the security key is used.")
def use_key(v, output, input):
    v.touch(output, input)


@rekeyed("rekeyed_and_again", "A header of key epoch 4, whose slots are of epoch 1; the next rekey may begin.", times=3)
def rekey_again(v, output, input):
    v.do = "rekey"


@vector("opens", "A passphrase at the lowest parameters of Argon2id: 2 passes, 19,456 KiB.")
def passphrase_at_floor(v):
    v.passphrase(b"at the floor", passes=2, memory=19_456)


@vector("opens", "A passphrase with more passes and an odd number of KiB.")
def passphrase_3_passes_20001_kib(v):
    v.passphrase(b"a little more", passes=3, memory=20_001)


@vector("opens", "A passphrase at the parameters that only test runs allow: 1 pass, 8 KiB.")
def passphrase_testing(v):
    v.passphrase(b"for tests only")
    v.vault.add(b"service", b"account")


@vector("opens", "The passphrase is typed decomposed, the slot was made with the composed form.")
def passphrase_typed_in_nfd(v):
    text = "r" + E_ACUTE + "sum" + E_ACUTE + " \uac01"
    v.passphrase(nfd(text).encode(), normal=text.encode())


@vector("opens", "A passphrase with combining marks in another than the canonical order.")
def passphrase_marks_out_of_order(v):
    v.passphrase("q\u0307\u0323".encode(), normal="q\u0323\u0307".encode())


@vector("opens", "A passphrase with NUL characters.")
def passphrase_nul(v):
    v.passphrase(b"before\0after\0")


@vector("wrong_passphrase", "The passphrase up to its first NUL does not unlock.")
def passphrase_up_to_nul(v):
    v.passphrase(b"before\0after")
    v.type(b"before")


@vector("opens", "A passphrase of one byte, NUL.")
def passphrase_only_nul(v):
    v.passphrase(b"\0")


@vector("opens", "Spaces and a line end around the passphrase belong to it.")
def passphrase_with_line_end(v):
    v.passphrase(b"  spaces \t\r\n")


@vector("opens", "A byte order mark at the start of the passphrase belongs to it.")
def passphrase_byte_order_mark(v):
    v.passphrase("\ufeffmarked".encode())


@vector("opens", "A passphrase of one byte.")
def passphrase_1_byte(v):
    v.passphrase(b"x")


@vector("opens", "A passphrase of 1,024 bytes.")
def passphrase_1024_bytes(v):
    v.passphrase(b"p" * 1024)


@vector("opens", "A passphrase that is typed in 1,536 bytes and has 1,024 after normalisation.")
def passphrase_1024_bytes_after_nfc(v):
    text = E_ACUTE * 512
    v.passphrase(nfd(text).encode(), normal=text.encode())


@vector("opens", "The recovery code in lower case with spaces.")
def recovery_code_lower_case_with_spaces(v):
    v.unlock = "recovery " + recovery_text(v.code).replace("-", " ").lower()


@vector("opens", "The recovery code without any separators.")
def recovery_code_without_separators(v):
    v.unlock = v.unlock.replace("-", "")


@vector("opens", "The recovery code in mixed case with separators in unusual places.")
def recovery_code_unusual_separators(v):
    text = recovery_text(v.code).replace("-", "")
    v.unlock = "recovery -" + text[:1] + "--" + text[1:30].lower() + " - " + text[30:] + "-"


@vector("opens", "Slots with the highest parameters, 64 passes x 256 MiB and 64 passes; the recovery code is used.")
def slot_argon2_at_ceilings(v):
    v.vault.slots += [v.vault.passphrase_slot(None, 64, 262_144), v.vault.passphrase_slot(None, 64, 19_456)]


@vector("opens", "All records are of one older state: without a rollback record this is not detected.")
def old_vault_without_rollback_record(v):
    v.three_items()
    v.build()
    old = v.snapshot()
    v.commit()
    v.put_back(old)
    v.vault.settings.counter = 1

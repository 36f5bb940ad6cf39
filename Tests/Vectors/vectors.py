"""What the vectors are: one function each, named as its file. `v` is a fresh Vector with one recovery slot and no items.

A body prepares `v.vault`, may call `v.build()` and then damage the finished records. Where the damage needs the keys of
the vault, `v.reseal()` makes bucket records and state fit again, so that the named failure is the only one.
"""

import unicodedata

from collision import two_key_blob
from writer import (
    ARGON2ID, MAXIMUM_VALUE, PASSPHRASE, RECOVERY, STATE, Vault, context, counted, flipped, get_slot, i64, pad,
    padded_size, recovery_text, seal, set_slot, slot_start, sodium, u32, u64, u8, vector, wrapped_parts)

E_ACUTE = "\u00e9"


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
                           key=lambda item: v.vault.tag(item.service, item.account))
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


@vector("opens", "Service, account, label and a key of 1,024 bytes each.")
def names_1024_bytes(v):
    v.vault.add(b"s" * 1024, (E_ACUTE * 512).encode(), label=b"l" * 1024, extra=[(b"k" * 1024, b"text")])


@vector("opens", "Service, account and a key of one byte each, a space.")
def names_one_space(v):
    v.vault.add(b" ", b" ", extra=[(b" ", b"")])


@vector("opens", "Two names that join to the same bytes but are divided differently.")
def names_divided_differently(v):
    v.vault.add(b"ab", b"c", b"first")
    v.vault.add(b"a", b"bc", b"second")


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


@vector("opens", "The counter is 2^64 - 1.")
def state_counter_maximum(v):
    v.vault.settings.counter = 2**64 - 1


def settings(name, comment, *values):
    @vector("opens", comment, name)
    def prepare(v):
        s = v.vault.settings
        s.window, s.idle, s.absolute, s.locked, s.counter = values
        v.vault.add(b"service", b"account")


settings("settings_custom", "Settings other than at creation.", 60, 300, 7200, 1, 42)
settings("settings_minimum", "All limits are one second.", 1, 1, 1, 0, 1)
settings("settings_maximum", "All limits are a day.", 86_400, 86_400, 86_400, 1, 1)


@vector("opens", "Eight slots, four of each kind; the last one is used.")
def slots_8(v):
    v.vault.slots = [v.vault.passphrase_slot(b"number %d" % i) if i % 2 else v.vault.new_slot(v.source(32))
                     for i in range(8)]
    v.type(b"number 7")
    v.testing = True


@vector("opens", "Eight slots, four of each kind; the recovery code of the seventh is used.")
def slots_8_recovery(v):
    v.vault.slots = [v.vault.passphrase_slot(None, 3, 65_536) if i % 2 else v.vault.new_slot(v.source(32))
                     for i in range(6)] + v.vault.slots + [v.vault.passphrase_slot(None, 3, 65_536)]


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


@vector("opens", "All records are of one older state: without a mark nothing tells.")
def old_vault_without_mark(v):
    v.three_items()
    v.build()
    old = v.snapshot()
    v.vault.settings.counter = 2
    v.build()
    v.header, v.state, v.buckets, v.rows = old
    v.vault.settings.counter = 1


# === The header ======================================================================================================

@vector("header_missing", "There is no header.")
def header_missing(v):
    v.build()
    v.header = None


def header_cut(name, comment, cut):
    @vector("header_truncated", comment, name)
    def prepare(v):
        v.build()
        v.header = cut(v.header)


header_cut("header_empty", "A header of no bytes.", lambda h: b"")
header_cut("header_one_byte", "A header of one byte.", lambda h: h[:1])
header_cut("header_seven_bytes", "A header of seven bytes.", lambda h: h[:7])
header_cut("header_eight_bytes", "The header ends after its format.", lambda h: h[:8])
header_cut("header_28_bytes", "The header ends before the number of slots.", lambda h: h[:28])
header_cut("header_without_slots", "The header ends before its first slot.", lambda h: h[:29])
header_cut("header_ends_in_slot", "The header ends within its slot.", lambda h: h[:100])
header_cut("header_without_wrapped_keys", "The header ends after its last slot.", lambda h: h[:-216])
header_cut("header_last_byte_missing", "The last byte of the header is missing.", lambda h: h[:-1])
header_cut("slot_count_one_too_high", "The header says two slots and has one.", lambda h: h[:28] + u8(2) + h[29:])


def header_edit(name, expect, comment, edit):
    """A change of the header with which the state fits again, so that only the named check can refuse it."""
    @vector(expect, comment, name)
    def prepare(v):
        v.build()
        v.header = edit(v.header)
        v.reseal_state()


header_edit("header_magic", "header_magic", "Another magic.", lambda h: b"TVHE" + h[4:])
header_edit("header_magic_lower_case", "header_magic", "The magic in lower case.", lambda h: b"tvhd" + h[4:])
header_edit("header_magic_of_mark", "header_magic", "The magic of a mark.", lambda h: b"TVMK" + h[4:])
header_edit("header_format_0", "header_format", "Header format 0.", lambda h: h[:4] + u32(0) + h[8:])
header_edit("header_format_2", "header_format", "Header format 2.", lambda h: h[:4] + u32(2) + h[8:])
header_edit("header_format_big_endian", "header_format", "The header format is 1 in the other byte order.",
            lambda h: h[:4] + b"\0\0\0\1" + h[8:])
header_edit("header_trailing_byte", "header_trailing_bytes", "One zero byte after the header.", lambda h: h + b"\0")
header_edit("header_trailing_slot", "header_trailing_bytes", "The header has two slots and says one.",
            lambda h: h[:29] + h[29:191] + h[29:191] + h[191:])


@vector("key_epoch_zero", "All is sealed for key epoch 0.")
def key_epoch_zero(v):
    v.vault.epoch = 0


@vector("slot_count", "A header without slots.")
def slot_count_0(v):
    v.vault.slots = []


@vector("slot_count", "A header with nine good slots.")
def slot_count_9(v):
    v.vault.slots += [v.vault.new_slot(v.source(32)) for _ in range(8)]


# === Slots ===========================================================================================================

def damaged_slot(name, comment, position, count=1):
    @vector("slot_checksum", comment, name)
    def prepare(v):
        v.vault.slots += [v.vault.new_slot(v.source(32)) for _ in range(count - 1)]
        v.build()
        v.header = flipped(v.header, position)
        v.reseal_state()


for part, (start, words) in dict(
        id=(0, "slot id"), kind=(16, "kind"), passes=(18, "passes"), memory=(25, "memory"), salt=(41, "salt"),
        commitment=(42, "commitment"), sealed_root_key=(145, "sealed root key"), checksum=(161, "checksum")).items():
    damaged_slot("slot_damaged_" + part, f"One bit of the {words} is damaged.", slot_start(0) + start)
damaged_slot("slot_damaged_third", "One bit of the third slot is damaged, the first one would unlock.",
             slot_start(2) + 60, count=3)
damaged_slot("vault_id_damaged", "One bit of the vault id is damaged.", 8)


@vector("slot_checksum", "The slot of another vault, as it is.")
def slot_of_another_vault(v):
    other = Vault("the other vault")
    other.slots = [other.new_slot(v.code)]
    v.build()
    v.header = v.header[:29] + other.header()[29:191] + v.header[191:]
    v.reseal_state()


def second_slot(name, expect, comment, testing=False, **fields):
    """A vault with a good recovery slot, which is used, and a second slot with the fault."""
    @vector(expect, comment, name)
    def prepare(v):
        v.testing = testing
        v.vault.slots.append(v.vault.new_slot(None, **fields))
        v.vault.add(b"service", b"account")


second_slot("slot_kind_0", "slot_kind", "A slot of kind 0.", kind=0)
second_slot("slot_kind_3", "slot_kind", "A slot of kind 3.", kind=3)
second_slot("slot_kind_255", "slot_kind", "A slot of kind 255.", kind=255, algorithm=255)
good = dict(passes=2, memory=19_456)
second_slot("slot_algorithm_0", "slot_algorithm", "A passphrase slot with algorithm 0.", kind=1, algorithm=0, **good)
second_slot("slot_algorithm_3", "slot_algorithm", "A passphrase slot with algorithm 3.", kind=1, algorithm=3, **good)
second_slot("slot_passphrase_with_blake2b", "slot_algorithm", "A passphrase slot with BLAKE2b, which is as good as none.",
            kind=1, algorithm=2)
second_slot("slot_recovery_with_argon2", "slot_algorithm", "A recovery slot with Argon2id.", kind=2, algorithm=1, **good)
second_slot("slot_recovery_with_passes", "slot_recovery_parameters", "A recovery slot with passes.", passes=1)
second_slot("slot_recovery_with_memory", "slot_recovery_parameters", "A recovery slot with memory.", memory=1)
second_slot("slot_recovery_with_parameters", "slot_recovery_parameters", "A recovery slot with the parameters of Argon2id.",
            **good)

argon2 = dict(kind=PASSPHRASE, algorithm=ARGON2ID)
for passes, memory, name, words in (
        (0, 19_456, "passes_0", "0 passes"), (1, 19_456, "passes_1", "1 pass"),
        (2, 0, "memory_0", "no memory"), (2, 8, "memory_8_kib", "8 KiB, outside of test runs"),
        (2, 19_455, "memory_19455_kib", "one KiB under the floor"),
        (0, 0, "nothing", "neither passes nor memory"),
        (1, 2_097_152, "passes_1_memory_2_gib", "much memory but 1 pass"),
        (64, 1024, "passes_64_memory_1_mib", "many passes but 1 MiB"),
        (1, 2**32 - 1, "passes_1_memory_4_tib", "1 pass and 4 TiB: under the floor is reported first"),
        (2**32 - 1, 8, "passes_most_memory_8_kib", "2^32 - 1 passes and 8 KiB: under the floor is reported first")):
    second_slot("slot_argon2_" + name, "slot_kdf_weak", f"A passphrase slot with {words}.",
                passes=passes, memory=memory, **argon2)
for passes, memory, name, words in ((1, 7, "testing_memory_7_kib", "7 KiB"), (0, 8, "testing_passes_0", "0 passes")):
    second_slot("slot_argon2_" + name, "slot_kdf_weak", f"A passphrase slot with {words}, under the floor of test runs.",
                testing=True, passes=passes, memory=memory, **argon2)
for passes, memory, name, words in (
        (65, 19_456, "passes_65", "65 passes"), (2**32 - 1, 19_456, "passes_most", "2^32 - 1 passes"),
        (2**31, 19_456, "passes_2_31", "2^31 passes"),
        (2, 4_194_305, "memory_4_gib_and_1_kib", "4 GiB and 1 KiB"), (2, 2**32 - 1, "memory_4_tib", "4 TiB"),
        (64, 262_145, "product_above_16_gib", "64 passes x 256 MiB and 1 KiB, just over the product"),
        (5, 4_194_304, "passes_5_memory_4_gib", "5 passes x 4 GiB"),
        (64, 2**26, "product_wraps_to_0", "64 passes x 64 GiB, whose product is 0 in 32 bits"),
        (2**32 - 1, 2**32 - 1, "most_of_both", "2^32 - 1 passes and 4 TiB")):
    second_slot("slot_argon2_" + name, "slot_kdf_excessive", f"A passphrase slot with {words}.",
                passes=passes, memory=memory, **argon2)
second_slot("slot_argon2_testing_memory_4_tib", "slot_kdf_excessive", "4 TiB: the upper limits hold in test runs also.",
            testing=True, passes=1, memory=2**32 - 1, **argon2)
second_slot("slot_argon2_testing_passes_65", "slot_kdf_excessive", "65 passes of 8 KiB in a test run.",
            testing=True, passes=65, memory=8, **argon2)


@vector("slot_kind", "The first slot has an unknown kind and the second one a wrong checksum: slots are checked in order.")
def slots_checked_in_order(v):
    v.vault.slots = [v.vault.new_slot(None, kind=9)] + v.vault.slots
    v.build()
    v.header = flipped(v.header, slot_start(1) + 161)
    v.reseal_state()


@vector("slot_duplicate", "Two different slots with one id.")
def slot_id_twice(v):
    slot = v.vault.new_slot(v.source(32))
    slot.id = v.vault.slots[0].id
    v.vault.slots.append(slot)


@vector("slot_duplicate", "The first and the third of three slots have one id.")
def slot_id_of_first_and_third(v):
    v.vault.slots += [v.vault.new_slot(v.source(32)) for _ in range(2)]
    v.vault.slots[2].id = v.vault.slots[0].id


@vector("slot_duplicate", "The same slot twice.")
def slot_copied(v):
    v.vault.slots *= 2
    v.build()
    v.header = v.header[:191] + v.header[29:191] + v.header[353:]
    v.reseal_state()


# === The secret ======================================================================================================

def typed_passphrase(name, expect, comment, typed, normal=None):
    """What is typed would unlock, if it were taken: `normal` is the password that the slot was made with."""
    @vector(expect, comment, name)
    def prepare(v):
        v.passphrase(typed, normal)


typed_passphrase("passphrase_empty", "passphrase_length", "An empty passphrase.", b"")
typed_passphrase("passphrase_1025_bytes", "passphrase_length", "A passphrase of 1,025 bytes.", b"p" * 1025)
typed_passphrase("passphrase_1026_bytes_in_nfc", "passphrase_length", "513 composed characters of two bytes each.",
                 (E_ACUTE * 513).encode())
typed_passphrase("passphrase_grows_by_nfc", "passphrase_length",
                 "1,023 bytes as typed; the composed form, which divides this letter, has 2,046.", "\u0958".encode() * 341,
                 unicodedata.normalize("NFC", "\u0958" * 341).encode())
for name, words, typed in (
        ("lone_continuation", "a lone continuation byte", b"pass\x80word"), ("byte_ff", "the byte FF", b"\xff"),
        ("overlong", "an overlong NUL", b"pass\xc0\x80word"), ("surrogate", "an encoded surrogate", b"pass\xed\xa0\x80"),
        ("above_10ffff", "a number above 10FFFF", b"\xf4\x90\x80\x80"), ("cut_short", "its last character cut short",
                                                                       "pass\u20ac".encode()[:-1]),
        ("latin_1", "a letter in Latin-1", b"caf\xe9 noir")):
    typed_passphrase("passphrase_not_utf8_" + name, "passphrase_encoding", f"A passphrase with {words}.", typed)


def typed_code(name, expect, comment, edit):
    @vector(expect, comment, "recovery_code_" + name)
    def prepare(v):
        v.unlock = "recovery " + edit(recovery_text(v.code))


typed_code("55_characters", "recovery_code_malformed", "The last character is missing.", lambda t: t[:-1])
typed_code("57_characters", "recovery_code_malformed", "One character too many.", lambda t: t + "A")
typed_code("52_characters", "recovery_code_malformed", "The check characters are missing.", lambda t: t[:-5])
typed_code("twice", "recovery_code_malformed", "The code typed twice.", lambda t: t + "-" + t)
for name, character in (("digit_0", "0"), ("digit_1", "1"), ("digit_8", "8"), ("padding", "="), ("underscore", "_")):
    typed_code(name, "recovery_code_malformed", f"A '{character}' in the place of a character.",
               lambda t, character=character: t[:10] + character + t[11:])


@vector("recovery_code_malformed", "The letter long s, whose upper case is S, in the place of an S.")
def recovery_code_long_s(v):
    v.code = bytes([0x94]) + v.code[1:]  # the first character is S
    v.vault.slots = [v.vault.new_slot(v.code)]
    text = recovery_text(v.code)
    assert text[0] == "S"
    v.unlock = "recovery \u017f" + text[1:]


@vector("recovery_code_malformed", "The code in full-width letters.")
def recovery_code_full_width(v):
    v.unlock = "recovery " + "".join(chr(ord(c) + 0xFEE0) if c != "-" else c for c in recovery_text(v.code))


def filler(bit):
    @vector("recovery_code_malformed", f"Filler bit {bit} of the 52nd character is 1.", f"recovery_code_filler_bit_{bit}")
    def prepare(v):
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
        text = recovery_text(v.code)
        place = len("-".join(["AAAA"] * 13)) - 1
        v.unlock = "recovery " + text[:place] + alphabet[alphabet.index(text[place]) | 1 << bit] + text[place + 1:]


filler(0)
filler(3)


def other(character):
    return "A" if character != "A" else "B"


typed_code("typing_error", "recovery_code_check", "One character is another one.", lambda t: t[:7] + other(t[7]) + t[8:])
typed_code("first_check_character", "recovery_code_check", "The first check character is another one.",
           lambda t: t[:-4] + other(t[-4]) + t[-3:])
typed_code("last_check_character", "recovery_code_check", "The last check character is another one.",
           lambda t: t[:-1] + other(t[-1]))


@vector("recovery_code_check", "Two characters are exchanged.")
def recovery_code_exchanged_characters(v):
    v.code = bytes([0x0F]) + v.code[1:]  # the first character is B, the second one of 4 to 7
    v.vault.slots = [v.vault.new_slot(v.code)]
    text = recovery_text(v.code)
    assert text[0] != text[1]
    v.unlock = "recovery " + text[1] + text[0] + text[2:]


# === Unlocking =======================================================================================================

@vector("wrong_passphrase", "Another passphrase.")
def wrong_passphrase(v):
    v.passphrase(b"the passphrase")
    v.type(b"The passphrase")


@vector("wrong_passphrase", "Another passphrase, at the floor of Argon2id.")
def wrong_passphrase_at_floor(v):
    v.passphrase(b"the passphrase", passes=2, memory=19_456)
    v.type(b"the passphrase ")


@vector("wrong_passphrase", "A ligature, which only compatibility normalisation would take apart.")
def passphrase_compatibility_form(v):
    v.passphrase(b"fine")
    v.type("\ufb01ne".encode())


@vector("wrong_passphrase", "A passphrase for a vault that has only a recovery slot.")
def passphrase_without_passphrase_slot(v):
    v.type(b"the passphrase")


@vector("wrong_recovery_code", "The recovery code of a vault that has only a passphrase slot.")
def recovery_code_without_recovery_slot(v):
    unlock = v.unlock
    v.passphrase(b"the passphrase")
    v.unlock = unlock


@vector("wrong_passphrase", "The characters of the recovery code as a passphrase.")
def recovery_code_as_passphrase(v):
    v.vault.slots.append(v.vault.passphrase_slot(b"the passphrase"))
    v.testing = True
    v.type(recovery_text(v.code).encode())


@vector("wrong_recovery_code", "A well-formed code of no slot.")
def wrong_recovery_code(v):
    v.unlock = "recovery " + recovery_text(v.source(32))


@vector("wrong_recovery_code", "The slot of another vault with its checksum made to fit: its code is bound to the vault id.")
def slot_of_another_vault_refitted(v):
    other = Vault("the other vault")
    other.slots = [other.new_slot(v.code)]
    v.build()
    v.header = set_slot(v.header[:29] + other.header()[29:191] + v.header[191:], 0, "kind", u8(RECOVERY))


@vector("wrong_passphrase", "The passphrase slot of another vault with its checksum made to fit: the commitment holds the vault id.")
def passphrase_slot_of_another_vault_refitted(v):
    v.passphrase(b"the passphrase")
    other = Vault("the other vault")
    other.slots = [other.passphrase_slot(b"the passphrase")]
    v.build()
    v.header = set_slot(v.header[:29] + other.header()[29:191] + v.header[191:], 0, "kind", u8(PASSPHRASE))


def turned_kdf(name, comment, old, new, testing=False):
    """Parameters that an attacker changed in a finished slot, with the checksum made to fit."""
    @vector("wrong_passphrase", comment, name)
    def prepare(v):
        v.passphrase(b"the passphrase", passes=old[0], memory=old[1])
        v.build()
        v.header = set_slot(set_slot(v.header, 0, "passes", u32(new[0])), 0, "memory", u32(new[1]))
        v.testing = testing


turned_kdf("slot_argon2_passes_lowered", "3 passes were lowered to 2, which is still allowed.", (3, 19_456), (2, 19_456))
turned_kdf("slot_argon2_memory_lowered", "24 MiB were lowered to 19 MiB, which is still allowed.", (2, 24_576), (2, 19_456))
turned_kdf("slot_argon2_passes_raised", "1 pass was raised to 2.", (1, 8), (2, 8), testing=True)
turned_kdf("slot_argon2_memory_raised", "8 KiB were raised to 9 KiB, which Argon2id rounds down to 8.", (1, 8), (1, 9), testing=True)


def refitted(name, expect, comment, field, edit, passphrase=False):
    """One field of the finished slot changed, with the checksum made to fit."""
    @vector(expect, comment, name)
    def prepare(v):
        if passphrase:
            v.passphrase(b"the passphrase")
        v.build()
        v.header = set_slot(v.header, 0, field, edit(get_slot(v.header, 0, field)))


refitted("slot_commitment_changed", "wrong_recovery_code", "Another commitment; the checksum fits.",
         "commitment", lambda data: flipped(data, 31, 128))
refitted("slot_commitment_zero", "wrong_passphrase", "A commitment of zeros; the checksum fits.",
         "commitment", lambda data: bytes(32), passphrase=True)
refitted("slot_salt_changed", "wrong_passphrase", "Another salt; the checksum fits.", "salt", lambda data: flipped(data, 0),
         passphrase=True)
refitted("slot_id_changed", "wrong_recovery_code", "Another slot id; the checksum fits.", "id", lambda data: flipped(data, 0))
refitted("slot_id_changed_passphrase", "wrong_passphrase", "Another slot id in a passphrase slot; the checksum fits.",
         "id", lambda data: flipped(data, 15), passphrase=True)
refitted("root_key_changed", "root_key_seal", "One bit of the sealed root key is changed; the checksum fits.",
         "sealed", lambda data: flipped(data, 30))
refitted("root_key_nonce_changed", "root_key_seal", "Another nonce of the sealed root key; the checksum fits.",
         "sealed", lambda data: flipped(data, 0))
refitted("root_key_tag_changed", "root_key_seal", "Another tag of the sealed root key; the checksum fits.",
         "sealed", lambda data: flipped(data, 71, 128), passphrase=True)


@vector("root_key_seal", "The key epoch in the header is another than the sealed one.")
def key_epoch_changed(v):
    v.build()
    v.header = v.header[:24] + u32(2) + v.header[28:]


@vector("root_key_seal", "The sealed root keys of two slots are exchanged; the checksums fit.")
def root_keys_exchanged(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    first, second = (get_slot(v.header, i, "sealed") for i in range(2))
    v.header = set_slot(set_slot(v.header, 0, "sealed", second), 1, "sealed", first)


def misplaced_root_key(name, comment, **wrong):
    @vector("root_key_seal", comment, name)
    def prepare(v):
        slot = v.vault.slots[0]
        fields = dict(purpose=1, vault_id=v.vault.id, id=slot.id, class_=0, revision=1, part=0) | wrong
        slot.sealed = seal(v.source, slot.key(v.vault.id)[:32], v.vault.root, context(**fields))


misplaced_root_key("root_key_for_another_slot", "The root key is sealed for another slot id.", id=bytes(16))
misplaced_root_key("root_key_for_another_vault", "The root key is sealed for another vault id.", vault_id=bytes(16))
misplaced_root_key("root_key_for_another_purpose", "The root key is sealed for purpose 2.", purpose=2)


@vector("wrong_passphrase", "The root key is sealed under a passphrase of the attacker, the commitment is the old one.")
def slot_forged_root_key(v):
    v.passphrase(b"of the attacker")
    slot = v.vault.slots[0]
    slot.commitment = v.source(32)


def collision(v, make_slots):
    """Two secrets whose keys both open the sealed root key; the commitment is that of the first."""
    first, second = make_slots
    keys = [slot.key(v.vault.id)[:32] for slot in make_slots]
    associated = first.root_key_context(v.vault)
    blob, v.vault.root = two_key_blob(*keys, v.source(24), associated, v.source)
    for key in keys:  # the attack works
        sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(blob[24:], associated, blob[:24], key)
    first.sealed = blob
    v.vault.slots = [first]
    v.vault.add(b"service", b"account")


def collision_passphrases(v):
    v.testing = True
    first = v.vault.passphrase_slot(b"alpha")
    second = v.vault.passphrase_slot(b"bravo")
    second.id, second.salt = first.id, first.salt
    collision(v, (first, second))


@vector("opens", "The sealed root key opens under two passphrases; the one of the commitment unlocks.")
def slot_two_key_collision_committed(v):
    collision_passphrases(v)
    v.type(b"alpha")


@vector("wrong_passphrase", "The sealed root key opens under two passphrases; the one without the commitment is refused.")
def slot_two_key_collision_not_committed(v):
    collision_passphrases(v)
    v.type(b"bravo")


@vector("wrong_recovery_code", "The sealed root key opens under two recovery codes; the one without the commitment is refused.")
def slot_two_key_collision_recovery(v):
    first = v.vault.slots[0]
    code = v.source(32)
    second = v.vault.new_slot(code)
    second.id, second.salt = first.id, first.salt
    collision(v, (first, second))
    v.unlock = "recovery " + recovery_text(code)


def wrapped(name, comment, edit, before=lambda v: None):
    @vector("wrapped_key_seal", comment, name)
    def prepare(v):
        before(v)
        v.build()
        start, keys = wrapped_parts(v.header)
        v.header = start + b"".join(edit(v, keys))
        v.reseal_state()


wrapped("attribute_key_damaged", "One bit of the sealed attribute key is changed.", lambda v, k: [flipped(k[0], 40), k[1], k[2]])
wrapped("value_key_1_damaged", "One bit of the sealed value key of class 1 is changed.", lambda v, k: [k[0], flipped(k[1], 0), k[2]])
wrapped("value_key_2_damaged", "One bit of the sealed value key of class 2 is changed.", lambda v, k: [k[0], k[1], flipped(k[2], 71)])
wrapped("value_keys_exchanged", "The value keys of the two classes are exchanged.", lambda v, k: [k[0], k[2], k[1]])
wrapped("attribute_key_and_value_key_exchanged", "The attribute key and the value key of class 1 are exchanged.",
        lambda v, k: [k[1], k[0], k[2]])
wrapped("value_key_1_twice", "The value key of class 1 is also in the place of that of class 2.", lambda v, k: [k[0], k[1], k[1]])


def of_another_vault(v, keys):
    other = Vault("the other vault")
    return other.wrapped_keys()


def of_an_older_epoch(v, keys):
    v.vault.epoch = 1
    return v.vault.wrapped_keys()


def epoch_2(v):
    v.vault.epoch = 2


wrapped("wrapped_keys_of_another_vault", "The wrapped keys of another vault.", of_another_vault)
wrapped("wrapped_keys_of_an_older_epoch", "The wrapped keys of key epoch 1 in a header of epoch 2.", of_an_older_epoch, epoch_2)


@vector("wrapped_key_seal", "Two vaults have one root key and exchanged wrapped keys: the vault id is bound.")
def wrapped_keys_of_a_copy(v):
    copy = Vault("the other vault")
    copy.root = v.vault.root
    v.build()
    v.header = wrapped_parts(v.header)[0] + b"".join(copy.wrapped_keys())
    v.reseal_state()


# === The state =======================================================================================================

@vector("state_missing", "There is no state record.")
def state_missing(v):
    v.three_items()
    v.build()
    v.state = None


def state_edit(name, expect, comment, edit):
    @vector(expect, comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        v.state = edit(v.state)


state_edit("state_empty", "state_length", "A state record of no bytes.", lambda s: b"")
state_edit("state_152_bytes", "state_length", "The last byte of the state record is missing.", lambda s: s[:-1])
state_edit("state_154_bytes", "state_length", "One byte after the state record.", lambda s: s + b"\0")
state_edit("state_format_0", "state_format", "State record format 0.", lambda s: u32(0) + s[4:])
state_edit("state_format_2", "state_format", "State record format 2.", lambda s: u32(2) + s[4:])
state_edit("state_nonce_damaged", "state_seal", "One bit of the nonce is changed.", lambda s: flipped(s, 4))
state_edit("state_sum_damaged", "state_seal", "One bit of the sealed sum is changed.", lambda s: flipped(s, 28))
state_edit("state_flag_turned", "state_seal", "The bit of the last setting is changed in the ciphertext.", lambda s: flipped(s, 136))
state_edit("state_tag_damaged", "state_seal", "One bit of the tag is changed.", lambda s: flipped(s, -1, 128))


@vector("state_seal", "The state of another vault.")
def state_of_another_vault(v):
    other = Vault("the other vault")
    other.slots = [other.new_slot(v.code)]
    v.build()
    v.state = other.state(other.header(), {}, 0)


@vector("state_seal", "The state is sealed without the hash of the header.")
def state_without_header_hash(v):
    v.vault.state_context = lambda header: context(6, v.vault.id)


@vector("state_seal", "The state is sealed with the context of bucket 0.")
def state_sealed_as_bucket(v):
    v.vault.state_context = lambda header: context(5, v.vault.id)


@vector("state_seal", "The state is sealed under the root key in the place of the state key.")
def state_under_root_key(v):
    v.build()
    text = v.vault.state_text({}, 0)
    v.state = u32(1) + seal(v.source, v.vault.root, text, v.vault.state_context(v.header))


@vector("state_seal", "A whole header of another vault with the same recovery code.")
def header_of_another_vault(v):
    v.three_items()
    v.build()
    other = Vault("the other vault")
    other.slots = [other.new_slot(v.code)]
    v.header = other.header()


@vector("state_seal", "After a change of the passphrase the old slot was put in the place of the new one.")
def old_slot_put_back(v):
    v.passphrase(b"old passphrase")
    old = v.vault.header()
    v.vault.slots = [v.vault.passphrase_slot(b"new passphrase")]
    v.build()
    v.header = v.header[:29] + old[29:191] + v.header[191:]


@vector("state_seal", "A removed slot was added again beside the others.")
def old_slot_added_again(v):
    old = v.vault.header()
    v.vault.slots = [v.vault.new_slot(v.source(32))]
    v.build()
    v.header = v.header[:28] + u8(2) + v.header[29:191] + old[29:191] + v.header[191:]


@vector("state_seal", "The whole header before a change of the passphrase.")
def old_header_put_back(v):
    v.passphrase(b"old passphrase")
    old = v.vault.header()
    v.vault.slots = [v.vault.passphrase_slot(b"new passphrase")]
    v.build()
    v.header = old


@vector("state_seal", "The whole header of an older key epoch, with its old root key.")
def old_key_epoch_put_back(v):
    old = v.vault.header()
    v.vault.epoch, v.vault.root = 2, v.source(32)
    v.build()
    v.header = old


@vector("state_seal", "The second of two slots was removed.")
def slot_removed(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    v.header = v.header[:28] + u8(1) + v.header[29:191] + v.header[353:]


@vector("state_seal", "Two slots changed places.")
def slots_exchanged(v):
    v.vault.slots.append(v.vault.new_slot(v.source(32)))
    v.build()
    v.header = v.header[:29] + v.header[191:353] + v.header[29:191] + v.header[353:]


@vector("state_seal", "A second slot with cheaper parameters, whose secret nobody here types, was changed; the first unlocks.")
def slot_not_used_lowered(v):
    v.vault.slots.append(v.vault.passphrase_slot(None, 3, 65_536))
    v.build()
    v.header = set_slot(v.header, 1, "passes", u32(2))


def state_content(name, comment, **values):
    @vector("state_content", comment, "state_" + name)
    def prepare(v):
        for key, value in values.items():
            setattr(v.vault.settings, key, value)


for key, words in (("window", "verification window"), ("idle", "idle limit"), ("absolute", "absolute limit")):
    state_content(key + "_0", f"The {words} is 0.", **{key: 0})
    state_content(key + "_86401", f"The {words} is 86,401 seconds.", **{key: 86_401})
state_content("absolute_most", "The absolute limit is 2^32 - 1 seconds.", absolute=2**32 - 1)
state_content("flag_2", "The flag is 2.", locked=2)
state_content("flag_255", "The flag is 255.", locked=255)
state_content("counter_0", "The counter is 0.", counter=0)


# === The rollback mark ===============================================================================================

def mark(name, expect, comment, make, counter=5):
    @vector(expect, comment, "mark_" + name)
    def prepare(v):
        v.vault.settings.counter = counter
        v.vault.add(b"service", b"account")
        v.build()
        v.mark = make(v)


mark("of_this_state", "opens", "The mark is of this very state.", lambda v: v.vault.mark(v.state))
mark("of_an_older_state", "opens", "The mark has a lower counter.", lambda v: v.vault.mark(b"older", counter=4))
mark("of_another_lineage_before", "opens", "The mark has another lineage and a lower counter: the vault was restored.",
     lambda v: v.vault.mark(b"older", counter=4, lineage=bytes(16)))
mark("counter_high_byte", "opens", "The counters differ in bytes that a comparison from the wrong end would mistake.",
     lambda v: v.vault.mark(b"older", counter=255), counter=256)
mark("of_a_newer_state", "rolled_back", "The mark has a counter that is one higher.", lambda v: v.vault.mark(b"newer", counter=6))
mark("counter_most", "rolled_back", "The mark has the highest counter.", lambda v: v.vault.mark(b"newer", counter=2**64 - 1))
mark("of_a_sibling_state", "rolled_back", "The mark has the same counter and another digest.", lambda v: v.vault.mark(b"sibling"))
mark("of_another_lineage_after", "rolled_back", "The mark has another lineage and a higher counter.",
     lambda v: v.vault.mark(b"newer", counter=6, lineage=bytes(16)))
mark("empty", "mark_damaged", "A mark of no bytes.", lambda v: b"")
mark("95_bytes", "mark_damaged", "The last byte of the mark is missing.", lambda v: v.vault.mark(v.state)[:-1])
mark("97_bytes", "mark_damaged", "One byte after the mark.", lambda v: v.vault.mark(v.state) + b"\0")
mark("magic", "mark_damaged", "Another magic; the checksum fits.", lambda v: v.vault.mark(v.state, magic=b"TVHD"))
mark("format_0", "mark_damaged", "Mark format 0; the checksum fits.", lambda v: v.vault.mark(v.state, format=0))
mark("format_2", "mark_damaged", "Mark format 2; the checksum fits.", lambda v: v.vault.mark(v.state, format=2))
mark("vault_id", "mark_damaged", "The mark of another vault.", lambda v: v.vault.mark(v.state, vault_id=bytes(16)))
mark("checksum", "mark_damaged", "One bit of the checksum is changed.", lambda v: flipped(v.vault.mark(v.state), -1))
mark("counter_lowered", "mark_damaged", "The counter was lowered without its checksum.",
     lambda v: flipped(v.vault.mark(v.state), 40, 4))


@vector("rolled_back", "All records were put back to an older state that the mark knows.")
def old_vault_put_back(v):
    v.three_items()
    v.build()
    old = v.snapshot()
    v.vault.settings.counter += 1
    v.vault.add(b"service", b"new")
    v.build()
    v.mark = v.vault.mark(v.state)
    v.header, v.state, v.buckets, v.rows = old


# === Bucket records ==================================================================================================

def bucket_edit(name, expect, comment, edit, sealed=True):
    """Three items; `sealed`: the state is made to fit the changed bucket records, as only a holder of the keys can."""
    @vector(expect, comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        edit(v, v.buckets)
        if sealed:
            v.reseal_state()


def put(number, change):
    def edit(v, buckets):
        buckets[number] = change(buckets[number])
    return edit


def add_bucket(number):
    def edit(v, buckets):
        buckets[number] = buckets[5]
    return edit


def move(source, target):
    def edit(v, buckets):
        buckets[source], buckets[target] = buckets[target], buckets[source]
    return edit


bucket_edit("bucket_number_256", "bucket_number", "A bucket record with number 256.", add_bucket(256))
bucket_edit("bucket_number_most", "bucket_number", "A bucket record with number 2^63 - 1.", add_bucket(2**63 - 1))
bucket_edit("bucket_number_negative", "bucket_number", "A bucket record with number -1.", add_bucket(-1))
bucket_edit("bucket_empty", "bucket_length", "A bucket record of no bytes.", put(200, lambda b: b""))
bucket_edit("bucket_115_bytes", "bucket_length", "The last byte of a bucket record is missing.", put(200, lambda b: b[:-1]))
bucket_edit("bucket_117_bytes", "bucket_length", "One byte after a bucket record.", put(5, lambda b: b + b"\0"))
bucket_edit("bucket_format_0", "bucket_format", "Bucket record format 0.", put(5, lambda b: u32(0) + b[4:]))
bucket_edit("bucket_format_2", "bucket_format", "Bucket record format 2.", put(200, lambda b: u32(2) + b[4:]))
bucket_edit("bucket_record_missing", "buckets_sum", "A bucket record was removed, its rows are still there.",
            lambda v, b: b.pop(5), sealed=False)
bucket_edit("bucket_records_all_missing", "buckets_sum", "All bucket records were removed.", lambda v, b: b.clear(), sealed=False)
bucket_edit("bucket_record_copied", "buckets_sum", "A bucket record is also there under a free number.", add_bucket(6), sealed=False)
bucket_edit("bucket_record_damaged", "buckets_sum", "One bit of a bucket record is changed.", put(5, lambda b: flipped(b, 50)), sealed=False)
bucket_edit("bucket_records_exchanged", "buckets_sum", "Two bucket records changed places.", move(5, 200), sealed=False)
bucket_edit("bucket_nonce_damaged", "bucket_seal", "A damaged nonce; the state knows it.", put(5, lambda b: flipped(b, 4)))
bucket_edit("bucket_tag_damaged", "bucket_seal", "A damaged tag; the state knows it.", put(200, lambda b: flipped(b, -1, 128)))
bucket_edit("bucket_records_exchanged_resealed", "bucket_seal", "Two bucket records changed places; the state knows it.", move(5, 200))


@vector("buckets_sum", "A bucket and its rows were removed together.")
def bucket_removed(v):
    v.three_items()
    v.build()
    v.buckets.pop(5)
    v.rows = [row for row in v.rows if row.tag[0] != 5]


@vector("buckets_sum", "The vault was emptied without the state.")
def everything_removed(v):
    v.three_items()
    v.build()
    v.buckets, v.rows = {}, []


@vector("buckets_sum", "A bucket record and its rows are of an older state.")
def bucket_of_older_state(v):
    item = v.three_items()[0]
    v.build()
    _, _, old_buckets, old_rows = v.snapshot()
    item.value, item.revision = b"newer value", 2
    v.build()
    v.buckets[5] = old_buckets[5]
    v.rows = [row for row in old_rows if row.tag[0] == 5] + [row for row in v.rows if row.tag[0] != 5]


@vector("buckets_sum", "One bucket record is of an older state, the rows are new.")
def bucket_record_of_older_state(v):
    item = v.three_items()[0]
    v.build()
    old = v.buckets[5]
    item.value, item.revision = b"newer value", 2
    v.build()
    v.buckets[5] = old


@vector("buckets_sum", "The state record is of an older state, all else is new.")
def state_of_older_state(v):
    v.build()
    header, old = v.header, v.state
    v.three_items()
    v.build()
    v.header, v.state = header, old


@vector("buckets_sum", "Rows and bucket records of another vault with the same item names.")
def bucket_of_another_vault(v):
    v.three_items()
    v.build()
    other = Vault("the other vault")
    item = other.add(b"service", b"account")
    row = other.row(item)
    v.rows.append(row)
    v.buckets |= other.bucket_records([row])


@vector("bucket_seal", "The bucket record of another vault, which the state knows.")
def bucket_record_of_another_vault_resealed(v):
    v.three_items()
    v.build()
    other = Vault("the other vault")
    v.buckets[200] = other.bucket_record(200, 1, [])
    v.reseal_state()


@vector("bucket_content", "A bucket record without rows, with count 0.")
def bucket_count_0(v):
    v.three_items()
    v.build()
    v.buckets[100] = v.vault.bucket_record(100, 0, [])
    v.reseal_state()


@vector("bucket_content", "A bucket record with count 0 and the sum of one row, which is there.")
def bucket_count_0_with_row(v):
    v.three_items()
    v.build()
    v.buckets[200] = v.vault.bucket_record(200, 0, [row for row in v.rows if row.tag[0] == 200])
    v.reseal_state()


@vector("bucket_format", "The state's sum does not fit either, but the formats of all bucket records come first.")
def bucket_formats_before_sum(v):
    v.three_items()
    v.build()
    v.buckets[5] = flipped(v.buckets[5], 50)
    v.buckets[200] = u32(3) + v.buckets[200][4:]


# === Rows ============================================================================================================

def row_edit(name, expect, comment, edit, sealed=False):
    """Three items, two of them in bucket 5, and an attacker's change; `sealed`: by a holder of the keys."""
    @vector(expect, comment, name)
    def prepare(v):
        items = v.three_items()
        v.build()
        edit(v, *(v.row_of(item) for item in items))
        if sealed:
            v.reseal()


def set_row(**values):
    def edit(v, first, second, third):
        for key, value in values.items():
            setattr(first, key, value)
    return edit


def remove(v, first, *others):
    v.rows.remove(first)


def remove_last_of_bucket(v, first, second, third):
    v.rows.remove(third)


def copy_row(tag, item_id=None):
    def edit(v, first, second, third):
        row = type(first)(tag(first), item_id or first.item_id, first.class_, first.revision, first.format,
                          first.attributes, first.value)
        v.rows.append(row)
    return edit


def exchange(*names, with_third=False):
    def edit(v, first, second, third):
        other = third if with_third else second
        for name in names:
            left, right = getattr(first, name), getattr(other, name)
            setattr(first, name, right)
            setattr(other, name, left)
    return edit


def edit_blob(name, change):
    def edit(v, first, second, third):
        setattr(first, name, change(getattr(first, name)))
    return edit


row_edit("row_removed", "bucket_rows", "A row was removed.", remove)
row_edit("row_removed_last_of_bucket", "bucket_rows", "The only row of a bucket was removed.", remove_last_of_bucket)
row_edit("row_copied_in_bucket", "bucket_rows", "A row is also there under another tag of its bucket.",
         copy_row(lambda row: row.tag[:1] + bytes(31)))
row_edit("row_copied_to_free_bucket", "bucket_rows", "A row is also there under a tag of a bucket without a record.",
         copy_row(lambda row: b"\x63" + row.tag[1:]))
row_edit("row_swapped_tags", "bucket_rows", "Two rows of one bucket exchanged their tags.", exchange("tag"))
row_edit("row_swapped_tags_of_buckets", "bucket_rows", "Two rows of different buckets exchanged their tags.",
         exchange("tag", with_third=True))
row_edit("row_swapped_values", "bucket_rows", "Two rows exchanged their values.", exchange("value"))
row_edit("row_swapped_attributes", "bucket_rows", "Two rows exchanged their attributes.", exchange("attributes"))
row_edit("row_swapped_item_ids", "bucket_rows", "Two rows exchanged their item ids.", exchange("item_id"))
row_edit("row_swapped_classes", "bucket_rows", "Two rows exchanged their classes.", exchange("class_"))
row_edit("row_class_changed", "bucket_rows", "The class of a row was changed.", set_row(class_=2))
row_edit("row_revision_raised", "bucket_rows", "The revision of a row was raised.", set_row(revision=2))
row_edit("row_tag_changed", "bucket_rows", "The tag of a row was changed within its bucket.",
         lambda v, first, *others: setattr(first, "tag", flipped(first.tag, 31)))
row_edit("row_value_damaged", "bucket_rows", "One bit of a value was changed.", edit_blob("value", lambda b: flipped(b, 30)))
row_edit("row_value_empty", "bucket_rows", "The value blob was emptied.", edit_blob("value", lambda b: b""))
row_edit("row_attributes_cut", "bucket_rows", "The last byte of the attributes was removed.", edit_blob("attributes", lambda b: b[:-1]))


def shift_blobs(v, first, *others):
    first.attributes, first.value = first.attributes + first.value[:1], first.value[1:]


row_edit("row_blob_border_moved", "bucket_rows", "One byte moved from the value to the attributes.", shift_blobs)


@vector("bucket_rows", "A row is of an older revision.")
def row_of_older_revision(v):
    item = v.three_items()[0]
    v.build()
    old = v.row_of(item)
    item.value, item.revision = b"newer value", 2
    v.build()
    v.rows = [old if row.item_id == item.id else row for row in v.rows]


@vector("bucket_rows", "A deleted row was put back.")
def row_put_back(v):
    items = v.three_items()
    v.build()
    old = v.row_of(items[1])
    v.vault.items.remove(items[1])
    v.build()
    v.rows.append(old)


@vector("bucket_rows", "A row of another vault under the tag of a row.")
def row_of_another_vault(v):
    item = v.three_items()[0]
    v.build()
    other = Vault("the other vault")
    row = other.row(other.add(item.service, item.account))
    row.tag = v.row_of(item).tag
    v.rows = [row if r.tag == row.tag else r for r in v.rows]


@vector("bucket_rows", "A row in a vault without any bucket record.")
def row_without_bucket_record(v):
    v.build()
    v.rows = [v.vault.row(v.vault.add(b"service", b"account"))]


def bucket_count(name, comment, count, items=3):
    @vector("bucket_rows", comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        v.buckets[5] = v.vault.bucket_record(5, count, [row for row in v.rows if row.tag[0] == 5])
        v.reseal_state(items)


bucket_count("bucket_count_too_low", "The count of a bucket is 1, it has two rows and their sum.", 1, 2)
bucket_count("bucket_count_too_high", "The count of a bucket is 3, it has two rows and their sum.", 3, 4)
bucket_count("bucket_count_most", "The count of a bucket is 2^64 - 1.", 2**64 - 1)


@vector("bucket_rows", "The sum of a bucket is the exclusive or of its row elements.")
def bucket_sum_by_exclusive_or(v):
    v.three_items()
    v.build()
    element = [int.from_bytes(v.vault.row_element(row), "little") for row in v.rows if row.tag[0] == 5]
    content = u64(2) + (element[0] ^ element[1]).to_bytes(64, "little")
    v.buckets[5] = u32(1) + seal(v.source, v.vault.subkey(STATE), content, context(5, v.vault.id, part=5))
    v.reseal_state()


@vector("bucket_rows", "The sum of a bucket is added in big-endian order.")
def bucket_sum_big_endian(v):
    v.three_items()
    v.build()
    element = [int.from_bytes(v.vault.row_element(row), "big") for row in v.rows if row.tag[0] == 5]
    content = u64(2) + (sum(element) % 2**512).to_bytes(64, "big")
    v.buckets[5] = u32(1) + seal(v.source, v.vault.subkey(STATE), content, context(5, v.vault.id, part=5))
    v.reseal_state()


def misshapen(name, comment, **values):
    """A row that is sealed and summed as it is: only its shape is wrong."""
    @vector("row_shape", comment + "; seals and sums fit.", "row_" + name)
    def prepare(v):
        item = v.three_items()[0]
        for key, value in values.items():
            setattr(item, key, value)


for number in (0, 3, 255):
    misshapen(f"class_{number}", f"A row with class {number}", class_=number)
misshapen("revision_0", "A row with revision 0", revision=0)
misshapen("revision_2_63", "A row with revision 2^63", revision=2**63)
misshapen("item_id_empty", "A row without item id", id=b"")
misshapen("item_id_15_bytes", "A row with an item id of 15 bytes", id=b"i" * 15)
misshapen("item_id_17_bytes", "A row with an item id of 17 bytes", id=b"i" * 17)
for name, words, change in (("tag_31_bytes", "31 bytes", lambda tag: tag[:31]), ("tag_33_bytes", "33 bytes", lambda tag: tag + b"\0"),
                            ("tag_1_byte", "one byte", lambda tag: tag[:1])):
    row_edit("row_" + name, "row_shape", f"A row with a tag of {words}; the sums fit.",
             lambda v, first, *others, change=change: setattr(first, "tag", change(first.tag)), sealed=True)


@vector("row_shape", "A row with a tag of no bytes, which belongs to no bucket, in a vault without items.")
def row_tag_empty(v):
    v.build()
    row = v.vault.row(v.vault.add(b"service", b"account"))
    row.tag = b""
    v.rows = [row]


for number in (0, 2, 2**32 - 1):
    row_edit(f"row_format_{number}", "row_format", f"A row with record format {number}; the sums fit.",
             set_row(format=number), sealed=True)


@vector("row_format", "A row with another record format and without the sums: the shape of rows comes before the sum.")
def row_format_changed(v):
    items = v.three_items()
    v.build()
    v.row_of(items[0]).format = 2


@vector("row_shape", "The later row by tag has format 2, the earlier one class 3.")
def rows_checked_by_tag(v):
    v.three_items()
    v.build()
    first, second = [row for row in v.rows if row.tag[0] == 5]
    first.class_, second.format = 3, 2
    v.reseal()


def items_count(name, comment, items):
    @vector("items_count", comment, name)
    def prepare(v):
        v.three_items()
        v.build()
        v.reseal_state(items)


items_count("items_count_too_low", "The state says two items, there are three.", 2)
items_count("items_count_too_high", "The state says four items, there are three.", 4)
items_count("items_count_most", "The state says 2^64 - 1 items.", 2**64 - 1)


@vector("items_count", "The state of a vault without items says one.")
def items_count_of_empty_vault(v):
    v.build()
    v.reseal_state(1)


# === Items ===========================================================================================================

A, VALUE = "attributes", "value"
for blob in (A, VALUE):
    for name, words, change in (
            ("blob_empty", "The blob of the {} has no bytes", lambda b: b""),
            ("blob_39_bytes", "The blob of the {} is shorter than nonce and tag", lambda b: b[:39]),
            ("nonce_damaged", "The nonce of the {} is damaged", lambda b: flipped(b, 0)),
            ("ciphertext_damaged", "The ciphertext of the {} is damaged", lambda b: flipped(b, 24)),
            ("tag_damaged", "The tag of the {} is damaged", lambda b: flipped(b, -1, 128)),
            ("cut", "The last byte of the {} is missing", lambda b: b[:-1]),
            ("trailing", "One byte after the {}", lambda b: b + b"\0")):
        row_edit(f"{blob}_{name}", blob + "_seal", words.format(blob) + "; the sums fit.", edit_blob(blob, change), sealed=True)


def exchange_blobs(v, first, *others):
    first.attributes, first.value = first.value, first.attributes


row_edit("attributes_and_value_exchanged", "attributes_seal", "Attributes and value of a row are exchanged; the sums fit.",
         exchange_blobs, sealed=True)
row_edit("row_swapped_attributes_resealed", "attributes_seal", "Two rows exchanged their attributes; the sums fit.", exchange("attributes"), sealed=True)
row_edit("row_swapped_item_ids_resealed", "attributes_seal", "Two rows exchanged their item ids; the sums fit.", exchange("item_id"), sealed=True)
row_edit("row_class_changed_resealed", "attributes_seal", "The class of a row was changed; the sums fit.", set_row(class_=2), sealed=True)
row_edit("row_revision_changed_resealed", "attributes_seal", "The revision of a row was changed; the sums fit.", set_row(revision=2), sealed=True)
row_edit("row_swapped_tags_resealed", "tag_names", "Two rows exchanged their tags; the sums fit.", exchange("tag"), sealed=True)
row_edit("row_tag_changed_resealed", "tag_names", "A row is under another tag; the sums fit.",
         lambda v, first, *others: setattr(first, "tag", v.source(32)), sealed=True)
row_edit("row_copied_resealed", "tag_names", "A row is also there under a second tag; the sums fit.",
         copy_row(lambda row: b"\xff" * 32), sealed=True)


@vector("value_seal", "Two items of one class exchanged their values; the sums fit.")
def row_swapped_values_resealed(v):
    items = v.three_items()
    v.build()
    first, third = v.row_of(items[0]), v.row_of(items[2])
    first.value, third.value = third.value, first.value
    v.reseal()


@vector("value_seal", "The value of an older revision under the new attributes; the sums fit.")
def value_of_older_revision_resealed(v):
    item = v.three_items()[0]
    v.build()
    old = v.row_of(item).value
    item.revision = 2
    v.build()
    v.row_of(item).value = old
    v.reseal()


@vector("value_seal", "A value of class 2 is sealed under the value key of class 1.")
def value_under_the_other_key(v):
    v.vault.value_keys, keys = {1: v.vault.value_keys[1], 2: v.vault.value_keys[1]}, v.vault.value_keys
    item = v.vault.add(b"service", b"account", class_=2)
    row = v.vault.row(item)
    v.vault.value_keys = keys
    v.build()
    v.rows = [row]
    v.reseal()


@vector("tag_names", "The tag is that of service and account exchanged.")
def tag_of_exchanged_names(v):
    item = v.vault.add(b"service", b"account")
    item.tag = v.vault.tag(b"account", b"service")


@vector("tag_names", "The tag is that of the composed form of a decomposed name.")
def tag_of_normalised_name(v):
    item = v.vault.add(nfd(E_ACUTE).encode(), b"account")
    item.tag = v.vault.tag(E_ACUTE.encode(), b"account")


@vector("attributes_seal", "A value that comes earlier is damaged too, but a list needs the attributes of all items first.")
def attributes_of_all_before_values(v):
    items = v.three_items()
    v.build()
    first, last = v.rows[0], v.rows[-1]
    first.value, last.attributes = flipped(first.value, 0), flipped(last.attributes, 0)
    v.reseal()


def nonzero(position):
    return lambda room: flipped(bytes(room), position)


def padding(name, comment, make):
    """The same fault in the padding of the attributes and of the value."""
    for blob in (A, VALUE):
        @vector(blob + "_padding", comment.format(blob), f"{blob}_padding_{name}")
        def prepare(v, blob=blob):
            item = v.vault.add(b"service", b"account")
            text = item.attributes() if blob == A else item.value
            setattr(item, blob + "_padded", make(text))


padding("nonzero", "The first byte of the filler of the {} is not zero.", lambda t: pad(t, filler=nonzero(0)))
padding("nonzero_last_byte", "The last byte of the filler of the {} is not zero.", lambda t: pad(t, filler=nonzero(-1)))
padding("all_ff", "The filler of the {} is FF.", lambda t: pad(t, filler=lambda room: b"\xff" * room))
padding("nothing", "The {} are sealed without any padded text.", lambda t: b"")
padding("three_bytes", "The padded {} have three bytes.", lambda t: bytes(3))
padding("absent", "The {} have a length and no filler.", lambda t: pad(t, size=4 + len(t)))
padding("next_size", "The padded {} have twice the size that their length gives.", lambda t: pad(t, size=2 * padded_size(4 + len(t))))
padding("one_byte_more", "The padded {} have one byte more than their length gives.", lambda t: pad(t, size=padded_size(4 + len(t)) + 1))
padding("under_64_bytes", "The padded {} of no bytes have 32 bytes.", lambda t: bytes(32))
padding("length_over", "The length in the {} is one more than there is.", lambda t: pad(b"\x01" * 60, length=61))
padding("length_most", "The length in the {} is 2^32 - 1.", lambda t: pad(t, length=2**32 - 1))
padding("length_wraps", "The length in the {} is 2^32 - 4, with its own size 0 in 32 bits.", lambda t: pad(t, length=2**32 - 4))
padding("length_too_low", "The length in the {} is lower, the rest looks like filler.", lambda t: pad(b"a" * 200, length=10))
padding("length_big_endian", "The length in the {} is in the other byte order.",
        lambda t: len(t).to_bytes(4, "big") + t + bytes(padded_size(4 + len(t)) - 4 - len(t)))


@vector("value_padding", "A value of 4,093 bytes is padded to the next power of two in the place of Padme's 4,352.")
def value_padding_power_of_two_above_4096(v):
    data = v.source(4093)
    v.vault.add(b"service", b"account", data, value_padded=pad(data, size=8192))


@vector("value_padding", "A value of 2,500 bytes is padded by Padme to 2,560 in the place of 4,096.")
def value_padding_padme_below_4096(v):
    data = v.source(2500)
    v.vault.add(b"service", b"account", data, value_padded=pad(data, size=2560))


@vector("value_padding", "A value of 4,092 bytes is padded to 4,352 in the place of 4,096.")
def value_padding_4096_to_4352(v):
    data = v.source(4092)
    v.vault.add(b"service", b"account", data, value_padded=pad(data, size=4352))


# Attributes whose padding is in order and whose content is not (section 5).

def names(service=b"service", account=b"account", label=b"", count=0, pairs=b""):
    return counted(service) + counted(account) + counted(label) + i64(1) + i64(1) + u32(count) + pairs


def pairs(*keys):
    return b"".join(counted(key) + counted(b"text") for key in keys)


def content(name, comment, text, service=b"service", account=b"account"):
    @vector("attributes_content", comment, "attributes_" + name)
    def prepare(v):
        v.vault.add(service, account, attributes_text=text)


good = names()
content("empty", "Attributes of no bytes.", b"")
content("cut_short", "The attributes end within their count.", good[:-1])
content("without_count", "The attributes end before their count.", good[:-4])
content("without_times", "The attributes end after the label.", good[:-20])
content("trailing_byte", "One zero byte after the attributes, within their length.", good + b"\0")
content("trailing_pair", "An extra attribute that the count does not say.", good + pairs(b"key"))
content("count_too_high", "The count says two extra attributes, there is one.", names(count=2, pairs=pairs(b"key")))
content("count_most", "The count is 2^32 - 1.", names(count=2**32 - 1))
content("length_most", "The length of the service is 2^32 - 1.", u32(2**32 - 1) + good[4:])
content("length_of_text_over", "The length of an extra text is one more than there is.",
        names(count=1, pairs=counted(b"key") + u32(5) + b"text"))
content("service_empty", "The service is empty.", names(service=b""), service=b"")
content("account_empty", "The account is empty.", names(account=b""), account=b"")
content("service_1025_bytes", "The service has 1,025 bytes.", names(service=b"s" * 1025), service=b"s" * 1025)
content("account_1025_bytes", "The account has 1,025 bytes.", names(account=b"a" * 1025), account=b"a" * 1025)
content("account_513_characters", "The account has 513 characters of two bytes each.",
        names(account=(E_ACUTE * 513).encode()), account=(E_ACUTE * 513).encode())
content("label_1025_bytes", "The label has 1,025 bytes.", names(label=b"l" * 1025))
content("key_empty", "An extra attribute with an empty key.", names(count=1, pairs=pairs(b"")))
content("key_1025_bytes", "A key has 1,025 bytes.", names(count=1, pairs=pairs(b"k" * 1025)))
content("key_twice", "The same key twice.", names(count=2, pairs=pairs(b"key", b"key")))
content("keys_descending", "The keys are in descending order.", names(count=2, pairs=pairs(b"b", b"a")))
content("keys_in_utf16_order", "The keys are in the order of UTF-16, not of their bytes.",
        names(count=2, pairs=pairs("\U00010000".encode(), "\uffee".encode())))
content("keys_ignoring_case", "The keys ascend only if case is ignored.", names(count=2, pairs=pairs(b"a", b"B")))
for name, place in (("service", "service"), ("account", "account")):
    bad = b"caf\xe9"
    content(name + "_not_utf8", f"The {place} is not UTF-8.", names(**{name: bad}), **{name: bad})
content("label_not_utf8", "The label is not UTF-8.", names(label=b"\xed\xa0\x80"))
content("key_not_utf8", "A key is not UTF-8.", names(count=1, pairs=pairs(b"\xc0\xaf")))
content("text_not_utf8", "An extra text is not UTF-8.", names(count=1, pairs=counted(b"key") + counted(b"\xff")))
content("service_nul", "The service holds a NUL.", names(service=b"ser\0vice"), service=b"ser\0vice")
content("service_escape", "The service holds an escape character.", names(service=b"\x1b[2J"), service=b"\x1b[2J")
content("account_line_end", "The account ends with a line end.", names(account=b"account\n"), account=b"account\n")
content("label_tab", "The label holds a tab.", names(label=b"a\tb"))
content("label_del", "The label holds U+007F.", names(label=b"a\x7fb"))
content("label_u0080", "The label holds U+0080.", names(label="a\u0080b".encode()))
content("label_u009f", "The label holds U+009F.", names(label="a\u009fb".encode()))
content("key_u0085", "A key holds U+0085.", names(count=1, pairs=pairs("a\u0085".encode())))
content("65537_bytes", "Attributes of 65,537 bytes.",
        names(count=1, pairs=counted(b"key") + counted(b"t" * (65_537 - len(good) - 11))))


@vector("opens", "Characters next to the control characters, and ones that show nothing, are allowed in names.")
def names_beside_control_characters(v):
    v.vault.add("\u0020~\u00a0\u00ad".encode(), "\u200b\u202e\ufeff\uffff".encode(), label="\U0010ffff".encode())


# === Reading one name ================================================================================================

def reading(name, expect, comment, damage=lambda v, first, second, third: None, which=0, names=None):
    """Three items as in `row_edit`; one name is read."""
    @vector(expect, comment, "read_" + name)
    def prepare(v):
        items = v.three_items()
        v.read = (items[which].service, items[which].account) if names is None else names
        v.build()
        damage(v, *(v.row_of(item) for item in items))


def resealed(edit):
    def damage(v, *rows):
        edit(v, *rows)
        v.reseal()
    return damage


reading("found", "opens", "A name that is there.")
reading("found_second_class", "opens", "A name that is there, of class 2, second in its bucket.", which=1)
reading("absent_name", "not_found", "A name that is not there.", names=(b"service", b"absent"))
reading("other_case", "not_found", "The service in another case.", names=(b"Service", b"account"))
reading("row_hidden", "bucket_rows", "The row of the name was removed: this is not the answer not found.", remove)
reading("last_row_of_bucket_hidden", "bucket_rows", "The only row of its bucket was removed.", remove_last_of_bucket, which=2)


def hide_bucket(v, first, second, third):
    v.rows.remove(third)
    v.buckets.pop(200)


reading("bucket_hidden", "buckets_sum", "The row of the name was removed with its bucket record.", hide_bucket, which=2)
reading("other_bucket_record_hidden", "buckets_sum", "The record of another bucket was removed.",
        lambda v, *rows: v.buckets.pop(200))
reading("other_bucket_row_hidden", "opens", "A row of another bucket was removed: a read does not look there.",
        remove_last_of_bucket)
reading("neighbour_removed", "bucket_rows", "Another row of the bucket was removed.", lambda v, f, second, t: v.rows.remove(second))
reading("neighbour_format", "row_format", "Another row of the bucket has record format 2; the sums fit.",
        resealed(lambda v, f, second, t: setattr(second, "format", 2)))
reading("neighbour_attributes_damaged", "opens", "The attributes of another item of the bucket are damaged; the sums fit.",
        resealed(lambda v, f, second, t: setattr(second, "attributes", flipped(second.attributes, 30))))
reading("items_count_wrong", "opens", "The state says 9 items: a read does not count the other buckets.",
        lambda v, *rows: v.reseal_state(9))
reading("attributes_before_value", "attributes_seal", "Attributes and value are damaged; the sums fit.",
        resealed(lambda v, f, s, t: (edit_blob(A, lambda b: flipped(b, 0))(v, f, s, t),
                                     edit_blob(VALUE, lambda b: flipped(b, 0))(v, f, s, t))))
reading("value_damaged", "value_seal", "The value is damaged; the sums fit.",
        resealed(edit_blob(VALUE, lambda b: flipped(b, 30))))
reading("item_of_other_name", "tag_names", "The row of another name is under the tag; the sums fit.", resealed(exchange("tag")))
reading("bucket_seal", "bucket_seal", "The bucket record is sealed for another bucket; the state knows it.",
        lambda v, *rows: (move(5, 200)(v, v.buckets), v.reseal_state()))


@vector("not_found", "A name in a vault without items.")
def read_in_empty_vault(v):
    v.read = (b"service", b"account")


@vector("not_found", "The decomposed form of a name that is there composed.")
def read_name_in_nfd(v):
    v.vault.add(E_ACUTE.encode(), b"account")
    v.read = (nfd(E_ACUTE).encode(), b"account")


@vector("not_found", "A name that is not there, in a bucket that is used.")
def read_absent_name_of_used_bucket(v):
    v.three_items()
    v.read = (b"service", v.name_in_bucket(5, 2))


@vector("bucket_rows", "A name that is not there, in a bucket whose row was removed.")
def read_absent_name_of_damaged_bucket(v):
    items = v.three_items()
    v.read = (b"service", v.name_in_bucket(5, 2))
    v.build()
    v.rows.remove(v.row_of(items[0]))


@vector("bucket_rows", "A row for the name was added to a bucket without a record.")
def read_row_added(v):
    v.read = (b"service", b"account")
    v.build()
    v.rows = [v.vault.row(v.vault.add(b"service", b"account"))]


@vector("rolled_back", "A name that is there, in a vault that is older than the mark.")
def read_rolled_back(v):
    item = v.three_items()[0]
    v.read = (item.service, item.account)
    v.build()
    v.mark = v.vault.mark(b"newer", counter=2)

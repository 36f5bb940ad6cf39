"""Vectors of the file, the header, its slots and what is typed (sections 3, 4 and 7), before anything is unlocked."""

import unicodedata

from opening_vectors import E_ACUTE, LONGEST_KEY
from writer import ARGON2ID, HMAC_SECRET, PASSPHRASE, Vault, flipped, key_record, recovery_text, slot_place, slots_of, u32, u8, vector, with_slots


# === The file ========================================================================================================

def version(name, expect, comment, number):
    @vector(expect, comment, "file_" + name)
    def prepare(v):
        v.vault.add(b"service", b"account")
        v.version = number


version("version_2", "opens", "The storage version of this format.", 2)
version("version_1", "earlier_build", "The storage version of builds before the release.", 1)
version("version_0", "file_foreign", "Storage version 0.", 0)
version("version_negative", "file_foreign", "Storage version -1.", -1)
version("version_3", "newer_version", "The next storage version.", 3)
version("version_most", "newer_version", "Storage version 2^31 - 1.", 2**31 - 1)


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
header_cut("header_ends_in_proof", "The header ends within the proof of its slot.", lambda h: h[:slot_place(h, 0, "proof") + 31])
header_cut("header_without_wrapped_keys", "The header ends after its last slot.", lambda h: h[:-320])
header_cut("header_without_backup_keys", "The header ends after the value keys, as one of format 1.", lambda h: h[:-104])
header_cut("header_without_backup_secret", "The header ends after the public key for backups.", lambda h: h[:-72])
header_cut("header_last_byte_missing", "The last byte of the header is missing.", lambda h: h[:-1])
for number, words in ((1, "one too high"), (2**31, "2^31"), (2**32 - 1, "2^32 - 1"),
                      (2**32 - 4, "2^32 - 4, which is 0 with its own size in 32 bits")):
    header_cut(f"slot_record_length_{number}", f"The length of a record is {words}.",
               lambda h, number=number: h[:71] + u32(number) + h[75:])
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
header_edit("header_magic_of_rollback_record", "header_magic", "The magic of a rollback record.", lambda h: b"TVMK" + h[4:])
header_edit("header_format_0", "header_format", "Header format 0.", lambda h: h[:4] + u32(0) + h[8:])
header_edit("header_format_1", "header_format", "Header format 1, of builds before the release.", lambda h: h[:4] + u32(1) + h[8:])
header_edit("header_format_3", "header_format", "Header format 3.", lambda h: h[:4] + u32(3) + h[8:])
header_edit("header_format_big_endian", "header_format", "The header format is 2 in the other byte order.",
            lambda h: h[:4] + b"\0\0\0\2" + h[8:])
header_edit("header_trailing_byte", "header_trailing_bytes", "One zero byte after the header.", lambda h: h + b"\0")
header_edit("header_trailing_slot", "header_trailing_bytes", "The header has two slots and says one.",
            lambda h: (lambda twice: twice[:28] + u8(1) + twice[29:])(with_slots(h, slots_of(h) * 2)))


@vector("header_trailing_bytes", "The length of a record is one too low.")
def slot_record_length_one_too_low(v):
    v.key()
    v.build()
    place = slot_place(v.header, 0, "record")
    length = int.from_bytes(v.header[place:place + 4], "little")
    v.header = v.header[:place] + u32(length - 1) + v.header[place + 4:]
    v.reseal_state()


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

def damaged_slot(name, comment, field, byte, count=1, bit=1, prepare_slot=lambda v: None):
    @vector("slot_checksum", comment, name)
    def prepare(v):
        prepare_slot(v)
        v.vault.slots += [v.vault.new_slot(v.source(32)) for _ in range(count - 1)]
        v.build()
        v.header = flipped(v.header, slot_place(v.header, count - 1, field) + byte, bit)
        v.reseal_state()


for field, byte, words in (
        ("id", 0, "slot id"), ("kind", 0, "kind"), ("passes", 0, "passes"), ("memory", 3, "memory"), ("salt", 15, "salt"),
        ("public", 31, "public key"), ("commitment", 0, "commitment"), ("sealed", 103, "sealed pair"),
        ("sealed_key", 71, "sealed authentication key"), ("box", 79, "box"), ("proof", 31, "proof"), ("checksum", 15, "checksum")):
    damaged_slot("slot_damaged_" + field, f"One bit of the {words} is damaged.", field, byte)
damaged_slot("slot_damaged_record", "One bit of the name in a record is damaged.", "record", -1 + 4 + len(key_record(bytes(32))),
             prepare_slot=lambda v: v.key())
damaged_slot("slot_damaged_third", "One bit of the third slot is damaged, the first one would unlock.", "commitment", 18, count=3)


@vector("slot_checksum", "One bit of the vault id is damaged.")
def vault_id_damaged(v):
    v.build()
    v.header = flipped(v.header, 8)
    v.reseal_state()


def another_vault(*slots):
    other = Vault("the other vault")
    other.slots = [make(other) for make in slots]
    return other


@vector("slot_checksum", "The slot of another vault, as it is.")
def slot_of_another_vault(v):
    other = another_vault(lambda other: other.new_slot(v.code))
    v.build()
    v.header = with_slots(v.header, slots_of(other.header()))
    v.reseal_state()


def second_slot(name, expect, comment, testing=False, **fields):
    """A vault with a good recovery slot, which is used, and a second slot with the fault."""
    @vector(expect, comment, name)
    def prepare(v):
        v.testing = testing
        v.vault.slots.append(v.vault.new_slot(None, **fields))
        v.vault.add(b"service", b"account")


second_slot("slot_kind_0", "slot_kind", "A slot of kind 0.", kind=0)
second_slot("slot_kind_4", "slot_kind", "A slot of kind 4.", kind=4)
second_slot("slot_kind_255", "slot_kind", "A slot of kind 255.", kind=255, algorithm=255)
good = dict(passes=2, memory=19_456)
second_slot("slot_algorithm_0", "slot_algorithm", "A passphrase slot with algorithm 0.", kind=1, algorithm=0, **good)
second_slot("slot_algorithm_3", "slot_algorithm", "A passphrase slot with algorithm 3.", kind=1, algorithm=3, **good)
second_slot("slot_passphrase_with_blake2b", "slot_algorithm", "A passphrase slot with BLAKE2b, which is as good as none.",
            kind=1, algorithm=2)
second_slot("slot_recovery_with_argon2", "slot_algorithm", "A recovery slot with Argon2id.", kind=2, algorithm=1, **good)
key_slot = dict(kind=HMAC_SECRET, record=key_record(bytes(range(32))))
second_slot("slot_key_with_argon2", "slot_algorithm", "A slot of kind 3 with Argon2id.", algorithm=1, **key_slot, **good)
second_slot("slot_key_with_algorithm_3", "slot_algorithm", "A slot of kind 3 with algorithm 3.", algorithm=3, **key_slot)
for name, words, fields in (("recovery", "A recovery slot", {}), ("key", "A slot of kind 3", key_slot)):
    second_slot(f"slot_{name}_with_passes", "slot_parameters", words + " with passes.", passes=1, **fields)
    second_slot(f"slot_{name}_with_memory", "slot_parameters", words + " with memory.", memory=1, **fields)
    second_slot(f"slot_{name}_with_parameters", "slot_parameters", words + " with the parameters of Argon2id.", **good, **fields)

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


# The record of a slot.

second_slot("slot_record_of_recovery", "slot_record", "A recovery slot with a record of kind 3.", record=key_slot["record"])
second_slot("slot_record_of_recovery_one_byte", "slot_record", "A recovery slot with a record of one zero byte.", record=b"\0")
second_slot("slot_record_of_passphrase", "slot_record", "A passphrase slot with a record of kind 3.", record=key_slot["record"],
            **argon2, **good)
second_slot("slot_record_after_kdf", "slot_kdf_weak", "A passphrase slot with a record and 1 pass: the cost is checked before.",
            record=b"\0", passes=1, memory=19_456, **argon2)
second_slot("slot_record_after_parameters", "slot_parameters", "A recovery slot with a record and passes: these are checked before.",
            record=b"\0", passes=1)
second_slot("slot_record_after_kind", "slot_kind", "A slot of unknown kind with a record.", kind=4, record=key_slot["record"])


def record(name, comment, data):
    second_slot("slot_record_" + name, "slot_record", comment, kind=HMAC_SECRET, record=data)


INPUT = bytes(range(32))
whole = key_record(INPUT)
record("empty", "A slot of kind 3 without a record.", b"")
for number in (0, 3, 255):
    record(f"transport_{number}", f"Transport {number}.", key_record(INPUT, transport=number))
for number in (2, 255):
    record(f"synchronised_{number}", f"Synchronised is {number}.", key_record(INPUT, synchronised=number))
record("ends_in_input", "The record ends within the input.", whole[:33])
record("ends_before_credential", "The record ends after the input.", whole[:34])
record("ends_before_public_key", "The record ends after the credential id.", whole[:34 + 4 + 15])
record("ends_before_name", "The record ends after the public key.", whole[:-16])
record("ends_in_name", "The record ends within the name.", whole[:-1])
record("trailing_byte", "One zero byte after the record, within its length.", whole + b"\0")
record("credential_empty", "A credential id of no bytes.", key_record(INPUT, credential=b""))
record("credential_1024_bytes", "A credential id of 1,024 bytes.", key_record(INPUT, credential=b"c" * 1024))
record("credential_length_most", "The length of the credential id is 2^32 - 1.", whole[:34] + u32(2**32 - 1) + whole[38:])
record("public_key_empty", "A public key of no bytes.", key_record(INPUT, key=b""))
record("public_key_513_bytes", "A public key of 513 bytes.", key_record(INPUT, key=LONGEST_KEY.replace(
    bytes.fromhex("5901f0"), bytes.fromhex("5901f1")).replace(b"\xc5" * 496, b"\xc5" * 497)))
record("name_65_bytes", "A name of 65 bytes.", key_record(INPUT, name=b"n" * 65))
record("name_33_characters", "A name of 33 characters of two bytes each.", key_record(INPUT, name=(E_ACUTE * 33).encode()))
record("name_not_utf8", "The name is not UTF-8.", key_record(INPUT, name=b"caf\xe9"))
record("name_line_end", "The name holds a line end.", key_record(INPUT, name=b"a\nb"))
record("name_escape", "The name holds an escape character.", key_record(INPUT, name=b"\x1b[2J"))
record("name_u0085", "The name holds U+0085.", key_record(INPUT, name="a\u0085".encode()))


@vector("slot_kind", "The first slot has an unknown kind and the second one a wrong checksum: slots are checked in order.")
def slots_checked_in_order(v):
    v.vault.slots = [v.vault.new_slot(None, kind=9)] + v.vault.slots
    v.build()
    v.header = flipped(v.header, slot_place(v.header, 1, "checksum") + 15)
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
    v.build()
    v.header = with_slots(v.header, slots_of(v.header) * 2)
    v.reseal_state()


# === The secret ======================================================================================================

def typed_passphrase(name, expect, comment, typed, normal=None):
    """What is typed would unlock, if it were taken: `normal` is the password that the slot was made with."""
    @vector(expect, comment, name)
    def prepare(v):
        v.passphrase(typed, normal)


typed_passphrase("passphrase_empty", "passphrase_length", "An empty passphrase.", b"")
typed_passphrase("passphrase_1025_bytes", "passphrase_length", "A passphrase of 1,025 bytes.", b"p" * 1025)
typed_passphrase("passphrase_16385_bytes", "passphrase_length", "A passphrase of 16,385 bytes.", b"p" * 16_385)
typed_passphrase("passphrase_16385_bytes_not_utf8", "passphrase_length", "A passphrase of 16,385 bytes that is not UTF-8: its length comes first.",
                 b"\xff" * 16_385)
typed_passphrase("passphrase_16384_bytes_not_utf8", "passphrase_encoding", "A passphrase of 16,384 bytes whose last one is not UTF-8.",
                 b"p" * 16_383 + b"\xff")
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

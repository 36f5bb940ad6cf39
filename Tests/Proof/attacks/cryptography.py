"""A: cryptography and the format of the file."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "A1": "wrong use of primitives",
    "A2": "one bit of the file flipped",
    "A3": "bytes set; blocks zeroed, swapped, repeated",
    "A4": "file or log truncated or extended",
    "A5": "sealed parts moved between items, fields, slots, vaults",
    "A6": "items removed, duplicated, added, restored by SQL",
    "A7": "rollback of the whole file",
    "A8": "log of another time or vault beside the file",
    "A9": "slot that opens with two passphrases",
    "A10": "lowered costs, other algorithms, older formats",
    "A11": "raised costs, huge lengths and counts",
    "A12": "invalid values, each with its own failure name",
    "A13": "nonce reuse",
    "A14": "no random numbers",
    "A15": "information in lengths",
    "A16": "words or names in plaintext",
    "A17": "removed or replaced slots",
    "A18": "hostile SQLite file",
    "A19": "spellings of a passphrase",
    "A20": "interrupted migration or rekey",
}


def files(name):
    return Program(f"/usr/bin/python3 Tests/Proof/files/{name}")


ATTACKS = [
    Attack(
        "primitives", "A1", "published vectors of XChaCha20-Poly1305, BLAKE2b and Argon2id, and the format's own vectors",
        Tests("AEADVectorTests|HashVectorTests|PasswordHashTests|VectorTests"),
        "requires 306 + 9, 512 and 6 + 8 vectors; changed tags, nonces and texts must be refused"),
    Attack(
        "file-bits", "A2 P3", "each bit of a 64 KiB vault file and of a log flipped; then list, read, and read of a missing item",
        Tests("FileFlipTests", optimised=True), "a reader without whole-vault integrity must lose items silently",
        # Of the file each: there are somewhat more than 524,288.
        (Amount("TASKVAULT_FLIPS", "flips in the file", 200, 600_000, 10_000_000, "bits", wished=600_000),
         Amount("TASKVAULT_LOG_FLIPS", "flips in the log", 100, 40_000, 1_000_000, "log-bits")), limit=7200),
    Attack(
        "file-damage", "A3 A4 P3",
        "bytes set to 0, 255, random; 16-byte blocks and pages zeroed, swapped, repeated; truncated at every length, extended: file and log",
        Tests("FileDamageTests|DamagedFileTests", optimised=True), "a reader without whole-vault integrity must lose items silently",
        (Amount("TASKVAULT_DAMAGES", "places of each kind of damage", 40, 2_500, 300_000, wished=300),
         # Of the file each, and of the log: there are fewer.
         Amount("TASKVAULT_LENGTHS", "lengths", 40, 70_000, 70_000, "lengths", wished=70_000)), limit=3600),
    Attack(
        "file-executable", "A2 A3 A4 A6 P3 P4",
        "one fault in file, log, rows or header; the executable lists, reads, reads a missing item and runs `doctor`",
        files("damaged_files.py"), "a reader that trusts SQLite gets other rows without an error",
        (Amount("TASKVAULT_DAMAGED_FILES", "damaged vaults", 60, 1_500, 50_000),), short=True),
    Attack(
        "records", "A5 A6 P2 P3 P4", "each bit of each record; columns exchanged between all pairs of 20 items; rows removed, duplicated, old, or of another vault",
        Tests("RecordAttackTests|EarlierDamageTests|SealingTests.SealingTests|ChangingStorageTests"), "a reader without whole-vault integrity misses removed rows",
        # Of current and of earlier records each: there are fewer.
        (Amount("TASKVAULT_RECORD_BITS", "flips in records", 500, 100_000, 100_000, "record-bits", wished=100_000),)),
    Attack(
        "rollback", "A7 P4 G2", "older files, older slots, another state of the same age, with and without a rollback record",
        Tests("RollbackTests|RestoreTests|AgentChangeTests"), "the older file opens if its rollback record was removed, as documented"),
    Attack(
        "foreign-logs", "A8 P4", "each combination of five files and logs, from different times and from another vault",
        Tests("ForeignLogTests"), "requires mixtures that are refused"),
    Attack(
        "two-keys", "A9", "a sealed key pair that opens under two passphrases", Tests("SlotCollisionTests"), "the cipher alone opens it with both"),
    Attack(
        "costs", "A10 A11 P1 P3", "costs too low and too high, other algorithms, formats and counts, endless records, under limits of memory and time",
        files("hostile_costs.py"), "libsodium with the same costs exceeds the limits", short=True),
    Attack(
        "limits", "A10 A11 P1", "all cost limits on machines of several sizes; 200,000 changed headers, slots, attributes, rollback records",
        Tests("KeyDerivationLimitsTests|MutationTests|SlotTests"), "accepted, too low and too high must each occur"),
    Attack(
        "fault-kit", "A12 A10 P3", "each format vector as a real file, given to the executable: failure name and exit code",
        files("fault_kit.py"), "a wrong expectation must be reported; at least 120 vectors have one fault", short=True),
    Attack(
        "fuzzing", "A12 C9 E6 P3",
        "mutated headers, slots, items, rollback records, frames, requests and files of other programs; coverage-guided, from vectors and a kept corpus, with AddressSanitizer",
        Program("Tests/Fuzz/run", builds=()), "a program that fails for one word is detected",
        (Amount("TASKVAULT_FUZZ_SECONDS", "seconds for each of twelve doors", 60, 60, 14_400, wished=60),), limit=100_000),
    Attack(
        "both-ways", "A12 F5", "a second implementation of the format, written from its page alone: each opens the other's vaults",
        Program("Tests/Proof/both-ways .build/release/taskvault"), "each sees the other's changes; both refuse a damaged vault",
        short=True),
    Attack(
        "task-texts", "A12", "text of a protected task that another program wrote, or that is not there: each has its own name",
        Tests("OvertakenReaderTests"), "the text of the task beside it is shown"),
    Attack(
        "nonces", "A13", "seals, copies of a process, repeated writes from one file: no nonce repeats", Tests("NonceTests"),
        "a source with its state in memory repeats nonces, and the test detects it", (Amount("TASKVAULT_SEALS", "seals", 100_000, 1_000_000, 10_000_000),)),
    Attack(
        "no-random", "A14", "each request for random numbers fails and no device exists: the program ends", Tests("RandomFailureTests"),
        "past the last request, the command succeeds"),
    Attack(
        "files-tell", "A15 A16 P1 P2", "sizes of 1,000 secrets; 32 canaries in every file, also while the agent runs; several copies compared",
        files("what_files_tell.py"), "a plain SQLite copy shows each canary in each encoding; unpadded sizes number hundreds", short=True),
    Attack(
        "log-of-reads", "A16 P1", "the log's key on the disk from the first unlock on; a copy of the vault that is looked at, with the log beside it; reads that an export does not make",
        Tests("VaultAgentTests.ReadLogTests|ReadLogRotationTests|LogCommandTests"), "the vault's key opens every read"),
    Attack(
        "words", "A16 P1", "passphrase, names, values and words of protected tasks in files, messages, arguments and environment",
        Tests("LeakTests|ProtectedTaskTests|OldBytesTests|ByteSearchTests|PaddingTests"), "the search finds planted text in each encoding"),
    Attack(
        "old-slots", "A17 P4 G4", "after removal or replacement of slots their bytes are gone, and old keys open nothing new",
        Tests("SlotTests|RekeyTests|ForgedSlotTests|KeyCommandTests"), "an open reader keeps the old bytes, and the test detects them"),
    Attack(
        "erased-values", "A17 P1", "after --permanently, an update without history, a shortened history, a raised class and an expiry, the sealed value is neither in the file nor in its log",
        Tests("VaultCoreTests.EarlierTests"), "before it file and log have each value; so has the log while erasing fails"),
    Attack(
        "hostile-sqlite", "A18 P3", "triggers, views, foreign tables, wrong types, foreign journals, unusual settings",
        Tests("HostileFileTests|ConnectionTests|HostileTaskFileTests|HostileAccountFileTests"),
        "the same file without its fault opens, and its row is read"),
    Attack(
        "passphrases", "A19", "spellings of random text, NUL, line ends, lengths, invalid text", Tests("PassphraseTests"),
        "a quarter of the texts must have several spellings; longer ones must differ", (Amount("TASKVAULT_PASSPHRASES", "texts", 500, 20_000, 1_000_000),)),
    Attack(
        "rekey-kills", "A20 B3", "a rekey killed at each of its system calls; migrations interrupted midway",
        Tests("aRekeyIsWhole|DatabaseContract", release=True),
        "old and new keys must both occur", (Amount("TASKVAULT_KEY_KILLS", "kills", 5, 600, 10_000),)),
]

NOT_APPLICABLE = []

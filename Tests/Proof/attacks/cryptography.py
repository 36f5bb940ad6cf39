"""A: cryptography and the format of the file."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "A1": "primitives wired wrongly",
    "A2": "a bit of the file flipped",
    "A3": "bytes set, blocks zeroed, swapped, repeated",
    "A4": "the file cut or longer, its log too",
    "A5": "sealed parts moved between items, fields, slots, vaults",
    "A6": "items removed, doubled, added, put back by SQL",
    "A7": "the whole file rolled back",
    "A8": "a log of another time or vault beside the file",
    "A9": "a slot that opens with two passphrases",
    "A10": "costs lowered, other algorithms, older formats",
    "A11": "costs raised, huge lengths and counts",
    "A12": "odd values, each with its own failure: the fault kit",
    "A13": "a nonce used twice",
    "A14": "no random numbers",
    "A15": "lengths that tell",
    "A16": "words or names in the clear",
    "A17": "a slot that was removed or replaced",
    "A18": "a hostile SQLite file",
    "A19": "spellings of a passphrase",
    "A20": "a migration or rekey that is interrupted",
}


def files(name):
    return Program(f"/usr/bin/python3 Tests/Proof/files/{name}")


ATTACKS = [
    Attack(
        "primitives", "A1", "published vectors of XChaCha20-Poly1305, BLAKE2b and Argon2id, and those of the format",
        Tests("AEADVectorTests|HashVectorTests|PasswordHashTests|VectorTests"),
        "306 + 9, 512 and 6 + 8 vectors have to be there; changed tags, nonces and texts among them have to be refused"),
    Attack(
        "file-bits", "A2 P3", "each bit of a vault file of 64 KiB and of a log flipped, then read, listed, and looked for what is not there",
        Tests("FileFlipTests", optimised=True), "a reader without whole-vault integrity has to lose items silently",
        # Of the file each: there are somewhat more than 524,288.
        (Amount("TASKVAULT_FLIPS", "flips in the file", 3_000, 600_000, 10_000_000, "bits", wished=600_000),
         Amount("TASKVAULT_LOG_FLIPS", "flips in the log", 1_000, 40_000, 1_000_000, "log-bits")), limit=7200),
    Attack(
        "file-damage", "A3 A4 P3",
        "bytes set to 0, 255, random; blocks of 16 bytes and pages zeroed, exchanged, repeated; cut at every length, longer: a vault file, and its log",
        Tests("FileDamageTests|DamagedFileTests", optimised=True), "a reader without whole-vault integrity has to lose items silently",
        (Amount("TASKVAULT_DAMAGES", "places of each kind of damage", 120, 2_500, 300_000, wished=300),
         # Of the file each, and of the log: there are fewer.
         Amount("TASKVAULT_LENGTHS", "lengths", 120, 70_000, 70_000, "lengths", wished=70_000)), limit=3600),
    Attack(
        "file-executable", "A2 A3 A4 A6 P3 P4",
        "vaults with one damage of file, log, rows or header: the executable lists, reads, looks for what is not there, and has its doctor look",
        files("damaged_files.py"), "a reader that believes SQLite gets other rows without an error",
        (Amount("TASKVAULT_DAMAGED_FILES", "damaged vaults", 60, 1_500, 50_000),), short=True),
    Attack(
        "records", "A5 A6 P2 P3 P4", "each bit of each record; all pairs of 20 items with exchanged columns; rows gone, doubled, old, another vault's",
        Tests("RecordAttackTests|SealingTests.SealingTests|ChangingStorageTests"), "a reader without whole-vault integrity misses rows that are gone"),
    Attack(
        "rollback", "A7 P4", "older files, older slots, another state of the same age, with and without a mark",
        Tests("RollbackTests|RestoreTests|AgentChangeTests"), "where the mark was removed as well, the older file opens, as documented"),
    Attack(
        "foreign-logs", "A8 P4", "each combination of five files and logs, of one vault's times and of another vault",
        Tests("ForeignLogTests"), "fails unless there were mixtures to be refused"),
    Attack(
        "two-keys", "A9", "a sealed root key that opens under two passphrases", Tests("SlotCollisionTests"), "the cipher alone opens it with both"),
    Attack(
        "costs", "A10 A11 P1 P3", "costs too low and too high, other algorithms, formats and counts, records without end, under limits of memory and time",
        files("hostile_costs.py"), "libsodium, handed the same costs, runs into the limits", short=True),
    Attack(
        "limits", "A10 A11 P1", "all limits of costs at machines of several sizes; 200,000 changed headers, slots, attributes, marks",
        Tests("KeyDerivationLimitsTests|MutationTests|SlotTests"), "accepted, too low and too high have to occur"),
    Attack(
        "fault-kit", "A12 A10 P3", "each vector of the format as a real file, put to the executable: failure and exit code by name",
        files("fault_kit.py"), "a wrong expectation has to be objected to; at least 120 have one fault", short=True),
    Attack(
        "fuzzing", "A12 C9 E6 P3",
        "bytes of headers, slots, items, marks, frames and requests, mutated by what code they reach, from vectors and a kept corpus, with the address sanitizer",
        Program("Tests/Fuzz/run", builds=()), "a program that fails for one word is found out",
        (Amount("TASKVAULT_FUZZ_SECONDS", "seconds for each of six doors", 3, 60, 14_400, wished=60),), short=True, limit=100_000),
    Attack(
        "both-ways", "A12 F5", "a second implementation of the format, written from its page alone: each opens the vaults of the other",
        Program("Tests/Proof/both-ways .build/release/taskvault"), "what either changes in a vault is seen by the other; a damaged one is refused by both",
        short=True),
    Attack(
        "nonces", "A13", "seals, copies of a process, and writes from the same file again and again: no nonce twice", Tests("NonceTests"),
        "a source with its state in memory repeats itself, and that is seen", (Amount("TASKVAULT_SEALS", "seals", 100_000, 1_000_000, 10_000_000),)),
    Attack(
        "no-random", "A14", "each request for random numbers fails, and there is no device: the program ends", Tests("RandomFailureTests"),
        "the last request that is let fail is one that is not made: then all goes well"),
    Attack(
        "files-tell", "A15 A16 P1 P2", "sizes of 1,000 secrets; 32 canaries in every file, while the agent runs too; several copies compared",
        files("what_files_tell.py"), "a plain SQLite copy shows each canary in each encoding; unpadded there are hundreds of sizes", short=True),
    Attack(
        "words", "A16 P1", "passphrase, names, values and words of protected tasks in files, messages, arguments and environment",
        Tests("LeakTests|ProtectedTaskTests|OldBytesTests|ByteSearchTests|PaddingTests"), "the search finds what is there, in each encoding"),
    Attack(
        "old-slots", "A17 P4", "slots that were removed or replaced: their bytes are gone, and old keys open nothing new",
        Tests("SlotTests|RekeyTests|KeyCommandTests"), "a reader keeps the old bytes alive, and that is seen"),
    Attack(
        "hostile-sqlite", "A18 P3", "triggers, views, foreign tables, wrong types, journals of others, odd settings",
        Tests("HostileFileTests|ConnectionTests|HostileTaskFileTests|HostileAccountFileTests"),
        "the same file without its fault is opened, and its row is read"),
    Attack(
        "passphrases", "A19", "spellings of random text, NUL, line ends, lengths, bytes that are no text", Tests("PassphraseTests"),
        "a quarter of the texts must have several spellings, and longer ones must differ", (Amount("TASKVAULT_PASSPHRASES", "texts", 500, 20_000, 1_000_000),)),
    Attack(
        "rekey-kills", "A20 B3", "a rekey killed at each of its system calls; migrations that end in the middle",
        Tests("aRekeyIsWhole|MigratorTests", release=True),
        "old and new keys both have to occur", (Amount("TASKVAULT_KEY_KILLS", "kills", 12, 600, 10_000),)),
]

NOT_APPLICABLE = []

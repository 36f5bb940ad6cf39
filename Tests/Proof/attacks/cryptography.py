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

ATTACKS = [
    Attack(
        "file-bits", "A2 P3", "each bit of a vault file flipped, then read, listed, and looked for what is not there", Tests("FileFlipTests"),
        "fails unless more than a thousand flips were refused"),
]

NOT_APPLICABLE = []

"""B: crashes, power, full disks, failing calls, and many at once."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "B1": "killed at any moment",
    "B2": "power lost",
    "B3": "killed at each system call",
    "B4": "a system call fails, once or from then on",
    "B5": "a sync fails, and the next works",
    "B6": "the disk is full",
    "B7": "no memory",
    "B8": "read-only places, missing files, stale locks",
    "B9": "several writers and readers at once",
    "B10": "a copy taken in the middle of a write",
    "B11": "out and in again: export, import, restore",
    "B12": "no descriptors, no threads",
}

ATTACKS = [
    Attack(
        "kills", "B1", "a writer and an agent killed at random moments", Tests("ProcessTests|AgentDeathTests"),
        "fails if the writer was always killed before it wrote", (Amount("TASKVAULT_KILLS", "kills", 500, 2_000, 20_000),)),
    Attack(
        "power", "B2", "the power cut under a writer, on ext4", Tests("PowerLossTests"),
        "a writer whose syncs do nothing has to lose what it acknowledged", (Amount("TASKVAULT_POWER_CUTS", "cuts", 100, 1_000, 10_000),)),
]

NOT_APPLICABLE = []

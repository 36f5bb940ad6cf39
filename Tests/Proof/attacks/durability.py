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
        "kills", "B1", "a writer killed at random moments", Tests("VaultCoreTests.ProcessTests"),
        "fails if the writer was always killed before it wrote", (Amount("TASKVAULT_KILLS", "kills", 500, 2_000, 20_000),)),
    Attack(
        "agent-kills", "B1", "an agent, and clients of it, killed at random moments", Tests("AgentDeathTests"),
        "fails unless some requests were answered and some not", (Amount("TASKVAULT_AGENT_KILLS", "kills", 100, 300, 2_000),)),
    Attack(
        "power", "B2", "the power cut under a writer, on ext4", Tests("PowerLossTests"),
        "a writer whose syncs do nothing has to lose what it acknowledged", (Amount("TASKVAULT_POWER_CUTS", "cuts", 100, 700, 10_000),),
        limit=3600),
    Attack(
        "faults", "B3 B4",
        "a system call that is the last, fails once or for good, or is interrupted, in seven commands from the program's first act on",
        Tests("FaultTests/aChange|FaultTests/anAnswer|RestoreFaultTests", release=True), "more than half of the faults have to come to pass",
        (Amount("TASKVAULT_FAULTS", "faults in 7 commands", 20, 300, 10_000, "faults", wished=120),), limit=3600),
    Attack(
        "task-faults", "B3 B4", "the same between the two stores of protected tasks, in five commands",
        Tests("TaskFaultTests", release=True), "more than half of the faults have to come to pass",
        (Amount("TASKVAULT_TASK_FAULTS", "faults in 5 commands", 8, 40, 2_000, "faults", wished=40),), limit=3600),
    Attack(
        "failed-syncs", "B5", "one write or sync of a long session fails, and the next works", Tests("FailedSyncTests"),
        "the trace has to show that the file was opened again before the next acknowledgement"),
    Attack(
        "full-disks", "B6", "a vault that fills its disk, and a disk that others fill to the last byte", Tests("FullDiskTests|TaskFullDiskTests|RecoveryTests"),
        "fails unless a write was refused for space"),
    Attack(
        "limits-of-the-system", "B7 B12", "too little memory in steps of 4 MiB and of 8 KiB, too few descriptors and processes, files that may not grow",
        Tests("TaskVaultCommandsTests.LimitTests"), "at each limit some runs have to be refused, and the last must not"),
    Attack(
        "little-memory", "B7", "a control group with too little memory, in steps of 4 MiB: what the system kills leaves the old or the new",
        Program("/usr/bin/python3 Tests/Proof/files/little_memory.py"), "with little it is killed, and with more it is done", short=True),
    Attack(
        "read-only", "B8", "files, folders and media that cannot be written, logs without shared memory, vaults in use",
        Tests("ReadOnlyTests|BadVaultTests|SeveralProcessesTests|VaultLocationTests"), "what can be read is read, and every change is refused"),
    Attack(
        "histories", "B9", "ten processes that do random things to one vault: all their answers make one order of events", Tests("HistoryTests"),
        "histories with a lost update, an old answer or a change that nobody made are refused",
        (Amount("TASKVAULT_OPERATIONS", "operations of each process", 1_000, 2_000, 20_000),)),
    Attack(
        "agent-among-writers", "B9", "ten processes, an agent with four clients, and commands with and without it at one vault, against a model",
        Tests("AgentAmongWritersTests|ManyClientsTests|VaultCoreTests.ProcessTests/counters"), "a lost update would make the common number too low",
        (Amount("TASKVAULT_RAISES", "updates of each process and client", 15, 100, 1_000),)),
    Attack(
        "two-machines", "B9 P2 P3", "two machines at one vault in PostgreSQL, a server that tampers with every column, and one that is lost",
        Tests("TwoMachineTests|ServerAttackTests|PostgreSQLCommitTests|SharedVaultTests"), "the vault as it was opens before and after each attack"),
    Attack(
        "copies", "B10", "copies of file and log taken under writes, at once or page by page", Tests("CopyTests"),
        "fails if there was no mixture to refuse", (Amount("TASKVAULT_COPIES", "copies", 80, 600, 10_000),)),
    Attack(
        "out-and-in", "B11", "random secrets, odd and large ones, exported and imported; backups and restores",
        Tests("RoundTripTests|TransferTests|BackupTests|RestoreTests"), "files of others and broken ones are refused",
        (Amount("TASKVAULT_ROUND_TRIPS", "vaults", 60, 2_000, 10_000),)),
    Attack(
        "server-kills", "B1 B6", "an auth server killed under load, with room on its disk and without", Program("Tests/Proof/server-kills"),
        "a server whose database was put back has to be found out by each check",
        (Amount("TASKVAULT_SERVER_KILLS", "kills", 8, 100, 2_000),), limit=3_600),
]

NOT_APPLICABLE = []

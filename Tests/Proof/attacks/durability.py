"""B: crashes, power, full disks, failing calls, and many at once."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "B1": "process killed at any moment",
    "B2": "power loss",
    "B3": "process killed at each system call",
    "B4": "a system call fails, once or permanently",
    "B5": "a sync fails, the next succeeds",
    "B6": "disk full",
    "B7": "out of memory",
    "B8": "read-only places, missing files, stale locks",
    "B9": "concurrent writers and readers",
    "B10": "copy taken during a write",
    "B11": "export, import, restore",
    "B12": "no descriptors, no threads",
}

ATTACKS = [
    Attack(
        "kills", "B1", "a writer killed at random moments", Tests("VaultCoreTests.ProcessTests"),
        "fails if no kill came after a write", (Amount("TASKVAULT_KILLS", "kills", 100, 2_000, 20_000, wished=500),)),
    Attack(
        "agent-kills", "B1", "an agent and its clients killed at random moments", Tests("AgentDeathTests"),
        "requires answered and unanswered requests", (Amount("TASKVAULT_AGENT_KILLS", "kills", 50, 300, 2_000),)),
    Attack(
        "power", "B2", "power cut under a writer, on ext4", Tests("PowerLossTests"),
        "a writer without effective syncs must lose acknowledged data", (Amount("TASKVAULT_POWER_CUTS", "cuts", 40, 700, 10_000, wished=100),),
        limit=3600),
    Attack(
        "faults", "B3 B4",
        "a system call is the last, fails once or permanently, or is interrupted, in seven commands from program start",
        Tests("FaultTests/aChange|FaultTests/anAnswer|RestoreFaultTests", release=True), "more than half of the faults must strike",
        (Amount("TASKVAULT_FAULTS", "faults in 7 commands", 6, 300, 10_000, "faults", wished=120),), limit=3600),
    Attack(
        "task-faults", "B3 B4", "the same between the two stores of protected tasks, in five commands",
        Tests("TaskFaultTests", release=True), "more than half of the faults must strike",
        (Amount("TASKVAULT_TASK_FAULTS", "faults in 5 commands", 5, 40, 2_000, "faults", wished=40),), limit=3600),
    Attack(
        "failed-syncs", "B5", "one write or sync of a long session fails, and the next succeeds", Tests("FailedSyncTests"),
        "the trace must show the file reopened before the next acknowledgement"),
    Attack(
        "full-disks", "B6 G11", "a vault that fills its disk, and a disk that others fill to the last byte", Tests("FullDiskTests|TaskFullDiskTests|RecoveryTests"),
        "requires a write refused for space"),
    Attack(
        "limits-of-the-system", "B7 B12", "too little memory in steps of 4 MiB and of 8 KiB, too few descriptors and processes, file size limits",
        Tests("TaskVaultCommandsTests.LimitTests"), "each limit must refuse some runs, and allow the last"),
    Attack(
        "little-memory", "B7", "a control group with too little memory, in steps of 4 MiB: a killed command leaves the old or the new state",
        Program("/usr/bin/python3 Tests/Proof/files/little_memory.py"), "little memory kills it; more lets it finish", short=True),
    Attack(
        "read-only", "B8", "unwritable files, folders and media, logs without shared memory, vaults in use",
        Tests("ReadOnlyTests|BadVaultTests|SeveralProcessesTests|VaultLocationTests"), "readable data is read, and every change is refused"),
    Attack(
        "histories", "B9", "ten processes with random operations on one vault: all answers fit one order of events", Tests("HistoryTests"),
        "histories with a lost update, an old answer or an invented change are refused",
        (Amount("TASKVAULT_OPERATIONS", "operations of each process", 300, 2_000, 20_000),)),
    Attack(
        "agent-among-writers", "B9", "ten processes, an agent with four clients, and commands with and without it on one vault, against a model",
        Tests("AgentAmongWritersTests|ClientLimitTests|VaultCoreTests.ProcessTests/counters"), "a lost update would make the common number too low",
        (Amount("TASKVAULT_RAISES", "updates of each process and client", 15, 100, 1_000),)),
    Attack(
        "two-machines", "B9 P2 P3", "two machines on one vault in PostgreSQL; a server that tampers with every column; a lost server",
        Tests("TwoMachineTests|ServerAttackTests|PostgreSQLCommitTests|SharedVaultTests"), "the original vault opens before and after each attack"),
    Attack(
        "copies", "B10", "copies of file and log taken during writes, at once or page by page", Tests("CopyTests"),
        "requires a mixture that is refused", (Amount("TASKVAULT_COPIES", "copies", 40, 600, 10_000),)),
    Attack(
        "out-and-in", "B11", "random secrets, odd and large ones, exported and imported; backups and restores",
        Tests("RoundTripTests|TransferTests|BackupTests|RestoreTests"), "foreign and broken files are refused",
        (Amount("TASKVAULT_ROUND_TRIPS", "vaults", 60, 2_000, 10_000),)),
    Attack(
        "entry-addresses", "B11 D14", "an entry's addresses replaced, updated, removed, restored and imported again: no former one is found, shown or exported",
        Tests("EntryTests/theAddressesOfAnEntryHaveOnePlace|EntryTests/anImportedLoginIsOneEntry|ImportPlanTests/address|ImportRuleTests/severalAddresses"),
        "each present one is found and exported"),
    Attack(
        "ruins", "B11", "a restore over zeroed pages, over older files with damage, and over links, folders, other files and other versions in the vault's place",
        Tests("RestoreRefusalTests|VaultCoreTests.RestoreTests"), "what was there is kept; an older or another vault without damage is still refused"),
    Attack(
        "form", "B11", "damage that no read needs, changed rows and missing chunks, before doctor, backup and restore",
        Tests("VaultCoreTests.CheckTests|UpkeepTests/doctorFinds|UpkeepTests/aVaultThatDoesNotVerify|RestoreRefusalTests/filesThatLack"),
        "every secret of such a file is still read; a sound vault is backed up"),
    Attack(
        "server-kills", "B1 B6", "an auth server killed under load, with free disk space and without", Program("Tests/Proof/server-kills"),
        "each check must detect a restored older database",
        (Amount("TASKVAULT_SERVER_KILLS", "kills", 8, 100, 2_000),), limit=3_600),
    Attack(
        "sync-kills", "B1 B3",
        "the server of homes that sync, its PostgreSQL, and a home, killed while both homes and one more client put: at random moments, and at each system call of a put and of a round",
        Program("/usr/bin/python3 Tests/Proof/sync/kills.py"), "an older database lacks acknowledged puts, a home that was put back a change",
        (Amount("TASKVAULT_SYNC_KILLS", "kills of the server, and of it or PostgreSQL", 4, 30, 500, wished=10),
         Amount("TASKVAULT_SYNC_STEPS", "system calls of the server, and of a round", 8, 60, 400, wished=16)), limit=3_600),
]

NOT_APPLICABLE = []

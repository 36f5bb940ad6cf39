"""C: the agent, its memory and its socket."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "C1": "memory after a lock",
    "C2": "copies of keys while unlocked",
    "C3": "memory that cannot be locked",
    "C4": "core dumps",
    "C5": "crash reports",
    "C6": "inspection by another program of the same user",
    "C7": "another user as client",
    "C8": "another user's agent at the socket path",
    "C9": "malformed, huge, slow, partial messages; idle clients",
    "C10": "idle and absolute limits",
    "C11": "wall clock moved, machine asleep",
    "C12": "repeated wrong passphrases",
    "C13": "signals, logout, a stop past the limit",
    "C14": "inheritance by child processes",
    "C15": "swap and hibernation",
    "C16": "data races",
    "C17": "memory errors in unsafe code",
    "C18": "agent under another runtime folder",
    "C19": "lock during writes",
}

ATTACKS = [
    Attack(
        "locks", "C1 C2 P6", "agent memory searched for every secret after each end of a session, in windows of 8 bytes",
        Tests("AgentMemoryTests"), "while unlocked, each key is found once, in locked memory; so is the text of a half-received request",
        (Amount("TASKVAULT_LOCK_CYCLES", "cycles of unlock, use and lock", 4, 60, 1_000, wished=50),)),
    Attack(
        "client-memory", "C1 P6", "protected text in the memory of the page's process and of the services, after its use and after a lock",
        Program("/usr/bin/python3 Tests/Proof/agent/client_memory.py"), "a word of their environment and half a request are found", short=True),
    Attack(
        "no-locked-memory", "C3", "an agent that may lock no memory", Tests("AgentMachineTests"),
        "under the machine's own limit the same vault opens without a warning"),
    Attack(
        "crashes", "C4 C5 P6", "8 signals in 4 states of the agent, at a question, and to the auth server: no core, no memory on standard error",
        Program("/usr/bin/python3 Tests/Proof/agent/crashes.py"), "the same signals to unprotected programs", short=True),
    Attack(
        "looking-in", "C6 P7", "30 inspection methods against an agent in three states, or a question, as its own user; requests are answered",
        Program("/usr/bin/python3 Tests/Proof/agent/looking_in.py"), "all of them work on another process", short=True),
    Attack(
        "another-user", "C7 C8 P5", "another user connects, listens at the socket path, reads, replaces and signals",
        Program("/usr/bin/python3 Tests/Proof/agent/another_user.py"), "the owner succeeds where others fail", short=True),
    Attack(
        "ends-of-the-socket", "C7 C8 P5", "another user at either end of the socket; other objects at its path", Tests("PeerTests"),
        "a connection of the same user is answered"),
    Attack(
        "hostile-clients", "C9", "clients that violate the protocol, stay idle, or accept no answer",
        Tests("HostileClientTests|ListTimeLimitTests|ClientLimitTests|FrameChannelTests|ProtocolVersionTests"), "a good client is answered beside each"),
    Attack(
        "moved-names", "C9", "a client that moves entries between the vault and the session's secrets by each request, or protects one there",
        Tests("SessionSecretsTests"), "the same requests with a name of their side work"),
    Attack(
        "agent-soak", "C9", "long load of clients that connect, disconnect, break off, or send garbage", Program("/usr/bin/python3 Tests/Proof/agent/soak.py"),
        "descriptors of idle clients are counted", (Amount("TASKVAULT_AGENT_REQUESTS", "good requests", 1_500, 10_000, 10_000),), short=True),
    Attack(
        "session-limits", "C10", "each session limit to the millisecond, and each event that extends it",
        Tests("SessionLimitTests|SessionRaceTests|SessionSettingsTests"), "a millisecond earlier the session is open"),
    Attack(
        "limits-in-real-time", "C10", "two-second sessions, whose keys must be gone a second later", Program("/usr/bin/python3 Tests/Proof/agent/limits.py"),
        "until then the agent has its keys", (Amount("TASKVAULT_LIMIT_RUNS", "sessions", 20, 100, 1_000),)),
    Attack(
        "clocks", "C11 G10", "wall clock set by days, to 1970 and to 2100; a machine that slept",
        Tests("AgentWallClockTests|SystemClockTests|SuspendedMachineTests|SleepAndLockEventsTests|thatItSleptOverTheLimitIsNoticedFirst"),
        "the set clock is seen to differ"),
    Attack(
        "clock-ahead", "C11 G10", "changes of every kind under a wall clock 30 to 40,000 days ahead, then or in turns under the right one, of vault and list: nothing is erased",
        Tests("VaultCoreTests.EarlierTests|TasksTests.TaskListTests|MemoryTaskTests"), "two changes a day apart erase what is too old"),
    Attack(
        "wrong-passphrases", "C12", "fifty wrong passphrases in a row, on a simulated clock", Tests("AttemptThrottleTests"),
        "the right one also waits, and is accepted"),
    Attack(
        "wrong-passphrases-in-real-time", "C12", "wrong passphrases, five at a time, during other requests",
        Program("/usr/bin/python3 Tests/Proof/agent/wrong_tries.py"), "the wrong ones themselves wait", (Amount("TASKVAULT_WRONG_TRIES", "tries", 8, 14, 50),)),
    Attack(
        "signals", "C13 C4 P6", "signals in each state, a stop past the limit, the end of a desktop session", Tests("AgentSignalTests|SleepAndLockEventsTests|AgentMemoryTests"),
        "the agent answered before, and its keys were found"),
    Attack(
        "inheritance", "C14 C15 P6", "descriptors open for a child, existence of child processes, and pages with keys",
        Program("/usr/bin/python3 Tests/Proof/agent/inheritance.py"), "a descriptor, a fork and a program of others are detected", short=True),
    Attack(
        "races", "C16", "tests of all libraries under ThreadSanitizer", Program("Tests/sanitize thread", builds=()),
        "a deliberate race is reported", limit=3600),
    Attack(
        "addresses", "C17", "tests of all libraries under AddressSanitizer", Program("Tests/sanitize address", builds=()),
        "a deliberate use after free is reported", limit=3600),
    Attack(
        "memcheck", "C17", "five command-line scenes, the agent among them, under valgrind; exit codes must stay the same",
        Program("Tests/memcheck .build/release/taskvault"),
        "valgrind reports a deliberate invalid read"),
    Attack(
        "elsewhere", "C18", "commands under another runtime folder; 14 false notes", Tests("AgentElsewhereTests"),
        "the right note works"),
    Attack(
        "interrupted-writes", "C19", "locks while a write waits for another process, and between commits", Tests("WriteInterruptionTests|InterruptionTests"),
        "acknowledged writes are there"),
]

NOT_APPLICABLE = []

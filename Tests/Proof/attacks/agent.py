"""C: the agent, its memory and its socket."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "C1": "what is left in memory after a lock",
    "C2": "copies of keys while unlocked",
    "C3": "memory that cannot be locked",
    "C4": "core dumps",
    "C5": "crash reports",
    "C6": "another program of the same user looks in",
    "C7": "another user as client",
    "C8": "another's agent in the socket's place",
    "C9": "broken, huge, slow, half messages; idle clients",
    "C10": "idle and absolute limits",
    "C11": "the wall clock moved, the machine asleep",
    "C12": "wrong passphrases again and again",
    "C13": "signals, logout, a stop over the limit",
    "C14": "what a child inherits",
    "C15": "swap and hibernation",
    "C16": "data races",
    "C17": "errors of memory in unsafe code",
}

ATTACKS = [
    Attack(
        "locks", "C1 C2 P6", "whatever passed through the agent, looked for in all its memory after each end of a session, in windows of 8 bytes",
        Tests("AgentMemoryTests"), "each key is found once while unlocked, in locked memory, and so is a text whose request has come in half",
        (Amount("TASKVAULT_LOCK_CYCLES", "cycles of unlock, use and lock", 6, 60, 1_000, wished=50),)),
    Attack(
        "no-locked-memory", "C3", "an agent that may lock no memory", Tests("AgentMachineTests"),
        "with the machine's own limit the same vault opens without a warning"),
    Attack(
        "crashes", "C4 C5 P6", "8 signals in 4 states of the agent, at a question, and to the auth server: no core, no memory on standard error",
        Program("/usr/bin/python3 Tests/Proof/agent/crashes.py"), "the same signals to programs without protection", short=True),
    Attack(
        "looking-in", "C6 P7", "30 ways to look into an agent in three states, or into a question, as its own user; who asks it is answered",
        Program("/usr/bin/python3 Tests/Proof/agent/looking_in.py"), "all of them work on another process", short=True),
    Attack(
        "another-user", "C7 C8 P5", "another user: as client, as agent in the socket's place, and as one who reads, replaces and signals",
        Program("/usr/bin/python3 Tests/Proof/agent/another_user.py"), "the owner may do what others may not", short=True),
    Attack(
        "ends-of-the-socket", "C7 C8 P5", "another user at either end of the socket, and what else may lie in its place", Tests("PeerTests"),
        "a connection of the same user is answered"),
    Attack(
        "hostile-clients", "C9", "clients that do not keep to the protocol, do nothing, or take no answer",
        Tests("HostileClientTests|SlowListTests|ManyClientsTests|FrameChannelTests|OtherVersionTests"), "a good client is answered beside each"),
    Attack(
        "agent-soak", "C9", "clients that come and go, break off, or send what is no protocol, for long", Program("/usr/bin/python3 Tests/Proof/agent/soak.py"),
        "descriptors of clients that say nothing are seen", (Amount("TASKVAULT_AGENT_REQUESTS", "good requests", 1_500, 10_000, 10_000),), short=True),
    Attack(
        "session-limits", "C10", "each limit of a session to the millisecond, and what extends it",
        Tests("SessionLimitTests|SessionRaceTests|SessionSettingsTests"), "a millisecond before it the session is open"),
    Attack(
        "limits-in-real-time", "C10", "sessions of two seconds, whose keys have to be gone a second later", Program("/usr/bin/python3 Tests/Proof/agent/limits.py"),
        "until then the agent has its keys", (Amount("TASKVAULT_LIMIT_RUNS", "sessions", 20, 100, 1_000),)),
    Attack(
        "clocks", "C11", "the wall clock set by days, both ways, and a machine that slept",
        Tests("AgentWallClockTests|SystemClockTests|LoginEventsTests|thatItSleptOverTheLimitIsNoticedFirst"),
        "the clock that is set is seen to be another one"),
    Attack(
        "wrong-passphrases", "C12", "fifty wrong passphrases after each other, by a clock that the test moves", Tests("AttemptThrottleTests"),
        "the right one has to wait as well, and is let in"),
    Attack(
        "wrong-passphrases-in-real-time", "C12", "wrong passphrases, five at a time, while others ask for something else",
        Program("/usr/bin/python3 Tests/Proof/agent/wrong_tries.py"), "the wrong ones themselves wait", (Amount("TASKVAULT_WRONG_TRIES", "tries", 8, 14, 50),)),
    Attack(
        "signals", "C13 C4 P6", "signals in each state, a stop over the limit, the end of a desktop session", Tests("AgentSignalTests|LoginEventsTests|AgentMemoryTests"),
        "the agent answered before, and its keys were found"),
    Attack(
        "inheritance", "C14 C15 P6", "what a child would get, whether there is one, and the pages of keys",
        Program("/usr/bin/python3 Tests/Proof/agent/inheritance.py"), "a descriptor, a fork and a program of others are seen", short=True),
    Attack(
        "races", "C16", "the tests of all libraries under the thread sanitizer", Program("Tests/sanitize thread", builds=()),
        "a race made on purpose is reported", limit=3600),
    Attack(
        "addresses", "C17", "the tests of all libraries under the address sanitizer", Program("Tests/sanitize address", builds=()),
        "memory that is read after it was freed, on purpose, is reported", limit=3600),
    Attack(
        "memcheck", "C17", "five scenes of the command line, the agent among them, under valgrind",
        Program('export TASKVAULT_EXTRA_PACKAGES=valgrind && . Tests/setup && Tests/memcheck .build/release/taskvault'),
        "each command has to end with the exit code that it has without valgrind"),
]

NOT_APPLICABLE = []

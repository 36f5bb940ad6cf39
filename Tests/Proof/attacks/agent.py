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
        "races", "C16", "the tests of all libraries under the thread sanitizer", Program("Tests/sanitize thread"),
        "Swift's own locks are told to it, and without that it reports them as races", limit=3600),
    Attack(
        "addresses", "C17", "the tests of all libraries under the address sanitizer", Program("Tests/sanitize address"),
        "GuardPageTests step over the end of guarded memory, and have to end by a signal", limit=3600),
    Attack(
        "memcheck", "C17", "five scenes of the command line, the agent among them, under valgrind",
        Program('export TASKVAULT_EXTRA_PACKAGES=valgrind && . Tests/setup && Tests/memcheck .build/release/taskvault'),
        "each command has to end with the exit code that it has without valgrind"),
]

NOT_APPLICABLE = []

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

ATTACKS = []

NOT_APPLICABLE = []

"""P: the promises, each about one attacker; Docs/Design.md lists more attackers. Other sections' attacks may try them as well."""

ROWS = {
    "P1": "has one copy of every file, while locked",
    "P2": "has several copies, or runs the storage server",
    "P3": "can change the files",
    "P4": "can restore an older copy",
    "P5": "is another user of the machine",
    "P6": "reads memory, swap or a core dump after a lock",
    "P7": "is another program of the same user, while unlocked",
    "P8": "is the auth server, or impersonates it",
    "P9": "is an anonymous client of the auth server",
    "P10": "sends messages, or runs their server",
    "P11": "owns the folder by which homes sync",
}
ATTACKS = []
NOT_APPLICABLE = []

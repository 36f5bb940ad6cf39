"""P: the nine promises that the design was begun with, each about one attacker; Docs/Design.md says them in more detail, and for more attackers. Other sections' attacks may try them as well."""

ROWS = {
    "P1": "has one copy of every file, while locked",
    "P2": "has several copies, or runs the storage server",
    "P3": "can change the files",
    "P4": "can restore an older copy",
    "P5": "another user of the machine",
    "P6": "reads memory, swap or a core dump after lock",
    "P7": "the same user's other programs while unlocked",
    "P8": "the auth server, or one posing as it",
    "P9": "an anonymous client of the auth server",
}
ATTACKS = []
NOT_APPLICABLE = []

"""D: the command line, the terminal, and the file system around it."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "D1": "secrets in arguments, environment, history",
    "D2": "echo and settings of the terminal",
    "D3": "escape sequences in stored text",
    "D4": "names that pretend to be others",
    "D5": "links, pipes, devices, folders, other owners",
    "D6": "exchanges between check and opening",
    "D7": "permissions",
    "D8": "temporary files",
    "D9": "the clipboard",
    "D10": "a hostile environment",
    "D11": "pager, completion, JSON, exit codes",
    "D12": "export by configuration",
    "D13": "secrets in errors and logs",
}

ATTACKS = []

NOT_APPLICABLE = [NotApplicable("D9", "no command touches the clipboard")]

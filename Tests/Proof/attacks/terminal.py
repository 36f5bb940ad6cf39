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

ATTACKS = [
    Attack(
        "secrets-outside", "D1 D11 D13 P8", "32 secrets and more through all commands that take one, looked for in arguments, environments, files, output and logs",
        Program("/usr/bin/python3 Tests/Proof/terminal/secrets_outside.py"), "programs of others that have one there are seen, in four encodings", short=True),
    Attack(
        "leaks", "D1 D11 D13 P8", "secrets, words, passwords, tokens and codes in messages, files and logs",
        Tests("LeakTests|SignInLeakTests|ProtectedTaskTests|ByteSearchTests|OperationTests|CanaryTests"), "the search finds what is there"),
    Attack(
        "echo", "D2", "every question that hides what is typed, ended in nine ways", Program("/usr/bin/python3 Tests/Proof/terminal/echo.py"),
        "a shell that turns the echo off leaves it off", short=True),
    Attack("terminal-signals", "D2", "prompts and screens, and what ends them", Tests("TerminalSignalTests|PagerSignalTests|DialogueTests|SignInInterruptionTests"),
        "the echo is off while typing"),
    Attack(
        "hostile-text", "D3 D4", "hostile text through every door there is, at a pseudo-terminal", Program("/usr/bin/python3 Tests/Proof/terminal/hostile_text.py"),
        "what another program writes is seen to steer the terminal", (Amount("TASKVAULT_HOSTILE_STRINGS", "strings", 2_000, 6_000, 100_000),), short=True),
    Attack("visible-text", "D3 D4", "each code point, and bytes that are no UTF-8", Tests("VisibleTextTests|TextLayoutTests|TaskInputTests"),
        "a list made by hand from Unicode's charts, apart from the code"),
    Attack("places", "D5", "links, pipes, devices, folders and other owners where a vault or its folder is", Tests("VaultLocationTests|HostileTaskFileTests|AgentFolderTests"),
        "the same place is taken when it is put right"),
    Attack("other-places", "D5 P5", "the same in a sticky folder of everybody, as a user without privileges, through every command", Program("/usr/bin/python3 Tests/Proof/terminal/places.py"),
        "the same commands work where the user's own file is", short=True),
    Attack("exchanges", "D6", "the file or its folder exchanged again and again while it is opened", Tests("ExchangeRaceTests"),
        "both of what is exchanged is met; 10,000 openings of each kind"),
    Attack(
        "files-left", "D7 D8 P5", "each command with umask 000, and killed at random moments", Program("/usr/bin/python3 Tests/Proof/terminal/files_left.py"),
        "a file for everybody is seen, although it is removed at once", (Amount("TASKVAULT_COMMAND_KILLS", "kills of each command", 4, 12, 200),), short=True),
    Attack("traces", "D8 D10", "files of a session, and an environment that somebody else arranged", Tests("AgentTraceTests|TransientPagerTests"),
        "the watch sees what is made"),
    Attack("output", "D11", "JSON, exit codes, completions and documents as they are promised",
        Tests("CommandOutputTests|CommandLineTableTests|CommandLineDocumentTests|CommandLineCompletionTests|JSONWriterTests"), "they are held against the table of commands"),
    Attack("configuration", "D12", "every setting and variable set to what could write secrets out", Program("/usr/bin/python3 Tests/Proof/terminal/configuration.py"),
        "with the passphrase the same command writes them", short=True),
]

NOT_APPLICABLE = [NotApplicable("D9", "no command touches the clipboard")]

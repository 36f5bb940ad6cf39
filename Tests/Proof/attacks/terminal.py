"""D: the command line, the terminal, and the file system around it."""

from harness.attack import Amount, Attack, NotApplicable, Program, Tests  # noqa: F401

ROWS = {
    "D1": "secrets in arguments, environment, history",
    "D2": "terminal echo and settings",
    "D3": "escape sequences in stored text",
    "D4": "deceptive names",
    "D5": "links, pipes, devices, folders, other owners",
    "D6": "exchange between check and open",
    "D7": "permissions",
    "D8": "temporary files",
    "D9": "clipboard",
    "D10": "hostile environment",
    "D11": "pager, completion, JSON, exit codes",
    "D12": "export by configuration",
    "D13": "secrets in errors and logs",
    "D14": "hostile import files",
}

ATTACKS = [
    Attack(
        "secrets-outside", "D1 D11 D13 P8", "over 32 secrets through all commands that take one, searched in arguments, environments, files, output, logs",
        Program("/usr/bin/python3 Tests/Proof/terminal/secrets_outside.py"), "other programs' arguments, environments and files are searched successfully, in four encodings", short=True),
    Attack(
        "leaks", "D1 D11 D13 P8", "secrets, words, passwords, tokens and codes in messages, files and logs",
        Tests("LeakTests|SignInLeakTests|ProtectedTaskTests|ByteSearchTests|OperationTests|CanaryTests"), "the search finds planted text"),
    Attack(
        "echo", "D2", "every question with hidden input, ended in nine ways", Program("/usr/bin/python3 Tests/Proof/terminal/echo.py"),
        "a shell that turns the echo off leaves it off", short=True),
    Attack("terminal-signals", "D2", "prompts and screens, and each way they end", Tests("TerminalSignalTests|PagerSignalTests|DialogueTests|SignInInterruptionTests"),
        "the echo is off during input"),
    Attack(
        "hostile-text", "D3 D4", "hostile text through every input, at a pseudo-terminal", Program("/usr/bin/python3 Tests/Proof/terminal/hostile_text.py"),
        "another program's output controls the terminal", (Amount("TASKVAULT_HOSTILE_STRINGS", "strings", 2_000, 6_000, 100_000),), short=True),
    Attack("visible-text", "D3 D4", "each code point, and invalid UTF-8", Tests("VisibleTextTests|TextLayoutTests|TaskInputTests"),
        "a list made by hand from Unicode's charts, independent of the code"),
    Attack("places", "D5", "links, pipes, devices, folders and other owners at the place of a vault or its folder", Tests("VaultLocationTests|HostileTaskFileTests|AgentFolderTests"),
        "the corrected place is accepted"),
    Attack("other-places", "D5 P5", "the same in a world-writable sticky folder, as an unprivileged user, through every command", Program("/usr/bin/python3 Tests/Proof/terminal/places.py"),
        "the same commands accept the user's own file", short=True),
    Attack(
        "unusable-names", "D4", "files to which another program gave one name, or a name that no file can have",
        Tests("VaultCoreTests.CheckTests/fileNames|aFileOfAnyNameIsFoundByItsID"), "by their ids they are read, renamed, removed and restored"),
    Attack("outputs", "D5 G20", "pipes, sockets, links, descriptors and other owners where a command writes by name", Tests("OutputFileTests|SpecialFileTests"),
        "the same command writes a regular file, and standard output"),
    Attack("exchanges", "D6", "file or folder exchanged repeatedly while it is opened", Tests("ExchangeRaceTests"),
        "both versions are met in 10,000 openings of each kind"),
    Attack(
        "files-left", "D7 D8 P5", "each command with umask 000, and killed at random moments", Program("/usr/bin/python3 Tests/Proof/terminal/files_left.py"),
        "a world-readable file is detected, even if removed at once", (Amount("TASKVAULT_COMMAND_KILLS", "kills of each command", 4, 12, 200),), short=True),
    Attack("clipboard", "D9", "copied values and codes: a clipboard that changed, an owner that ends, helpers and variables of another, a terminal", Tests("ClipboardTests|ClipboardHintTests|ClipboardTurnTests"),
        "the value is on the clipboard until its time"),
    Attack("traces", "D8 D10", "files of a session; a hostile environment", Tests("AgentTraceTests|TransientPagerTests"),
        "the watch detects created files"),
    Attack("output", "D11", "JSON, exit codes, completions and documents, as promised",
        Tests("CommandOutputTests|CommandLineTableTests|CommandLineDocumentTests|CommandLineCompletionTests|JSONWriterTests"), "compared with the table of commands"),
    Attack(
        "imports", "D14", "malformed files; names, numbers and fields chosen so that this import or the next one takes long",
        Tests("MalformedFileTests|BadImportTests|ImportRuleTests|ImportPlanTests"), "10,000 records of one name are imported twice"),
    Attack("configuration", "D12", "every setting and variable set to values that could export secrets", Program("/usr/bin/python3 Tests/Proof/terminal/configuration.py"),
        "with the passphrase the same command writes them", short=True),
]

NOT_APPLICABLE = []

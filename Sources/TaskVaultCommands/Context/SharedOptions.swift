internal import CommandLine

// Operands and options of several commands; one of a single command is in its file.
extension OperandDescription {
    /// Whose account.
    static let email = OperandDescription(
        "EMAIL", "the name of the account; the one that signed in last if left out", count: 0...1)
    /// What a secret is for.
    static let service = OperandDescription(
        "SERVICE", "what the secret is for, such as a host name")
    /// Whose secret it is.
    static let account = OperandDescription(
        "ACCOUNT", "whose secret it is there, such as a user name")
    /// Which task.
    static let task = OperandDescription(
        "ID", "the task's id, or its first characters as far as no other task has them")
    /// Which tasks.
    static let tasks = OperandDescription(
        "ID", "the ids of the tasks, or their first characters", count: 1...1_000)
}

extension OptionDescription {
    /// Where the passwords of an account come from.
    static let passwordFile = OptionDescription(
        "password-file", .file("FILE"),
        "read the account's passwords from this file, one a line in the order in which they are needed; - is standard input, after the passphrase if that comes from there too"
    )
    /// The recovery code instead of the passphrase.
    static let recovery = OptionDescription(
        "recovery", "ask for the recovery code instead of the passphrase")
    /// When the value can be read.
    static let accessClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when the value can be read", standard: "while-unlocked")
    /// A line for people.
    static let label = OptionDescription("label", .text("TEXT"), "a line for people")
    /// Overwrite what is there.
    static let replace = OptionDescription("replace", "replace what is there already")
    static let allowEmpty = OptionDescription("allow-empty", "save a value of no bytes")
    /// No question before what cannot be undone.
    static let yes = OptionDescription("yes", "do it without asking; for scripts")
    /// Where the vault is.
    static let home = OptionDescription(
        "home", .folder("DIR"),
        "keep everything in this folder instead of the usual ones; TASKVAULT_HOME does the same")
    /// Where passphrases come from.
    static let passphraseFile = OptionDescription(
        "passphrase-file", .file("FILE"),
        "read passphrases from this file, one a line in the order in which they are needed; - is standard input"
    )
    /// Every command by itself.
    static let noAgent = OptionDescription(
        "no-agent", "work without the agent, asking for the passphrase")
    /// The owner's word that a rolled-back file is right.
    static let acceptOlder = OptionDescription(
        "accept-older",
        "accept a vault older than the one last seen on this machine, after an intended restore")
    /// Notes.
    static let notes = OptionDescription(
        "notes", .choice("-", ["-"]),
        "read notes from standard input, after the name if that is read too")
    /// A reminder.
    static let reminder = OptionDescription("reminder", "note that a reminder is wanted")
    /// Protected words.
    static let reveal = OptionDescription(
        "reveal", "show protected words, after the passphrase where that is needed")
}

extension [OptionDescription] {
    /// The options that every command takes.
    static let global: [OptionDescription] = [
        .home, .passphraseFile, .json, .noAgent, .acceptOlder, .help, .version,
    ]
}

extension [ExitCode] {
    /// The exit codes of commands that open the vault.
    static let opening: [ExitCode] = [
        .locked, .wrongPassphrase, .notFound, .damaged, .refused, .serverUnreachable,
    ]
    /// The exit codes of commands that use the tasks' database.
    static let tasks: [ExitCode] = [.notFound, .damaged, .refused, .serverUnreachable]
    /// The exit codes of commands that use protected text, too.
    static let protectedTasks: [ExitCode] = tasks + [.locked, .wrongPassphrase]
    /// The exit codes of commands that ask the auth server.
    static let account: [ExitCode] = .opening + [.serverRejected]
}

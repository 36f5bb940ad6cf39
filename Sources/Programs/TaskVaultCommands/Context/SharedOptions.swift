internal import CommandLine
internal import SecureStorage
internal import TextCoding

// Operands and options of several commands. Those of a single command are in its file.
extension OperandDescription {
    static let email = OperandDescription(
        "EMAIL", "the name of the account; the last one that signed in if left out", count: 0...1)
    static let service = OperandDescription(
        "SERVICE", .stored(.service), "the service of the secret, such as a host name")
    static let account = OperandDescription(
        "ACCOUNT", .stored(.account), "the account at the service, such as a user name")
    static let task = OperandDescription(
        "ID", .stored(.task),
        "the task's id, a unique beginning of it, or a part of its public name")
    static let tasks = OperandDescription(
        "ID", .stored(.task),
        "the task's id, a unique beginning of it, or a part of its public name",
        count: 1...1_000)
}

extension OptionDescription {
    static let field = OptionDescription(
        "field", .stored("NAME", .field), "the field of the entry",
        standard: SecretName.standardField)
    static let passwordFile = OptionDescription(
        "password-file", .file("FILE"),
        "read the account's passwords from this file, one per line in the order of use; - is standard input, after the passphrase if that is read there, too"
    )
    static let recovery = OptionDescription(
        "recovery", "ask for the recovery code instead of the passphrase")
    static let accessClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when the value can be read", standard: "while-unlocked")
    static let label = OptionDescription("label", .text("TEXT"), "a description")
    static let replace = OptionDescription("replace", "replace an existing secret")
    static let twice = OptionDescription("twice", "ask for the value twice")
    static let visible = OptionDescription(
        "visible", "show the value while it is typed; the screen is cleared afterwards")
    static let allowEmpty = OptionDescription("allow-empty", "save an empty value")
    static let yes = OptionDescription("yes", "do not ask; for scripts")
    static let home = OptionDescription(
        "home", .folder("DIR"),
        "the folder of the vault and all its files; TASKVAULT_HOME does the same")
    static let passphraseFile = OptionDescription(
        "passphrase-file", .file("FILE"),
        "read passphrases from this file, one per line in the order of use; - is standard input"
    )
    static let noAgent = OptionDescription(
        "no-agent", "do not use the agent; ask for the passphrase")
    /// The owner's consent to a vault or a list that was rolled back.
    static let acceptOlder = OptionDescription(
        "accept-older",
        "accept a vault or to-do list that is older than this machine's record, or forked"
    )
    /// The owner's consent to another vault at this place.
    static let acceptOther = OptionDescription(
        "accept-other", "accept another vault than the one last seen at this place"
    )
    static let notes = OptionDescription(
        "notes", .text("TEXT"),
        "the notes of a public task; - reads them from standard input, after the name if that is read there, too"
    )
    static let reveal = OptionDescription(
        "reveal", "show protected text; asks for the passphrase if necessary")
}

extension [OptionDescription] {
    /// The options that every command takes.
    static let global: [OptionDescription] = [
        .home, .passphraseFile, .json, .noAgent, .acceptOlder, .acceptOther, .help, .version,
    ]
}

extension [ExitCode] {
    /// The exit codes of commands that open the vault.
    static let opening: [ExitCode] = [
        .locked, .wrongPassphrase, .notFound, .damaged, .refused, .serverUnreachable,
    ]
    /// The exit codes of commands that use the tasks' database.
    static let tasks: [ExitCode] = [.notFound, .damaged, .refused, .serverUnreachable]
    /// The exit codes of commands that also use protected text.
    static let protectedTasks: [ExitCode] = tasks + [.locked, .wrongPassphrase]
    /// The exit codes of commands that send requests to the auth server.
    static let account: [ExitCode] = .opening + [.serverRejected]
}

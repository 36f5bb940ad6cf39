package import CommandLine
internal import Database
internal import Sealing

extension CommandTable {
    /// The table of `taskvault`.
    package static let taskvault = CommandTable(
        .taskvault,
        groups: [
            .vault, .session, .tasks, .subtasks, .taskTransfer, .secrets, .account, .settings,
            .keys,
            .upkeep, .information,
        ],
        globalOptions: .global,
        exitCodes: .taskvault)
}

extension ProgramDescription {
    fileprivate static let taskvault = ProgramDescription(
        name: "taskvault",
        summary: "an encrypted store for credentials and protected text",
        referenceTitle: "The command line",
        paragraphs: [
            """
            TaskVault keeps secrets in one encrypted file. Results go to standard output, questions to the terminal, errors to standard error. Options \
            may stand before or after the command and its operands; after -- everything is an operand.
            """,
            """
            Secrets come from the terminal, from standard input or from --passphrase-file, never from the command line or the environment, where other \
            programs can see them.
            """,
        ],
        environment: [
            Definition("TASKVAULT_HOME", "the folder that holds everything, as with --home"),
            Definition(
                "XDG_DATA_HOME, XDG_STATE_HOME",
                "where the vault and the mark of its age lie otherwise"),
            Definition("NO_COLOR", "no colours, if it is not empty"),
        ],
        libraries: [CryptographicLibrary.title, SQLiteLibrary.title])
}

extension CommandTrait {
    /// It is about the agent itself, so that `--no-agent` makes no sense.
    static let isAboutAgent = CommandTrait("is about the agent", senseless: [.noAgent])
    /// It works with the vault that the agent holds unlocked.
    static let usesAgent = CommandTrait("uses the agent")
}

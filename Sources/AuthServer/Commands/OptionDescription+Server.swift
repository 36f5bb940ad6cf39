internal import CommandLine

extension OptionDescription {
    /// The configuration file.
    static let configuration = OptionDescription(
        "configuration", .file("FILE"),
        "read settings from this file; TASKVAULT_AUTHD_CONFIGURATION does the same")
    /// Only check.
    static let checkConfiguration = OptionDescription(
        "check-config", "check all settings and files, print what holds, and do not serve")
    /// No question before what cannot be undone.
    static let yes = OptionDescription("yes", "do it without asking; for scripts")
    /// A password in a file.
    static let passwordFile = OptionDescription(
        "password-file", .file("FILE"),
        "read the password from the first line of this file; - is standard input")
    /// How long an invitation is valid.
    static let expires = OptionDescription(
        "expires", .text("TIME"),
        "how long the invitation is valid, such as 12h or 7d; as the setting invitation-lifetime says if left out"
    )
}

extension OperandDescription {
    /// Whose account.
    static let email = OperandDescription("EMAIL", "the account's e-mail address")
    /// A confidential client.
    static let clientName = OperandDescription(
        "NAME", "the client's name: letters, digits, '.', '-' and '_'")
}

extension [OptionDescription] {
    /// The options that every command takes.
    static let global: [OptionDescription] = [
        .configuration, SettingTable.database.description.option, .json, .help, .version,
    ]
}

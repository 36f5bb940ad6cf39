package import CommandLine

extension OptionDescription {
    /// Where the vault is.
    package static let home = OptionDescription(
        "home", .folder("DIR"),
        "keep everything in this folder instead of the usual ones; TASKVAULT_HOME does the same")
    /// Where passphrases come from.
    package static let passphraseFile = OptionDescription(
        "passphrase-file", .file("FILE"),
        "read passphrases from this file, one a line in the order in which they are needed; - is standard input"
    )
    /// Every command by itself.
    package static let noAgent = OptionDescription(
        "no-agent", "work without the agent, asking for the passphrase")
    /// The owner's word that a rolled-back file is right.
    package static let acceptOlder = OptionDescription(
        "accept-older",
        "accept a vault older than the one last seen on this machine, after an intended restore")
}

extension [OptionDescription] {
    /// The options that every command takes.
    static let global: [OptionDescription] = [
        .home, .passphraseFile, .json, .noAgent, .acceptOlder, .help, .version,
    ]
}

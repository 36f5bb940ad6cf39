internal import CommandLine
internal import SecureStorage

/// The vault that an error is about: how messages speak of it, and which commands help.
struct VaultReference {
    /// How messages begin, such as `the vault`.
    let title: String
    /// The path of its file, or the address of its database.
    let path: String
    /// Where the person's own vault is, for hints.
    let folders: VaultFolders

    private let isBackup: Bool

    /// The person's own vault, in a file or on a server.
    init(_ folders: VaultFolders, at place: String) {
        title = "the vault"
        isBackup = false
        path = place
        self.folders = folders
    }

    /// A backup of it.
    init(backup path: String, _ folders: VaultFolders) {
        title = "the backup"
        isBackup = true
        self.path = path
        self.folders = folders
    }

    /// What helps somebody who has forgotten the passphrase and has the recovery code.
    var recoveryCommand: String {
        command(
            isBackup
                ? "restore --recovery \(ShellText.quote(path))" : "passphrase change --recovery")
    }

    /// A command line that helps.
    func command(_ words: String) -> String { folders.command(words) }
}

extension SecretName {
    /// The name as one types it behind a command.
    var typed: String { ShellText.quote(service) + " " + ShellText.quote(account) }
}

package import SecureStorage
package import SecurityKeys
internal import TextCoding

/// The operations of TaskVault on one home folder, by subject. Not thread-safe: each thread makes its own.
///
/// Errors travel unchanged; ``errors`` explains them.
package struct Application {
    /// The name of the program in hints and messages.
    package static let program = "taskvault"

    /// The choices.
    package let options: ApplicationOptions
    /// Asks, warns and remarks.
    package let owner: any Owner
    /// Where the files of the vault and of this machine are.
    package let folders: VaultFolders
    /// The vault: its storage, its agent, its secrets.
    package let vault: VaultAccess
    /// The to-do list.
    package let tasks: TaskAccess
    /// The sign-in at an auth server.
    package let signIn: SignInAccess
    /// The settings.
    package let settings: SettingsAccess
    /// The subjects of errors.
    package let errors: ErrorContext

    /// Makes the operations; nothing is opened yet. Only a test has other security keys than those that are plugged in.
    ///
    /// - Throws: A failure of wrong usage if no folder for the vault is known.
    package init(
        _ options: ApplicationOptions, _ owner: any Owner, keys: SecurityKeys = SecurityKeys()
    ) throws {
        self.options = options
        self.owner = owner
        folders = try VaultFolders(home: options.home, options.environment)
        let file = SettingsFile(folders)
        errors = ErrorContext(file, usesAgent: options.usesAgent)
        vault = VaultAccess(options, owner, file, errors, keys)
        tasks = TaskAccess(vault, file, errors)
        signIn = SignInAccess(vault, errors)
        settings = SettingsAccess(vault, signIn, file, errors)
    }

    /// The same operations on another folder.
    package func at(home: String) throws -> Application {
        var options = options
        options.home = home
        return try Application(options, owner, keys: vault.keys)
    }

    /// Says, at the end of an operation, what the owner must know.
    package func finish() {
        vault.reportRollbackRecord()
        vault.reportNotices()
    }

    /// Refuses the name of an item that other operations look after.
    package func requireOwn(_ name: SecretName) throws {
        if name.isReserved { throw Failure(reserved: name, folders) }
    }
}

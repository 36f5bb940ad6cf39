package import SecureStorage
package import SecurityKeys
internal import TextCoding

/// The operations of TaskVault on one home folder, by subject. Not thread-safe: each thread creates
/// its own.
///
/// Operations throw errors unchanged; ``errors`` explains them.
package struct Application {
    /// The name of the program in hints and messages.
    package static let program = "taskvault"

    package let options: ApplicationOptions
    /// Receives questions, warnings and remarks.
    package let owner: any Owner
    /// The folders of the vault and of this machine.
    package let folders: VaultFolders
    /// The vault: its storage, agent and secrets.
    package let vault: VaultAccess
    /// The to-do list.
    package let tasks: TaskAccess
    /// The sign-in at an auth server.
    package let signIn: SignInAccess
    package let settings: SettingsAccess
    /// Sync with other devices.
    package let sync: SyncAccess
    /// The subjects of errors.
    package let errors: ErrorContext

    /// Creates the operations and opens nothing. Only tests pass security keys other than the
    /// plugged-in ones.
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
        sync = SyncAccess(vault, tasks, file, errors)
    }

    /// The same operations on another folder.
    package func at(home: String) throws -> Application {
        var options = options
        options.home = home
        return try Application(options, owner, keys: vault.keys)
    }

    /// Reports pending notices to the owner at the end of an operation.
    package func finish() {
        vault.reportRollbackRecord()
        vault.reportNotices()
    }

    /// Refuses the name of an item that belongs to other operations.
    package func requireOwn(_ name: SecretName) throws {
        if name.isReserved { throw Failure(reserved: name, folders) }
    }
}

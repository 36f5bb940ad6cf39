internal import Accounts
internal import HTTPClient
internal import Inbox
internal import LibCrypto
internal import Platform
internal import Sealing
internal import SecretMemory
internal import Secrets
package import SecureStorage
internal import SecurityKeys
internal import SignIn
internal import Sync
internal import SyncMembers
internal import Tasks
package import TextCoding
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// The subjects of an operation's errors: messages and hints name them. Not thread-safe.
///
/// An operation records the secret, the database and the server as soon as they are known.
/// The error itself stays unchanged up to ``failure(_:of:)``. Only that function adds an exit code
/// and a message.
package final class ErrorContext {
    private let settings: SettingsFile
    /// Whether the operation works through the agent.
    package let usesAgent: Bool
    /// The secret.
    package var secret: SecretName?
    /// The name of the file.
    package var file: String?
    /// The id of the message, or the file that contains it.
    package var message: String?
    /// The database of the to-do list.
    package var tasks: TaskDatabasePlace?
    /// The address of the auth server.
    package var server = "the server"
    /// The name of the account at the auth server.
    package var account = "EMAIL"

    /// Records the subjects that are known at the start.
    package init(_ settings: SettingsFile, usesAgent: Bool) {
        self.settings = settings
        self.usesAgent = usesAgent
    }

    /// The owner's vault.
    package var vault: VaultReference {
        let place = try? VaultSource(settings.read()[.vault], settings.folders).title
        return VaultReference(settings.folders, at: place ?? settings.folders.file)
    }

    /// The name of the to-do list's database in messages.
    var tasksTitle: String { tasks?.title ?? settings.folders.tasks }

    /// A command line for this vault, for hints.
    package func command(_ words: String) -> String { settings.folders.command(words) }

    /// Explains an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - vault: The vault that the error concerns; nil for the owner's vault.
    /// - Returns: The exit code, code, message and hint.
    package func failure(_ error: any Error, of vault: VaultReference? = nil) -> Failure {
        switch error {
        case let error as VaultError: Failure(error, vault ?? self.vault, self)
        case let error as DatabaseError:
            // An error of the vault's database arrives as an error of the vault.
            tasks == nil
                ? Failure(error, vault ?? self.vault) : Failure(tasks: error, self)
        case let error as SecureStoreError: Failure(error, self.vault, self)
        case let error as AgentError: Failure(error, self)
        case let error as TaskListError: Failure(error, self)
        case let error as TaskExchangeError: Failure(error, self)
        case let error as ExchangeError: Failure(error, self)
        case let error as OneTimePasswordError: Failure(error, self)
        case let error as SecretReferenceError: Failure(error)
        case let error as SignInError: Failure(error, self)
        case let error as HTTPClientError: Failure(error)
        case let error as LibCryptoError: Failure(error)
        case let error as PushError: Failure(error)
        case let error as PictureError: Failure(error)
        case let error as SealingError: Failure(error)
        case let error as SecurityKeyError: Failure(error, self)
        case let error as SyncError: Failure(error, self)
        case let error as RemoteFailure: Failure(error, self)
        case let error as GroupError: Failure(error, self)
        case let error as JoinFailure: Failure(error, self)
        case let error as UnusableFile:
            Failure(
                .refused, code: "unsafe_file", "\(error.path) is not used: \(error.reason)")
        default: Failure(unexplained: error)
        }
    }
}

/// The vault that an error concerns: its name in messages and the commands for its repair.
package struct VaultReference {
    /// The subject of messages, such as `the vault`.
    package let title: String
    /// The path of its file, or the address of its database.
    package let path: String
    /// The place of the owner's vault, for hints.
    package let folders: VaultFolders

    /// Whether the vault is a backup; no command repairs a backup.
    package let isBackup: Bool

    /// The owner's vault, in a file or on a server.
    package init(_ folders: VaultFolders, at place: String) {
        title = "the vault"
        isBackup = false
        path = place
        self.folders = folders
    }

    /// A backup of the owner's vault.
    package init(backup path: String, _ folders: VaultFolders) {
        title = "the backup"
        isBackup = true
        self.path = path
        self.folders = folders
    }

    /// The hint for a backup that cannot be restored.
    static let otherBackup = "restore another backup"

    /// The command for a person who forgot the passphrase and has the recovery code.
    var recoveryCommand: String {
        command(
            isBackup
                ? "restore --recovery \(ShellText.quote(path))" : "passphrase change --recovery")
    }

    /// A command line for a hint.
    package func command(_ words: String) -> String { folders.command(words) }
}

extension SecretName {
    /// The field of a seed of one-time codes.
    package static let seedField = "totp"

    /// The name in the form of a command operand.
    package var typed: String {
        let names = ShellText.quote(service) + " " + ShellText.quote(account)
        return hasOwnField ? names + " --field " + ShellText.quote(field) : names
    }

    /// Whether the field differs from `password`, which messages omit.
    package var hasOwnField: Bool { !isStandardField }
}

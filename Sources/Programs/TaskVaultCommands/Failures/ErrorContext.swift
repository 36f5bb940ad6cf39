internal import Accounts
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import Platform
internal import Sealing
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import SecurityKeys
internal import SignIn
internal import Tasks
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// The subjects of a command's errors: messages and hints name them. Not thread-safe.
///
/// A command notes the secret, the database and the server as soon as it knows them. So an error travels unchanged up to
/// ``failure(_:)``, the one place where it gets its exit code and its words.
final class ErrorContext {
    private let settings: SettingsFile
    /// Whether the command works through the agent.
    let usesAgent: Bool
    /// The secret.
    var secret: SecretName?
    /// The name of the file.
    var file: String?
    /// The id of the message, or the file from which one comes.
    var message: String?
    /// The database of the to-do list.
    var tasks: TaskDatabasePlace?
    /// The address of the auth server.
    var server = "the server"
    /// The name of the account at the auth server.
    var account = "EMAIL"

    /// Notes what is known at the start.
    init(_ invocation: Invocation, _ settings: SettingsFile) {
        self.settings = settings
        usesAgent = invocation.command.traits.contains(.usesAgent) && !invocation.has(.noAgent)
    }

    /// The owner's vault.
    var vault: VaultReference {
        let place = try? VaultSource(settings.read()[.vault], settings.folders).title
        return VaultReference(settings.folders, at: place ?? settings.folders.file)
    }

    /// How messages name the database of the to-do list.
    var tasksTitle: String { tasks?.title ?? settings.folders.tasks }

    /// A command line for this vault, to be shown in a hint.
    func command(_ words: String) -> String { settings.folders.command(words) }

    /// Explains an error.
    ///
    /// - Parameters:
    ///   - error: What happened.
    ///   - vault: The vault that it is about, if that is not the owner's.
    /// - Returns: Its exit code, code, message and hint.
    func failure(_ error: any Error, of vault: VaultReference? = nil) -> CommandFailure {
        switch error {
        case let error as VaultError: CommandFailure(error, vault ?? self.vault, self)
        case let error as DatabaseError:
            // An error of the vault's database comes as one of the vault.
            tasks == nil
                ? CommandFailure(error, vault ?? self.vault) : CommandFailure(tasks: error, self)
        case let error as SecureStoreError: CommandFailure(error, self.vault, self)
        case let error as AgentError: CommandFailure(error, self)
        case let error as TaskListError: CommandFailure(error, self)
        case let error as TaskExchangeError: CommandFailure(error, self)
        case let error as ExchangeError: CommandFailure(error, self)
        case let error as OneTimePasswordError: CommandFailure(error, self)
        case let error as SecretReferenceError: CommandFailure(error)
        case let error as SignInError: CommandFailure(error, self)
        case let error as HTTPClientError: CommandFailure(error)
        case let error as PushError: CommandFailure(error)
        case let error as PictureError: CommandFailure(error)
        case let error as SealingError: CommandFailure(error)
        case let error as SecurityKeyError: CommandFailure(error, self)
        case let error as UnusableFile:
            CommandFailure(
                .refused, code: "unsafe_file", "\(error.path) is not used: \(error.reason)")
        default: CommandFailure(unexplained: error)
        }
    }
}

/// A vault that an error is about: how messages name it, and which commands help.
struct VaultReference {
    /// How messages begin, such as `the vault`.
    let title: String
    /// The path of its file, or the address of its database.
    let path: String
    /// Where the owner's vault is, for hints.
    let folders: VaultFolders

    /// Whether it is a backup, which no command repairs.
    let isBackup: Bool

    /// The owner's vault, in a file or on a server.
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

    /// The hint for a backup that cannot be restored.
    static let otherBackup = "restore another backup"

    /// The command for a person who forgot the passphrase and has the recovery code.
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
    var typed: String {
        let names = ShellText.quote(service) + " " + ShellText.quote(account)
        return hasOwnField ? names + " --field " + ShellText.quote(field) : names
    }

    /// Whether the field is another than `password`, which is not shown.
    var hasOwnField: Bool { !isStandardField }
}

internal import CommandLine
internal import Platform
internal import SecureStorage
internal import Tasks
internal import VaultCore
internal import VaultStorage

/// The parts of a backup that follow the vault: tasks and settings, read and checked before anything is replaced.
struct RestoredParts {
    /// What was restored.
    struct Outcome {
        /// Whether the backup has a valid mark.
        let isMarked: Bool
        /// The number of restored tasks, without cleared ones; nil if the backup has no list.
        var tasks: Int?
        /// The file with the list before; nil if there was none.
        var keptTasks: String?
        var hasSettings = false
    }

    private let context: CommandContext
    private let isMarked: Bool
    private let tasks: TaskCopy?
    private let settings: String?
    private let place: TaskDatabasePlace
    private let scratch: String

    /// Reads and checks the parts, and that the tasks have a place.
    ///
    /// - Parameters:
    ///   - backup: The backup.
    ///   - paths: The files of its marked parts.
    ///   - scratch: A folder for temporary files.
    ///   - context: The command.
    /// - Throws: The errors of reading tasks and settings.
    init(
        _ backup: borrowing OpenedBackup, _ paths: [BackupPart: String],
        _ scratch: borrowing ScratchFolder, _ context: CommandContext
    ) throws {
        self.context = context
        self.scratch = scratch.path
        isMarked = !paths.isEmpty
        let file = SettingsFile(context.folders)
        place = try TaskDatabasePlace(file.read()[.database], context.folders)
        do {
            tasks = try paths[.tasks].map(Self.copy)
        } catch {
            throw context.about.failure(
                error,
                of: VaultReference(
                    backup: context.invocation.text(of: .backupSource), context.folders))
        }
        settings = try paths[.settings].map { try TrustedFile($0, limit: 65_536).text() }
        // A server that cannot be reached is found out before the vault is changed.
        if tasks != nil, !place.isFile { try place.open(.reading).close() }
    }

    private static func copy(_ path: String) throws -> TaskCopy {
        guard
            let list = try TaskRepository.open(.file(path), DatabaseOptions(mode: .readOnly))
        else { throw DatabaseError.notFound }
        defer { list.close() }
        return try TaskCopy(of: list)
    }

    /// Replaces tasks and settings.
    ///
    /// - Parameter items: Gives the items of the vault; the text of tasks that are no longer listed is to be removed.
    /// - Returns: What was replaced.
    /// - Throws: `DatabaseError`, and the errors of `items`.
    func replace(_ items: () throws -> [SecretItem]) throws -> Outcome {
        var outcome = Outcome(isMarked: isMarked)
        if let tasks {
            outcome.keptTasks = try keepTasks()
            context.about.tasks = place
            let repository = try place.open(.changing)
            defer { repository.close() }
            let now = context.console.surroundings.now()
            _ = try tasks.replaceAll(
                in: repository, texts: { try Self.texts(items()) }, now: now)
            outcome.tasks = try repository.count(TaskFilter())
            context.about.tasks = nil
        }
        if let settings {
            try SettingsFile(context.folders).restore(settings)
            outcome.hasSettings = true
        }
        return outcome
    }

    private static func texts(_ items: [SecretItem]) -> [ProtectedWordsID] {
        items.filter { $0.name.service == ProtectedText.service }
            .compactMap { ProtectedWordsID($0.name.account) }
    }

    /// Copies the list that is there; a file that is no list is renamed.
    private func keepTasks() throws -> String? {
        let path = context.folders.tasks
        if place.isFile, !FileSystem.exists(path) { return nil }
        let kept = try StagedVaultFile.freePath(besides: path)
        context.about.tasks = place
        defer { context.about.tasks = nil }
        do {
            let old = try place.open(.reading)
            defer { old.close() }
            guard
                try old.count(TaskFilter()) + old.count(TaskFilter(.cleared)) > 0
                    || !old.intents().isEmpty
            else { return nil }
            try old.backup(to: scratch + "/old-tasks.db")
            try FileSystem.rename(scratch + "/old-tasks.db", to: kept)
        } catch let error as DatabaseError where place.isFile {
            switch error {
            case .damaged, .foreign:
                for suffix in ["-wal", "-shm", "-journal", ""]
                where FileSystem.exists(path + suffix) {
                    try FileSystem.rename(path + suffix, to: kept + suffix)
                }
            default: throw error
            }
        }
        return kept
    }
}

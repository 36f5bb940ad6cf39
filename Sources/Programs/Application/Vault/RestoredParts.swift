internal import Platform
package import SecureStorage
internal import Tasks
internal import TextCoding
internal import VaultCore
internal import VaultStorage

/// The parts of a backup that follow the vault: tasks and settings, checked before any replacement.
package struct RestoredParts {
    /// The result of the restore.
    package struct Outcome {
        /// Whether the backup has a valid MAC.
        package let isAuthenticated: Bool
        /// The number of restored tasks, without cleared ones; nil if the backup has no list.
        package var tasks: Int?
        /// The file with the previous list; nil if there was none.
        package var keptTasks: String?
        /// The number of restored tasks that lost their protection, because the backup has them
        /// unprotected.
        package var unprotectedTasks = 0
        package var hasSettings = false
    }

    private let application: Application
    private let isAuthenticated: Bool
    private let tasks: TaskCopy?
    private let settings: String?
    private let place: TaskDatabasePlace
    private let scratch: String

    /// Reads and checks the parts and the place of the tasks.
    ///
    /// - Parameters:
    ///   - backup: The backup.
    ///   - paths: The files of its authenticated parts; nil without a valid MAC.
    ///   - scratch: A folder for temporary files.
    ///   - backupPath: The file of the backup, for messages.
    ///   - application: The operations on the folder that receives them.
    /// - Throws: The errors of reading tasks and settings.
    init(
        _ backup: borrowing OpenedBackup, _ paths: [BackupPart: String]?,
        _ scratch: borrowing ScratchFolder, _ backupPath: String, _ application: Application
    ) throws {
        self.application = application
        self.scratch = scratch.path
        isAuthenticated = paths != nil
        place = try application.tasks.place(.replacing)
        do {
            tasks = try paths?[.tasks].map(Self.copy)
            settings = try paths?[.settings].map(Self.text)
        } catch {
            throw application.errors.failure(
                error,
                of: VaultReference(
                    backup: backupPath, application.folders))
        }
        // Detects an unreachable server before the vault is changed.
        if tasks != nil, !place.isFile { try place.open(.reading).close() }
    }

    private static func copy(_ path: String) throws -> TaskCopy {
        guard
            // Opened for writing, because a list of an earlier version gets the tables of this one.
            let list = try TaskRepository.open(.file(path))
        else { throw DatabaseError.notFound }
        defer { list.close() }
        return try TaskCopy(of: list)
    }

    private static func text(_ path: String) throws -> String {
        do {
            return try TrustedFile(path, limit: SettingsFile.Content.maximumSize).text()
        } catch is UnusableFile {
            throw VaultError.damaged(.backupContent)
        }
    }

    /// Replaces tasks and settings.
    ///
    /// - Parameter items: Returns the items of the vault; the text of tasks that are no longer
    ///   listed is removed.
    /// - Returns: The replaced parts.
    /// - Throws: `DatabaseError`, and the errors of `items`.
    package func replace(_ items: () throws -> [SecretItem]) throws -> Outcome {
        var outcome = Outcome(isAuthenticated: isAuthenticated)
        if let tasks {
            application.errors.tasks = place
            do {
                try replaceTasks(by: tasks, items, &outcome)
            } catch let error as DatabaseError where place.isFile {
                guard error.fault(ofFile: application.folders.tasks) != nil else { throw error }
                outcome.keptTasks = try setListAside()
                try replaceTasks(by: tasks, items, &outcome)
            }
            application.errors.tasks = nil
        }
        if let settings {
            try SettingsFile(application.folders).restore(settings)
            outcome.hasSettings = true
        }
        return outcome
    }

    private static func texts(_ items: [SecretItem]) -> [ProtectedTextID] {
        items.filter { $0.name.service == ProtectedText.service }
            .compactMap { ProtectedTextID($0.name.account) }
    }

    /// Copies the existing list and replaces it, under a lock against other programs.
    private func replaceTasks(
        by tasks: TaskCopy, _ items: () throws -> [SecretItem], _ outcome: inout Outcome
    ) throws {
        let repository = try place.open(.changing)
        defer { repository.close() }
        var kept: String?
        let replaced = try tasks.replaceAll(
            in: repository, keeping: { kept = try keepTasks() },
            texts: { try Self.texts(items()) }, now: application.options.now())
        outcome.keptTasks = kept ?? outcome.keptTasks
        outcome.unprotectedTasks = replaced.unprotected
        outcome.tasks = try repository.count(TaskFilter())
    }

    /// Copies the existing list.
    private func keepTasks() throws -> String? {
        let old = try place.open(.reading)
        defer { old.close() }
        guard
            try old.count(TaskFilter()) + old.count(TaskFilter(.cleared)) > 0
                || !old.intents().isEmpty
        else { return nil }
        try old.backup(to: scratch + "/old-tasks.db")
        return try StagedVaultFile.moveAside(
            scratch + "/old-tasks.db", besides: application.folders.tasks)
    }

    /// Renames a file that cannot be used as a list.
    private func setListAside() throws -> String {
        let path = application.folders.tasks
        let kept = try StagedVaultFile.moveAside(path, besides: path)
        for suffix in VaultLocation.companionSuffixes where FileSystem.exists(path + suffix) {
            try FileSystem.rename(path + suffix, to: kept + suffix)
        }
        return kept
    }
}

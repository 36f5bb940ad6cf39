internal import Database
internal import Platform
package import Tasks
package import VaultCore
internal import VaultStorage

/// The place of the tasks.
package struct TaskDatabasePlace: Sendable {
    /// The setting: `sqlite`, or an address without a password.
    package let setting: String
    /// The name in messages.
    package let title: String
    private let kind: Kind
    private let settings: SettingsFile
    private let rule: SeenTaskRule
    private let note: @Sendable (RollbackRecordError) -> Void

    private enum Kind {
        case file(String, folder: String)
        case server(PostgreSQLAddress)
    }

    /// Parses the setting `database`.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - folders: The folders of the vault and of this machine's records.
    ///   - rule: The treatment of a list that lacks a change which this machine saw.
    ///   - note: Receives a failure to read or write the record of that change.
    /// - Throws: A failure if the setting is invalid.
    package init(
        _ setting: String, _ folders: VaultFolders, _ rule: SeenTaskRule = .requiring,
        noting note: @escaping @Sendable (RollbackRecordError) -> Void = { _ in }
    ) throws {
        self.setting = setting
        self.rule = rule
        self.note = note
        settings = SettingsFile(folders)
        if setting == StoredSetting.database.standard {
            kind = .file(folders.tasks, folder: folders.vault)
            title = folders.tasks
            return
        }
        let address = try PostgreSQLAddress(setting, of: .database, folders)
        kind = .server(address)
        title = address.title
    }

    /// Whether the place is a file of this machine.
    package var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Whether the settings still name this place; false if they cannot be read.
    package var isCurrent: Bool { (try? settings.read())?[.database] == setting }

    /// Opens the database as the list. Once the settings name another place, this one refuses
    /// changes.
    package func openCurrent(_ use: VaultUse) throws -> TaskRepository {
        try open(use) { isCurrent }
    }

    /// Opens the database. Changing creates a missing file; reading treats it as empty. A list that lacks a change which this machine saw
    /// is refused.
    package func open(
        _ use: VaultUse, whileCurrent isCurrent: @escaping @Sendable () -> Bool = { true }
    ) throws -> TaskRepository {
        let seen = try record()
        switch kind {
        case .server(let address):
            return try TaskRepository.openOrCreate(
                .server(address), whileCurrent: isCurrent, after: seen)
        case .file(let path, let folder):
            switch use {
            case .reading:
                return try openToRead(path, isCurrent, seen)
                    ?? TaskRepository.openOrCreate(.memory, after: seen)
            case .changing:
                try VaultLocation.prepareFolder(at: folder)
                return try TaskRepository.openOrCreate(
                    .file(path), whileCurrent: isCurrent, after: seen)
            }
        }
    }

    /// Opens a file to list tasks: for writing if possible, so that old tasks are cleared,
    /// otherwise for reading.
    private func openToRead(
        _ path: String, _ isCurrent: @escaping @Sendable () -> Bool, _ seen: TaskHeadRecord?
    ) throws -> TaskRepository? {
        do {
            return try TaskRepository.open(.file(path), whileCurrent: isCurrent, after: seen)
        } catch DatabaseError.readOnly, DatabaseError.full {
            return try TaskRepository.open(
                .file(path), DatabaseOptions(mode: .readOnly), whileCurrent: isCurrent, after: seen)
        }
    }

    /// Forgets which changes of the list this machine saw, after it moved the list away.
    package func forgetSeen() {
        try? record()?.remove()
    }

    /// This machine's record of the list; nil if there is no folder for it.
    private func record() throws -> TaskHeadRecord? {
        guard let folder = settings.folders.rollbackRecords else {
            note(AbsentRollbackRecords.absence)
            return nil
        }
        do {
            let place =
                if case .file(let path, _) = kind {
                    try SafeFolder.resolveExistingPart(FileSystem.absolute(path))
                } else {
                    setting
                }
            return try TaskHeadRecord(in: folder, of: place, rule, noting: note)
        } catch let error as UnusableFile {
            throw DatabaseError.unsafeLocation(path: error.path, reason: error.reason)
        } catch let error as SystemFailure {
            note(.unavailable(path: folder, code: error.code))
            return nil
        }
    }
}

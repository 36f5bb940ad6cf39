internal import Database
package import Tasks
internal import VaultStorage

/// The place of the tasks.
package struct TaskDatabasePlace: Sendable {
    /// The setting: `sqlite`, or an address without a password.
    package let setting: String
    /// The name in messages.
    package let title: String
    private let kind: Kind
    private let settings: SettingsFile

    private enum Kind {
        case file(String, folder: String)
        case server(PostgreSQLAddress)
    }

    /// Parses the setting `database`.
    package init(_ setting: String, _ folders: VaultFolders) throws {
        self.setting = setting
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

    /// Opens the database. Changing creates a missing file; reading treats it as empty.
    package func open(
        _ use: VaultUse, whileCurrent isCurrent: @escaping @Sendable () -> Bool = { true }
    ) throws -> TaskRepository {
        switch kind {
        case .server(let address):
            return try TaskRepository.openOrCreate(.server(address), whileCurrent: isCurrent)
        case .file(let path, let folder):
            switch use {
            case .reading: return try openToRead(path, isCurrent) ?? TaskRepository.inMemory()
            case .changing:
                try VaultLocation.prepareFolder(at: folder)
                return try TaskRepository.openOrCreate(.file(path), whileCurrent: isCurrent)
            }
        }
    }

    /// Opens a file to list tasks: for writing if possible, so that old tasks are cleared,
    /// otherwise for reading.
    private func openToRead(
        _ path: String, _ isCurrent: @escaping @Sendable () -> Bool
    ) throws -> TaskRepository? {
        do {
            return try TaskRepository.open(.file(path), whileCurrent: isCurrent)
        } catch DatabaseError.readOnly, DatabaseError.full {
            return try TaskRepository.open(
                .file(path), DatabaseOptions(mode: .readOnly), whileCurrent: isCurrent)
        }
    }
}

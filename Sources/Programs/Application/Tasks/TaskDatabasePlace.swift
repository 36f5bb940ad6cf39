internal import Database
package import Tasks
internal import VaultStorage

/// Where the tasks are.
package struct TaskDatabasePlace: Sendable {
    /// The setting: `sqlite`, or an address without a password.
    package let setting: String
    /// How messages name it.
    package let title: String
    private let kind: Kind
    private let settings: SettingsFile

    private enum Kind {
        case file(String, folder: String)
        case server(PostgreSQLAddress)
    }

    /// Understands the setting `database`.
    package init(_ setting: String, _ folders: VaultFolders) throws {
        self.setting = setting
        settings = SettingsFile(folders)
        if setting == Setting.database.standard {
            kind = .file(folders.tasks, folder: folders.vault)
            title = folders.tasks
            return
        }
        let address = try PostgreSQLAddress(setting, of: .database, folders)
        kind = .server(address)
        title = address.title
    }

    /// Whether it is a file of this machine.
    package var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Whether the settings say now that the list is here; not where they cannot be read.
    package var isCurrent: Bool { (try? settings.read())?[.database] == setting }

    /// Opens it as the list. As soon as the list is in another place, nothing can be changed here.
    package func openCurrent(_ use: VaultUse) throws -> TaskRepository {
        try open(use) { isCurrent }
    }

    /// Opens it. A file that is missing is made for changes; for reading it is as good as empty.
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

    /// Opens a file to list tasks: for writing where that is possible, so that old ones are cleared; else for reading.
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

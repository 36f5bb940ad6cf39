internal import CommandLine
internal import Database
internal import Tasks
internal import VaultStorage

/// Where the tasks are.
struct TaskDatabasePlace: Sendable {
    /// The setting: `sqlite`, or an address without a password.
    let setting: String
    /// How messages name it.
    let title: String
    private let kind: Kind
    private let settings: SettingsFile

    private enum Kind {
        case file(String, folder: String)
        case server(PostgreSQLAddress)
    }

    /// Understands the setting `database`.
    init(_ setting: String, _ folders: VaultFolders) throws {
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
    var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Whether the settings say now that the list is here; not where they cannot be read.
    var isCurrent: Bool { (try? settings.read())?[.database] == setting }

    /// Opens it as the list, as ``open(_:)`` does. As soon as the list is in another place, nothing can be changed here.
    func openCurrent(_ use: VaultUse) throws -> any TaskRepository {
        MovableTaskRepository(try open(use)) { isCurrent }
    }

    /// Opens it. A file that is missing is made for changes; for reading it is as good as empty.
    func open(_ use: VaultUse) throws -> any TaskRepository {
        switch kind {
        case .server(let address): return try PostgreSQLTaskRepository.open(address)
        case .file(let path, let folder):
            switch use {
            case .reading:
                return try SQLiteTaskRepository.openToRead(at: path) ?? MemoryTaskRepository()
            case .changing:
                do {
                    try VaultLocation.prepareFolder(at: folder)
                } catch {
                    throw TaskRepositoryError(error)
                }
                return try SQLiteTaskRepository.openOrCreate(at: path)
            }
        }
    }
}

extension SQLiteTaskRepository {
    /// Opens a file to list tasks: for writing where that is possible, so that old ones are cleared; else for reading.
    ///
    /// - Returns: nil if there is no file.
    fileprivate static func openToRead(
        at path: String
    ) throws -> SQLiteTaskRepository? {
        do {
            return try open(at: path, mode: .readWrite)
        } catch TaskRepositoryError.readOnly, TaskRepositoryError.full {
            return try open(at: path, mode: .readOnly)
        }
    }
}

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
    private let preferences: String?

    private enum Kind {
        case file(String, folder: String)
        case server(PostgreSQLAddress)
    }

    /// Understands the setting `database`.
    init(_ setting: String, _ folders: VaultFolders) throws(CommandFailure) {
        self.setting = setting
        preferences = folders.preferences
        if setting == Preference.database.standard {
            kind = .file(folders.tasks, folder: folders.vault)
            title = folders.tasks
            return
        }
        let address = try PostgreSQLAddress(setting: setting, .database, folders)
        kind = .server(address)
        title = address.title
    }

    /// Whether it is a file of this machine.
    var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Whether the settings say now that the list is here; not where they cannot be read.
    var isCurrent: Bool {
        guard let preferences else { return setting == Preference.database.standard }
        return (try? PreferenceFile(path: preferences))?[.database] == setting
    }

    /// Opens it as the list, as ``open(_:)`` does. As soon as the list is in another place, nothing can be changed here.
    func openCurrent(_ use: VaultUse) throws(TaskRepositoryError) -> any TaskRepository {
        MovableTaskRepository(try open(use)) { isCurrent }
    }

    /// Opens it. A file that is missing is made for changes; for reading it is as good as empty.
    func open(_ use: VaultUse) throws(TaskRepositoryError) -> any TaskRepository {
        switch kind {
        case .server(let address): return try PostgreSQLTaskRepository.open(address)
        case .file(let path, let folder):
            switch use {
            case .reading:
                return try SQLiteTaskRepository.openToRead(at: path) ?? MemoryTaskRepository()
            case .changing:
                do throws(StorageError) {
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
    /// - Returns: nil where there is no file.
    fileprivate static func openToRead(
        at path: String
    ) throws(TaskRepositoryError) -> SQLiteTaskRepository? {
        do throws(TaskRepositoryError) {
            return try open(at: path, mode: .readWrite)
        } catch {
            guard error == .readOnly || error == .full else { throw error }
            return try open(at: path, mode: .readOnly)
        }
    }
}

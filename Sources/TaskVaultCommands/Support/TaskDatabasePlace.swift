internal import TodoTaskStorage
internal import TodoTasks
internal import VaultStorage

/// Where the tasks are.
struct TaskDatabasePlace: Sendable {
    /// The setting: `sqlite`, or an address without a password.
    let setting: String
    /// How messages name it.
    let title: String
    private let kind: Kind

    private enum Kind {
        case file(String, folder: String)
        case server(PostgreSQLAddress)
    }

    /// Understands the setting `database`.
    init(_ setting: String, _ folders: VaultFolders) throws(CommandFailure) {
        self.setting = setting
        if setting == Preference.database.standard {
            kind = .file(folders.tasks, folder: folders.vault)
            title = folders.tasks
            return
        }
        let address = PostgreSQLAddress(setting)
        kind = .server(address)
        title = address.text
    }

    /// Whether it is a file of this machine.
    var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Opens it. A file that is missing is made for changes; for reading it is as good as empty.
    func open(_ use: VaultUse) throws(TaskRepositoryError) -> any TaskRepository {
        switch kind {
        case .server(let address): return try PostgreSQLTaskRepository(address)
        case .file(let path, let folder):
            if !FileSystem.exists(path) {
                if use == .reading { return MemoryTaskRepository() }
                do throws(StorageError) {
                    try VaultLocation.prepareFolder(at: folder)
                } catch {
                    throw TaskRepositoryError(error)
                }
            }
            return try SQLiteTaskRepository(path: path)
        }
    }
}

internal import CommandLine
internal import Database
internal import VaultStorage

/// Where the vault's records are: a file of this machine, or a PostgreSQL database.
struct VaultSource: Sendable {
    private enum Kind {
        case file(String)
        case server(String)
    }

    private let kind: Kind
    /// How messages name it.
    let title: String

    /// Understands the setting `vault`.
    init(_ setting: String, _ folders: VaultFolders) throws(CommandFailure) {
        if setting == Preference.vault.standard {
            kind = .file(folders.file)
            title = folders.file
            return
        }
        let address = try PostgreSQLAddress(setting: setting, .vault, folders)
        kind = .server(address.text)
        title = address.title
    }

    /// Whether it is a file of this machine.
    var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Whether there is something, as far as that is known without asking a server.
    var mayExist: Bool {
        switch kind {
        case .file(let path): FileSystem.exists(path)
        case .server: true
        }
    }

    /// Opens it.
    func open(_ mode: StorageMode) throws(StorageError) -> any RecordStorage {
        switch kind {
        case .file(let path): try SQLiteRecordStorage.open(at: path, mode: mode)
        case .server(let address): try PostgreSQLRecordStorage.open(at: address, mode: mode)
        }
    }

    /// Makes the tables of a vault in a database; opens them where they are there already.
    ///
    /// - Returns: nil for a file.
    func openOrCreateTables() throws(StorageError) -> (any RecordStorage)? {
        guard case .server(let address) = kind else { return nil }
        do throws(StorageError) {
            return try PostgreSQLRecordStorage.create(at: address)
        } catch .alreadyExists {
            return try PostgreSQLRecordStorage.open(at: address, mode: .readWrite)
        }
    }
}

extension CommandContext {
    /// Where this invocation's vault is.
    func vaultSource() throws(CommandFailure) -> VaultSource {
        try VaultSource(try preferences()[.vault], folders)
    }
}

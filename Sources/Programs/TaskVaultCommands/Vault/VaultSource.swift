internal import CommandLine
internal import Database
internal import Platform
internal import VaultStorage

/// Where the vault's records are: a file of this machine, or a PostgreSQL database.
struct VaultSource: Sendable {
    private enum Kind {
        case file(String)
        case server(PostgreSQLAddress)
    }

    private let kind: Kind
    /// The setting: `file`, or an address without a password.
    let setting: String
    /// How messages name it.
    let title: String

    /// Understands the setting `vault`.
    init(_ setting: String, _ folders: VaultFolders) throws {
        self.setting = setting
        if setting == Setting.vault.standard {
            kind = .file(folders.file)
            title = folders.file
            return
        }
        let address = try PostgreSQLAddress(setting, of: .vault, folders)
        kind = .server(address)
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
    func open(_ mode: StorageMode) throws -> any RecordStorage {
        try VaultDatabase.open(place, mode: mode)
    }

    private var place: DatabasePlace {
        switch kind {
        case .file(let path): .file(path)
        case .server(let address): .server(address)
        }
    }

    /// Creates the tables of a vault in a database; opens existing ones.
    ///
    /// - Returns: nil for a file.
    func openOrCreateTables() throws -> (any RecordStorage)? {
        guard case .server = kind else { return nil }
        do {
            return try VaultDatabase.create(place)
        } catch DatabaseError.alreadyExists {
            return try VaultDatabase.open(place, mode: .readWrite)
        }
    }
}

extension PostgreSQLAddress {
    /// Parses the address that a setting gives.
    ///
    /// - Throws: A failure of wrong usage; it does not repeat the address, which may hold a password.
    init(_ text: String, of setting: Setting, _ folders: VaultFolders) throws {
        if let fault = Self.fault(in: text) { throw CommandFailure(fault, setting.name, folders) }
        try self.init(text)
    }

    /// How messages name the server, without the parameters for libpq.
    var title: String { String(text.prefix { $0 != "?" }) }
}

extension CommandFailure {
    fileprivate init(
        _ fault: PostgreSQLAddress.Fault, _ name: String, _ folders: VaultFolders
    ) {
        switch fault {
        case .libraryMissing:
            self.init(
                .failure, code: "no_libpq",
                "PostgreSQL needs libpq, which this system does not have",
                hint: "on Debian: apt install libpq5")
        case .malformed:
            self.init(
                .usage, "the \(name) address is malformed",
                hint: folders.command("settings set \(name) postgresql://ada@db.example/tasks"))
        case .passwordInAddress:
            self.init(
                .usage, code: "password_in_address", "the \(name) address holds a password",
                hint:
                    "write a line host:port:database:user:password into ~/.pgpass instead")
        case .refusedParameter(let parameter):
            self.init(.usage, "the \(name) address sets \(parameter), which is not allowed")
        case .weakSecurity:
            self.init(
                .usage, code: "weak_security",
                "the \(name) address allows an unverified connection to another machine",
                hint: "omit sslmode: the default is verify-full")
        }
    }
}

/// The place where `init` and `restore` put a vault file; the agent of a vault on a server lives there, too.
struct VaultPlace {
    private let context: CommandContext

    /// Makes the place of the invocation's vault.
    init(_ context: CommandContext) {
        self.context = context
    }

    /// Whether something is there, a dangling symbolic link included.
    var isTaken: Bool { FileSystem.exists(context.folders.file) }

    /// Refuses a place where something is.
    func requireFree() throws {
        guard !isTaken else { throw DatabaseError.alreadyExists }
    }

    /// Makes the folder, mode 0700, if it is missing.
    ///
    /// - Returns: Whether it was missing.
    func makeFolder() throws -> Bool {
        let folder = context.folders.vault
        let isMissing = !FileSystem.exists(folder)
        do {
            try VaultLocation.prepareFolder(at: folder)
        } catch DatabaseError.notFound {
            throw CommandFailure(
                .notFound, code: "no_folder", "there is no folder for \(folder)")
        } catch DatabaseError.alreadyExists {
            throw CommandFailure(
                .alreadyExists, code: "not_a_folder", "\(folder) is not a folder")
        } catch DatabaseError.readOnly {
            throw Self.failure("read_only", folder, FileSystem.creationPermissionFailure(folder))
        } catch DatabaseError.inputOutput(_, let code) {
            throw Self.failure(
                "input_output", folder,
                SystemFailure("mkdir", code: Int32(truncatingIfNeeded: code)))
        }
        return isMissing
    }

    private static func failure(
        _ code: String, _ folder: String, _ reason: SystemFailure?
    ) -> CommandFailure {
        CommandFailure(
            .failure, code: code,
            "cannot create the folder \(folder): \(reason?.explanation ?? "it cannot be written")")
    }

    /// Takes a folder away again that was made for nothing. Only an empty one can be removed.
    func removeFolder() {
        _ = unsafe rmdir(context.folders.vault)
    }
}

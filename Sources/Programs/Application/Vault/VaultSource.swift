package import Database
internal import Platform
internal import TextCoding
package import VaultStorage

/// The place of the vault's records: a file of this machine, or a PostgreSQL database.
package struct VaultSource: Sendable {
    private enum Kind {
        case file(String)
        case server(PostgreSQLAddress)
    }

    private let kind: Kind
    /// The setting: `file`, or an address without a password.
    package let setting: String
    /// The name in messages.
    package let title: String

    /// Parses the setting `vault`.
    package init(_ setting: String, _ folders: VaultFolders) throws {
        self.setting = setting
        if setting == StoredSetting.vault.standard {
            kind = .file(folders.file)
            title = folders.file
            return
        }
        let address = try PostgreSQLAddress(setting, of: .vault, folders)
        kind = .server(address)
        title = address.title
    }

    /// Whether the place is a file of this machine.
    package var isFile: Bool {
        if case .file = kind { true } else { false }
    }

    /// Whether the place may have a vault, without a request to a server.
    package var mayExist: Bool {
        switch kind {
        case .file(let path): FileSystem.mayExist(path)
        case .server: true
        }
    }

    /// Opens the storage.
    package func open(_ mode: StorageMode) throws -> any RecordStorage {
        try VaultDatabase.open(place, mode: mode)
    }

    private var place: DatabasePlace {
        switch kind {
        case .file(let path): .file(path)
        case .server(let address): .server(address)
        }
    }

    /// Creates the tables of a vault in a database, or opens existing tables.
    ///
    /// - Returns: nil for a file.
    package func openOrCreateTables() throws -> (any RecordStorage)? {
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
    /// - Throws: A failure of wrong usage. It omits the address, which may contain a password.
    init(_ text: String, of setting: StoredSetting, _ folders: VaultFolders) throws {
        if let fault = Self.fault(in: text) { throw Failure(fault, setting.name, folders) }
        try self.init(text)
    }

    /// The name of the server in messages, without the parameters for libpq.
    package var title: String { String(text.prefix { $0 != "?" }) }
}

extension Failure {
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

internal import Accounts
internal import Database
internal import Platform
internal import TextCoding

/// The location of the account database.
enum AccountDatabasePlace: Sendable, Hashable {
    /// An SQLite file.
    case file(String)
    /// A PostgreSQL server.
    case server(PostgreSQLAddress)

    /// Parses the setting; nil for a text that is neither a path nor an address.
    ///
    /// - Throws: `DatabaseError.unreachable` for an invalid address.
    init?(_ text: String) throws {
        if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            self = .server(try PostgreSQLAddress(text))
        } else {
            guard !text.isEmpty, !text.utf8.contains(0), !text.has("://") else { return nil }
            self = .file(text)
        }
    }

    /// Describes the error of the setting; nil for a valid text.
    static func violation(_ text: String) -> String? {
        do {
            if try AccountDatabasePlace(text) != nil { return nil }
            return "takes the path of a file, or an address such as postgresql://host/name"
        } catch {
            return "cannot be used: \(PostgreSQLAddress.fault(in: text)?.reason ?? "")"
        }
    }

    /// The remedy for an address with a password; nil for any other text.
    static func hint(_ text: String) -> String? {
        PostgreSQLAddress.fault(in: text) == .passwordInAddress
            ? "write a line host:port:database:user:password into ~/.pgpass instead" : nil
    }

    /// The location in messages, without the parameters of an address.
    var title: String {
        switch self {
        case .file(let path): path
        case .server(let address): String(address.text.prefix { $0 != "?" })
        }
    }

    /// The text of the setting.
    var text: String {
        switch self {
        case .file(let path): path
        case .server(let address): address.text
        }
    }

    /// The place with the whole path of a file.
    var absolute: AccountDatabasePlace {
        switch self {
        case .file(let path): .file(FileSystem.absolute(path))
        case .server: self
        }
    }

    /// Whether the database is a file on this machine.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// Opens the database, and creates it if it does not exist.
    ///
    /// - Parameter connections: The largest number of connections to a server.
    /// - Returns: The accounts.
    /// - Throws: `DatabaseError`.
    func openOrCreate(connections: Int) throws -> AccountRepository {
        switch self {
        case .server(let address):
            return try AccountRepository.openOrCreate(
                .server(address), DatabaseOptions(connections: connections))
        case .file(let path):
            try VaultLocation.prepareFolder(at: Self.folder(of: path))
            return try AccountRepository.openOrCreate(.file(path))
        }
    }

    /// Opens the database for an operator's command. Missing tables on a server are created.
    ///
    /// - Throws: `DatabaseError`, for example `notFound` for a file that does not exist.
    func open() throws -> AccountRepository {
        switch self {
        case .server: try openOrCreate(connections: 2)
        case .file(let path): try AccountRepository.open(.file(path))
        }
    }

    /// Checks that the database can be opened or created, without creating it.
    ///
    /// - Throws: `DatabaseError`, for example `foreign` for tables of another program.
    func check() throws {
        let place: DatabasePlace
        switch self {
        case .server(let address): place = .server(address)
        case .file(let path):
            try VaultLocation.checkWritable(path: path)
            place = .file(path)
        }
        do {
            try AccountRepository.open(place, DatabaseOptions(mode: .readOnly)).close()
        } catch DatabaseError.notFound {
            // The server creates the database at its start.
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

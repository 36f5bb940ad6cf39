internal import AccountStorage
internal import Accounts
internal import Database
internal import VaultStorage

/// The location of the account database.
enum AccountDatabasePlace: Sendable, Hashable {
    /// An SQLite file.
    case file(String)
    /// A PostgreSQL server.
    case server(PostgreSQLAddress)

    /// Reads the setting; nil for a text that is neither a path nor an address.
    ///
    /// - Throws: `PostgreSQLAddress.Failure`.
    init?(_ text: String) throws {
        if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            self = .server(try PostgreSQLAddress(text))
        } else {
            guard !text.isEmpty, !text.utf8.contains(0), !text.contains("://") else { return nil }
            self = .file(text)
        }
    }

    /// Describes the error of the setting; nil for an accepted text.
    static func violation(_ text: String) -> String? {
        do {
            if try AccountDatabasePlace(text) != nil { return nil }
            return "takes the path of a file, or an address such as postgresql://host/name"
        } catch let error as PostgreSQLAddress.Failure {
            return explanation(of: error)
        } catch {
            return "cannot be read"
        }
    }

    private static func explanation(of error: PostgreSQLAddress.Failure) -> String {
        switch error {
        case .libraryMissing:
            "names a PostgreSQL server, which requires libpq (on Debian: apt install libpq5)"
        case .malformed: "is not an address such as postgresql://user@host/name"
        case .passwordInAddress:
            "contains a password: remove it, and write a line host:port:database:user:password into ~/.pgpass"
        case .refusedParameter(let parameter): "sets \(parameter), which is not allowed"
        case .weakSecurity:
            "asks for less than a verified connection to another machine: remove sslmode"
        }
    }

    /// The location in messages, without the parameters of an address.
    var title: String {
        switch self {
        case .file(let path): path
        case .server(let address): String(address.text.prefix { $0 != "?" })
        }
    }

    /// Whether it is a file of this machine.
    var isFile: Bool {
        if case .file = self { true } else { false }
    }

    /// Opens the database, and makes it first if it does not exist.
    ///
    /// - Parameter connections: The largest number of connections to a server.
    /// - Returns: The repository.
    /// - Throws: `AccountRepositoryError`.
    func openOrCreate(connections: Int) throws -> any AccountRepository {
        switch self {
        case .server(let address):
            return try PostgreSQLAccountRepository.open(address, connections: connections)
        case .file(let path):
            do throws(StorageError) {
                try VaultLocation.prepareFolder(at: Self.folder(of: path))
            } catch {
                throw AccountRepositoryError(error)
            }
            return try SQLiteAccountRepository.openOrCreate(at: path)
        }
    }

    /// Opens the database; nil if it does not exist.
    ///
    /// - Throws: `AccountRepositoryError`.
    func open() throws -> (any AccountRepository)? {
        guard case .file(let path) = self else { return try openOrCreate(connections: 2) }
        return try SQLiteAccountRepository.open(at: path, mode: .readWrite)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

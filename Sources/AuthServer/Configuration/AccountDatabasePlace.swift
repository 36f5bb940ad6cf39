internal import Database

/// Where the accounts are.
enum AccountDatabasePlace: Sendable, Hashable {
    /// An SQLite file.
    case file(String)
    /// A PostgreSQL server.
    case server(PostgreSQLAddress)

    /// Understands the setting.
    init(_ text: String) throws(InvalidValue) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            guard !text.isEmpty, !text.utf8.contains(0), !text.contains("://") else {
                throw InvalidValue(
                    reason: "takes the path of a file, or an address such as postgresql://host/name"
                )
            }
            self = .file(text)
            return
        }
        do throws(PostgreSQLAddress.Failure) {
            self = .server(try PostgreSQLAddress(text))
        } catch {
            throw InvalidValue(reason: error.explanation)
        }
    }

    /// How messages name it; parameters of an address are for libpq, not for people.
    var title: String {
        switch self {
        case .file(let path): path
        case .server(let address): String(address.text.prefix { $0 != "?" })
        }
    }
}

extension PostgreSQLAddress.Failure {
    /// What is wrong, behind the name of the setting.
    fileprivate var explanation: String {
        switch self {
        case .libraryMissing:
            "names a PostgreSQL server, which needs libpq (on Debian: apt install libpq5)"
        case .malformed: "is not an address such as postgresql://user@host/name"
        case .passwordInAddress:
            "holds a password: leave it out and write a line host:port:database:user:password into ~/.pgpass"
        case .refusedParameter(let parameter): "sets \(parameter), which is not to be set there"
        case .weakSecurity:
            "asks for less than a verified connection to another machine: leave sslmode out"
        }
    }
}

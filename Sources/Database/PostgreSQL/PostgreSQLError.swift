/// Why a call on a PostgreSQL connection failed.
///
/// It never holds a message of the server or of libpq, because messages may quote values and addresses.
public enum PostgreSQLError: Error, Sendable, Hashable {
    /// libpq is not installed.
    case libraryMissing
    /// No server answers at the address.
    case unreachable
    /// No sufficiently secure connection is possible: the server has no TLS, or its certificate is untrusted or for another host.
    case notSecure
    /// The server requires a password, and the password file has none for it.
    case passwordMissing
    /// The server refused the connection.
    case refused(SQLState)
    /// The server did not answer in time. The outcome of the request is unknown; the connection is closed.
    case timedOut
    /// The connection was lost. The outcome of the last request is unknown.
    case connectionLost
    /// The server refused a statement.
    case server(SQLState)
    /// A column is missing or has an unexpected type.
    case mismatch
    /// The answer exceeds the size limit of the options; the connection is closed.
    case tooLarge
    /// The connection was already closed.
    case closed
    /// An inconsistent call, such as other parameter types for the same statement.
    case misuse
    /// Memory is exhausted.
    case outOfMemory
}

/// An SQLSTATE error code (PostgreSQL documentation, appendix A).
public struct SQLState: RawRepresentable, Sendable, Hashable {
    /// Five digits or capital letters.
    public let rawValue: String

    /// Creates a code; nil for invalid text.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 5,
            rawValue.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters, the class of the error.
    public var category: String { String(rawValue.prefix(2)) }
}

extension SQLState {
    /// Concurrent transactions conflict; one of them must be retried.
    public static let serializationFailure = Self(known: "40001")
    /// Two transactions waited for each other.
    public static let deadlock = Self(known: "40P01")
    /// A lock was not available in time.
    public static let lockNotAvailable = Self(known: "55P03")
    /// The statement exceeded its timeout or was cancelled.
    public static let queryCancelled = Self(known: "57014")
    /// The transaction has failed; it can neither continue nor commit.
    public static let failedTransaction = Self(known: "25P02")
    /// A write in a read-only transaction or on a read-only server.
    public static let readOnlyTransaction = Self(known: "25006")
    /// The user lacks the privilege.
    public static let insufficientPrivilege = Self(known: "42501")
    /// The table does not exist.
    public static let undefinedTable = Self(known: "42P01")
    /// The table already exists.
    public static let duplicateTable = Self(known: "42P07")
    /// The schema does not exist.
    public static let undefinedSchema = Self(known: "3F000")
    /// The database does not exist.
    public static let undefinedDatabase = Self(known: "3D000")
    /// The key already exists.
    public static let uniqueViolation = Self(known: "23505")
    /// The password was wrong.
    public static let invalidPassword = Self(known: "28P01")
    /// No space left on the server.
    public static let diskFull = Self(known: "53100")
    /// The server's memory is exhausted.
    public static let outOfMemory = Self(known: "53200")
    /// The server has reached its connection limit.
    public static let tooManyConnections = Self(known: "53300")
}

/// Why a call did not do what it was asked.
///
/// Never a text of the server's or of libpq's: these may quote values, addresses and worse.
public enum PostgreSQLError: Error, Sendable, Hashable {
    /// The system has no libpq.
    case libraryMissing
    /// No server answers at the address.
    case unreachable
    /// No connection came about that is as safe as it has to be: the server has no TLS, or its certificate is not trusted or is another's.
    case notSecure
    /// The server wants a password, and no password file has one for it.
    case passwordMissing
    /// The server does not let us in.
    case refused(SQLState)
    /// The server did not answer in time. What it was asked may or may not have happened; the connection is closed.
    case timedOut
    /// The connection ended. What the server was asked last may or may not have happened.
    case connectionLost
    /// The server refused a statement.
    case server(SQLState)
    /// A column has another type than the caller expected, or is not there.
    case mismatch
    /// The answer is larger than the options allow; the connection is closed.
    case tooLarge
    /// The connection was closed before.
    case closed
    /// A call that does not fit the one before, such as other types of parameters for the same statement.
    case misuse
    /// Memory is used up.
    case outOfMemory
}

/// A code by which PostgreSQL tells why it failed (PostgreSQL's documentation, appendix A).
public struct SQLState: RawRepresentable, Sendable, Hashable {
    /// Five digits or capital letters.
    public let rawValue: String

    /// Makes a code; nil for what is none.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 5,
            rawValue.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters, which say what kind of failure it is.
    public var category: String { String(rawValue.prefix(2)) }
}

extension SQLState {
    /// Transactions at the same time cannot both be had; one of them is to be tried again.
    public static let serializationFailure = Self(known: "40001")
    /// Two transactions waited for each other.
    public static let deadlock = Self(known: "40P01")
    /// A lock was not to be had in time.
    public static let lockNotAvailable = Self(known: "55P03")
    /// The statement took longer than it may, or somebody cancelled it.
    public static let queryCancelled = Self(known: "57014")
    /// A transaction that failed before cannot go on, nor be committed.
    public static let failedTransaction = Self(known: "25P02")
    /// Something was to be written in a transaction, or on a server, that only reads.
    public static let readOnlyTransaction = Self(known: "25006")
    /// The user may not do this.
    public static let insufficientPrivilege = Self(known: "42501")
    /// There is no such table.
    public static let undefinedTable = Self(known: "42P01")
    /// There is a table of this name.
    public static let duplicateTable = Self(known: "42P07")
    /// There is no such schema.
    public static let undefinedSchema = Self(known: "3F000")
    /// There is no such database.
    public static let undefinedDatabase = Self(known: "3D000")
    /// A key was taken already.
    public static let uniqueViolation = Self(known: "23505")
    /// The password was wrong.
    public static let invalidPassword = Self(known: "28P01")
    /// No space left on the server.
    public static let diskFull = Self(known: "53100")
    /// The server has no memory left.
    public static let outOfMemory = Self(known: "53200")
    /// The server has as many clients as it takes.
    public static let tooManyConnections = Self(known: "53300")
}

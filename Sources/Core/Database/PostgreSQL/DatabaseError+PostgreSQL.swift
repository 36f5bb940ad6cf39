/// Failures of a connection. None contains a message of the server or of libpq, because messages may quote values and addresses.
extension DatabaseError {
    static let libraryMissing = unreachable(reason: "libpq is not installed")
    static let noServer = unreachable(reason: "cannot connect to the server")
    /// The server has no TLS, or its certificate is untrusted or for another host.
    static let notSecure = unreachable(
        reason: "the server's certificate is not trusted, or it has none")
    /// The server asks for the password in plaintext, or does not prove that it knows the password.
    static let notAuthenticated = unreachable(
        reason: "the server does not offer SCRAM-SHA-256 with channel binding")
    /// Another user's process listens on the Unix socket.
    static let otherUser = unreachable(
        reason: "the server behind the socket does not run as the expected user; see requirepeer")
    static let passwordMissing = unreachable(
        reason: "the server requires a password, and .pgpass has none for it")
    /// The server did not respond in time. The outcome of the request is unknown; the connection is closed.
    static let timedOut = unreachable(reason: "the server did not respond in time")
    /// The connection was lost. The outcome of the last request is unknown.
    static let connectionLost = unreachable(reason: "the connection was lost")
    /// An inconsistent call, such as other parameter types for the same statement.
    static let misuse = inputOutput(operation: "PostgreSQL", code: 0)

    /// Translates the rejection of a connection.
    init(refused state: SQLState) {
        self =
            switch state {
            case .invalidPassword: .unreachable(reason: "the password is wrong")
            case .undefinedDatabase: .unreachable(reason: "the server has no such database")
            case .tooManyConnections: .unreachable(reason: "the server has too many clients")
            default:
                .unreachable(reason: "the server refused the connection (\(state.rawValue))")
            }
    }

    /// Translates the failure of a statement.
    init(server state: SQLState) {
        self =
            switch state {
            case .tooManyConnections: .unreachable(reason: "the server has too many clients")
            case .lockNotAvailable, .serializationFailure, .deadlock, .queryCancelled: .busy
            case .readOnlyTransaction: .readOnly
            case .insufficientPrivilege:
                .unreachable(reason: "the server's user lacks a privilege in this database")
            case .diskFull: .full
            case .outOfMemory: .outOfMemory
            case .divisionByZero: .tooLarge
            case .duplicateTable: .alreadyExists
            case .undefinedSchema: .damaged(reason: "the tables differ from the expected ones")
            default:
                switch state.category {
                case "22", "23", "42": .damaged(reason: "the tables differ from the expected ones")
                case "XX": .damaged(reason: "the server found damaged data")
                default: .unreachable(reason: "the server failed (\(state.rawValue))")
                }
            }
    }
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
    /// Another row already has this value of a unique column or of the primary key.
    public static let uniqueViolation = Self(known: "23505")
    /// The password was wrong.
    public static let invalidPassword = Self(known: "28P01")
    /// A row of ``PostgreSQLConnection/rows(_:_:)`` is too large. That query divides by zero then, and no other does.
    public static let divisionByZero = Self(known: "22012")
    /// No space left on the server.
    public static let diskFull = Self(known: "53100")
    /// The server's memory is exhausted.
    public static let outOfMemory = Self(known: "53200")
    /// The server has reached its connection limit.
    public static let tooManyConnections = Self(known: "53300")
}

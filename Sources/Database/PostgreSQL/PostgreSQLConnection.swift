internal import CPostgreSQL

/// A connection to one database of a PostgreSQL server.
///
/// Every call has a limit of time. Not thread-safe: whoever shares a connection puts a lock around it.
@safe public final class PostgreSQLConnection {
    let functions: UnsafePointer<cpostgresql_library>
    let options: PostgreSQLOptions
    private(set) var handle: OpaquePointer?
    /// Statements that were prepared, by the address of their SQL, which is a literal and so never moves.
    var statements: [UInt: PreparedName] = [:]

    /// A statement that the server knows by name.
    struct PreparedName {
        let name: String
        let types: [PostgreSQLType]
    }

    /// Connects, and waits until the server can be asked.
    ///
    /// The corresponding C functions are `PQconnectStart` and `PQconnectPoll`.
    public init(
        to address: PostgreSQLAddress, options: PostgreSQLOptions = PostgreSQLOptions()
    ) throws {
        guard let library = PostgreSQLLibrary.shared else { throw PostgreSQLError.libraryMissing }
        unsafe self.functions = unsafe library.functions
        self.options = options
        unsafe self.handle = unsafe library.functions.pointee.PQconnectStart(address.parameters)
        guard unsafe handle != nil else { throw PostgreSQLError.outOfMemory }
        do {
            try establish()
            // Whatever libpq makes of its parameters: nothing is sent without it.
            if !address.isLocal, unsafe functions.pointee.PQsslInUse(try open()) == 0 {
                throw PostgreSQLError.notSecure
            }
            try configure()
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// Closes the connection; what was not committed is undone. Closing twice is allowed.
    ///
    /// The corresponding C function is `PQfinish`.
    public func close() {
        statements = [:]
        unsafe functions.pointee.PQfinish(handle)
        unsafe handle = nil
    }

    /// Whether it can be used: it was not closed, and did not end by itself as far as is known.
    public var isOpen: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe functions.pointee.PQstatus(handle) == UInt32(cpostgresql_connection_ok)
    }

    /// The server's process for this connection. The corresponding C function is `PQbackendPID`.
    public var serverProcess: Int32 {
        unsafe functions.pointee.PQbackendPID(handle)
    }

    /// The handle, of a connection that was not closed.
    func open() throws -> OpaquePointer {
        guard let handle = unsafe handle else { throw PostgreSQLError.closed }
        return unsafe handle
    }
}

internal import CPostgreSQL

/// A connection to one database of a PostgreSQL server.
///
/// Every call has a timeout. Not thread-safe: protect a shared connection with a lock.
@safe public final class PostgreSQLConnection {
    let functions: UnsafePointer<cpostgresql_library>
    /// Tests change the timeout of an open connection.
    var options: PostgreSQLOptions
    private(set) var handle: OpaquePointer?
    /// Whether the server closed the connection.
    var wasLost = false
    /// Prepared statements by the address of their SQL: that of a literal is fixed, and a name keeps its ``ConstantText``.
    var statements: [UInt: PreparedName] = [:]

    /// The server's name for a prepared statement.
    struct PreparedName {
        let name: String
        let types: [PostgreSQLType]
        /// Kept, so that no other text gets its address.
        let constant: ConstantText?
    }

    /// Connects, and waits until the server accepts statements.
    ///
    /// The corresponding C functions are `PQconnectStart` and `PQconnectPoll`.
    public init(
        to address: PostgreSQLAddress, options: PostgreSQLOptions = PostgreSQLOptions()
    ) throws {
        guard let library = PostgreSQLLibrary.shared else { throw DatabaseError.libraryMissing }
        unsafe self.functions = unsafe library.functions
        self.options = options
        unsafe self.handle = unsafe library.functions.pointee.PQconnectStart(address.parameters)
        guard unsafe handle != nil else { throw DatabaseError.outOfMemory }
        do {
            try establish(isLocal: address.isLocal)
            // Check the result independently of libpq's parameters: never send a statement without TLS.
            if !address.isLocal, unsafe functions.pointee.PQsslInUse(try open()) == 0 {
                throw DatabaseError.notSecure
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

    /// Closes the connection; uncommitted changes are rolled back. A second call does nothing.
    ///
    /// The corresponding C function is `PQfinish`.
    public func close() {
        statements = [:]
        unsafe functions.pointee.PQfinish(handle)
        unsafe handle = nil
    }

    /// Whether the connection is usable: it was not closed, and no failure of it is known.
    public var isOpen: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe functions.pointee.PQstatus(handle) == UInt32(cpostgresql_connection_ok)
    }

    /// The process id of the server for this connection. The corresponding C function is `PQbackendPID`.
    public var serverProcess: Int32 {
        unsafe functions.pointee.PQbackendPID(handle)
    }

    /// The handle; throws if the connection is closed.
    func open() throws -> OpaquePointer {
        guard let handle = unsafe handle else { throw DatabaseError.closed }
        return unsafe handle
    }
}

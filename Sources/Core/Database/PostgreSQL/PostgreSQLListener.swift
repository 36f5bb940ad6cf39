internal import CPostgreSQL

/// A connection that hears what other sessions send by `NOTIFY`. Not thread-safe.
public final class PostgreSQLListener {
    private let connection: PostgreSQLConnection

    /// Connects and begins to listen.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - channel: The name of the channel, an identifier.
    /// - Throws: ``DatabaseError``.
    public init(to address: PostgreSQLAddress, channel: StaticString) throws {
        connection = try PostgreSQLConnection(
            to: address, options: PostgreSQLOptions(timeout: .seconds(10)))
        try connection.run(script: "LISTEN \(channel)")
    }

    /// Readable after a notification, and when the connection has ended. The corresponding C function is `PQsocket`.
    public var descriptor: Int32 {
        unsafe connection.functions.pointee.PQsocket(connection.handle)
    }

    /// Takes the notifications that have come, without waiting. The corresponding C functions are `PQconsumeInput` and `PQnotifies`.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: ``DatabaseError``: the connection has ended.
    public func take() throws -> Bool {
        let handle = unsafe try connection.open()
        guard unsafe connection.functions.pointee.PQconsumeInput(handle) == 1, connection.isOpen
        else { throw connection.unanswered() }
        var isNotified = false
        while let notice = unsafe connection.functions.pointee.PQnotifies(handle) {
            unsafe connection.functions.pointee.PQfreemem(UnsafeMutableRawPointer(notice))
            isNotified = true
        }
        return isNotified
    }
}

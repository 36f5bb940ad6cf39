internal import CPostgreSQL

/// A connection that receives notifications (`NOTIFY`) of other sessions. Not thread-safe.
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

    /// Becomes readable by a notification, and when the connection ends. The corresponding C function is `PQsocket`.
    public var descriptor: Int32 {
        unsafe connection.functions.pointee.PQsocket(connection.handle)
    }

    /// Reads the pending notifications, without waiting. The corresponding C functions are `PQconsumeInput` and `PQnotifies`.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: ``DatabaseError`` if the connection has ended.
    public func readNotifications() throws -> Bool {
        let handle = unsafe try connection.open()
        guard unsafe connection.functions.pointee.PQconsumeInput(handle) == 1, connection.isOpen
        else { throw connection.missingAnswer() }
        var isNotified = false
        while let notice = unsafe connection.functions.pointee.PQnotifies(handle) {
            unsafe connection.functions.pointee.PQfreemem(UnsafeMutableRawPointer(notice))
            isNotified = true
        }
        return isNotified
    }
}

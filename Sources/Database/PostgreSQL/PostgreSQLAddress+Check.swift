extension PostgreSQLAddress {
    /// Connects to the server, signs in, and closes the connection.
    ///
    /// - Throws: ``DatabaseError/unreachable(reason:)``, or another error of the connection.
    public func check() throws {
        try PostgreSQLConnection(to: self, options: PostgreSQLOptions()).close()
    }
}

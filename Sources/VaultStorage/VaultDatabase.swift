internal import Database

/// A connection to a vault file that passed every check. Not thread-safe.
typealias VaultDatabase = SafeDatabase<VaultSchema>

extension VaultDatabase {
    /// A vault database in memory, to be copied into a file.
    static func createInMemory() throws(DatabaseError) -> VaultDatabase {
        let connection: SQLiteConnection
        do {
            connection = try SQLiteConnection(
                path: ":memory:", options: SQLiteOptions(access: .create))
        } catch {
            throw DatabaseError(error)
        }
        try VaultSchema.file.migrate(connection, isNew: true)
        return try verify(connection)
    }
}

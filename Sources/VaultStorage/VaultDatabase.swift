internal import Database

/// A connection to a vault file that passed every check. Not thread-safe.
typealias VaultDatabase = SafeDatabase<VaultSchema>

extension VaultDatabase {
    /// A vault database in memory, to be copied into a file.
    static func createInMemory() throws(StorageError) -> VaultDatabase {
        let connection: DatabaseConnection
        do {
            connection = try DatabaseConnection(
                path: ":memory:", options: DatabaseOptions(access: .create))
        } catch {
            throw StorageError(error)
        }
        try VaultSchema.file.migrate(connection, isNew: true)
        return try verify(connection)
    }
}

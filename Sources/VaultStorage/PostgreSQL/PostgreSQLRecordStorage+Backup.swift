internal import Database

extension PostgreSQLRecordStorage {
    /// Writes one snapshot into a new vault file; other machines may write meanwhile.
    public func backup(to path: String) throws(DatabaseError) {
        let database = try VaultDatabase.createInMemory()
        do throws(StorageFailure<DatabaseError>) {
            try read { (reader) throws(DatabaseError) in try Self.copy(reader, to: database) }
        } catch {
            switch error {
            case .storage(let error), .body(let error): throw error
            }
        }
        try BackupFile.write(database, to: path)
    }

    private static func copy(
        _ reader: any RecordReader, to database: VaultDatabase
    ) throws(DatabaseError) {
        if let header = try reader.header() { try database.putHeader(header) }
        if let state = try reader.state() { try database.insertState(state) }
        for bucket in try reader.buckets() {
            guard let number = UInt8(exactly: bucket.number) else {
                throw .damaged(reason: "a bucket has a number that no bucket has")
            }
            try database.putBucket(number, bytes: bucket.bytes)
        }
        do throws(StorageFailure<DatabaseError>) {
            try reader.forEachItem { (item) throws(DatabaseError) in try database.insertItem(item) }
        } catch {
            switch error {
            case .storage(let error), .body(let error): throw error
            }
        }
    }
}

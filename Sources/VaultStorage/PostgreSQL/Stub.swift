public enum PostgreSQLRecordStorage {
    public static func create(at: String) throws(StorageError) -> any RecordStorage {
        throw .closed
    }
    public static func open(at: String, mode: StorageMode) throws(StorageError) -> any RecordStorage
    { throw .closed }
}

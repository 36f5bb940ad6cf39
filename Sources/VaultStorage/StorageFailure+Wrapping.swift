extension StorageFailure {
    /// Runs a call of the storage's own in a function that also runs a caller's.
    static func wrapping<Value: ~Copyable>(
        _ body: () throws(StorageError) -> Value
    ) throws(Self) -> Value {
        do {
            return try body()
        } catch {
            throw .storage(error)
        }
    }
}

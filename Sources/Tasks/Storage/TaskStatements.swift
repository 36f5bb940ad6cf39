internal import VaultStorage

/// What is read and written inside a transaction, as the SQL of one database.
protocol TaskStatements {
    func task(_ id: TaskID) throws(StorageError) -> TodoTask?
    /// Adds a row, its subtasks and its completion.
    ///
    /// - Returns: `false`, with nothing changed, if the id is taken.
    func insert(_ task: TodoTask) throws(StorageError) -> Bool
    /// Replaces a row and its subtasks.
    func replace(_ old: TodoTask, with task: TodoTask) throws(StorageError)
    /// Removes a row and its subtasks; its completion stays.
    func remove(_ id: TaskID) throws(StorageError)
    func clear(keptBefore limit: PointInTime, at now: PointInTime) throws(StorageError) -> Int
    func restore(clearedFrom start: PointInTime, at now: PointInTime) throws(StorageError) -> Int
    /// The tasks that were cleared before a time, and where their words are.
    func cleared(
        before limit: PointInTime
    ) throws(StorageError) -> [(id: TaskID, words: ProtectedWordsID?)]
    func put(_ intent: VaultIntent) throws(StorageError)
    func take(_ intent: VaultIntent) throws(StorageError) -> Bool
    func insertCompletion(of id: TaskID, at time: PointInTime) throws(StorageError)
}

/// A transaction of a database with tasks.
protocol TaskTransaction {
    associatedtype Database: TaskStatements

    /// Runs one call, if the transaction still stands.
    func call<Value>(
        _ body: (Database) throws(StorageError) -> Value
    ) throws(StorageError) -> Value
}

extension TaskDatabase: TaskStatements {}
extension DatabaseTransaction: TaskTransaction where Kind == TaskSchema {}
extension PostgreSQLTasks: TaskStatements {}
extension PostgreSQLTransaction: TaskTransaction where Kind == PostgreSQLTaskSchema {}

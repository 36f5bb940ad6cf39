internal import VaultStorage

/// What is read and written inside a transaction, as the SQL of one database.
protocol TaskStatements {
    func task(_ id: TaskID) throws(DatabaseError) -> TodoTask?
    /// Adds a row, its subtasks and its completion.
    ///
    /// - Returns: `false`, with nothing changed, if the id is taken.
    func insert(_ task: TodoTask) throws(DatabaseError) -> Bool
    /// Replaces a row and its subtasks.
    func replace(_ old: TodoTask, with task: TodoTask) throws(DatabaseError)
    /// Removes a row and its subtasks; its completion stays.
    func remove(_ id: TaskID) throws(DatabaseError)
    func clear(keptBefore limit: PointInTime, at now: PointInTime) throws(DatabaseError) -> Int
    func restore(clearedFrom start: PointInTime, at now: PointInTime) throws(DatabaseError) -> Int
    /// The tasks that were cleared before a time, and where their words are.
    func cleared(
        before limit: PointInTime
    ) throws(DatabaseError) -> [(id: TaskID, words: ProtectedWordsID?)]
    func put(_ intent: VaultIntent) throws(DatabaseError)
    func take(_ intent: VaultIntent) throws(DatabaseError) -> Bool
    func insertCompletion(of id: TaskID, at time: PointInTime) throws(DatabaseError)
}

/// A transaction of a database with tasks.
protocol TaskTransaction {
    associatedtype Database: TaskStatements

    /// Runs one call, if the transaction still stands.
    func call<Value>(
        _ body: (Database) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value
}

extension TaskDatabase: TaskStatements {}
extension DatabaseTransaction: TaskTransaction where Kind == TaskSchema {}
extension PostgreSQLTasks: TaskStatements {}
extension PostgreSQLTransaction: TaskTransaction where Kind == PostgreSQLTaskSchema {}

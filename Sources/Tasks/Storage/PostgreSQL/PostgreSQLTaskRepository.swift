public import Database
internal import VaultStorage

/// The tasks in a database of a PostgreSQL server, for people with several machines.
///
/// Writers take turns, so that a task that somebody else changed is seen as it is. The tables are those of the schema `taskvault` whose names
/// begin with `task_`. Thread-safe: calls wait for one another. A call from inside the function that ``change(_:)`` runs never returns. A
/// connection that was lost is opened again by the next call, with every check.
public final class PostgreSQLTaskRepository: TaskRepository {
    private let client: PostgreSQLClient<PostgreSQLTaskSchema>

    private init(_ client: PostgreSQLClient<PostgreSQLTaskSchema>) {
        self.client = client
    }

    /// Opens the tasks of a database, and makes the tables first where there are none.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - timeout: How long the server may take to answer.
    ///   - lockTimeout: How long a call waits for other writers.
    /// - Returns: The repository.
    /// - Throws: `foreign` or `newerVersion` for what is there instead; `unreachable` if nobody answers, or does not let us in.
    public static func open(
        _ address: PostgreSQLAddress, timeout: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(5)
    ) throws(TaskRepositoryError) -> PostgreSQLTaskRepository {
        try mapping { () throws(DatabaseError) in
            let client = try PostgreSQLClient<PostgreSQLTaskSchema>.openOrCreate(
                address, PostgreSQLOptions(timeout: timeout, lockTimeout: lockTimeout))
            try client.withTables { (tasks) throws(DatabaseError) in try tasks.requireUnicode() }
            return PostgreSQLTaskRepository(client)
        }
    }

    /// Reads a task; see `TaskRepository`.
    public func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? {
        try read { (tasks) throws(DatabaseError) in try tasks.task(id) }
    }

    /// Finds ids; see `TaskRepository`.
    public func ids(
        startingWith prefix: TaskIDPrefix, limit: Int
    ) throws(TaskRepositoryError) -> [TaskID] {
        try read { (tasks) throws(DatabaseError) in
            try tasks.ids(startingWith: prefix, limit: limit)
        }
    }

    /// Lists tasks; see `TaskRepository`.
    public func tasks(_ query: TaskQuery) throws(TaskRepositoryError) -> [TodoTask] {
        do throws(StorageFailure<DatabaseError>) {
            return try client.read { (transaction) throws(DatabaseError) in
                try transaction.call { (tasks) throws(DatabaseError) in try tasks.tasks(query) }
            }
        } catch {
            switch error {
            case .body(let error), .storage(let error): throw TaskRepositoryError(error)
            }
        }
    }

    /// Counts tasks; see `TaskRepository`.
    public func count(_ filter: TaskFilter) throws(TaskRepositoryError) -> Int {
        try read { (tasks) throws(DatabaseError) in try tasks.count(filter) }
    }

    /// When tasks were completed; see `TaskRepository`.
    public func completions(from start: PointInTime) throws(TaskRepositoryError) -> [PointInTime] {
        try read { (tasks) throws(DatabaseError) in try tasks.completions(from: start) }
    }

    /// What is not finished; see `TaskRepository`.
    public func intents() throws(TaskRepositoryError) -> [VaultIntent] {
        try read { (tasks) throws(DatabaseError) in try tasks.intents() }
    }

    /// Runs `body` in a transaction that is the only one that writes, also of all machines, and commits it.
    ///
    /// - Throws: `outcomeUnknown` if the connection was lost during the commit, and the server cannot be asked whether it happened.
    public func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result {
        do throws(StorageFailure<Failure>) {
            return try client.write { (transaction) throws(Failure) in
                try body(StoredTaskWriter(transaction))
            }
        } catch {
            switch error {
            case .body(let error): throw .body(error)
            case .storage(let error): throw .repository(TaskRepositoryError(error))
            }
        }
    }

    /// Nobody can know: servers keep rows that were replaced for a while, and logs and copies of them for longer.
    ///
    /// - Returns: nil.
    public func eraseOldBytes() throws(TaskRepositoryError) -> Bool? {
        try Self.mapping { () throws(DatabaseError) in try client.requireOpen() }
        return nil
    }

    /// Closes the connection.
    public func close() {
        client.close()
    }

    /// Runs one statement, which is one snapshot without a transaction around it.
    private func read<Value>(
        _ body: (PostgreSQLTasks) throws(DatabaseError) -> Value
    ) throws(TaskRepositoryError) -> Value {
        try Self.mapping { () throws(DatabaseError) in try client.withTables(body) }
    }

    private static func mapping<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(TaskRepositoryError) -> Value {
        do {
            return try body()
        } catch {
            throw TaskRepositoryError(error)
        }
    }
}

public import VaultStorage

/// The tasks in a file: an SQLite database that only its owner can read, and that is opened as if it were hostile.
///
/// Thread-safe: calls wait for one another. A call from inside the function that ``change(_:)`` runs never returns. Several objects for one
/// file, in one process or more, are fine.
public final class SQLiteTaskRepository: TaskRepository {
    private let file: SafeDatabaseFile<TaskSchema>

    /// The file, absolute.
    public var location: VaultLocation { file.location }

    private init(_ file: SafeDatabaseFile<TaskSchema>) {
        self.file = file
    }

    /// Opens a file of tasks that is there.
    ///
    /// - Parameters:
    ///   - path: The file; it and its folder are safe (`VaultLocation`).
    ///   - mode: What may be done with it.
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The repository; nil where there is no such file.
    /// - Throws: `unsafeLocation`, `foreign`, `newerVersion` or `damaged` for what is there instead; `readOnly`.
    public static func open(
        at path: String, mode: StorageMode, busyTimeout: Duration = .seconds(5)
    ) throws(TaskRepositoryError) -> SQLiteTaskRepository? {
        do throws(DatabaseError) {
            return SQLiteTaskRepository(
                try SafeDatabaseFile.open(at: path, mode: mode, busyTimeout: busyTimeout))
        } catch .notFound {
            return nil
        } catch {
            throw TaskRepositoryError(error)
        }
    }

    /// Opens a file of tasks for reading and writing, and makes it first, with mode 0600, where there is none.
    ///
    /// - Parameters:
    ///   - path: The file; its folder exists and is safe (`VaultLocation`).
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The repository.
    /// - Throws: As ``open(at:mode:busyTimeout:)``.
    public static func openOrCreate(
        at path: String, busyTimeout: Duration = .seconds(5)
    ) throws(TaskRepositoryError) -> SQLiteTaskRepository {
        do throws(DatabaseError) {
            return SQLiteTaskRepository(
                try SafeDatabaseFile.openOrCreate(at: path, busyTimeout: busyTimeout))
        } catch {
            throw TaskRepositoryError(error)
        }
    }

    /// Reads a task; see `TaskRepository`.
    public func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? {
        try read { (database) throws(DatabaseError) in try database.task(id) }
    }

    /// Finds ids; see `TaskRepository`.
    public func ids(
        startingWith prefix: TaskIDPrefix, limit: Int
    ) throws(TaskRepositoryError) -> [TaskID] {
        try read { (database) throws(DatabaseError) in
            try database.ids(startingWith: prefix, limit: limit)
        }
    }

    /// Lists tasks; see `TaskRepository`.
    public func tasks(_ query: TaskQuery) throws(TaskRepositoryError) -> [TodoTask] {
        try read { (database) throws(DatabaseError) in try database.tasks(query) }
    }

    /// Counts tasks; see `TaskRepository`.
    public func count(_ filter: TaskFilter) throws(TaskRepositoryError) -> Int {
        try read { (database) throws(DatabaseError) in try database.count(filter) }
    }

    /// When tasks were completed; see `TaskRepository`.
    public func completions(from start: PointInTime) throws(TaskRepositoryError) -> [PointInTime] {
        try read { (database) throws(DatabaseError) in try database.completions(from: start) }
    }

    /// What is not finished; see `TaskRepository`.
    public func intents() throws(TaskRepositoryError) -> [VaultIntent] {
        try read { (database) throws(DatabaseError) in try database.intents() }
    }

    /// Runs `body` in a transaction that is the only one that writes, also of all processes, and commits it.
    public func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result {
        do throws(StorageFailure<Failure>) {
            return try file.write { (transaction) throws(Failure) in
                try body(StoredTaskWriter(transaction))
            }
        } catch {
            switch error {
            case .body(let error): throw .body(error)
            case .storage(let error): throw .repository(TaskRepositoryError(error))
            }
        }
    }

    /// Writes the file anew, moves its log into it, and cuts the log to nothing.
    ///
    /// SQLite overwrites what is removed from a page, but not the copies that stay behind on a page when rows move to another one: only a
    /// new file is sure to hold none. Takes time that grows with the file, and waits about two seconds for others.
    public func eraseOldBytes() throws(TaskRepositoryError) -> Bool? {
        try eraseOldBytes(attempts: 4, patience: .milliseconds(500))
    }

    /// As ``eraseOldBytes()``, each attempt waiting up to `patience`.
    func eraseOldBytes(
        attempts: Int, patience: Duration
    ) throws(TaskRepositoryError) -> Bool {
        do {
            return try file.eraseOldBytes(
                rewriting: true, attempts: attempts, patience: patience)
        } catch {
            throw TaskRepositoryError(error)
        }
    }

    /// Closes the file. The last one to close it leaves nothing beside it.
    public func close() {
        file.close()
    }

    /// Runs `body` on one snapshot.
    private func read<Value>(
        _ body: (TaskDatabase) throws(DatabaseError) -> Value
    ) throws(TaskRepositoryError) -> Value {
        do throws(StorageFailure<DatabaseError>) {
            return try file.read { (transaction) throws(DatabaseError) in
                try transaction.call(body)
            }
        } catch {
            switch error {
            case .body(let error), .storage(let error): throw TaskRepositoryError(error)
            }
        }
    }
}

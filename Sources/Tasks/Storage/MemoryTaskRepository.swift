internal import Synchronization

/// Tasks in memory, gone with the object: for tests, and for programs that want the protocol without a file. Thread-safe.
///
/// Readers work on a copy and never wait for a writer; writers wait for one another. A call of ``change(_:)`` from inside another never
/// returns.
public final class MemoryTaskRepository: TaskRepository {
    private let contents = Mutex<MemoryTasks?>(MemoryTasks())
    private let writing = Mutex(())

    /// Makes a repository without tasks.
    public init() {}

    /// Reads a task; see ``TaskRepository/task(_:)``.
    public func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? {
        try snapshot().tasks[id]
    }

    /// Finds ids; see ``TaskRepository/ids(startingWith:limit:)``.
    public func ids(
        startingWith prefix: TaskIDPrefix, limit: Int
    ) throws(TaskRepositoryError) -> [TaskID] {
        try snapshot().ids(startingWith: prefix, limit: limit)
    }

    /// Lists tasks; see ``TaskRepository/tasks(_:)``.
    public func tasks(_ query: TaskQuery) throws(TaskRepositoryError) -> [TodoTask] {
        try snapshot().tasks(query)
    }

    /// Counts tasks; see ``TaskRepository/count(_:)``.
    public func count(_ filter: TaskFilter) throws(TaskRepositoryError) -> Int {
        try snapshot().tasks.values.count { filter.accepts($0) }
    }

    /// When tasks were completed; see ``TaskRepository/completions(from:)``.
    public func completions(from start: PointInTime) throws(TaskRepositoryError) -> [PointInTime] {
        try snapshot().completions.map(\.time).filter { $0 >= start }.sorted()
    }

    /// What is not finished; see ``TaskRepository/intents()``.
    public func intents() throws(TaskRepositoryError) -> [VaultIntent] {
        try snapshot().intents.values.sorted { $0.words < $1.words }
    }

    /// Runs `body` on a copy of everything, which then takes its place.
    public func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result {
        try oneAtATime { () throws(TaskRepositoryFailure<Failure>) in
            let writer: MemoryTaskWriter
            do throws(TaskRepositoryError) {
                writer = MemoryTaskWriter(try snapshot())
            } catch {
                throw .repository(error)
            }
            defer { writer.end() }
            let result: Result
            do throws(Failure) {
                result = try body(writer)
            } catch {
                throw .body(error)
            }
            let changed = writer.contents
            let isOpen = contents.withLock { stored in
                if stored != nil { stored = changed }
                return stored != nil
            }
            guard isOpen else { throw .repository(.closed) }
            return result
        }
    }

    /// Nothing to do: memory of words that are gone goes back to the system as it is.
    public func eraseOldBytes() throws(TaskRepositoryError) -> Bool? {
        _ = try snapshot()
        return true
    }

    /// Forgets the tasks.
    public func close() {
        contents.withLock { $0 = nil }
    }

    private func snapshot() throws(TaskRepositoryError) -> MemoryTasks {
        guard let snapshot = contents.withLock({ $0 }) else { throw .closed }
        return snapshot
    }

    /// `Mutex` wants results that can be sent anywhere, which those of a caller's function need not be: here they stay on its thread.
    private func oneAtATime<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var value: Value?
        try writing.withLock { (_: inout sending Void) throws(Failure) in value = try body() }
        guard let value else { preconditionFailure("the body returned without a value") }
        return value
    }
}

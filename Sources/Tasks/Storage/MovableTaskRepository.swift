/// A database that takes no changes any more once the list is in another place.
///
/// Whoever moves a list says where it is now while nobody else can write into the old one. So it is looked at inside each transaction, where
/// also those see it who had waited for the end of the move.
package struct MovableTaskRepository: TaskRepository {
    private let base: any TaskRepository
    private let isCurrent: @Sendable () -> Bool

    /// Makes one of a database.
    ///
    /// - Parameters:
    ///   - base: The database.
    ///   - isCurrent: Whether the list is still there.
    package init(_ base: any TaskRepository, isCurrent: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isCurrent = isCurrent
    }

    /// Runs `body` as the database does.
    ///
    /// - Throws: `moved`, with nothing changed and `body` not run, if the list is in another place; else as the database.
    package func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result {
        do throws(TaskRepositoryFailure<TaskRepositoryFailure<Failure>>) {
            return try base.change { (writer) throws(TaskRepositoryFailure<Failure>) in
                guard isCurrent() else { throw .repository(.moved) }
                do throws(Failure) {
                    return try body(writer)
                } catch {
                    throw .body(error)
                }
            }
        } catch {
            switch error {
            case .body(let failure): throw failure
            case .repository(let error): throw .repository(error)
            }
        }
    }

    /// Reads a task; see ``TaskRepository/task(_:)``.
    package func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? { try base.task(id) }

    /// Finds ids; see ``TaskRepository/ids(startingWith:limit:)``.
    package func ids(
        startingWith prefix: TaskIDPrefix, limit: Int
    ) throws(TaskRepositoryError) -> [TaskID] {
        try base.ids(startingWith: prefix, limit: limit)
    }

    /// Lists tasks; see ``TaskRepository/tasks(_:)``.
    package func tasks(_ query: TaskQuery) throws(TaskRepositoryError) -> [TodoTask] {
        try base.tasks(query)
    }

    /// Counts tasks; see ``TaskRepository/count(_:)``.
    package func count(_ filter: TaskFilter) throws(TaskRepositoryError) -> Int {
        try base.count(filter)
    }

    /// When tasks were completed; see ``TaskRepository/completions(from:)``.
    package func completions(from start: PointInTime) throws(TaskRepositoryError) -> [PointInTime] {
        try base.completions(from: start)
    }

    /// What is not finished; see ``TaskRepository/intents()``.
    package func intents() throws(TaskRepositoryError) -> [VaultIntent] { try base.intents() }

    /// Erases what is left; see ``TaskRepository/eraseOldBytes()``.
    package func eraseOldBytes() throws(TaskRepositoryError) -> Bool? { try base.eraseOldBytes() }

    /// Closes the database.
    package func close() { base.close() }
}

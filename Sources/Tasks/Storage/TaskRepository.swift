/// The database of tasks, whatever it is.
///
/// What one call of ``change(_:)`` does is there wholly and durably after it returned, or not at all. Implementations are thread-safe; calls
/// from several threads may wait for one another.
public protocol TaskRepository: Sendable {
    /// Reads a task, cleared ones included; nil where there is none.
    func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask?

    /// The ids that begin so, `limit` at most, those of cleared tasks left out, in ascending order.
    func ids(
        startingWith prefix: TaskIDPrefix, limit: Int
    ) throws(TaskRepositoryError) -> [TaskID]

    /// Lists tasks.
    func tasks(_ query: TaskQuery) throws(TaskRepositoryError) -> [TodoTask]

    /// Counts tasks.
    func count(_ filter: TaskFilter) throws(TaskRepositoryError) -> Int

    /// When tasks were completed, from `start` on, in ascending order. Completions are counted apart: they survive clearing and removal.
    func completions(from start: PointInTime) throws(TaskRepositoryError) -> [PointInTime]

    /// What was begun with the words of protected tasks and is not finished, in the order of the words' ids.
    func intents() throws(TaskRepositoryError) -> [VaultIntent]

    /// Runs `body` in a transaction and commits it.
    ///
    /// An error of `body` rolls everything back. One at a time runs, also of several programs and machines.
    func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result

    /// Removes what earlier commits left of overwritten bytes beside the main file, as far as this database can.
    ///
    /// - Returns: Whether nothing is left; nil where nobody can know, as on a server.
    func eraseOldBytes() throws(TaskRepositoryError) -> Bool?

    /// Closes the database; later calls fail with ``TaskRepositoryError/closed``. Closing twice is allowed.
    func close()
}

/// Changes tasks inside one transaction. Valid only during the call that lends it.
public protocol TaskWriter {
    /// Reads a task, cleared ones included, as it is in this transaction; nil where there is none.
    func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask?

    /// Adds a task, with revision 1 whatever its revision says, and counts its completion if it has one.
    ///
    /// - Throws: `alreadyExists`, `invalid`.
    func insert(_ task: TodoTask) throws(TaskRepositoryError)

    /// Replaces a task, its subtasks included, if it still has the revision `task.revision`.
    ///
    /// A completion that is new is counted; one that is taken back is counted no more.
    ///
    /// - Returns: The task as it is now, with the next revision.
    /// - Throws: `missing`, `conflict`, `invalid`.
    @discardableResult
    func replace(_ task: TodoTask) throws(TaskRepositoryError) -> TodoTask

    /// Removes a task and its subtasks if it still has the revision; nil removes any. Its completion stays counted; no note is made.
    ///
    /// - Throws: `missing`, `conflict`.
    func remove(_ id: TaskID, expecting revision: UInt64?) throws(TaskRepositoryError)

    /// Hides the completed tasks that are kept from before `limit`, and notes `now` as the time of the clearing.
    ///
    /// - Returns: How many.
    func clear(keptBefore limit: PointInTime, at now: PointInTime) throws(TaskRepositoryError)
        -> Int

    /// Shows cleared tasks again that were cleared at `start` or later, and keeps them from `now` on.
    ///
    /// - Returns: How many.
    func restore(clearedFrom start: PointInTime, at now: PointInTime) throws(TaskRepositoryError)
        -> Int

    /// Removes the tasks for good that were cleared before `limit`; of protected ones a note says that their words are to be discarded.
    ///
    /// - Returns: How many.
    func purge(clearedBefore limit: PointInTime) throws(TaskRepositoryError) -> Int

    /// Notes what is being done with protected words, in place of what was noted of them before.
    func put(_ intent: VaultIntent) throws(TaskRepositoryError)

    /// Takes a note away, whatever its time is.
    ///
    /// - Returns: Whether one of this kind was there.
    func take(_ intent: VaultIntent) throws(TaskRepositoryError) -> Bool

    /// Counts a completion that no task here has: for copies of whole databases.
    func countCompletion(of id: TaskID, at time: PointInTime) throws(TaskRepositoryError)
}

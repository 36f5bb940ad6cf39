import Tasks

/// A database that does what the one behind it does, unless it says otherwise.
protocol ForwardingTaskRepository: TaskRepository {
    var base: any TaskRepository { get }
}

extension ForwardingTaskRepository {
    func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? { try base.task(id) }

    func ids(
        startingWith prefix: TaskIDPrefix, limit: Int
    ) throws(TaskRepositoryError) -> [TaskID] {
        try base.ids(startingWith: prefix, limit: limit)
    }

    func tasks(_ query: TaskQuery) throws(TaskRepositoryError) -> [TodoTask] {
        try base.tasks(query)
    }

    func count(_ filter: TaskFilter) throws(TaskRepositoryError) -> Int { try base.count(filter) }

    func completions(from start: PointInTime) throws(TaskRepositoryError) -> [PointInTime] {
        try base.completions(from: start)
    }

    func intents() throws(TaskRepositoryError) -> [VaultIntent] { try base.intents() }

    func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result {
        try base.change(body)
    }

    func close() {}
}

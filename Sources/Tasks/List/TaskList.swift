/// The to-do list, over the database and, for the text of protected tasks, the vault.
///
/// The two stores cannot change in one step. Text is in the vault before the row says so, and leaves the vault after the row stopped
/// saying so. An intent in the database (``VaultIntent``) tells ``finishInterrupted(in:)`` what a crash left half done.
///
/// Every call may throw `DatabaseError`. A call that gets a vault may also throw `SecureStoreError`. Thread-safe.
public struct TaskList: Sendable {
    /// How long cleared tasks can be shown again.
    public static let undoPeriod: Duration = .seconds(86_400)

    let repository: TaskRepository
    let now: @Sendable () -> PointInTime

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - repository: The database.
    ///   - now: The clock.
    public init(_ repository: TaskRepository, now: @escaping @Sendable () -> PointInTime) {
        self.repository = repository
        self.now = now
    }

    /// The task whose id has this prefix.
    ///
    /// - Throws: ``TaskListError/unknownTask``; ``TaskListError/ambiguousTask(_:)``.
    public func find(_ typed: String) throws -> TodoTask {
        guard let prefix = TaskIDPrefix(typed) else { throw TaskListError.unknownTask }
        let ids = try repository.ids(startingWith: prefix, limit: 6)
        guard let id = ids.first else { throw TaskListError.unknownTask }
        guard ids.count == 1 else { throw TaskListError.ambiguousTask(ids) }
        return try current(id)
    }

    /// Lists tasks, without the text of protected ones.
    public func tasks(_ query: TaskSelection) throws -> [TodoTask] {
        try repository.tasks(query)
    }

    /// Counts tasks.
    public func count(_ filter: TaskFilter) throws -> Int {
        try repository.count(filter)
    }

    /// Those of many tasks that exist, including cleared ones.
    public func existing(_ ids: [TaskID]) throws -> [TaskID: TodoTask] {
        Dictionary(try repository.tasks(ids).map { ($0.id, $0) }) { first, _ in first }
    }

    /// The task as it is now.
    func current(_ id: TaskID) throws -> TodoTask {
        guard let task = try repository.task(id) else { throw TaskListError.missing(id) }
        return task
    }
}

// Changes that need no vault.
extension TaskList {
    /// Adds a plain task.
    ///
    /// - Throws: ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func add(
        _ text: TaskText, due: PointInTime? = nil, hasReminder: Bool = false
    ) throws -> TodoTask {
        var task = TodoTask(
            id: TaskID(), content: .plain(text), due: due, created: now(), hasReminder: hasReminder)
        return try repository.change { writer in
            while try !insertIfFree(task, writer) { task = task.renamed(TaskID()) }
            return task
        }
    }

    /// Changes a task in the database, unless another program changed it since `task` was read.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/conflict(_:found:)``; ``TaskListError/missing(_:)``; ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func replace(_ task: TodoTask) throws -> TodoTask {
        try repository.change { try $0.replace(task) }
    }

    /// Changes a plain task and its text in the database.
    ///
    /// - Throws: As ``replace(_:)``; ``TaskListError/alreadyProtected(_:)``.
    @discardableResult
    public func replace(_ task: TodoTask, words text: TaskText) throws -> TodoTask {
        guard !task.isProtected else { throw TaskListError.alreadyProtected(task.id) }
        var changed = task
        changed.content = .plain(text)
        return try replace(changed)
    }

    /// Marks tasks as done or open in one transaction. A task that is so already stays as it is.
    ///
    /// - Returns: The tasks as they are now.
    @discardableResult
    public func mark(_ tasks: [TodoTask], done isDone: Bool) throws -> [TodoTask] {
        let completion = isDone ? TaskCompletion(time: now()) : nil
        return try repository.change { writer in
            try tasks.map { task in
                if task.isDone == isDone { return task }
                var changed = task
                changed.completion = completion
                return try writer.replace(changed)
            }
        }
    }

    /// Marks all tasks of a filter as done in one transaction.
    ///
    /// - Returns: The number of tasks that were open.
    public func markAllDone(_ filter: TaskFilter) throws -> Int {
        let open = try tasks(TaskSelection(filter, by: .created)).filter { !$0.isDone }
        return try mark(open, done: true).count
    }

    /// Adds many tasks as they are and changes others, in one transaction. A task whose id is taken gets another id.
    ///
    /// - Parameters:
    ///   - tasks: Plain tasks with distinct ids.
    ///   - changed: Tasks to be changed as by ``replace(_:)``.
    ///   - isSame: Whether a stored task that has the id of a new one is the same task, which is then left out.
    ///   - progress: Gets the number of tasks that were looked at.
    /// - Returns: The number of added tasks.
    /// - Throws: ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func insert(
        _ tasks: [TodoTask], replacing changed: [TodoTask] = [],
        unless isSame: (TodoTask, TodoTask) -> Bool = { _, _ in false },
        progress: (Int) -> Void = { _ in }
    ) throws -> Int {
        try repository.change { writer in
            var count = 0
            for (index, task) in tasks.enumerated() {
                if try insert(task, unless: isSame, writer) { count += 1 }
                progress(index + 1)
            }
            for task in changed { try writer.replace(task) }
            return count
        }
    }

    /// Adds a task, under another id if its own is taken by another task.
    private func insert(
        _ task: TodoTask, unless isSame: (TodoTask, TodoTask) -> Bool, _ writer: TaskWriter
    ) throws -> Bool {
        var id = task.id
        while try !insertIfFree(task.renamed(id), writer) {
            if let row = try writer.task(id), isSame(task, row) { return false }
            id = id.next
        }
        return true
    }

    private func insertIfFree(_ task: TodoTask, _ writer: TaskWriter) throws -> Bool {
        do {
            try writer.insert(task)
            return true
        } catch TaskListError.alreadyExists {
            return false
        }
    }
}

// Clearing.
extension TaskList {
    /// Clears tasks that were done `period` ago or earlier, and removes tasks that were cleared longer ago than ``undoPeriod``.
    ///
    /// - Parameter period: How long done tasks are shown; nil for ever.
    /// - Returns: The number of cleared tasks.
    /// - Throws: `DatabaseError`.
    @discardableResult
    public func clearOld(after period: Duration?) throws -> Int {
        // Usually there are none, and no call has to wait for another writer.
        let isClearable = try hasAny(.done)
        let isPurgeable = try hasAny(.cleared)
        guard isClearable || isPurgeable else { return 0 }
        let now = now()
        return try repository.change { writer in
            _ = try writer.purge(clearedBefore: now.advanced(by: .zero - TaskList.undoPeriod))
            guard let period else { return 0 }
            return try writer.clear(keptBefore: now.advanced(by: .zero - period), at: now)
        }
    }

    /// Whether there are such tasks. A count would read all of them.
    private func hasAny(_ state: TaskFilter.State) throws -> Bool {
        try !tasks(TaskSelection(TaskFilter(state), by: .created, limit: 1)).isEmpty
    }

    /// Clears all done tasks.
    ///
    /// - Returns: The number of cleared tasks.
    public func clear() throws -> Int {
        let now = now()
        return try repository.change { writer in
            // Also a task that was marked just now, or by a clock that was ahead.
            try writer.clear(keptBefore: PointInTime(milliseconds: .max), at: now)
        }
    }

    /// Shows the tasks again that were cleared within ``undoPeriod``, and keeps them from now on.
    ///
    /// - Returns: The number of tasks.
    public func undoClearing() throws -> Int {
        let now = now()
        return try repository.change { writer in
            try writer.restore(
                clearedFrom: now.advanced(by: .zero - TaskList.undoPeriod), at: now)
        }
    }
}

extension TodoTask {
    /// The task under another id.
    public func renamed(_ id: TaskID) -> TodoTask {
        TodoTask(
            id: id, content: content, due: due, created: created, completion: completion,
            hasReminder: hasReminder, revision: revision)
    }
}

/// The to-do list, over the database and, for the text of protected tasks, the vault.
///
/// The two stores cannot change in one transaction. Text is saved in the vault before the row gets its id, and removed from the vault after
/// the row lost it. An intent in the database (``VaultIntent``) lets ``finishInterrupted(in:)`` finish the change after a crash.
///
/// Every call may throw `DatabaseError`. A call that gets a vault may also throw `SecureStoreError`. Thread-safe.
public struct TaskList: Sendable {
    let repository: TaskRepository
    let now: @Sendable () -> PointInTime
    /// The calendar of the owner, and the time of day at which reminders of whole days are announced.
    package let days: DayReminders
    /// The command of this object's changes; nil if the machine has no name.
    let command: UndoableCommand?

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - repository: The database.
    ///   - machine: The name of the machine. ``undo(in:)`` reverts all changes of this object as one command; nil for changes without undo.
    ///   - days: The calendar of the owner, and the time of day at which reminders of whole days are announced.
    ///   - now: The clock.
    public init(
        _ repository: TaskRepository, on machine: String? = nil,
        days: DayReminders = DayReminders(), now: @escaping @Sendable () -> PointInTime
    ) {
        self.repository = repository
        self.now = now
        self.days = days
        command = machine.map { UndoableCommand(machine: $0, time: now()) }
    }

    /// Runs a change that the owner can undo.
    func change<Result>(_ body: (TaskWriter) throws -> Result) throws -> Result {
        try repository.change(as: command, body)
    }

    /// Lists tasks, without the text of protected ones.
    public func tasks(_ query: TaskSelection) throws -> [TodoTask] {
        try repository.tasks(query, in: days.calendar)
    }

    /// Counts tasks.
    public func count(_ filter: TaskFilter) throws -> Int {
        try repository.count(filter)
    }

    /// Reads the tasks of ids, including cleared ones. Ids without a task are skipped.
    public func existing(_ ids: [TaskID]) throws -> [TaskID: TodoTask] {
        Dictionary(try repository.tasks(ids).map { ($0.id, $0) }) { first, _ in first }
    }

    /// The open tasks that come before other tasks.
    ///
    /// - Parameter tasks: The other tasks.
    /// - Returns: The ids of the open ones, for each of `tasks` that has any and is open itself.
    /// - Throws: `DatabaseError`.
    public func blockers(of tasks: [TodoTask]) throws -> [TaskID: [TaskID]] {
        let waiting = tasks.filter { !$0.isDone && !$0.dependencies.isEmpty }
        if waiting.isEmpty { return [:] }
        let open = try existing(waiting.flatMap(\.dependencies)).filter { !$0.value.isDone }
        var blockers: [TaskID: [TaskID]] = [:]
        for task in waiting {
            let ids = task.dependencies.filter { open[$0] != nil }
            if !ids.isEmpty { blockers[task.id] = ids }
        }
        return blockers
    }

    /// The tasks that come after a task, done ones only if `openOnly` is `false`.
    public func dependents(of id: TaskID, openOnly: Bool = true) throws -> [TaskID] {
        try repository.snapshot { try $0.dependents(of: id, openOnly: openOnly) }
    }

    /// Reads a task.
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
    public func add(_ task: TodoTask) throws -> TodoTask {
        var task = task
        return try change { writer in
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
        try change { try $0.replace(task) }
    }

    /// Changes a plain task and its text in the database.
    ///
    /// - Throws: As ``replace(_:)``; ``TaskListError/alreadyProtected(_:)``.
    @discardableResult
    public func replace(_ task: TodoTask, text: TaskText) throws -> TodoTask {
        guard !task.isProtected else { throw TaskListError.alreadyProtected(task.id) }
        var changed = task
        changed.content = .plain(text)
        return try replace(changed)
    }

    /// Adds many tasks and changes others, in one transaction. A task whose id is taken gets another id, also as a dependency of the others.
    ///
    /// - Parameters:
    ///   - tasks: Plain tasks with distinct ids.
    ///   - changed: The tasks to change as by ``replace(_:)``.
    ///   - isSame: Whether a stored task of the same id is the same task, which is then not added.
    ///   - progress: Gets the number of tasks so far.
    /// - Returns: The number of added tasks.
    /// - Throws: ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func insert(
        _ tasks: [TodoTask], replacing changed: [TodoTask] = [],
        unless isSame: (TodoTask, TodoTask) -> Bool = { _, _ in false },
        progress: (Int) -> Void = { _ in }
    ) throws -> Int {
        try change { writer in
            /// The ids of the added tasks.
            var ids: [TaskID: TaskID] = [:]
            for (index, task) in tasks.enumerated() {
                ids[task.id] = try insert(task, unless: isSame, writer)
                progress(index + 1)
            }
            let renamed = ids.filter { $0.key != $0.value }
            for task in tasks where task.dependencies.contains(where: { renamed[$0] != nil }) {
                guard let id = ids[task.id], var row = try writer.task(id) else { continue }
                row.dependencies = row.dependencies.map { renamed[$0] ?? $0 }
                try writer.replace(row)
            }
            for task in changed { try writer.replace(task) }
            return ids.count
        }
    }

    /// Adds a task, under another id if its own is taken by another task.
    ///
    /// - Returns: The id; nil if the task was there already.
    private func insert(
        _ task: TodoTask, unless isSame: (TodoTask, TodoTask) -> Bool, _ writer: TaskWriter
    ) throws -> TaskID? {
        var id = task.id
        while try !insertIfFree(task.renamed(id), writer) {
            if let row = try writer.task(id), isSame(task, row) { return nil }
            id = id.next
        }
        return id
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

extension TodoTask {
    /// The task under another id.
    public func renamed(_ id: TaskID) -> TodoTask {
        var task = self
        task.id = id
        return task
    }
}

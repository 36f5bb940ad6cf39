/// The to-do list: what a person does with tasks, over the database and, for words that are protected, the vault.
///
/// The two stores cannot change in one step. Words reach the vault before the row says that they are there, and leave it after the row has
/// said that they are not needed; a note in the database (``VaultIntent``) tells ``finishInterrupted(in:)`` what a crash left half done.
/// Thread-safe.
public struct TaskList: Sendable {
    let repository: any TaskRepository
    let now: @Sendable () -> PointInTime

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - repository: The database.
    ///   - now: The clock.
    public init(_ repository: any TaskRepository, now: @escaping @Sendable () -> PointInTime) {
        self.repository = repository
        self.now = now
    }

    /// The task whose id begins so.
    ///
    /// - Throws: `unknownTask`, `ambiguousTask`, `repository`.
    public func find(_ typed: String) throws(TaskListError) -> TodoTask {
        guard let prefix = TaskIDPrefix(typed) else { throw .unknownTask }
        let ids = try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.ids(startingWith: prefix, limit: 6)
        }
        guard let id = ids.first else { throw .unknownTask }
        guard ids.count == 1 else { throw .ambiguousTask(ids) }
        return try current(id)
    }

    /// Lists tasks, without the words of protected ones.
    public func tasks(_ query: TaskQuery) throws(TaskListError) -> [TodoTask] {
        try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.tasks(query)
        }
    }

    /// Counts tasks.
    public func count(_ filter: TaskFilter) throws(TaskListError) -> Int {
        try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.count(filter)
        }
    }

    /// The task as it is now.
    func current(_ id: TaskID) throws(TaskListError) -> TodoTask {
        guard let task = try row(id) else { throw .repository(.missing(id)) }
        return task
    }

    /// The task as it is now; nil where there is none.
    func row(_ id: TaskID) throws(TaskListError) -> TodoTask? {
        try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.task(id)
        }
    }
}

// What needs no vault.
extension TaskList {
    /// Adds a task that is not protected.
    ///
    /// - Throws: `invalid`, `repository`.
    @discardableResult
    public func add(
        _ text: TaskText, due: PointInTime? = nil, hasReminder: Bool = false
    ) throws(TaskListError) -> TodoTask {
        try TaskList.check(text)
        let created = now()
        return try withFreeID(TaskID()) { (id) throws(TaskListError) in
            let task = TodoTask(
                id: id, content: .plain(text), due: due, created: created, hasReminder: hasReminder)
            try changing { (writer) throws(TaskRepositoryError) in
                try writer.insert(task)
            }
            return task
        }
    }

    /// Changes what the database knows of a task, unless somebody else changed it since `task` was read.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: `repository(.conflict)`, `repository(.missing)`, `invalid`.
    @discardableResult
    public func replace(_ task: TodoTask) throws(TaskListError) -> TodoTask {
        try changing { (writer) throws(TaskRepositoryError) in
            try writer.replace(task)
        }
    }

    /// Changes the words of a task that is not protected, and what else the database knows of it.
    ///
    /// - Throws: As ``replace(_:)``; `alreadyProtected` if its words are in the vault.
    @discardableResult
    public func replace(_ task: TodoTask, words text: TaskText) throws(TaskListError) -> TodoTask {
        guard !task.isProtected else { throw .alreadyProtected(task.id) }
        var changed = task
        changed.content = .plain(text)
        return try replace(changed)
    }

    /// Marks tasks as done, or as not done, all of them or none. Nothing changes where it is so already.
    ///
    /// - Returns: The tasks as they are now.
    /// - Throws: `repository`.
    @discardableResult
    public func mark(_ tasks: [TodoTask], done isDone: Bool) throws(TaskListError) -> [TodoTask] {
        let completion = isDone ? TaskCompletion(time: now()) : nil
        return try changing { (writer) throws(TaskRepositoryError) in
            var marked: [TodoTask] = []
            for task in tasks {
                var changed = task
                changed.completion = completion
                marked.append(task.isDone == isDone ? task : try writer.replace(changed))
            }
            return marked
        }
    }

    /// Marks all tasks of a filter as done, all or none.
    ///
    /// - Returns: How many were not done before.
    public func markAllDone(_ filter: TaskFilter) throws(TaskListError) -> Int {
        let open = try tasks(TaskQuery(filter, by: .created)).filter { !$0.isDone }
        return try mark(open, done: true).count
    }

    /// Those of many tasks that are there, cleared ones included. They are looked up in one transaction, which is quicker than one for each.
    public func existing(_ ids: [TaskID]) throws(TaskListError) -> [TaskID: TodoTask] {
        try changing { (writer) throws(TaskRepositoryError) in
            var existing: [TaskID: TodoTask] = [:]
            for id in ids {
                if let task = try writer.task(id) { existing[id] = task }
            }
            return existing
        }
    }

    /// Adds many tasks as they are, and changes others, all or none; those whose id is taken get another one.
    ///
    /// - Parameters:
    ///   - tasks: Tasks that are not protected, no two of one id.
    ///   - changed: What becomes of tasks that are there, as in ``replace(_:)``.
    ///   - isSame: Whether a task that has the id of one of these, or the one that this would get, is that one, which is left out then.
    ///   - progress: Is told how many of them were looked at.
    /// - Returns: How many were added.
    /// - Throws: `invalid`, `repository`.
    @discardableResult
    public func insert(
        _ tasks: [TodoTask], replacing changed: [TodoTask] = [],
        unless isSame: (TodoTask, TodoTask) -> Bool = { _, _ in false },
        progress: (Int) -> Void = { _ in }
    ) throws(TaskListError) -> Int {
        try repository.changing { (writer) throws(TaskListError) in
            var count = 0
            for (index, task) in tasks.enumerated() {
                if try insert(task, unless: isSame, writer) { count += 1 }
                progress(index + 1)
            }
            try TaskListError.repository { () throws(TaskRepositoryError) in
                for task in changed { try writer.replace(task) }
            }
            return count
        }
    }

    /// Adds a task, under another id if its own is taken, unless that is the same one.
    private func insert(
        _ task: TodoTask, unless isSame: (TodoTask, TodoTask) -> Bool, _ writer: any TaskWriter
    ) throws(TaskListError) -> Bool {
        var id = task.id
        while try !insert(task.renamed(id), writer) {
            let row = try TaskListError.repository { () throws(TaskRepositoryError) in
                try writer.task(id)
            }
            if let row, isSame(task, row) { return false }
            id = id.next
        }
        return true
    }

    /// Adds a task unless its id is taken.
    private func insert(
        _ task: TodoTask, _ writer: any TaskWriter
    ) throws(TaskListError) -> Bool {
        try TaskListError.repository { () throws(TaskRepositoryError) in
            do throws(TaskRepositoryError) {
                try writer.insert(task)
                return true
            } catch .alreadyExists {
                return false
            }
        }
    }

    /// Runs `body` with an id, and again with a random one where it is taken.
    func withFreeID<Result>(
        _ wanted: TaskID, _ body: (TaskID) throws(TaskListError) -> Result
    ) throws(TaskListError) -> Result {
        var id = wanted
        // A million tasks take one id of a thousand.
        for _ in 0..<64 {
            do throws(TaskListError) {
                return try body(id)
            } catch .repository(.alreadyExists) {
                id = TaskID()
            }
        }
        throw .repository(.failed(detail: "no free id was found"))
    }

    /// Runs a transaction in which only the database can fail.
    func changing<Result>(
        _ body: (any TaskWriter) throws(TaskRepositoryError) -> Result
    ) throws(TaskListError) -> Result {
        try repository.changing { (writer) throws(TaskListError) in
            try TaskListError.repository { () throws(TaskRepositoryError) in try body(writer) }
        }
    }

    static func check(_ text: TaskText) throws(TaskListError) {
        do {
            try TaskTextRule.check(text)
        } catch {
            throw .invalid(error)
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

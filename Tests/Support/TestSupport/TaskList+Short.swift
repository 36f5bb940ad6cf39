package import SecureStorage
package import Tasks

// Short forms of what tests do often.
extension TaskList {
    /// Adds a plain task with nothing but a text and a due time.
    @discardableResult
    package func add(
        _ text: TaskText, due: PointInTime? = nil, hasReminder: Bool = false,
        created: PointInTime = PointInTime(seconds: 0)
    ) throws -> TodoTask {
        try add(
            TodoTask(
                content: .plain(text), due: due.map { .moment($0) }, created: created,
                reminder: hasReminder ? due.map { .moment($0) } : nil))
    }

    /// Adds a protected task with nothing but a text and a due time.
    @discardableResult
    package func addProtected(
        _ text: TaskText, due: PointInTime? = nil, created: PointInTime = PointInTime(seconds: 0),
        in vault: any SecureStore
    ) throws -> TodoTask {
        let id = TaskID()
        let task = TodoTask(
            id: id, content: .protected(ProtectedTextID(of: id)), due: due.map { .moment($0) },
            created: created)
        return try insert(task, text: text, in: vault).task
    }

    /// Marks tasks as done or open.
    @discardableResult
    package func mark(_ tasks: [TodoTask], done isDone: Bool) throws -> [TodoTask] {
        guard isDone else { return try reopen(tasks) }
        return try finish(tasks, in: SystemCalendar()).map(\.task)
    }
}

/// The words of a task: what only the vault knows of a protected one.
public struct TaskText: Sendable, Hashable {
    /// What is to be done; one line.
    public var name: String
    /// More about it; may be empty, may have lines.
    public var notes: String
    /// The steps, in the order that the person gave them.
    public var subtasks: [TodoSubtask]

    /// Makes a text; it is checked when it is stored (``TaskTextRule``).
    public init(name: String, notes: String = "", subtasks: [TodoSubtask] = []) {
        self.name = name
        self.notes = notes
        self.subtasks = subtasks
    }
}

/// A step of a task.
public struct TodoSubtask: Sendable, Hashable {
    /// Its id, unique within its task.
    public let id: TaskID
    /// What is to be done; one line.
    public var name: String
    /// Whether it was done.
    public var isDone: Bool

    /// Makes a subtask.
    public init(id: TaskID, name: String, isDone: Bool = false) {
        self.id = id
        self.name = name
        self.isDone = isDone
    }
}

extension TaskText {
    /// Adds a subtask at the end.
    ///
    /// - Returns: Its id, which no other subtask of the task has.
    @discardableResult
    public mutating func addSubtask(_ name: String) -> TaskID {
        var id = TaskID()
        while subtasks.contains(where: { $0.id == id }) { id = TaskID() }
        subtasks.append(TodoSubtask(id: id, name: name))
        return id
    }

    /// The place of the subtask whose id begins so.
    ///
    /// - Throws: `unknownSubtask`, `ambiguousSubtask`.
    public func subtaskIndex(_ typed: String) throws(TaskListError) -> Int {
        guard let prefix = TaskIDPrefix(typed) else { throw .unknownSubtask }
        let found = subtasks.indices.filter { subtasks[$0].id.text.hasPrefix(prefix.text) }
        guard let index = found.first else { throw .unknownSubtask }
        guard found.count == 1 else { throw .ambiguousSubtask(found.map { subtasks[$0].id }) }
        return index
    }
}

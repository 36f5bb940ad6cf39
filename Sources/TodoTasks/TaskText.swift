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

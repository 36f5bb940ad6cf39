/// A subtask: its name, and the rest, which is public also if the task is protected.
public struct TodoSubtask: Sendable, Hashable {
    /// All but the name.
    public var row: SubtaskRow
    /// The name; one line.
    public var name: String

    /// Makes a subtask.
    public init(
        id: TaskID, name: String, isDone: Bool = false, due: TaskTime? = nil,
        reminder: TaskTime? = nil
    ) {
        self.init(SubtaskRow(id: id, isDone: isDone, due: due, reminder: reminder), name: name)
    }

    /// Joins a name and the rest.
    package init(_ row: SubtaskRow, name: String) {
        self.row = row
        self.name = name
    }

    /// The id of the subtask, unique within its task.
    public var id: TaskID { row.id }
    /// Whether the subtask is done.
    public var isDone: Bool {
        get { row.isDone }
        set { row.isDone = newValue }
    }
    /// The due time, if it has one.
    public var due: TaskTime? { row.due }
    /// The time of the reminder, if it has one.
    public var reminder: TaskTime? {
        get { row.reminder }
        set { row.reminder = newValue }
    }
    /// The time to which the owner postponed the reminder.
    public var snooze: PointInTime? {
        get { row.snooze }
        set { row.snooze = newValue }
    }
    /// The time at which the reminder is announced.
    public var announcement: TaskTime? { row.announcement }

    /// Moves the due time. The reminder keeps its distance; without a due time there is none.
    public mutating func setDue(_ time: TaskTime?, in calendar: some LocalCalendar) {
        if time == due { return }
        row.snooze = nil
        row.reminder = time.flatMap { time in
            due.map { due in reminder?.moved(from: due, to: time, in: calendar) } ?? reminder
        }
        row.due = time
    }
}

/// The public columns of a subtask.
public struct SubtaskRow: Sendable, Hashable {
    /// The id of the subtask.
    public let id: TaskID
    /// Whether the subtask is done.
    public var isDone: Bool
    /// The due time, if it has one.
    public var due: TaskTime?
    /// The time of the reminder, if it has one.
    public var reminder: TaskTime?
    /// The time to which the owner postponed the reminder.
    public var snooze: PointInTime?

    package init(
        id: TaskID, isDone: Bool, due: TaskTime?, reminder: TaskTime?,
        snooze: PointInTime? = nil
    ) {
        self.id = id
        self.isDone = isDone
        self.due = due
        self.reminder = reminder
        self.snooze = snooze
    }

    /// The time at which the reminder is announced.
    var announcement: TaskTime? { snooze.map { .moment($0) } ?? reminder }
    /// Whether the database needs the row of a protected task: the text has the id, and most subtasks have nothing else.
    package var isNeeded: Bool { isDone || due != nil || reminder != nil }
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

    /// The index of the subtask at a position from 1, or whose id has this prefix.
    ///
    /// - Parameters:
    ///   - typed: The text.
    ///   - task: The task whose text this is, for the error.
    /// - Returns: The index among ``subtasks``.
    /// - Throws: ``TaskListError/unknownSubtask(_:)``; ``TaskListError/ambiguousSubtask(_:)``.
    public func subtaskIndex(_ typed: String, of task: TaskID) throws -> Int {
        // A position that is too large must not become the beginning of an id.
        let isNumber = typed.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, typed.utf8.count < TaskID.length, let position = Int(typed) {
            guard subtasks.indices.contains(position - 1) else {
                throw TaskListError.unknownSubtask(task)
            }
            return position - 1
        }
        guard let prefix = TaskIDPrefix(typed) else { throw TaskListError.unknownSubtask(task) }
        let found = subtasks.indices.filter { subtasks[$0].id.text.hasPrefix(prefix.text) }
        guard let index = found.first else { throw TaskListError.unknownSubtask(task) }
        guard found.count == 1 else {
            throw TaskListError.ambiguousSubtask(found.map { subtasks[$0].id })
        }
        return index
    }
}

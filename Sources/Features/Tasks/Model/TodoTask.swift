// Points in time are part of a task.
@_exported public import struct TextCoding.PointInTime

/// A task as the database has it.
///
/// The text of a protected task is in the vault. The rest of the task is public: its times, its labels, and whether it is done.
public struct TodoTask: Sendable, Hashable {
    /// The text of a task, or its id in the vault.
    public enum Content: Sendable, Hashable {
        /// The text of a plain task.
        case plain(TaskText)
        /// The id of the text in the vault.
        case protected(ProtectedTextID)
    }

    /// The id, which never changes.
    public internal(set) var id: TaskID
    /// The text, or its id in the vault.
    public var content: Content
    /// The due time, if it has one.
    public var due: TaskTime?
    /// The time of creation, for information and order.
    public var created: PointInTime
    /// The completion of a done task.
    public var completion: TaskCompletion?
    /// The start, before which lists skip the task.
    public var wait: TaskTime?
    /// The time of the reminder, if it has one.
    public var reminder: TaskTime?
    /// The time to which the owner postponed the reminder.
    public var snooze: PointInTime?
    /// How it repeats. ``setRepetition(_:in:)`` sets it.
    public var repetition: RepeatRule?
    /// The present occurrence of the repetition; nil if it is the due time, in the zone of the owner. A protected task without a repetition
    /// has one if another program repeats it (``hasForeignRepetition``).
    public package(set) var occurrence: Occurrence?
    /// The priority.
    public var priority = TaskPriority.none
    /// The name of the list that the task is in (``TaskLabel``).
    public var list: String?
    /// The tags of the task (``TaskLabel``), each once.
    public var tags: [String] = []
    /// The tasks that come before this one, each once. Ids of tasks that are gone have no effect.
    public var dependencies: [TaskID] = []
    /// A public name of a protected task; nil for a plain one.
    public var nickname: String?
    /// The rows that the database has of a protected task's subtasks; empty for a plain task.
    public var subtaskRows: [SubtaskRow] = []
    /// The revision, set by the repository: 1 when the task is inserted, and one more after each change.
    public var revision: UInt64

    /// Makes a task.
    public init(
        id: TaskID = TaskID(), content: Content, due: TaskTime? = nil, created: PointInTime,
        completion: TaskCompletion? = nil, reminder: TaskTime? = nil, revision: UInt64 = 1
    ) {
        self.id = id
        self.content = content
        self.due = due
        self.created = created
        self.completion = completion
        self.reminder = reminder
        self.revision = revision
    }

    /// The time at which the reminder is announced.
    public var announcement: TaskTime? { snooze.map { .moment($0) } ?? reminder }

    /// Moves the due time. The reminder keeps its distance; without a due time there is none, and no repetition.
    ///
    /// A repetition continues from the time for which it scheduled the present occurrence.
    public mutating func setDue(_ time: TaskTime?, in calendar: some LocalCalendar) {
        if time == due { return }
        defer { due = time }
        snooze = nil
        guard let time else {
            if repetition != nil { occurrence = nil }
            (reminder, repetition) = (nil, nil)
            return
        }
        guard let due else { return }
        reminder = reminder?.moved(from: due, to: time, in: calendar)
        if repetition != nil { occurrence = presentOccurrence(in: calendar) }
    }

    /// Sets the repetition, whose first occurrence is the due time in the zone of the owner. A rule with a time of day gives it to a day.
    public mutating func setRepetition(_ rule: RepeatRule?, in calendar: some LocalCalendar) {
        if let day = due?.day, let second = rule?.firstTimeOfDay {
            due = .moment(calendar.moment(of: LocalTime(day, second: second)))
        }
        repetition = rule
        occurrence = rule == nil ? nil : due.map { Occurrence(dueAt: $0, in: calendar) }
    }

    /// Sets the repetition and its present occurrence.
    mutating func setSeries(_ rule: RepeatRule, _ occurrence: Occurrence) {
        (repetition, self.occurrence) = (rule, occurrence)
    }

    /// The present occurrence of the repetition; nil without a due time.
    package func presentOccurrence(in calendar: some LocalCalendar) -> Occurrence? {
        occurrence ?? due.map { Occurrence(dueAt: $0, in: calendar) }
    }

    /// Whether the owner moved the due time of this occurrence.
    func isMoved(in calendar: some LocalCalendar) -> Bool {
        guard repetition != nil, let occurrence else { return false }
        return occurrence.dueTime(in: calendar).inSeconds != due?.inSeconds
    }

    /// The next occurrence of the repetition after the present one.
    ///
    /// - Parameters:
    ///   - now: The current time, which occurrences must not have passed; nil for any occurrence.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The occurrence; nil if there is none.
    public func nextOccurrence(
        now: PointInTime? = nil, in calendar: some LocalCalendar
    ) -> NextOccurrence? {
        guard let repetition, let present = presentOccurrence(in: calendar) else { return nil }
        return repetition.next(after: present, now: now, in: calendar)
    }

    /// Whether the task repeats in the program from which it was imported, by a rule that is not supported.
    public var hasForeignRepetition: Bool { foreignRepetition != .none }

    /// Whether the end of the task ends the repetition in the program from which it was imported. An instance of Taskwarrior ends nothing.
    public var endsForeignRepetition: Bool { foreignRepetition == .series }

    private var foreignRepetition: FurtherAttributes.Repetition {
        guard repetition == nil else { return .none }
        guard let text = plainText else { return occurrence == nil ? .none : .series }
        return text.further.isEmpty ? .none : FurtherAttributes.repetition(in: text.further)
    }

    /// The task with its text in the vault. It keeps the mark of a series of another program (``hasForeignRepetition``).
    func protected(
        by id: ProtectedTextID, _ text: TaskText, in calendar: some LocalCalendar
    ) -> TodoTask {
        var task = self
        task.content = .plain(text)
        if task.hasForeignRepetition {
            let time = due ?? .day(calendar.local(at: created).date)
            task.occurrence = Occurrence(dueAt: time, in: calendar)
        }
        task.content = .protected(id)
        task.subtaskRows = text.subtaskRows
        return task
    }

    /// Whether the text is in the vault.
    public var isProtected: Bool { textID != nil }

    /// The id of the text in the vault; nil for a plain task.
    public var textID: ProtectedTextID? {
        guard case .protected(let id) = content else { return nil }
        return id
    }

    /// The title in reports, without text of the vault: the name, or for a protected task its nickname or id.
    public var publicTitle: String { plainText?.name ?? nickname ?? id.text }

    /// Whether the task is done.
    public var isDone: Bool { completion != nil }

    /// The text of a plain task; nil for a protected one.
    public var plainText: TaskText? {
        guard case .plain(let text) = content else { return nil }
        return text
    }

    /// Changes the text of a plain task. Does nothing for a protected one.
    mutating func changePlainText(_ change: (inout TaskText) -> Void) {
        guard case .plain(var text) = content else { return }
        change(&text)
        content = .plain(text)
    }

    /// Whether the task is open and starts later.
    public func isWaiting(at now: CalendarMoment) -> Bool {
        guard let wait, !isDone else { return false }
        return wait.isAfter(now)
    }

    /// Whether the task is open and its due time has passed.
    public func isOverdue(at now: CalendarMoment) -> Bool {
        guard let due, !isDone else { return false }
        return due.isBefore(now)
    }
}

// The subtasks, which a plain task has in its text and a protected one in rows.
extension TodoTask {
    /// The unencrypted columns of all subtasks, of plain and protected tasks.
    var allSubtaskRows: [SubtaskRow] { plainText?.subtasks.map(\.row) ?? subtaskRows }

    /// Changes each subtask.
    mutating func changeSubtasks(_ change: (inout SubtaskRow) -> Void) {
        for index in subtaskRows.indices { change(&subtaskRows[index]) }
        changePlainText { text in
            for index in text.subtasks.indices { change(&text.subtasks[index].row) }
        }
    }

    /// The subtasks, whose names are empty if the task is protected.
    var allSubtasks: [TodoSubtask] {
        get { plainText?.subtasks ?? subtaskRows.map { TodoSubtask($0, name: "") } }
        set {
            subtaskRows = isProtected ? newValue.map(\.row) : []
            changePlainText { $0.subtasks = newValue }
        }
    }
}

/// The completion of a task, and its later clearing.
public struct TaskCompletion: Sendable, Hashable {
    /// The time at which the task was done.
    public var time: PointInTime
    /// The start of the time until clearing: ``time``, or the time at which a clearing was undone.
    public var keptFrom: PointInTime
    /// The time of clearing, which hides the task; nil while it is shown.
    public var cleared: PointInTime?

    /// Makes a completion.
    public init(time: PointInTime, keptFrom: PointInTime? = nil, cleared: PointInTime? = nil) {
        self.time = time
        self.keptFrom = keptFrom ?? time
        self.cleared = cleared
    }
}

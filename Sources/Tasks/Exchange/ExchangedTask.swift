/// A task that is exported or imported, with its text also if it is protected.
public struct ExchangedTask: Sendable, Hashable {
    /// The id.
    public let id: TaskID
    /// The text; nil for a protected task whose text was not read.
    public var text: TaskText?
    /// Whether the text belongs into the vault.
    public var isProtected: Bool
    /// The due time.
    public var due: PointInTime?
    /// The time of creation.
    public var created: PointInTime
    /// Whether ``created`` is only the start of the day of creation.
    public var isDayOnly = false
    /// The completion of a done task.
    public var completion: TaskCompletion?
    /// Whether the owner wants a reminder.
    public var hasReminder: Bool

    /// Makes a plain task.
    init(id: TaskID, text: TaskText, created: PointInTime) {
        self.id = id
        self.text = text
        self.created = created
        isProtected = false
        hasReminder = false
    }

    /// Makes a task from one of the list.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - words: The text of a protected task, if it was read.
    public init(_ task: TodoTask, words: TaskText? = nil) {
        id = task.id
        text = task.plainText ?? words
        isProtected = task.isProtected
        due = task.due
        created = task.created
        completion = task.completion
        hasReminder = task.hasReminder
    }

    /// The task for the list; nil for a protected task.
    public var plainTask: TodoTask? {
        guard !isProtected, let text else { return nil }
        return TodoTask(
            id: id, content: .plain(text), due: due, created: created, completion: completion,
            hasReminder: hasReminder)
    }

    /// A protected task and its text for the list; nil for a plain task and for one without text.
    public var protectedTask: (TodoTask, TaskText)? {
        guard isProtected, let text else { return nil }
        let words = ProtectedWordsID(of: id)
        return (
            TodoTask(
                id: id, content: .protected(words), due: due, created: created,
                completion: completion, hasReminder: hasReminder), text
        )
    }

    /// Whether a task of the list that has the same id is the same task.
    ///
    /// It is if it was created in the same second, or on the same day if only that is known, or has the same name.
    public func isSame(as task: TodoTask) -> Bool {
        // No day is longer than 25 hours.
        let latest = created.seconds + (isDayOnly ? 90_000 : 1)
        if (created.seconds..<latest).contains(task.created.seconds) { return true }
        return text.map { $0.name == task.plainText?.name } ?? false
    }
}

/// Contents that a format cannot hold, and that are skipped.
public enum LeftOut: Sendable, Hashable, CaseIterable {
    /// Protected tasks whose text was not read.
    case protectedTasks
    /// Protected tasks whose text is not in the file.
    case missingWords
    /// Tasks that Taskwarrior deleted.
    case deletedTasks
    /// Patterns of Taskwarrior's recurring tasks. The tasks that were made of them are imported.
    case recurringPatterns
    /// Notes.
    case notes
    /// Subtasks.
    case subtasks
    /// Reminders.
    case reminders
    /// Times before 1980 or after 9999-12-30, at which Taskwarrior crashes.
    case times

    /// The name for messages.
    public var description: String {
        switch self {
        case .protectedTasks: "protected tasks whose words were not revealed"
        case .missingWords: "protected tasks whose words are not in the file"
        case .deletedTasks: "deleted tasks"
        case .recurringPatterns: "patterns of recurring tasks"
        case .notes: "notes, which the format has no place for"
        case .subtasks: "subtasks, which the format has no place for"
        case .reminders: "reminders, which the format has no place for"
        case .times: "times before 1980 or after 9999-12-30"
        }
    }
}

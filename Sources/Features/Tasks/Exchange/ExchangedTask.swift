/// A task in an export or an import, including the text of a protected task.
@dynamicMemberLookup
public struct ExchangedTask: Sendable, Hashable {
    /// The task. The text of a protected task has a separate id, which an import replaces.
    public var task: TodoTask
    /// The text of a protected task, if it was read.
    public var protectedText: TaskText?
    /// Whether only the day of creation is known; the time is then the start of that day.
    public var isDayOnly = false
    /// Whether the file has no time of creation. Each import then uses a different time.
    var isUndated = false

    /// Creates a plain task.
    init(id: TaskID, text: TaskText, created: PointInTime) {
        task = TodoTask(id: id, content: .plain(text), created: created)
    }

    /// Creates a value from a task of the list.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - text: The text of a protected task, if it was read.
    public init(_ task: TodoTask, text: TaskText? = nil) {
        self.task = task
        if task.isProtected { protectedText = text }
    }

    /// A property of the task.
    public subscript<Value>(dynamicMember path: KeyPath<TodoTask, Value>) -> Value {
        task[keyPath: path]
    }

    /// A mutable property of the task.
    public subscript<Value>(dynamicMember path: WritableKeyPath<TodoTask, Value>) -> Value {
        get { task[keyPath: path] }
        set { task[keyPath: path] = newValue }
    }

    /// The text; nil for a protected task whose text was not read.
    public var text: TaskText? { task.plainText ?? protectedText }

    /// Sets the attributes that TaskVault lacks (``TaskText/further``).
    mutating func setFurther(_ further: String) {
        guard var text else { return }
        text.further = further
        if task.isProtected { protectedText = text } else { task.content = .plain(text) }
    }

    /// The task for the list; nil for a protected task.
    public var plainTask: TodoTask? { task.isProtected ? nil : task }

    /// A protected task and its text for the list; nil for a plain task and for one without text.
    public var protectedTask: (TodoTask, TaskText)? {
        task.isProtected ? protectedText.map { (task, $0) } : nil
    }

    /// Whether a task of the list with the same id is the same task.
    ///
    /// It is the same if it has the same name or was created in the same second. If only the day is
    /// known, the same day suffices. It is also the same if another program gave both the same UID
    /// or the same line of todo.txt. A protected task is the same if the file has no times of
    /// creation: its text must not return in plaintext.
    public func isSame(as task: TodoTask) -> Bool {
        // No day exceeds 25 hours.
        let latest = self.task.created.seconds + (isDayOnly ? 90_000 : 1)
        if (self.task.created.seconds..<latest).contains(task.created.seconds) { return true }
        guard let text, let other = task.plainText else { return isUndated }
        if text.name == other.name { return true }
        let uid = FurtherAttributes.uid(in: text.further)
        return uid != nil && uid == FurtherAttributes.uid(in: other.further)
    }
}

extension ExchangedTask {
    /// Whether a task of the list has the content that a file of a format can have. The text of a protected task is not compared.
    public func hasContent(of row: TodoTask, as format: TaskFormat) -> Bool {
        guard task.due?.inSeconds == row.due?.inSeconds,
            task.wait?.inSeconds == row.wait?.inSeconds, task.isDone == row.isDone,
            task.priority == row.priority, task.list == row.list, task.tags == row.tags,
            task.repetition == row.repetition
        else { return false }
        guard let text, let other = row.plainText else { return true }
        func steps(_ text: TaskText) -> [String] {
            text.subtasks.map { ($0.isDone ? "x " : "") + $0.name }
        }
        return text.name == other.name
            && (format == .todoTxt
                || text.notes == other.notes && steps(text) == steps(other))
    }
}

/// Contents that a format cannot represent; they are skipped.
public enum LeftOut: Sendable, Hashable, CaseIterable {
    /// Protected tasks whose text was not read.
    case protectedTasks
    /// Protected tasks whose text is not in the file.
    case missingText
    /// Protected tasks whose text in the vault is of a newer version or another program.
    case unreadableText
    /// Tasks that were deleted in Taskwarrior.
    case deletedTasks
    /// Patterns of Taskwarrior's recurring tasks. They are kept with their instances.
    case recurringPatterns
    /// Repetitions that TaskVault does not support. They are kept for the next export.
    case repetitions
    /// Series of which every occurrence is an item of its own, or was removed.
    case endedSeries
    /// Notes.
    case notes
    /// Subtasks.
    case subtasks
    /// Due times and reminders of subtasks.
    case subtaskTimes
    /// Fields that a subtask lacks: notes, tags, priority and start. They are kept for the next export.
    case subtaskFields
    /// Subtasks that become tasks: they repeat, have subtasks, or exceed the space of their task.
    case childTasks
    /// Reminders.
    case reminders
    /// The tasks that come before a task.
    case dependencies
    /// Lists whose name is not one word.
    case lists
    /// Tags that are too long, or exceed the number of tags of a task.
    case tags
    /// Public names of protected tasks.
    case nicknames
    /// Times that the format cannot represent.
    case times
    /// Time zones that are unknown on this machine.
    case zones
    /// Control characters.
    case controls
    /// Entries of a calendar that are not tasks.
    case events
    /// Attributes that another program wrote in another format (``TaskText/further``).
    case further

    /// The name for messages.
    public var description: String {
        switch self {
        case .protectedTasks: "protected tasks whose text was not revealed"
        case .missingText: "protected tasks whose text is not in the file"
        case .unreadableText: "protected tasks whose text is of a newer version or another program"
        case .deletedTasks: "deleted or cancelled tasks"
        case .recurringPatterns: "patterns of recurring tasks, which repeat in Taskwarrior only"
        case .repetitions: "repetitions that are not supported"
        case .endedSeries: "series without a further occurrence"
        case .notes: "notes, which the format has no place for"
        case .subtasks: "subtasks, which the format has no place for"
        case .subtaskTimes: "times of subtasks, which the format has no place for"
        case .subtaskFields: "notes, tags, priorities and starts of subtasks"
        case .childTasks: "subtasks that became tasks of their own"
        case .reminders: "reminders, which have no place"
        case .dependencies: "tasks that come before others, which the format has no place for"
        case .lists: "lists whose name is not one word"
        case .tags: "tags that are too long, or too many"
        case .nicknames: "nicknames, which the format has no place for"
        case .times: "times that the format cannot hold"
        case .zones: "unknown time zones; this machine's zone was taken"
        case .controls: "control characters"
        case .events: "calendar entries that are no tasks"
        case .further: "attributes of other programs"
        }
    }
}

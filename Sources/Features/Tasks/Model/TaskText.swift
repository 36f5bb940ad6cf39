/// The text of a task. The text of a protected task is in the vault only.
public struct TaskText: Sendable, Hashable {
    /// The name; one line.
    public var name: String
    /// The notes; may be empty, may have several lines.
    public var notes: String
    /// The subtasks, in the order of the owner.
    public var subtasks: [TodoSubtask]
    /// Attributes of another program that TaskVault lacks, as a JSON object; empty if there are none.
    public var further = ""

    /// Makes a text, which is checked when it is stored (``TaskTextRule``).
    public init(name: String, notes: String = "", subtasks: [TodoSubtask] = []) {
        self.name = name
        self.notes = notes
        self.subtasks = subtasks
    }
}

/// A subtask: its name, and the rest, which is public also if the task is protected.
public struct TodoSubtask: Sendable, Hashable {
    /// All but the name.
    public var row: SubtaskRow
    /// The name; one line.
    public var name: String

    /// Makes a subtask.
    public init(
        id: TaskID, name: String, isDone: Bool = false, due: PointInTime? = nil,
        reminder: PointInTime? = nil
    ) {
        self.init(SubtaskRow(id: id, isDone: isDone, due: due, reminder: reminder), name: name)
    }

    /// Joins a name and the rest.
    init(_ row: SubtaskRow, name: String) {
        self.row = row
        self.name = name
    }

    /// Its id, unique within its task.
    public var id: TaskID { row.id }
    /// Whether it is done.
    public var isDone: Bool {
        get { row.isDone }
        set { row.isDone = newValue }
    }
    /// The due time, if it has one.
    public var due: PointInTime? { row.due }
    /// The time of the reminder, if it has one.
    public var reminder: PointInTime? {
        get { row.reminder }
        set { row.reminder = newValue }
    }
    /// The time to which the owner postponed the reminder.
    public var snooze: PointInTime? {
        get { row.snooze }
        set { row.snooze = newValue }
    }
    /// The time at which the reminder is announced.
    public var announcement: PointInTime? { row.announcement }

    /// Moves the due time. The reminder keeps its distance; without a due time there is none.
    public mutating func setDue(_ time: PointInTime?) {
        if time == due { return }
        row.snooze = nil
        row.reminder = time.flatMap { time in
            due.map { due in reminder?.moved(from: due, to: time) } ?? reminder
        }
        row.due = time
    }
}

/// The public columns of a subtask.
public struct SubtaskRow: Sendable, Hashable {
    /// The id of the subtask.
    public let id: TaskID
    /// Whether it is done.
    public var isDone: Bool
    /// The due time, if it has one.
    public var due: PointInTime?
    /// The time of the reminder, if it has one.
    public var reminder: PointInTime?
    /// The time to which the owner postponed the reminder.
    public var snooze: PointInTime?

    init(
        id: TaskID, isDone: Bool, due: PointInTime?, reminder: PointInTime?,
        snooze: PointInTime? = nil
    ) {
        self.id = id
        self.isDone = isDone
        self.due = due
        self.reminder = reminder
        self.snooze = snooze
    }

    /// The time at which the reminder is announced.
    var announcement: PointInTime? { snooze ?? reminder }
    /// Whether the database needs the row of a protected task: the text has the id, and most subtasks have nothing else.
    var isNeeded: Bool { isDone || due != nil || reminder != nil }
}

extension TaskText {
    /// Whether the vault stores the same bytes for both. Swift's `String` treats canonically equivalent texts as equal.
    func isStored(as other: TaskText) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && notes.utf8.elementsEqual(other.notes.utf8)
            && further.utf8.elementsEqual(other.further.utf8)
            && subtasks.elementsEqual(other.subtasks) {
                $0.id == $1.id && $0.name.utf8.elementsEqual($1.name.utf8)
            }
    }

    /// The rows that the database needs of the subtasks.
    var subtaskRows: [SubtaskRow] { subtasks.map(\.row).filter(\.isNeeded) }

    /// The text with the rows that the database has of its subtasks.
    func with(_ rows: [SubtaskRow]) -> TaskText {
        if rows.isEmpty { return self }
        var text = self
        let known = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        for index in text.subtasks.indices {
            if let row = known[text.subtasks[index].id] { text.subtasks[index].row = row }
        }
        return text
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

/// The limits of a task's text. They are the same for plain and protected tasks, so that every task can be protected.
public enum TaskTextRule {
    /// The largest name of a task or subtask, in bytes of UTF-8.
    public static let maximumNameSize = 4_096
    /// The largest notes, in bytes of UTF-8.
    public static let maximumNotesSize = 262_144
    /// The largest number of subtasks.
    public static let maximumSubtasks = 500
    /// The largest text in total, in bytes as the vault stores it: the largest value of a secret.
    public static let maximumSize = 1_048_576
    /// The largest name of a list, and the largest tag, in bytes of UTF-8.
    public static let maximumLabelSize = 256
    /// The largest number of tags.
    public static let maximumTags = 50
    /// The largest attributes of another program, in bytes.
    public static let maximumFurtherSize = 262_144

    /// The rule that a text breaks.
    public enum Violation: Sendable, Hashable {
        /// A name is empty or has only blanks.
        case emptyName(Part)
        /// A part is larger than `maximum` bytes.
        case tooLong(Part, maximum: Int)
        /// A part contains the character U+0000, which PostgreSQL cannot store.
        case nullCharacter(Part)
        /// There are more subtasks than ``maximumSubtasks``.
        case tooManySubtasks
        /// Two subtasks have the same id.
        case repeatedSubtask
        /// There are more tags than ``maximumTags``.
        case tooManyTags
        /// A tag contains a blank or a control character.
        case blankInTag
        /// The text in total is larger than ``maximumSize``.
        case tooLarge
        /// The attributes of another program are larger than ``maximumFurtherSize``.
        case furtherTooLarge
        /// A due time, a start or a reminder is outside of the years 1 to 9999.
        case timeOutOfRange
    }

    /// A part of a task that is text.
    public struct Part: Sendable, Hashable {
        /// The name of a task.
        public static let name = Part("the name", maximum: maximumNameSize)
        /// The notes.
        public static let notes = Part("the notes", maximum: maximumNotesSize)
        /// The name of a subtask.
        public static let subtaskName = Part("the name of a subtask", maximum: maximumNameSize)
        /// The name of a list.
        public static let list = Part("the name of the list", maximum: maximumLabelSize)
        /// A tag.
        public static let tag = Part("a tag", maximum: maximumLabelSize)
        /// The public name of a protected task.
        public static let nickname = Part("the nickname", maximum: maximumNameSize)

        /// The part in messages.
        let title: String
        /// The largest size in bytes of UTF-8.
        let maximum: Int

        init(_ title: String, maximum: Int) {
            self.title = title
            self.maximum = maximum
        }
    }

    /// Makes sure that the text can be stored.
    ///
    /// - Throws: ``TaskListError/invalidText(_:)``.
    public static func check(_ text: TaskText) throws {
        try check(text.name, .name)
        try check(text.notes, .notes)
        guard text.subtasks.count <= maximumSubtasks else {
            throw TaskListError.invalidText(.tooManySubtasks)
        }
        for subtask in text.subtasks { try check(subtask.name, .subtaskName) }
        guard Set(text.subtasks.map(\.id)).count == text.subtasks.count else {
            throw TaskListError.invalidText(.repeatedSubtask)
        }
        guard text.further.utf8.count <= maximumFurtherSize, !text.further.utf8.contains(0) else {
            throw TaskListError.invalidText(.furtherTooLarge)
        }
        guard ProtectedText.size(of: text) <= maximumSize else {
            throw TaskListError.invalidText(.tooLarge)
        }
    }

    /// Makes sure that the public columns of a task and of its subtasks can be stored.
    ///
    /// - Throws: ``TaskListError/invalidText(_:)``.
    static func check(publicPartOf task: TodoTask) throws {
        for column in TaskColumn.publicTexts {
            if let part = column.part, let text = column.text(of: task) { try check(text, part) }
        }
        guard task.tags.count <= maximumTags else {
            throw TaskListError.invalidText(.tooManyTags)
        }
        let times = task.allSubtaskRows.flatMap { [$0.due, $0.reminder] }
        guard TaskColumn.ownTimes.allSatisfy({ $0.hasTypableTime(in: task) }),
            times.allSatisfy(DueTimeParser.accepts)
        else { throw TaskListError.invalidText(.timeOutOfRange) }
        for tag in task.tags { try check(tag: tag) }
    }

    /// Makes sure that a text can be a tag.
    ///
    /// - Throws: ``TaskListError/invalidText(_:)``.
    static func check(tag: String) throws {
        try check(tag, .tag)
        let isWord = !tag.unicodeScalars.contains {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }
        guard isWord else { throw TaskListError.invalidText(.blankInTag) }
    }

    private static func check(_ text: String, _ part: Part) throws {
        let maximum = part.maximum
        guard text.utf8.count <= maximum else {
            throw TaskListError.invalidText(.tooLong(part, maximum: maximum))
        }
        guard !text.utf8.contains(0) else { throw TaskListError.invalidText(.nullCharacter(part)) }
        guard part == .notes || text.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else { throw TaskListError.invalidText(.emptyName(part)) }
    }
}

extension TaskTextRule.Violation: CustomStringConvertible {
    /// The reason for messages: lower case, no full stop.
    public var description: String {
        switch self {
        case .emptyName(let part): "\(part.title) is empty"
        case .tooLong(.notes, let maximum): "the notes are longer than \(maximum) bytes"
        case .tooLong(let part, let maximum): "\(part.title) is longer than \(maximum) bytes"
        case .nullCharacter(.notes): "the notes contain the character U+0000"
        case .nullCharacter(let part): "\(part.title) contains the character U+0000"
        case .tooManySubtasks: "a task has at most \(TaskTextRule.maximumSubtasks) subtasks"
        case .repeatedSubtask: "two subtasks have the same id"
        case .tooManyTags: "a task has at most \(TaskTextRule.maximumTags) tags"
        case .blankInTag: "a tag is one word, without blanks and control characters"
        case .timeOutOfRange: "a time is not in the years 1 to 9999"
        case .tooLarge:
            "name, notes and subtasks together are larger than \(TaskTextRule.maximumSize) bytes"
        case .furtherTooLarge:
            "attributes of other programs are larger than \(TaskTextRule.maximumFurtherSize) bytes"
        }
    }
}

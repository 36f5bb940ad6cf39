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
    /// The largest number of tasks that come before one.
    public static let maximumDependencies = 100
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
        /// More tasks come before this one than ``maximumDependencies``.
        case tooManyDependencies
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
        guard task.dependencies.count <= maximumDependencies else {
            throw TaskListError.invalidText(.tooManyDependencies)
        }
        let times = task.allSubtaskRows.flatMap { [$0.due, $0.reminder] }
        guard TaskColumn.ownTimes.allSatisfy({ $0.hasTypableTime(in: task) }),
            times.allSatisfy({ DueTimeParser.accepts($0) })
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
        case .tooManyDependencies:
            "at most \(TaskTextRule.maximumDependencies) tasks come before a task"
        case .blankInTag: "a tag is one word, without blanks and control characters"
        case .timeOutOfRange: "a time is not in the years 1 to 9999"
        case .tooLarge:
            "name, notes and subtasks together are larger than \(TaskTextRule.maximumSize) bytes"
        case .furtherTooLarge:
            "attributes of other programs are larger than \(TaskTextRule.maximumFurtherSize) bytes"
        }
    }
}

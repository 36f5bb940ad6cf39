/// The text of a task. That of a protected task is in the vault only.
public struct TaskText: Sendable, Hashable {
    /// The name; one line.
    public var name: String
    /// The notes; may be empty, may have several lines.
    public var notes: String
    /// The subtasks, in the order of the owner.
    public var subtasks: [TodoSubtask]

    /// Makes a text. It is checked when it is stored (``TaskTextRule``).
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
    /// The name; one line.
    public var name: String
    /// Whether it is done.
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

    /// The index of the subtask whose id has this prefix.
    ///
    /// - Throws: ``TaskListError/unknownSubtask``; ``TaskListError/ambiguousSubtask(_:)``.
    public func subtaskIndex(_ typed: String) throws -> Int {
        guard let prefix = TaskIDPrefix(typed) else { throw TaskListError.unknownSubtask }
        let found = subtasks.indices.filter { subtasks[$0].id.text.hasPrefix(prefix.text) }
        guard let index = found.first else { throw TaskListError.unknownSubtask }
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

    /// Why a text cannot be that of a task.
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
        /// The text in total is larger than ``maximumSize``.
        case tooLarge
    }

    /// A part of the text.
    public enum Part: Sendable, Hashable {
        case name, notes, subtaskName
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
        guard ProtectedText.size(of: text) <= maximumSize else {
            throw TaskListError.invalidText(.tooLarge)
        }
    }

    private static func check(_ text: String, _ part: Part) throws {
        let maximum = part == .notes ? maximumNotesSize : maximumNameSize
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
        case .emptyName(.subtaskName): "the name of a subtask is empty"
        case .emptyName: "the name is empty"
        case .tooLong(.notes, let maximum): "the notes are longer than \(maximum) bytes"
        case .tooLong(let part, let maximum): "\(part.title) is longer than \(maximum) bytes"
        case .nullCharacter(.notes): "the notes contain the character U+0000"
        case .nullCharacter(let part): "\(part.title) contains the character U+0000"
        case .tooManySubtasks: "a task has at most \(TaskTextRule.maximumSubtasks) subtasks"
        case .repeatedSubtask: "two subtasks have the same id"
        case .tooLarge:
            "name, notes and subtasks together are larger than \(TaskTextRule.maximumSize) bytes"
        }
    }
}

extension TaskTextRule.Part {
    fileprivate var title: String {
        switch self {
        case .name: "the name"
        case .notes: "the notes"
        case .subtaskName: "the name of a subtask"
        }
    }
}

/// What the words of a task may be. The same for protected and other tasks, so that every task can be protected.
public enum TaskTextRule {
    /// The largest name of a task or subtask, in bytes of UTF-8.
    public static let maximumNameSize = 4_096
    /// The largest notes, in bytes of UTF-8.
    public static let maximumNotesSize = 262_144
    /// The largest number of subtasks.
    public static let maximumSubtasks = 500
    /// The largest text altogether, in bytes as the vault stores it: a secret's largest value.
    public static let maximumSize = 1_048_576

    /// Why words cannot be those of a task.
    public enum Violation: Error, Sendable, Hashable {
        /// A name has no characters, or only blanks.
        case emptyName(Part)
        /// It is larger than `maximum` bytes.
        case tooLong(Part, maximum: Int)
        /// It holds the character U+0000, which PostgreSQL cannot store.
        case nullCharacter(Part)
        /// There are more subtasks than ``maximumSubtasks``.
        case tooManySubtasks
        /// Two subtasks have one id.
        case repeatedSubtask
        /// All together is larger than ``maximumSize``.
        case tooLarge
    }

    /// A part of the words.
    public enum Part: Sendable, Hashable {
        case name, notes, subtaskName
    }

    /// Makes sure that the words can be stored.
    public static func check(_ text: TaskText) throws(Violation) {
        try check(text.name, .name)
        try check(text.notes, .notes)
        guard text.subtasks.count <= maximumSubtasks else { throw .tooManySubtasks }
        for subtask in text.subtasks { try check(subtask.name, .subtaskName) }
        guard Set(text.subtasks.map(\.id)).count == text.subtasks.count else {
            throw .repeatedSubtask
        }
        guard ProtectedText.size(of: text) <= maximumSize else { throw .tooLarge }
    }

    private static func check(_ text: String, _ part: Part) throws(Violation) {
        let maximum = part == .notes ? maximumNotesSize : maximumNameSize
        guard text.utf8.count <= maximum else { throw .tooLong(part, maximum: maximum) }
        guard !text.utf8.contains(0) else { throw .nullCharacter(part) }
        guard part == .notes || text.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else { throw .emptyName(part) }
    }
}

internal import TextCoding

/// Why a file with tasks could not be read. Nothing of it was imported, and no case carries words of a task. Lines count from 1.
public enum TaskExchangeError: Error, Sendable, Hashable {
    /// The file is larger than `maximum` bytes.
    case tooLarge(maximum: Int)
    /// It is not in UTF-8.
    case notUTF8(line: Int)
    /// It is not JSON, or its parts are not where they belong.
    case invalidJSON(line: Int)
    /// No format was named, and it is not JSON that could be one.
    case notJSON
    /// It is JSON, and not that of tasks.
    case unknownFormat
    /// It is from a newer version of TaskVault.
    case unsupportedVersion(Int)
    /// A task, that begins on this line, lacks a member.
    case missingMember(String, line: Int)
    /// A member has a value that means nothing there.
    case invalidMember(String, line: Int)
    /// A second task has the id of one before.
    case repeatedTask(line: Int)
    /// Words that no task can have.
    case invalidWords(TaskTextRule.Violation, line: Int)
}

extension TaskExchangeError: JSONReadingFailure {}

extension TaskExchangeError: CustomStringConvertible {
    /// The reason for a person: lower case, no full stop.
    public var description: String {
        switch self {
        case .tooLarge(let maximum): "the file is larger than \(maximum) bytes"
        case .notUTF8(let line): "line \(line): not UTF-8"
        case .invalidJSON(let line): "line \(line): not the JSON that belongs there"
        case .notJSON: "not the JSON of TaskVault or Taskwarrior"
        case .unknownFormat: "not a file with tasks"
        case .unsupportedVersion(let version): "written by a newer TaskVault (version \(version))"
        case .missingMember(let member, let line): "line \(line): a task without '\(member)'"
        case .invalidMember(let member, let line): "line \(line): '\(member)' has no meaning here"
        case .repeatedTask(let line): "line \(line): a task that was there before"
        case .invalidWords(let violation, let line): "line \(line): \(Self.reason(violation))"
        }
    }

    private static func reason(_ violation: TaskTextRule.Violation) -> String {
        switch violation {
        case .emptyName(let part): "the \(name(part)) is empty"
        case .tooLong(let part, let maximum):
            "the \(name(part)) is longer than \(maximum) bytes"
        case .nullCharacter(let part): "the \(name(part)) holds a null character"
        case .tooManySubtasks: "more than \(TaskTextRule.maximumSubtasks) subtasks"
        case .repeatedSubtask: "two subtasks have one id"
        case .tooLarge: "the words are larger than \(TaskTextRule.maximumSize) bytes altogether"
        }
    }

    private static func name(_ part: TaskTextRule.Part) -> String {
        switch part {
        case .name: "name"
        case .notes: "text of the notes"
        case .subtaskName: "name of a subtask"
        }
    }
}

/// A reader of JSON with the errors of this module.
typealias TaskJSONReader = JSONReader<TaskExchangeError>

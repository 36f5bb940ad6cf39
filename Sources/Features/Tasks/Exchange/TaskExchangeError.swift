internal import TextCoding

/// The failure to read a file with tasks, or one of its items. No case contains the text of a
/// task. Lines count from 1.
public enum TaskExchangeError: Error, Sendable, Hashable {
    /// The file is larger than `maximum` bytes.
    case tooLarge(maximum: Int)
    /// The file is not UTF-8.
    case notUTF8(line: Int)
    /// The file is not JSON, or has another structure.
    case invalidJSON(line: Int)
    /// No format was named, and the content does not identify one.
    case notRecognised
    /// The file is not iCalendar, or ends within an entry.
    case invalidCalendar(line: Int)
    /// The file is JSON of another format.
    case unknownFormat
    /// The file has a newer version of TaskVault's format.
    case unsupportedVersion(Int)
    /// A task that starts on this line has no such member.
    case missingMember(String, line: Int)
    /// A member has an invalid value.
    case invalidMember(String, line: Int)
    /// A task that starts on this line has a time outside the years 1 to 9999.
    case invalidTime(line: Int)
    /// Two tasks have the same id.
    case repeatedTask(line: Int)
    /// A task has an invalid text.
    case invalidText(TaskTextRule.Violation, line: Int)
}

extension TaskExchangeError: JSONReadingFailure {}

extension TaskExchangeError: CustomStringConvertible {
    /// The line and the reason for messages, in lower case and without a full stop.
    public var description: String { line.map { "line \($0): \(reason)" } ?? reason }

    /// The line, from 1; nil for an error of the whole file.
    private var line: Int? {
        switch self {
        case .notUTF8(let line), .invalidJSON(let line), .invalidCalendar(let line),
            .missingMember(_, let line), .invalidMember(_, let line), .invalidTime(let line),
            .repeatedTask(let line), .invalidText(_, let line):
            line
        case .tooLarge, .notRecognised, .unknownFormat, .unsupportedVersion: nil
        }
    }

    /// The reason without the line.
    public var reason: String {
        switch self {
        case .tooLarge(let maximum): "the file is larger than \(maximum) bytes"
        case .notUTF8: "not UTF-8"
        case .invalidJSON: "unexpected JSON"
        case .notRecognised: "neither the JSON of TaskVault or Taskwarrior nor iCalendar"
        case .invalidCalendar: "not iCalendar"
        case .unknownFormat: "not a file with tasks"
        case .unsupportedVersion(let version): "written by a newer TaskVault (version \(version))"
        case .missingMember(let member, _): "a task without '\(member)'"
        case .invalidMember(let member, _): "invalid value of '\(member)'"
        case .invalidTime: "a time outside of the years 1 to 9999"
        case .repeatedTask: "a second task with the same id"
        case .invalidText(let violation, _): "\(violation)"
        }
    }
}

/// A reader of JSON with the errors of this module.
typealias TaskJSONReader = JSONReader<TaskExchangeError>

extension TaskJSONReader {
    /// Reads a text.
    mutating func text(
        of member: String, in bytes: RawSpan
    ) throws -> String {
        guard try nextKind(in: bytes) == .string else { throw invalid(member, in: bytes) }
        return try text(in: bytes)
    }

    /// Reads a text or null.
    mutating func optionalText(
        of member: String, in bytes: RawSpan
    ) throws -> String? {
        if try skipNull(in: bytes) { return nil }
        return try text(of: member, in: bytes)
    }

    /// Reads an array of texts.
    mutating func texts(of member: String, in bytes: RawSpan) throws -> [String] {
        guard try nextKind(in: bytes) == .array else { throw invalid(member, in: bytes) }
        var texts: [String] = []
        while try nextElement(in: bytes, isFirst: texts.isEmpty) {
            texts.append(try text(of: member, in: bytes))
        }
        return texts
    }

    /// Reads true or false.
    mutating func flag(of member: String, in bytes: RawSpan) throws -> Bool {
        guard try nextKind(in: bytes) == .boolean else { throw invalid(member, in: bytes) }
        return try boolean(in: bytes)
    }

    /// The error of an invalid value.
    mutating func invalid(_ member: String, in bytes: RawSpan) -> TaskExchangeError {
        .invalidMember(member, line: currentLine(in: bytes))
    }
}

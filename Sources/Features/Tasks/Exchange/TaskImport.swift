internal import TextCoding

/// A file format for tasks (`Docs/TaskExchange.md`).
public enum TaskFormat: String, Sendable, Hashable, CaseIterable {
    /// TaskVault's own JSON, which represents all contents.
    case taskVault = "taskvault"
    /// The JSON of Taskwarrior's `task export` and `task import`.
    case taskwarrior
    /// The lines of todo.txt.
    case todoTxt = "todo.txt"
    /// The entries VTODO of iCalendar (RFC 5545).
    case iCalendar = "icalendar"

    /// Detects the format of a file by its content.
    ///
    /// - Throws: ``TaskExchangeError/notRecognised``. A todo.txt is never detected, because any
    ///   text is valid, even a list of passwords.
    static func detect(_ bytes: RawSpan) throws -> TaskFormat {
        if bytes.isCalendar { return .iCalendar }
        var reader = TaskJSONReader(bytes)
        do {
            if try reader.nextKind(in: bytes) == .object {
                let key = try reader.nextKey(in: bytes, isFirst: true)
                return key == "format" ? .taskVault : .taskwarrior
            }
            if try reader.isTaskArray(in: bytes) { return .taskwarrior }
        } catch {
            throw TaskExchangeError.notRecognised
        }
        throw TaskExchangeError.notRecognised
    }
}

extension RawSpan {
    /// Whether the first line that is not empty begins an iCalendar file.
    fileprivate var isCalendar: Bool {
        let start = hasText("\u{FEFF}", at: 0) ? 3 : 0
        let first = (start..<byteCount).first { !" \t\r\n".utf8.contains(self[$0]) }
        guard let first else { return false }
        let line = extracting(first..<Swift.min(byteCount, first + 15)).array
        return String(decoding: line, as: UTF8.self).uppercased() == "BEGIN:VCALENDAR"
    }
}

extension TaskJSONReader {
    /// Whether an array of objects or an empty array starts here; `[ ] milk` is a line of todo.txt.
    fileprivate mutating func isTaskArray(in bytes: RawSpan) throws -> Bool {
        guard try nextKind(in: bytes) == .array else { return false }
        guard try nextElement(in: bytes, isFirst: true) else { return isAtEnd(in: bytes) }
        return try nextKind(in: bytes) == .object
    }
}

/// The contents of a file with tasks. The whole file is parsed before any task is used.
public struct TaskImport: Sendable, Hashable {
    /// The largest file, in bytes: 256 MiB.
    public static let maximumFileSize = 268_435_456

    /// The format of the file.
    public let format: TaskFormat
    /// The tasks in file order, with distinct ids. The same file always gives the same ids.
    public var tasks: [ExchangedTask] = []
    /// The numbers of skipped contents, which are not in ``tasks``.
    public var leftOut: [LeftOut: Int] = [:]

    init(_ format: TaskFormat) {
        self.format = format
    }

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - format: The format; nil to detect it by the content.
    ///   - now: The current time, for tasks without a time of creation.
    ///   - calendar: The calendar of the owner, for days and times without a zone.
    /// - Returns: The contents.
    /// - Throws: ``TaskExchangeError``.
    public static func read(
        _ bytes: RawSpan, as format: TaskFormat? = nil, now: PointInTime,
        in calendar: some LocalCalendar
    ) throws -> TaskImport {
        guard bytes.byteCount <= maximumFileSize else {
            throw TaskExchangeError.tooLarge(maximum: maximumFileSize)
        }
        let format = if let format { format } else { try TaskFormat.detect(bytes) }
        switch format {
        case .taskVault: return try TaskVaultTasks.read(bytes)
        case .taskwarrior: return try TaskwarriorTasks.read(bytes, now: now, in: calendar)
        case .todoTxt: return try TodoTxtTasks.read(bytes, now: now, in: calendar)
        case .iCalendar: return try ICalendarTasks.read(bytes, now: now, in: calendar)
        }
    }

    mutating func leaveOut(_ kind: LeftOut) {
        leftOut[kind, default: 0] += 1
    }

    /// Verifies that a task can be stored, and that its times are in the years 1 to 9999.
    static func check(_ task: ExchangedTask, line: Int) throws {
        let times = task.text?.subtasks.flatMap { [$0.due, $0.reminder] } ?? []
        guard TaskColumn.times.allSatisfy({ $0.hasTypableTime(in: task.task) }),
            times.allSatisfy({ DueTimeParser.accepts($0) })
        else {
            throw TaskExchangeError.invalidTime(line: line)
        }
        do {
            if let text = task.text { try TaskTextRule.check(text) }
            try TaskTextRule.check(publicPartOf: task.task)
        } catch TaskListError.invalidText(let violation) {
            throw TaskExchangeError.invalidText(violation, line: line)
        }
    }
}

/// Pseudorandom numbers from a text, the same in every version, so that every import gives a task
/// the same id.
///
/// FNV-1a over the UTF-8, then SplitMix64.
struct StableNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ text: String) {
        state = text.utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
    }

    /// The next unused id, which is added to `taken`.
    mutating func id(_ taken: inout Set<TaskID>) -> TaskID {
        while true {
            let id = TaskID(number: next())
            if taken.insert(id).inserted { return id }
        }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

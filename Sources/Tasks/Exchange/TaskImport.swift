/// What a file with tasks holds. The whole file is read before anything is handed on.
public struct TaskImport: Sendable, Hashable {
    /// The largest file, in bytes: 256 MiB.
    public static let maximumFileSize = 268_435_456

    /// The format of the file.
    public let format: TaskFormat
    /// The tasks, in the order of the file; no two have one id. The same file gives the same ids.
    public var tasks: [ExchangedTask] = []
    /// How much of what was in the file is not in ``tasks``.
    public var leftOut: [LeftOut: Int] = [:]

    init(_ format: TaskFormat) {
        self.format = format
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - format: Its format; nil where its content decides between the two of JSON.
    ///   - now: The present time, for tasks that do not say when they were made.
    ///   - calendar: The calendar by which todo.txt tells days.
    /// - Returns: What is in it.
    /// - Throws: Why it cannot be read, with the line.
    public static func read(
        _ bytes: RawSpan, as format: TaskFormat? = nil, now: PointInTime,
        in calendar: some LocalCalendar
    ) throws(TaskExchangeError) -> TaskImport {
        guard bytes.byteCount <= maximumFileSize else {
            throw .tooLarge(maximum: maximumFileSize)
        }
        let format = if let format { format } else { try TaskFormat.detect(bytes) }
        switch format {
        case .taskVault: return try TaskVaultTasks.read(bytes)
        case .taskwarrior: return try TaskwarriorTasks.read(bytes, now: now)
        case .todoTxt: return try TodoTxtTasks.read(bytes, now: now, in: calendar)
        }
    }

    mutating func leaveOut(_ kind: LeftOut) {
        leftOut[kind, default: 0] += 1
    }

    /// Makes sure that the words of a task can be stored.
    static func check(_ text: TaskText, line: Int) throws(TaskExchangeError) {
        do throws(TaskTextRule.Violation) {
            try TaskTextRule.check(text)
        } catch {
            throw .invalidWords(error, line: line)
        }
    }
}

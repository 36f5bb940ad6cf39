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
    /// The largest file, in bytes: 64 MiB. It may need fifteen times as much memory.
    public static let maximumFileSize = 67_108_864
    /// The largest file of another program: 16 MiB. A short item may need fifty times as much memory.
    static let maximumForeignSize = 16_777_216

    /// The format of the file.
    public let format: TaskFormat
    /// The tasks in file order, with distinct ids. The same file always gives the same ids.
    public var tasks: [ExchangedTask] = []
    /// The series of the file without a further occurrence, as done tasks. They are not in ``tasks``.
    public private(set) var ended: [ExchangedTask] = []
    /// The differences between the items of the file and ``tasks``, in file order.
    public private(set) var remarks: [Remark] = []
    /// The lines on which the items of ``tasks`` and ``ended`` start, from 1.
    public private(set) var lines: [TaskID: Int] = [:]
    /// The occurrences of series that are items of their own in the file, or that the file leaves out.
    private var elsewhere: [TaskID: [FloatingTime]] = [:]

    /// A difference between an item of the file and what is imported.
    public struct Remark: Sendable, Hashable {
        /// The outcome of the item.
        public enum Subject: Sendable, Hashable {
            /// Content of this kind is not imported.
            case leftOut(LeftOut)
            /// The item cannot be read, and is not imported.
            case skipped(TaskExchangeError)
        }

        /// The name of the item; nil if it has none.
        public let title: String?
        /// The line on which the item starts, from 1.
        public let line: Int
        /// The outcome.
        public let subject: Subject
    }

    /// The numbers of contents that are not in ``tasks``.
    public var leftOut: [LeftOut: Int] {
        var counts: [LeftOut: Int] = [:]
        for case .leftOut(let kind) in remarks.lazy.map(\.subject) {
            counts[kind, default: 0] += 1
        }
        return counts
    }

    /// The errors of the items that cannot be read.
    public var errors: [TaskExchangeError] {
        remarks.compactMap { remark in
            if case .skipped(let error) = remark.subject { error } else { nil }
        }
    }

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
    /// - Returns: The contents. An item that cannot be read is in ``remarks``.
    /// - Throws: ``TaskExchangeError``, also if there are items and none can be read.
    public static func read(
        _ bytes: RawSpan, as format: TaskFormat? = nil, now: PointInTime,
        in calendar: some LocalCalendar
    ) throws -> TaskImport {
        guard bytes.byteCount <= maximumFileSize else {
            throw TaskExchangeError.tooLarge(maximum: maximumFileSize)
        }
        let format = if let format { format } else { try TaskFormat.detect(bytes) }
        guard format == .taskVault || bytes.byteCount <= maximumForeignSize else {
            throw TaskExchangeError.tooLarge(maximum: maximumForeignSize)
        }
        let result =
            switch format {
            case .taskVault: try TaskVaultTasks.read(bytes)
            case .taskwarrior: try TaskwarriorTasks.read(bytes, now: now, in: calendar)
            case .todoTxt: try TodoTxtTasks.read(bytes, now: now, in: calendar)
            case .iCalendar: try ICalendarTasks.read(bytes, now: now, in: calendar)
            }
        if result.tasks.isEmpty, let error = result.errors.first { throw error }
        return result
    }

    /// Adds a task.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - line: The line on which its item starts.
    ///   - occurrences: The occurrences of its series that are items of their own, or that the file leaves out.
    mutating func add(_ task: ExchangedTask, line: Int, elsewhere occurrences: [FloatingTime] = [])
    {
        tasks.append(task)
        lines[task.id] = line
        if !occurrences.isEmpty { elsewhere[task.id] = occurrences }
    }

    /// Adds a series of which every occurrence is an item of its own, or is left out by the file.
    mutating func end(
        _ task: ExchangedTask, line: Int, elsewhere occurrences: [FloatingTime], now: PointInTime
    ) {
        var task = task
        task.completion = task.completion ?? TaskCompletion(time: now)
        ended.append(task)
        lines[task.id] = line
        elsewhere[task.id] = occurrences
    }

    /// A series of the list without the occurrences that another program moved, finished or cancelled since the series was imported. They
    /// are items of their own in the file, or in no item. The series moves on if its present occurrence is among them, and is done without
    /// a further one.
    ///
    /// - Parameters:
    ///   - row: The task of the list.
    ///   - task: The same task of the file (``ExchangedTask/isSame(as:)``).
    ///   - calendar: The calendar of the owner.
    /// - Returns: The changed task; nil if there are no such occurrences, or if the owner changed the rule, or moved the present occurrence.
    public func update(
        _ row: TodoTask, by task: ExchangedTask, in calendar: some LocalCalendar
    ) -> TodoTask? {
        guard let found = elsewhere[task.id], !row.isDone, let rule = row.repetition,
            let other = task.repetition, rule.isSameSeries(as: other),
            let present = row.presentOccurrence(in: calendar), !row.isMoved(in: calendar),
            task.task.presentOccurrence(in: calendar)?.zone == present.zone
        else { return nil }
        let new = found.filter { $0.local >= present.scheduled.local && !rule.isLeftOut($0) }
        var changed = rule
        changed.overrides = Set(rule.overrides + new).sorted { $0.local < $1.local }
        guard !new.isEmpty,
            changed.exceptions.count + changed.overrides.count <= RepeatRule.maximumExceptions
        else { return nil }
        var result = row
        result.setSeries(changed, present)
        if changed.isLeftOut(present.scheduled) {
            guard let next = result.repeated(now: nil, in: calendar) else {
                guard task.isDone else { return nil }
                result = row
                result.completion = task.completion
                return result
            }
            result = next.task
        }
        // The kept item of the file is that of the same occurrence.
        if result.occurrence?.scheduled == task.occurrence?.scheduled, let text = task.text {
            result.changePlainText { $0.further = text.further }
        }
        return result
    }

    /// Notes content of an item that is not imported.
    mutating func leaveOut(_ kind: LeftOut, of title: String?, line: Int) {
        remarks.append(Remark(title: title, line: line, subject: .leftOut(kind)))
    }

    /// The result of `body`; nil if the item cannot be read, which is noted.
    ///
    /// - Throws: Any error but ``TaskExchangeError``.
    mutating func reading<Value>(
        _ title: String?, line: Int, _ body: () throws -> Value
    ) throws -> Value? {
        do {
            return try body()
        } catch let error as TaskExchangeError {
            remarks.append(Remark(title: title, line: line, subject: .skipped(error)))
            return nil
        }
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

extension RepeatRule {
    /// Whether two rules are equal besides their exceptions, and besides the number of occurrences that are left.
    fileprivate func isSameSeries(as other: RepeatRule) -> Bool {
        var (one, other) = (withoutExceptions, other.withoutExceptions)
        if case .count = one.end, case .count = other.end { (one.end, other.end) = (nil, nil) }
        return one == other
    }
}

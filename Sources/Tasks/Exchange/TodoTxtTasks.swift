internal import TextCoding

/// The lines of todo.txt, one task per line (`Docs/TaskExchange.md`).
///
///     (A) 2026-11-21 call mum @phone +family due:2026-12-05 at:18:00 taskvault:k7m2qx
///     x 2026-11-22 2026-11-21 buy milk taskvault:03fz81
enum TodoTxtTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskImport {
        var lines: [TodoTxtLine] = []
        var start = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
        var number = 0
        while start < bytes.byteCount {
            var end = start
            while end < bytes.byteCount, bytes[end] != Byte.lineFeed { end += 1 }
            number += 1
            guard let text = bytes.extracting(start..<end).text() else {
                throw TaskExchangeError.notUTF8(line: number)
            }
            start = end + 1
            if text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) {
                lines.append(TodoTxtLine(text, line: number, in: calendar))
            }
        }
        return try tasks(lines, now: now)
    }

    private static func tasks(
        _ lines: [TodoTxtLine], now: PointInTime
    ) throws -> TaskImport {
        var result = TaskImport(.todoTxt)
        var taken: Set<TaskID> = []
        for line in lines {
            guard let id = line.id else { continue }
            guard taken.insert(id).inserted else {
                throw TaskExchangeError.repeatedTask(line: line.line)
            }
        }
        var numbers: [String: StableNumbers] = [:]
        for line in lines {
            // A second line of the same name gets the next id.
            let id = line.id ?? numbers[line.name, default: StableNumbers(line.name)].id(&taken)
            let text = TaskText(name: line.name)
            try TaskImport.check(text, line: line.line)
            let created = line.created ?? line.completed ?? now
            var task = ExchangedTask(id: id, text: text, created: created)
            task.isDayOnly = line.created != nil
            task.due = line.due
            if line.isDone { task.completion = TaskCompletion(time: line.completed ?? now) }
            result.tasks.append(task)
        }
        return result
    }

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, in calendar: some LocalCalendar,
        to sink: consuming Sink
    ) throws -> Sink {
        for task in tasks {
            guard let text = task.text else { continue }
            try sink.writeLine(line(of: task, text.name, in: calendar))
        }
        return sink
    }

    private static func line(
        of task: ExchangedTask, _ name: String, in calendar: some LocalCalendar
    ) -> String {
        // A line end would start another task.
        let name = String(name.map { $0.isNewline ? " " : $0 })
        func day(_ time: PointInTime) -> String { TimeText.text(calendar.local(at: time).date) }
        var words: [String] = []
        var rest = name
        if let completion = task.completion {
            words += ["x", day(completion.time)]
        } else if let (priority, after) = TodoTxtLine.priority(name) {
            words.append(priority)
            rest = after
        }
        words += [day(task.created), rest]
        if let due = task.due {
            // An `at:` in the name would be read as the time.
            let hasClock = name.split(separator: " ").contains { $0.hasPrefix("at:") }
            words += self.due(due, explicit: hasClock, in: calendar)
        }
        return (words + ["taskvault:" + task.id.text]).joined(separator: " ")
    }

    /// The day, and the time if it is not the end of the day or must be `explicit`, with its offset if clocks show it twice.
    private static func due(
        _ due: PointInTime, explicit: Bool, in calendar: some LocalCalendar
    ) -> [String] {
        let text = TimeText.text(due, in: calendar)
        let parts = text.split(separator: " ").map { String($0) }
        guard parts.count == 2, explicit || parts[1] != "23:59" else { return ["due:" + parts[0]] }
        return ["due:" + parts[0], "at:" + parts[1]]
    }
}

/// One line of todo.txt.
struct TodoTxtLine {
    /// The number of the line.
    let line: Int
    private(set) var isDone = false
    private(set) var completed: PointInTime?
    private(set) var created: PointInTime?
    private(set) var due: PointInTime?
    private(set) var id: TaskID?
    /// The rest, with priority, projects and contexts.
    private(set) var name: String

    init(_ text: String, line: Int, in calendar: some LocalCalendar) {
        self.line = line
        name = Self.trimmed(text)
        if name.hasPrefix("x ") {
            isDone = true
            name = Self.trimmed(String(name.dropFirst(2)))
        }
        let priority = takePriority()
        var dates = [takeDate(in: calendar)]
        if isDone, dates[0] != nil { dates.append(takeDate(in: calendar)) }
        if isDone { completed = dates.removeFirst() }
        created = dates.first ?? nil
        takeWords(in: calendar)
        if let priority { name = priority + " " + name }
    }

    /// `(A)` at the beginning, and the rest; nil if there is none.
    static func priority(_ text: String) -> (String, after: String)? {
        let bytes = Array(text.utf8.prefix(4))
        guard bytes.count == 4, bytes[0] == UInt8(ascii: "("),
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[1]),
            bytes[2] == UInt8(ascii: ")"), bytes[3] == UInt8(ascii: " ")
        else { return nil }
        return (String(text.prefix(3)), String(text.dropFirst(4)))
    }

    private mutating func takePriority() -> String? {
        guard let (priority, after) = Self.priority(name) else { return nil }
        name = Self.trimmed(after)
        return priority
    }

    /// Takes a date at the beginning, as the start of that day.
    private mutating func takeDate(in calendar: some LocalCalendar) -> PointInTime? {
        let word = name.prefix { $0 != " " }
        guard let date = Self.date(word), word.utf8.count < name.utf8.count else { return nil }
        let midnight = LocalTime(date, hour: 0, minute: 0)
        name = Self.trimmed(String(name.dropFirst(word.count)))
        // If clocks skip midnight, the day starts at 1:00.
        return calendar.pointsInTime(of: midnight).first
            ?? calendar.pointsInTime(of: LocalTime(date, hour: 1, minute: 0)).first
    }

    /// Takes the words of the due time and of the id, the last of several.
    private mutating func takeWords(in calendar: some LocalCalendar) {
        var words = name.split(separator: " ", omittingEmptySubsequences: false)[...]
        func last(_ key: String) -> (Int, String)? {
            words.lastIndex { $0.hasPrefix(key + ":") }.map {
                ($0, String(words[$0].dropFirst(key.utf8.count + 1)))
            }
        }
        if let (index, value) = last("taskvault"), let id = TaskID(value) {
            self.id = id
            words.remove(at: index)
        }
        if let (index, value) = last("due"), Self.date(value[...]) != nil {
            let clock = last("at")
            if let clock, let time = Self.time(value + " " + clock.1, in: calendar) {
                due = time
                for index in [index, clock.0].sorted(by: >) { words.remove(at: index) }
            } else if let time = Self.time(value, in: calendar) {
                due = time
                words.remove(at: index)
            }
        }
        name = Self.trimmed(words.joined(separator: " "))
    }

    private static func time(_ text: String, in calendar: some LocalCalendar) -> PointInTime? {
        // A whole date does not depend on the present time.
        try? DueTimeParser.read(text, now: PointInTime(milliseconds: 0), in: calendar)
    }

    private static func date(_ word: Substring) -> CalendarDate? {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            word.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        return CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[start...end])
    }
}

internal import TextCoding

/// The lines of todo.txt, one task per line (`Docs/TaskExchange.md`).
///
///     (A) 2026-11-21 call mum taskvault:k7m2qx @phone +family due:2026-12-05 at:18:00
///     x 2026-11-22 2026-11-21 buy milk taskvault:03fz81
///
/// A line of another program is exported unchanged while the meaning of the task is unchanged.
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
        return try tasks(lines, now: now, in: calendar)
    }

    private static func tasks(
        _ lines: [TodoTxtLine], now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskImport {
        var result = TaskImport(.todoTxt)
        var taken = Set(lines.compactMap(\.id))
        var found: Set<TaskID> = []
        var numbers: [String: StableNumbers] = [:]
        for line in lines {
            // A second line of the same name gets the next id.
            let id =
                line.id ?? numbers[line.identity, default: StableNumbers(line.identity)].id(&taken)
            var task = line.task(id, now: now)
            if Self.line(of: task, line.name, in: calendar) != line.source {
                let member = FurtherAttributes.json(line.source)
                task.setFurther(FurtherAttributes.object([FurtherAttributes.todoTxt: member]))
            }
            let isReadable = try result.reading(line.name, line: line.line) {
                guard found.insert(id).inserted else {
                    throw TaskExchangeError.repeatedTask(line: line.line)
                }
                try TaskImport.check(task, line: line.line)
                return true
            }
            guard isReadable == true else { continue }
            if line.foreignRule != nil {
                result.leaveOut(.repetitions, of: line.name, line: line.line)
            }
            result.add(task, line: line.line)
        }
        return result
    }

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, in calendar: some LocalCalendar,
        to sink: consuming Sink
    ) throws -> Sink {
        for task in tasks {
            guard let text = task.text else { continue }
            let imported = importedLine(of: text, in: calendar)
            if let imported, imported.isTold(of: task, in: calendar) {
                try sink.writeLine(imported.source)
                continue
            }
            // Words that the owner's other program wrote keep their meaning there. Any other name may be a sender's.
            let isForeign = imported.map { $0.id == nil && $0.name == text.name } ?? false
            var line = line(of: task, text.name, isForeign: isForeign, in: calendar)
            if task.repetition == nil, !task.isDone, let rule = imported?.foreignRule {
                line += " " + rule
            }
            try sink.writeLine(line)
        }
        return sink
    }

    /// The line that the task was imported from.
    private static func importedLine(
        of text: TaskText, in calendar: some LocalCalendar
    ) -> TodoTxtLine? {
        let further = FurtherAttributes.members(of: text.further)
        guard let source = FurtherAttributes.text(of: further?[FurtherAttributes.todoTxt]),
            source == source.onOneLine
        else { return nil }
        return TodoTxtLine(source, line: 0, in: calendar)
    }

    /// Whether a list is a valid word.
    static func canTell(list: String) -> Bool {
        !list.unicodeScalars.contains { $0.properties.isWhitespace }
    }

    /// Whether a date with a four-digit year can represent a time in every zone.
    static func canTell(time: TaskTime?) -> Bool {
        switch time {
        case nil: true
        case .day(let date): DueTimeParser.years.contains(date.year)
        case .moment(let time):
            (1...9_998).contains(LocalTime(secondsInUTC: time.seconds).date.year)
        }
    }

    private static func line(
        of task: ExchangedTask, _ name: String, isForeign: Bool = false,
        in calendar: some LocalCalendar
    ) -> String {
        // A line end would start another task.
        var name = name.onOneLine
        if !isForeign { name = TodoTxtText.escape(name) }
        func day(_ time: PointInTime) -> String { TimeText.text(calendar.local(at: time).date) }
        var words: [String] = []
        let letter = TodoTxtLine.letters.first { $0.value == task.priority }?.key
        if let completion = task.completion {
            words += ["x", day(completion.time)]
        } else if let letter {
            words.append("(\(letter))")
        } else if isForeign, let (priority, after) = TodoTxtLine.priority(name),
            TodoTxtLine.letters[priority] == nil
        {
            words.append("(\(priority))")
            name = after
        }
        words += [day(task.created), name, "taskvault:" + task.id.text]
        words += task.tags.map { "@" + $0 }
        if let list = task.list, canTell(list: list) { words.append("+" + list) }
        if let due = task.due, canTell(time: due) {
            words += Self.words("due:", "at:", due, in: calendar)
        }
        if let wait = task.wait, canTell(time: wait) {
            words += Self.words("t:", "from:", wait, in: calendar)
        }
        if let rule = task.repetition {
            words.append(Self.word(of: rule, from: task.due, in: calendar))
        }
        if task.isDone, let letter { words.append("pri:\(letter)") }
        return words.joined(separator: " ")
    }

    /// The day, and the time of a point in time. A time that clocks show twice has its offset.
    private static func words(
        _ dayKey: String, _ clockKey: String, _ time: TaskTime, in calendar: some LocalCalendar
    ) -> [String] {
        let parts = TimeText.text(time, in: calendar).split(separator: " ")
        return zip([dayKey, clockKey], parts).map { $0 + $1 }
    }

    /// `rec:+2w` as in other programs, or a whole rule.
    private static func word(
        of rule: RepeatRule, from due: TaskTime?, in calendar: some LocalCalendar
    ) -> String {
        let letter = rule.frequency.rawValue.prefix(1).lowercased()
        let simple = RepeatRule(rule.frequency, interval: rule.interval)
        let isSimple = due.map { simple.starting(on: $0.date(in: calendar)) } == rule
        return isSimple ? "rec:+\(rule.interval)\(letter)" : "rrule:" + rule.text
    }
}

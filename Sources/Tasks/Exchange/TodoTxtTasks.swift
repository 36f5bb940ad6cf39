internal import TextCoding

/// The lines of todo.txt, a task each (`Docs/TaskExchange.md`).
///
///     (A) 2026-11-21 call mum @phone +family due:2026-12-05 at:18:00 taskvault:k7m2qx
///     x 2026-11-22 2026-11-21 buy milk taskvault:03fz81
enum TodoTxtTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime, in calendar: some LocalCalendar
    ) throws(TaskExchangeError) -> TaskImport {
        var lines: [TodoTxtLine] = []
        var start = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
        var number = 0
        while start < bytes.byteCount {
            var end = start
            while end < bytes.byteCount, bytes[end] != Byte.lineFeed { end += 1 }
            number += 1
            guard let text = bytes.extracting(start..<end).text() else {
                throw .notUTF8(line: number)
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
    ) throws(TaskExchangeError) -> TaskImport {
        var result = TaskImport(.todoTxt)
        var taken: Set<TaskID> = []
        for line in lines {
            guard let id = line.id else { continue }
            guard taken.insert(id).inserted else { throw .repeatedTask(line: line.line) }
        }
        var numbers: [String: StableNumbers] = [:]
        for line in lines {
            // A second line of the same name takes the next one.
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
    ) throws(OutputError) -> Sink {
        for task in tasks {
            guard let text = task.text else { continue }
            try sink.writeLine(line(of: task, text.name, in: calendar))
        }
        return sink
    }

    private static func line(
        of task: ExchangedTask, _ name: String, in calendar: some LocalCalendar
    ) -> String {
        // A line end would begin another task.
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
            // Another `at:` of the name would be taken for the time.
            let hasClock = name.split(separator: " ").contains { $0.hasPrefix("at:") }
            words += self.due(due, explicit: hasClock, in: calendar)
        }
        return (words + ["taskvault:" + task.id.text]).joined(separator: " ")
    }

    /// The day, and the time where it is not the end of the day or has to be `explicit`; with its offset where clocks show it twice.
    private static func due(
        _ due: PointInTime, explicit: Bool, in calendar: some LocalCalendar
    ) -> [String] {
        let text = TimeText.text(due, in: calendar)
        let parts = text.split(separator: " ").map { String($0) }
        guard parts.count == 2, explicit || parts[1] != "23:59" else { return ["due:" + parts[0]] }
        return ["due:" + parts[0], "at:" + parts[1]]
    }
}

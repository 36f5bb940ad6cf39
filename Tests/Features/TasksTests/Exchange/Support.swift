@testable import Tasks
import TestSupport
import TextCoding

/// The file of tasks in a format.
func written(
    _ tasks: [ExchangedTask], as format: TaskFormat, now: PointInTime = .now,
    in calendar: RuleCalendar = .utc
) throws -> [UInt8] {
    try TaskExport.write(tasks, as: format, now: now, in: calendar, to: CollectedBytes()).bytes
}

/// Saturday, 21 November 2026, 14:00.
let exportTime = point("2026-11-21T14:00:00.000Z")

/// Reads a file.
func read(
    _ bytes: [UInt8], as format: TaskFormat? = nil, in calendar: RuleCalendar = .utc
) throws -> TaskImport {
    try TaskImport.read(unsafe bytes.span.bytes, as: format, now: exportTime, in: calendar)
}

/// Reads a file.
func read(
    _ text: String, as format: TaskFormat? = nil, in calendar: RuleCalendar = .utc
) throws -> TaskImport {
    try read(Array(text.utf8), as: format, in: calendar)
}

/// Why a file, or the first bad item of it, is refused; nil if nothing is.
func error(_ bytes: [UInt8], as format: TaskFormat? = nil) -> TaskExchangeError? {
    do throws {
        return try read(bytes, as: format).errors.first
    } catch {
        return error as? TaskExchangeError
    }
}

/// A point in time that exists.
func point(_ text: String) -> PointInTime {
    guard let time = Timestamp.milliseconds(text) else { preconditionFailure("a time") }
    return PointInTime(milliseconds: time)
}

/// A day such as `2026-12-01`, or a point in time that exists.
func when(_ text: String) -> TaskTime {
    CalendarDate(text: text).map { .day($0) } ?? .moment(point(text))
}

/// An id that exists.
func id(_ text: String) -> TaskID {
    guard let id = TaskID(text) else { preconditionFailure("an id") }
    return id
}

/// A task that is not protected.
func task(
    _ idText: String, _ name: String, notes: String = "", due: String? = nil,
    created: String = "2026-11-20T08:30:15.000Z", completed: String? = nil,
    subtasks: [TodoSubtask] = []
) -> ExchangedTask {
    let text = TaskText(name: name, notes: notes, subtasks: subtasks)
    return ExchangedTask(
        TodoTask(
            id: id(idText), content: .plain(text), due: due.map(when), created: point(created),
            completion: completed.map { TaskCompletion(time: point($0)) }))
}

/// Tasks of all kinds.
func randomTasks(_ count: Int, _ random: inout SeededGenerator) -> [ExchangedTask] {
    let words = [
        "milk", "\"quotes\"", "back\\slash", "[ ] box", "x", "(A)", "due:2026-01-01x", "é", "日本",
        "😀👨‍👩‍👧",
        "\u{202E}left", "\u{1B}[31m", "\u{7F}", "\u{9B}", "\u{E0001}", "\u{1}", "tab\tbed", "+p",
        "@c",
    ]
    let rules = [
        "FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=7",
        "FREQ=MONTHLY", "FREQ=YEARLY;UNTIL=20991231T000000Z", "FREQ=WEEKLY;INTERVAL=3",
        "FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20991231",
    ].compactMap { try? RepeatRule(rule: $0) }
    var ids: Set<TaskID> = []
    func name() -> String {
        (0...Int.random(in: 0...5, using: &random)).map { _ in
            words[Int.random(in: 0..<words.count, using: &random)]
        }.joined(separator: " ")
    }
    func time() -> PointInTime {
        // Any that a file can have: the years 1 to 9999.
        Int.random(in: 0..<10, using: &random) == 0
            ? PointInTime(
                milliseconds: .random(in: -62_135_596_800_000..<253_402_300_800_000, using: &random)
            )
            : PointInTime(milliseconds: .random(in: 0..<4_000_000_000_000, using: &random))
    }
    /// Often a day.
    func dayOrTime() -> TaskTime {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return .moment(time()) }
        return .day(RuleCalendar.utc.local(at: time()).date)
    }
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    return (0..<count).map { _ in
        var taskID = TaskID(number: random.next())
        while !ids.insert(taskID).inserted { taskID = TaskID(number: random.next()) }
        var subtaskIDs: Set<TaskID> = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            subtaskIDs.insert(TaskID(number: random.next()))
        }
        var text = TaskText(
            name: name(), notes: maybe(name() + "\n\n" + name()) ?? "",
            subtasks: subtaskIDs.map { id in
                let isTimed = Int.random(in: 0..<4, using: &random) == 0
                return TodoSubtask(
                    id: id, name: name(), isDone: Bool.random(using: &random),
                    due: isTimed ? dayOrTime() : nil,
                    reminder: isTimed ? maybe(dayOrTime()) : nil)
            })
        if Int.random(in: 0..<4, using: &random) == 0 {
            text.further = #"{"other":[1,"\#(name().count)"]}"#
        }
        let completion = maybe(
            TaskCompletion(time: time(), keptFrom: maybe(time()), cleared: maybe(time())))
        var task = ExchangedTask(
            TodoTask(
                id: taskID, content: .plain(text), due: maybe(dayOrTime()), created: time(),
                completion: completion, reminder: maybe(dayOrTime())))
        (task.wait, task.snooze) = (maybe(dayOrTime()), maybe(time()))
        if task.due != nil { task.repetition = maybe(rules.randomElement(using: &random)) ?? nil }
        task.priority = TaskPriority.allCases.randomElement(using: &random) ?? .none
        task.list =
            maybe(["home", "two words", "日本", "a,b;c\\", "+x"].randomElement(using: &random)) ?? nil
        task.tags = ["next", "ab,c", "@home", "é", "+", "due:2026-01-01"].filter { _ in
            Int.random(in: 0..<4, using: &random) == 0
        }
        if Bool.random(using: &random) {
            task.content = .protected(ProtectedTextID(of: taskID, number: 0))
            task.protectedText = text
            task.nickname = maybe("a nickname")
        }
        return task
    }
}

extension ExchangedTask {
    /// Changes the text, wherever it is.
    mutating func setText(_ text: TaskText) {
        if task.isProtected { protectedText = text } else { task.content = .plain(text) }
    }
}

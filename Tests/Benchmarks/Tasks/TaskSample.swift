internal import Tasks

/// Tasks as people have them: a name of 37 bytes, one in four with notes, one in ten with two steps, three in four with a due date, one in four
/// done.
enum TaskSample {
    private static let verbs = ["call", "mend", "pay", "read", "sell", "wash", "send", "find"]

    /// The time at which all measurements happen: that of the run, as the executable knows no other.
    static let now = PointInTime.now
    /// The same with its date.
    static let moment = CalendarMoment(now, in: SystemCalendar())

    static func text(_ number: Int) -> TaskText {
        let digits = String(number)
        let padded = String(repeating: "0", count: 7 - digits.count) + digits
        // Names in another order than numbers.
        let verb = verbs[number * 5 / 3 % verbs.count]
        return TaskText(
            name: "\(verb) the one of the neighbours \(padded)",
            notes: number % 4 == 1 ? "the blue one, behind the house; ask for the key before" : "")
    }

    /// The list that 60 of the first 100 tasks are in, and no others.
    static let list = "home"
    /// A tag that one task in four has, and each of the first 100.
    static let tag = "often"

    /// A task that is to be added.
    static func task(_ number: Int) -> TodoTask {
        TodoTask(content: .plain(text(number)), created: now)
    }

    /// The id of a task: no two have one, in an order that looks random.
    private static func id(_ number: Int) -> TaskID {
        let bits = UInt32(truncatingIfNeeded: number) &* 0x9E37_79B1 & (1 << 30 - 1)
        guard let id = TaskID(number: bits) else { preconditionFailure("30 bits") }
        return id
    }

    /// So many tasks; those that are done were done an hour ago, so that nothing clears them.
    static func tasks(_ numbers: Range<Int>, using shuffle: inout Shuffle) -> [TodoTask] {
        numbers.map { number in
            var text = text(number)
            if number % 10 == 3 {
                for step in ["first half", "second half"] {
                    text.subtasks.append(
                        TodoSubtask(id: TaskID(number: shuffle.next()), name: step))
                }
            }
            var task = TodoTask(
                id: id(number), content: .plain(text),
                created: now.advanced(by: .seconds(-100 * number - 7_200)))
            if number < TaskFiles.smallCount {
                task.tags = [tag]
                if number % 5 < 3 { task.list = list }
            } else if number % 2 == 1 {
                task.list = "list \(number / 2 % 100)"
                if number % 4 == 1 { task.tags = ["tag-\(number / 200 % 10)", tag] }
            }
            if number % 4 != 2 {
                task.due = .moment(
                    now.advanced(by: .seconds(Int64(number * 7_919 % 1_000_000) - 200_000)))
            }
            if number % 4 == 3 {
                task.completion = TaskCompletion(time: now.advanced(by: .seconds(-3_600)))
            }
            return task
        }
    }
}

@testable import Database
@testable import Tasks
import Testing
import TestSupport

/// A due time, a start or a reminder without a time of day.
@Suite("A day")
struct DayTests {
    private static let calendars = RuleCalendar.all

    @Test("has a stored form that sorts it at the end of its date in UTC")
    func stored() {
        let times: [TaskTime] = [
            .day(date(1, 1, 1)), .moment(utc(1_969, 12, 31, 23, 59, 59)), .day(date(1_969, 12, 31)),
            .moment(utc(1_970, 1, 1)), .moment(utc(1_970, 1, 1, 23, 59, 59)),
            .day(date(1_970, 1, 1)), .moment(utc(1_970, 1, 2)), .day(date(2_026, 12, 10)),
            .day(date(9_999, 12, 31)),
        ]
        #expect(times.map(\.stored) == times.map(\.stored).sorted())
        for time in times { #expect(TaskTime(stored: time.stored) == time) }
        for number in [Int64.max, -1, 1, 172_799_997] {
            let time = TaskTime(stored: number)
            #expect(time == nil || time?.stored == number)
        }
        #expect(TaskTime(stored: 1) == nil && TaskTime(stored: .max) == nil)
        #expect(TaskTime(stored: -1) == .day(date(1_969, 12, 31)))
    }

    @Test("can be changed without the time of day, also when clocks are set")
    func movedToAnotherDate() {
        for calendar in Self.calendars {
            let target = date(2_026, 12, 24)
            #expect(
                TaskTime.day(date(2_026, 3, 1)).moved(toDate: target, in: calendar) == .day(target))
            for time in [utc(2_026, 7, 1, 9, 30), utc(2_026, 1, 1), utc(2_026, 7, 1, 23, 59)] {
                let moved = TaskTime.moment(time).moved(toDate: target, in: calendar)
                let (before, after) = (
                    calendar.local(at: time), moved.moment.map(calendar.local(at:))
                )
                #expect(after?.date == target)
                #expect(after?.secondOfDay == before.secondOfDay)
            }
        }
    }

    @Test("is the same day in the database, its undo, and the subtasks")
    func database() throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        let list = TaskList(repository, on: "machine") { utc(2_026, 12, 1) }
        let day = TaskTime.day(date(2_026, 12, 10))
        var task = TodoTask(
            content: .plain(
                TaskText(
                    name: "a",
                    subtasks: [
                        TodoSubtask(id: TaskSamples.id(5), name: "b", due: day, reminder: day)
                    ]
                )), due: day, created: utc(2_026, 12, 1), reminder: day)
        task.wait = .day(date(2_026, 12, 9))
        task = try list.add(task)
        #expect(try repository.task(task.id) == task)
        _ = TaskList(repository, on: "machine") { utc(2_026, 12, 1) }
        let other = TaskList(repository, on: "machine") { utc(2_026, 12, 1) }
        try other.remove(task, from: nil)
        let back = TaskList(repository, on: "machine") { utc(2_026, 12, 1) }
        _ = try back.undo(in: nil)
        let restored = try #require(try repository.task(task.id))
        #expect(restored.due == day && restored.wait == task.wait && restored.reminder == day)
        #expect(restored.plainText?.subtasks.first?.due == day)
    }

    @Test("stays the same date in every file, whichever zone writes and reads it")
    func files() throws {
        var sample = task("k7m2qx", "a", due: "2026-12-10")
        sample.wait = when("2026-12-09")
        sample.reminder = when("2026-12-10")
        for format in TaskFormat.allCases {
            for calendar in Self.calendars {
                let bytes = try written([sample], as: format, in: calendar)
                // Taskwarrior has the start of a day as a point in time, which only this zone reads as a day.
                let readers = format == .taskwarrior ? [calendar] : Self.calendars
                for reader in readers {
                    let back = try read(bytes, as: format, in: reader).tasks[0]
                    #expect(
                        back.due == sample.due && back.wait == sample.wait, "\(format) \(calendar)")
                    if format != .todoTxt,
                        format != .iCalendar || reader.description == calendar.description
                    {
                        #expect(back.reminder == sample.reminder, "\(format) \(calendar)")
                    }
                }
            }
        }
        let lines = String(decoding: try written([sample], as: .iCalendar), as: UTF8.self)
        #expect(lines.contains("DUE;VALUE=DATE:20261210\r\n"))
        #expect(lines.contains("DTSTART;VALUE=DATE:20261209\r\n"))
        let line = "2026-11-01 buy milk +home due:2026-12-10 t:2026-12-09\n"
        let foreign = try read(line, as: .todoTxt, in: .centralEurope)
        let back = try written(foreign.tasks, as: .todoTxt, in: .lordHowe)
        #expect(String(decoding: back, as: UTF8.self).hasSuffix("due:2026-12-10 t:2026-12-09\n"))
    }

    @Test("is overdue after its end, and waits until its start, by the date of the owner")
    func dates() throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        var task = TaskSamples.plain(1)
        task.due = .day(date(2_026, 12, 10))
        task.wait = .day(date(2_026, 12, 10))
        try repository.insert([task])
        for calendar in Self.calendars {
            for (local, isOverdue, isWaiting) in [
                (local(2_026, 12, 9, 23, 59), false, true), (local(2_026, 12, 10), false, false),
                (local(2_026, 12, 10, 23, 59), false, false), (local(2_026, 12, 11), true, false),
            ] {
                let now = CalendarMoment(calendar.pointsInTime(of: local)[0], in: calendar)
                #expect(task.isOverdue(at: now) == isOverdue, "\(calendar) \(local)")
                #expect(task.isWaiting(at: now) == isWaiting, "\(calendar) \(local)")
                #expect(
                    try repository.count(TaskFilter(.open, dueBefore: now)) == (isOverdue ? 1 : 0))
                #expect(
                    try repository.count(TaskFilter(.open, start: .after(now)))
                        == (isWaiting ? 1 : 0))
                #expect(
                    try repository.count(TaskFilter(.open, start: .by(now))) == (isWaiting ? 0 : 1))
            }
        }
    }

    @Test("is listed behind the times of its date, in every zone and at every limit")
    func order() throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        var random = SeededGenerator()
        try repository.insert(
            (0..<300).map { number in
                var task = TaskSamples.plain(number, created: Int64(number))
                let time = utc(2_026, 12, 1).advanced(
                    by: .seconds(Int64.random(in: 0..<800_000, using: &random)))
                task.due =
                    switch number % 5 {
                    case 0: .day(RuleCalendar.utc.local(at: time).date)
                    case 1: nil
                    default: .moment(time)
                    }
                task.priority = TaskPriority.allCases.randomElement(using: &random) ?? .none
                return task
            })
        let all = try repository.tasks(TaskSelection(by: .created))
        for calendar in Self.calendars {
            func end(_ task: TodoTask) -> Int64 {
                switch task.due {
                case nil: .max
                case .day?: (task.due?.end(in: calendar).milliseconds ?? 0) - 1
                case .moment(let time)?: time.milliseconds
                }
            }
            let list = TaskList(repository, days: DayReminders(in: calendar)) { utc(2_026, 12, 1) }
            for order in [TaskOrder.due, .priority] {
                let expected = all.sorted { left, right in
                    if order == .priority, left.priority != right.priority {
                        return left.priority > right.priority
                    }
                    if end(left) != end(right) { return end(left) < end(right) }
                    if left.priority != right.priority { return left.priority > right.priority }
                    return left.created < right.created
                }.map(\.id)
                for limit in [nil, 0, 1, 2, 17, 60, 150, 239, 240, 299, 300, 400] {
                    let found = try list.tasks(TaskSelection(by: order, limit: limit)).map(\.id)
                    #expect(
                        found == Array(expected.prefix(limit ?? .max)),
                        "\(calendar) \(order) \(limit ?? -1), seed \(random.seed)")
                }
            }
        }
    }

    @Test("and a point in time at the ends of all numbers are listed and announced as others are")
    func lastTimes() throws {
        let (least, most) = (Int64.min / 172_800_000, Int64.max / 172_800_000)
        let numbers = [
            .min, .min + 2, (least + 1) * 172_800_000 - 1, 0, most * 172_800_000 - 1, .max - 1,
        ]
        #expect(numbers.compactMap { TaskTime(stored: $0)?.stored } == numbers)
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let tasks = numbers.indices.map { TaskSamples.plain($0) }
            let writer = try TaskRepository.openOrCreate(.file(path))
            try writer.insert(tasks)
            writer.close()
            // The list takes no such times from anybody, so another program writes them.
            let other = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            for (task, number) in zip(tasks, numbers) {
                try other.run(
                    script: """
                        UPDATE tasks SET due = \(number), reminder = \(number)
                        WHERE id = '\(task.id.text)'
                        """)
            }
            other.close()
            let repository = try #require(try TaskRepository.open(.file(path)))
            defer { repository.close() }
            for calendar in Self.calendars {
                let list = TaskList(repository, days: DayReminders(in: calendar)) {
                    utc(2_026, 12, 1)
                }
                for order in [TaskOrder.due, .priority] {
                    for limit in 1...tasks.count {
                        let found = try list.tasks(TaskSelection(by: order, limit: limit))
                        #expect(found.count == limit, "\(calendar) \(order)")
                    }
                }
                var count = 0
                var last = PointInTime(milliseconds: .min)
                while let next = try list.nextReminder(after: last), count < tasks.count {
                    (last, count) = (next, count + 1)
                }
                #expect(count >= tasks.count - 2, "\(calendar)")
            }
        }
    }

    @Test("reminds at the time of day of the setting, in the zone of the owner")
    func reminders() throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        var tasks = (0..<6).map { TaskSamples.plain($0) }
        for (index, task) in tasks.enumerated() {
            tasks[index].reminder =
                index % 2 == 0
                ? .day(date(2_026, 12, 10 + index)) : .moment(utc(2_026, 12, 10 + index, 12))
            if index == 4 {
                tasks[index].reminder = nil
                tasks[index].content = .plain(
                    TaskText(
                        name: "a",
                        subtasks: [
                            TodoSubtask(
                                id: TaskSamples.id(9), name: "b",
                                reminder: .day(date(2_026, 12, 14)))
                        ]))
            }
            _ = task
        }
        try repository.insert(tasks)
        for calendar in Self.calendars {
            for (clock, hour, minute) in [("9:00", 9, 0), ("0:00", 0, 0), ("23:59", 23, 59)] {
                let days = DayReminders(clock, in: calendar)
                let list = TaskList(repository, days: days) { utc(2_026, 12, 1) }
                let expected = tasks.map { task in
                    let reminder = task.reminder ?? .day(date(2_026, 12, 14))
                    return reminder.moment
                        ?? calendar.moment(
                            of: LocalTime(reminder.date(in: calendar), hour: hour, minute: minute))
                }.sorted()
                let found = try list.reminders(
                    after: utc(2_026, 12, 1), through: utc(2_026, 12, 31))
                #expect(found.map(\.time) == expected, "\(calendar) \(clock)")
                for (index, time) in expected.enumerated() {
                    let before = time.advanced(by: .milliseconds(-1))
                    #expect(try list.nextReminder(after: before) == time)
                    let one = try list.reminders(after: before, through: time)
                    #expect(one.map(\.time) == [time], "\(calendar) \(clock)")
                    let rest = Array(expected.dropFirst(index + 1))
                    #expect(try list.nextReminder(after: time) == rest.first)
                }
            }
        }
        #expect(DayReminders.clock("07:05") == "7:05" && DayReminders.clock("noon") == "12:00")
        #expect(DayReminders.clock("24:00") == nil && DayReminders.clock("9") == nil)
    }

    @Test(
        "of a distance keeps the time of day over both changes of the clocks",
        arguments: [RuleCalendar.centralEurope, .newYork, .lordHowe, .brazil, .nepal])
    func bothChanges(calendar: RuleCalendar) throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        let now = utc(2_026, 12, 1)
        let time = try DueTimeParser.read("2026-12-05 9:00", now: now, in: calendar)
        var task = TodoTask(content: .plain(TaskText(name: "a")), due: time, created: now)
        task.reminder = try DueTimeParser.read("1d", before: time, in: calendar)
        task.wait = try DueTimeParser.read("2026-12-03 7:30", now: now, in: calendar)
        task.setRepetition(RepeatRule(.weekly), in: calendar)
        let list = TaskList(repository) { now }
        task = try list.add(task)
        for week in 0..<60 {
            let day = date(2_026, 12, 5).advanced(byDays: 7 * week)
            func clock(_ time: TaskTime?) -> LocalTime? {
                time?.moment.map { calendar.local(at: $0) }
            }
            #expect(clock(task.due) == LocalTime(day, hour: 9, minute: 0))
            #expect(
                clock(task.reminder) == LocalTime(day.advanced(byDays: -1), hour: 9, minute: 0))
            #expect(
                clock(task.wait) == LocalTime(day.advanced(byDays: -2), hour: 7, minute: 30))
            task = try #require(try list.finish([task], in: calendar).first?.task)
        }
    }

    @Test("of a distance keeps the time of day when clocks are set")
    func distances() throws {
        let europe = RuleCalendar.centralEurope
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        func clock(_ time: TaskTime?) -> LocalTime? { time?.moment.map { europe.local(at: $0) } }
        for (due, remind, rule, expected) in [
            (
                "2027-03-30 9:00", "1w", "monthly",
                [local(2_027, 3, 23, 9), local(2_027, 4, 23, 9), local(2_027, 5, 23, 9)]
            ),
            (
                "2027-03-27 9:00", "1d", "daily",
                [local(2_027, 3, 26, 9), local(2_027, 3, 27, 9), local(2_027, 3, 28, 9)]
            ),
            (
                "2027-10-30 9:00", "2d", "daily",
                [local(2_027, 10, 28, 9), local(2_027, 10, 29, 9), local(2_027, 10, 30, 9)]
            ),
            // Hours are elapsed time.
            (
                "2027-03-27 9:00", "2h", "daily",
                [local(2_027, 3, 27, 7), local(2_027, 3, 28, 7), local(2_027, 3, 29, 7)]
            ),
        ] {
            let now = utc(2_027, 1, 1)
            var task = TodoTask(
                content: .plain(TaskText(name: "a")),
                due: try DueTimeParser.read(due, now: now, in: europe), created: now)
            let time = try #require(task.due)
            task.reminder = try DueTimeParser.read(remind, before: time, in: europe)
            task.setRepetition(
                try RepeatRule(typed: rule).starting(on: time.date(in: europe)), in: europe)
            let list = TaskList(repository) { now }
            task = try list.add(task)
            var found = [clock(task.reminder)]
            for _ in 0..<2 {
                task = try #require(try list.finish([task], in: europe).first?.task)
                found.append(clock(task.reminder))
            }
            #expect(found == expected, "\(due) \(remind)")
            #expect(clock(task.due)?.hour == 9)
        }
        // Before a whole day, days are days, and hours count from its end.
        let day = TaskTime.day(date(2_027, 3, 28))
        #expect(try DueTimeParser.read("1d", before: day, in: europe) == .day(date(2_027, 3, 27)))
        #expect(try DueTimeParser.read("0m", before: day, in: europe) == day)
        let hours = try DueTimeParser.read("2h", before: day, in: europe)
        #expect(clock(hours) == local(2_027, 3, 28, 22))
    }
}

import SecureStorage
@testable import Tasks
import Testing
import TestSupport

@Suite("Repeated tasks in iCalendar")
struct ICalendarRepeatTests {
    private static func file(_ lines: String) -> String {
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:x\nSUMMARY:a\n\(lines)\nEND:VTODO\nEND:VCALENDAR\n"
    }

    /// The unfolded lines of an export.
    private func lines(_ task: ExchangedTask, in calendar: RuleCalendar) throws -> [String] {
        String(decoding: try written([task], as: .iCalendar, in: calendar), as: UTF8.self)
            .replacing("\r\n ", with: "").split(separator: "\r\n").map { String($0) }
    }

    private func repeated(
        _ due: String, _ rule: String, wait: String? = nil, reminder: String? = nil
    ) throws -> ExchangedTask {
        var result = task("k7m2qx", "a", due: due)
        result.repetition = try RepeatRule(rule: rule)
        result.wait = wait.map(when)
        result.reminder = reminder.map(when)
        return result
    }

    @Test(
        "have times of the zone in which the rule counts",
        arguments: [
            (
                "2026-12-01", "FREQ=WEEKLY;BYDAY=TU", nil,
                [
                    "DTSTART;VALUE=DATE:20261201", "DUE;VALUE=DATE:20261201",
                    "RRULE:FREQ=WEEKLY;BYDAY=TU",
                ]
            ),
            (
                "2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20270401T035900Z",
                nil,
                [
                    "DUE;VALUE=DATE:20261231",
                    "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20270331",
                ]
            ),
            (
                "2026-12-01T14:00:00.000Z", "FREQ=DAILY;UNTIL=20261210", nil,
                [
                    "DTSTART;TZID=America/New_York:20261201T090000",
                    "DUE;TZID=America/New_York:20261201T090000",
                    "RRULE:FREQ=DAILY;UNTIL=20261211T045959Z",
                ]
            ),
            // It is not hidden on the wrong days either.
            (
                "2026-12-01T14:00:00.000Z", "FREQ=WEEKLY;BYDAY=TU", "2026-11-30T05:00:00.000Z",
                [
                    "DTSTART;TZID=America/New_York:20261201T090000",
                    "X-TASKVAULT-WAIT:20261130T050000Z", "RRULE:FREQ=WEEKLY;BYDAY=TU",
                ]
            ),
        ] as [(String, String, String?, [String])])
    func own(due: String, rule: String, wait: String?, expected: [String]) throws {
        let task = try repeated(due, rule, wait: wait, reminder: "2026-12-01T13:00:00.000Z")
        let lines = try lines(task, in: .newYork)
        for line in expected { #expect(lines.contains(line), "\(lines)") }
        #expect(
            lines.contains("BEGIN:VTIMEZONE") == expected.contains { $0.contains("TZID") })
        // Each occurrence has its alarm.
        #expect(!lines.contains { $0.hasPrefix("TRIGGER;VALUE") })
        let back = try read(lines.joined(separator: "\n"), in: .newYork).tasks[0]
        #expect(back.due == task.due && back.wait == task.wait && back.reminder == task.reminder)
        func next(_ task: ExchangedTask) -> TaskTime? {
            task.task.nextOccurrence(in: RuleCalendar.newYork)?.due
        }
        #expect(next(back) != nil && next(back) == next(task))
    }

    @Test("have no rule where the zone has no name")
    func unknownZone() throws {
        let task = try repeated("2026-12-01T14:00:00.000Z", "FREQ=DAILY")
        let lines = try lines(task, in: .nepal)
        #expect(!lines.contains { $0.hasPrefix("RRULE") })
        #expect(lines.contains("DUE:20261201T140000Z"))
    }

    @Test(
        "of another program return unchanged",
        arguments: [
            """
            DTSTART;TZID=America/New_York:20261201T090000
            DUE;TZID=America/New_York:20261201T170000
            RRULE:FREQ=WEEKLY;BYDAY=TU
            """,
            """
            DTSTART;TZID=Europe/Berlin:20261201T090000
            DURATION:PT1H
            RRULE:FREQ=MONTHLY;BYDAY=TU;BYSETPOS=1
            EXDATE;TZID=Europe/Berlin:20270105T090000
            """,
            "DTSTART:20261201T090000\nDUE:20261201T100000\nRRULE:FREQ=DAILY",
            "DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261202\nRRULE:FREQ=WEEKLY;BYDAY=TU",
        ])
    func unchanged(source: String) throws {
        let file = try read(Self.file(source), in: .newYork)
        let lines = try lines(file.tasks[0], in: .newYork)
        let expected = source.split(separator: "\n").map { String($0) }
        for line in expected { #expect(lines.contains(line), "\(lines)") }
        let zones = Set(source.matches(of: /TZID=([\w\/]+)/).map { "TZID:" + $0.1 })
        #expect(Set(lines.filter { $0.hasPrefix("TZID:") }) == zones)
        // A moved due time does not move the series. Own times and kept ones do not stand side by side.
        var moved = file.tasks[0]
        moved.due = when("2026-12-08T22:00:00.000Z")
        let changed = try self.lines(moved, in: .newYork)
        #expect(changed.contains("X-TASKVAULT-DUE:20261208T220000Z"), "\(changed)")
        let names = changed.drop { $0 != "BEGIN:VTODO" }.map {
            $0.prefix { $0 != ":" && $0 != ";" }
        }
        for group in [["DTSTART"], ["DUE", "DURATION"], ["RRULE"]] {
            #expect(names.count { group.contains(String($0)) } == 1, "\(changed)")
        }
        let back = try read(changed.joined(separator: "\n"), in: .newYork).tasks[0]
        #expect(back.due == moved.due)
        let next = file.tasks[0].task.nextOccurrence(in: RuleCalendar.newYork)
        #expect(next != nil && back.task.nextOccurrence(in: RuleCalendar.newYork)?.due == next?.due)
    }

    @Test(
        "have the rule of their start, and keep the distance of the due time",
        arguments: [
            (
                "DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261202", "FREQ=WEEKLY;BYDAY=TU",
                "2026-12-02", "2026-12-09"
            ),
            (
                "DTSTART;VALUE=DATE:20261125\nDUE;VALUE=DATE:20261201", "FREQ=MONTHLY",
                "2026-12-01", "2026-12-31"
            ),
            // Late on Tuesday in New York is Wednesday here.
            (
                "DTSTART;TZID=America/New_York:20261201T200000", "FREQ=WEEKLY;BYDAY=TU",
                "2026-12-02T01:00:00.000Z", "2026-12-09T01:00:00.000Z"
            ),
            (
                "DTSTART;TZID=America/New_York:20261201T090000\nDUE:20261201T150000Z",
                "FREQ=WEEKLY;BYDAY=TU", "2026-12-01T15:00:00.000Z", "2026-12-08T15:00:00.000Z"
            ),
            (
                "DTSTART:20261201T230000Z\nDUE:20261201T233000Z", "FREQ=MONTHLY;BYMONTHDAY=1",
                "2026-12-01T23:30:00.000Z", "2027-01-01T23:30:00.000Z"
            ),
            (
                "DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261203",
                "FREQ=DAILY;INTERVAL=2;UNTIL=20261203", "2026-12-03", "2026-12-05"
            ),
            (
                "DTSTART;VALUE=DATE:20261201\nDURATION:P2D", "FREQ=DAILY;COUNT=3", "2026-12-03",
                "2026-12-04"
            ),
            // A start alone is the due time.
            ("DTSTART;VALUE=DATE:20261201", "FREQ=DAILY", "2026-12-01", "2026-12-02"),
            (
                "DUE:20261201T160000Z", "FREQ=DAILY;COUNT=3", "2026-12-01T16:00:00.000Z",
                "2026-12-02T16:00:00.000Z"
            ),
            (
                "DTSTART;VALUE=DATE:20270314\nDUE;VALUE=DATE:20270314",
                "FREQ=YEARLY;BYMONTHDAY=14;BYMONTH=3", "2027-03-14", "2028-03-14"
            ),
            (
                "DTSTART;VALUE=DATE:20261231\nDUE;VALUE=DATE:20261231",
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-12-31", "2027-01-29"
            ),
            (
                "DTSTART;VALUE=DATE:20261208\nDUE;VALUE=DATE:20261208",
                "FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2", "2026-12-08", "2027-01-12"
            ),
            (
                "DTSTART:20261201T080000\nEXDATE:20261202T080000,20261203T080000", "FREQ=DAILY",
                "2026-12-01T07:00:00.000Z", "2026-12-04T07:00:00.000Z"
            ),
            // Without its first occurrence, the series begins with the next one.
            (
                "DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261202\nEXDATE;VALUE=DATE:20261201",
                "FREQ=WEEKLY", "2026-12-09", "2026-12-16"
            ),
        ])
    func foreign(times: String, rule: String, due: String, second: String) throws {
        let file = try read(Self.file(times + "\nRRULE:" + rule), in: .centralEurope)
        let task = file.tasks[0]
        #expect(file.leftOut.isEmpty)
        #expect(task.due == when(due))
        let next = try #require(task.task.nextOccurrence(in: RuleCalendar.centralEurope))
        #expect(next.due == when(second))
        let lines = try lines(task, in: .centralEurope)
        for line in (times + "\nRRULE:" + rule).split(separator: "\n") {
            #expect(lines.contains(String(line)), "\(lines)")
        }
    }

    @Test("are counted, and kept, if a rule is not supported")
    func unsupported() throws {
        for lines in [
            "DTSTART:20261201T080000Z\nRRULE:FREQ=HOURLY",
            "DTSTART:20261201T080000Z\nRRULE:FREQ=DAILY\nRDATE:20261224T080000Z",
            "DTSTART:20261201T080000Z\nRRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY",
            "DTSTART;VALUE=DATE:20261201\nRRULE:FREQ=DAILY;BYHOUR=9", "RRULE:FREQ=DAILY",
        ] {
            let file = try read(Self.file(lines))
            #expect(file.leftOut == [.repetitions: 1], "\(lines)")
            #expect(file.tasks[0].repetition == nil && file.tasks[0].task.hasForeignRepetition)
            let back = try self.lines(file.tasks[0], in: .utc)
            for line in lines.split(separator: "\n") { #expect(back.contains(String(line))) }
            // Without a due time, the start is it, and the task is not hidden until then.
            #expect(file.tasks[0].wait == nil)
            #expect((file.tasks[0].due == nil) == !lines.contains("DTSTART"))
        }
        #expect(try !read(Self.file("DUE:20261201T080000Z")).tasks[0].task.hasForeignRepetition)
    }

    @Test("keep their mark when the task is protected, and lose nothing when it is not any more")
    func protection() throws {
        let list = TaskList(try .inMemory()) { exportTime }
        let vault = MemorySecureStore { 0 }
        for lines in ["DTSTART:20261201T080000Z\nRRULE:FREQ=HOURLY", "RRULE:FREQ=DAILY"] {
            let task = try read(Self.file(lines)).tasks[0].task.renamed(TaskID())
            try list.insert([task])
            let protected = try list.protect(list.find(task.id.text), in: vault).task
            #expect(protected.isProtected && protected.due == task.due)
            let found = try list.find(task.id.text)
            #expect(found.hasForeignRepetition && found.endsForeignRepetition)
            let plain = try list.unprotect(found, from: vault)
            #expect(plain.occurrence == nil && plain.endsForeignRepetition)
            #expect(plain.plainText?.further == task.plainText?.further)
        }
        // Others have no mark.
        let other = try list.addProtected(TaskText(name: "a"), in: vault)
        #expect(try !list.find(other.id.text).hasForeignRepetition)
    }

    @Test("do not list an occurrence twice that another program moved or finished")
    func overrides() throws {
        func entry(_ lines: String) -> String {
            "BEGIN:VTODO\nUID:x\nSUMMARY:a\n\(lines)\nEND:VTODO\n"
        }
        let text =
            "BEGIN:VCALENDAR\n"
            + entry("DTSTART;TZID=Europe/Berlin:20261201T090000\nRRULE:FREQ=WEEKLY;COUNT=5")
            + entry("RECURRENCE-ID:20261201T080000Z\nDUE:20261201T080000Z\nSTATUS:COMPLETED")
            + entry("RECURRENCE-ID;TZID=Europe/Berlin:20261215T090000\nDUE:20261216T080000Z")
            + entry("RECURRENCE-ID:20261222T080000Z\nSTATUS:CANCELLED") + "END:VCALENDAR\n"
        let file = try read(text, in: .centralEurope)
        #expect(file.leftOut == [.deletedTasks: 1])
        let series = file.tasks[0]
        #expect(series.due == when("2026-12-08T08:00:00.000Z"))
        let next = try #require(series.task.nextOccurrence(in: RuleCalendar.centralEurope))
        #expect(next.due == when("2026-12-29T08:00:00.000Z"))
        #expect(file.tasks.map(\.isDone) == [false, true, false])
        #expect(Set(file.tasks.map(\.id)).count == 3)
        // All of them go back, and give the same again.
        let bytes = try written(file.tasks, as: .iCalendar, in: .centralEurope)
        let back = try read(bytes, in: .centralEurope)
        #expect(back.tasks.map(\.due) == file.tasks.map(\.due))
        #expect(back.tasks[0].task.nextOccurrence(in: RuleCalendar.centralEurope)?.due == next.due)
        let lines = String(decoding: bytes, as: UTF8.self)
        #expect(lines.contains("DTSTART;TZID=Europe/Berlin:20261201T090000"))
        // The cancelled one is in no entry.
        #expect(lines.contains("EXDATE;TZID=Europe/Berlin:20261222T090000\r\n"))
        // A removed occurrence becomes an exception.
        var moved = series
        moved.due = when("2026-12-09T08:00:00.000Z")
        let changed = try self.lines(moved, in: .centralEurope)
        #expect(changed.contains { $0.hasPrefix("EXDATE;TZID=Europe/Berlin:20261215T090000") })
        #expect(changed.contains("X-TASKVAULT-DUE:20261209T080000Z"))
        let again = try read(
            written([moved], as: .iCalendar, in: .centralEurope), in: .centralEurope)
        #expect(again.tasks[0].due == moved.due)
        #expect(again.tasks[0].occurrence == moved.occurrence)
    }

    @Test(
        "are left out and named if another program finished, moved or removed each occurrence",
        arguments: [
            "RRULE:FREQ=WEEKLY;COUNT=3", "RRULE:FREQ=WEEKLY;UNTIL=20261215T090000Z",
            "RRULE:FREQ=WEEKLY;COUNT=4\nEXDATE:20261222T090000Z",
            "RRULE:FREQ=WEEKLY;UNTIL=20261215\nSTATUS:COMPLETED",
        ])
    func over(rule: String) throws {
        func entry(_ lines: String, _ uid: String = "x") -> String {
            "BEGIN:VTODO\nUID:\(uid)\nSUMMARY:\(uid)\n\(lines)\nEND:VTODO\n"
        }
        let own = [
            "RECURRENCE-ID:20261201T090000Z\nSTATUS:COMPLETED",
            "RECURRENCE-ID:20261208T090000Z\nDUE:20261210T090000Z",
            "RECURRENCE-ID:20261215T090000Z\nSTATUS:COMPLETED",
        ].map { entry($0) }.joined()
        let series = entry("DTSTART:20261201T090000Z\n\(rule)")
        let child = entry("RELATED-TO:x", "child")
        for entries in [series + own + child, own + child + series] {
            let file = try read("BEGIN:VCALENDAR\n\(entries)END:VCALENDAR\n")
            #expect(file.tasks.map(\.isDone) == [true, false, true])
            #expect(file.tasks[1].due == when("2026-12-10T09:00:00.000Z"))
            #expect(file.tasks[0].text?.subtasks.map(\.name) == ["child"])
            #expect(file.leftOut == [.endedSeries: 1])
            #expect(file.remarks.first?.title == "x" && file.ended.map(\.isDone) == [true])
            // The occurrences return to the other program as they were.
            let back = try read(written(file.tasks, as: .iCalendar, in: .utc))
            #expect(back.tasks.map(\.due) == file.tasks.map(\.due) && back.leftOut.isEmpty)
        }
        // One more occurrence is the series.
        let more = try read(
            "BEGIN:VCALENDAR\n"
                + series.replacing("=3", with: "=5").replacing("=4", with: "=5")
                .replacing("20261215", with: "20261229") + own + "END:VCALENDAR\n")
        #expect(more.tasks.count == 4 && more.ended.isEmpty)
    }

    @Test("have no due time if the rule is not supported and the first occurrence is elsewhere")
    func unsupportedOverride() throws {
        func entry(_ lines: String) -> String {
            "BEGIN:VTODO\nUID:x\nSUMMARY:a\n\(lines)\nEND:VTODO\n"
        }
        let alarm = "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nDESCRIPTION:a\nEND:VALARM"
        let rule = "DTSTART:20261201T090000Z\nRDATE:20261205T090000Z\n\(alarm)"
        let file = try read(
            "BEGIN:VCALENDAR\n" + entry(rule)
                + entry("RECURRENCE-ID:20261201T090000Z\nSTATUS:COMPLETED") + "END:VCALENDAR\n")
        #expect(file.leftOut[.repetitions] == 1 && file.tasks.count == 2)
        let series = file.tasks[0]
        #expect(series.due == nil && series.wait == nil && series.task.endsForeignRepetition)
        // The kept lines return, also after the finished occurrence is gone.
        for tasks in [file.tasks, [series]] {
            let text = String(
                decoding: try written(tasks, as: .iCalendar, in: .utc), as: UTF8.self)
            for line in rule.split(separator: "\n") {
                #expect(text.contains("\(line)\r\n"), "\(text)")
            }
        }
        // Another first occurrence stays.
        let other = try read(
            "BEGIN:VCALENDAR\n" + entry(rule) + entry("RECURRENCE-ID:20261205T090000Z")
                + "END:VCALENDAR\n")
        #expect(other.tasks[0].due == when("2026-12-01T09:00:00.000Z"))
    }

    @Test("and others have dates or times, not both (RFC 5545, 3.8.2.3)")
    func pairs() throws {
        func types(_ task: ExchangedTask) throws -> [String] {
            try lines(task, in: .utc).filter { $0.hasPrefix("DTSTART") || $0.hasPrefix("DUE") }
                .map { $0.contains("VALUE=DATE") ? "day" : "time" }
        }
        let withDuration = try read(Self.file("DTSTART;VALUE=DATE:20261201\nDURATION:P2D")).tasks[0]
        #expect(try Set(types(withDuration)).count == 1)
        #expect(try lines(withDuration, in: .utc).contains("DURATION:P2D"))
        var pair = try read(
            Self.file("DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261203")
        ).tasks[0]
        #expect(try types(pair) == ["day", "day"])
        pair.due = when("2026-12-03T09:00:00.000Z")
        #expect(try types(pair) == ["time", "time"])
        let back = try read(lines(pair, in: .utc).joined(separator: "\n")).tasks[0]
        #expect(back.wait == when("2026-12-01") && back.due == pair.due)
        var single = try read(Self.file("DUE;VALUE=DATE:20261203")).tasks[0]
        #expect(try types(single) == ["day"])
        single.wait = when("2026-12-01")
        #expect(try types(single) == ["day", "day"])
    }
}

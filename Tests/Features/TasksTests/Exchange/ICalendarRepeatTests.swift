import Tasks
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
        result.wait = wait.map(point)
        result.reminder = reminder.map(point)
        return result
    }

    @Test(
        "have times of the zone in which the rule counts",
        arguments: [
            // The end of a Tuesday.
            (
                "2026-12-02T04:59:00.000Z", "FREQ=WEEKLY;BYDAY=TU", nil,
                [
                    "DTSTART;VALUE=DATE:20261201", "DUE;VALUE=DATE:20261201",
                    "RRULE:FREQ=WEEKLY;BYDAY=TU",
                ]
            ),
            (
                "2027-01-01T04:59:00.000Z", "FREQ=MONTHLY;BYMONTHDAY=-1;UNTIL=20270401T035900Z",
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
                    "RRULE:FREQ=DAILY;UNTIL=20261210T140000Z",
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
        let now = try #require(task.due)
        func next(_ task: ExchangedTask) -> PointInTime? {
            task.repetition?.next(after: now, now: now, in: RuleCalendar.newYork)?.due
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
        // Own times and kept ones do not stand side by side.
        var moved = file.tasks[0]
        moved.due = point("2026-12-08T22:00:00.000Z")
        let changed = try self.lines(moved, in: .newYork)
        for line in expected { #expect(!changed.contains(line) || line.hasPrefix("RRULE")) }
    }

    @Test(
        "have a rule if it counts the days of the due time",
        arguments: [
            ("DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261202", "FREQ=WEEKLY;BYDAY=TU", nil),
            ("DTSTART;VALUE=DATE:20261125\nDUE;VALUE=DATE:20261201", "FREQ=MONTHLY", nil),
            (
                "DTSTART;VALUE=DATE:20261125\nDUE;VALUE=DATE:20261201",
                "FREQ=MONTHLY;BYMONTHDAY=25", nil
            ),
            // Late on Tuesday in New York is Wednesday here.
            (
                "DTSTART;TZID=America/New_York:20261201T200000", "FREQ=WEEKLY;BYDAY=TU", nil
            ),
            (
                "DTSTART;TZID=America/New_York:20261201T090000\nDUE:20261201T150000Z",
                "FREQ=WEEKLY;BYDAY=TU", "FREQ=WEEKLY;BYDAY=TU"
            ),
            ("DTSTART:20261201T230000Z\nDUE:20261201T233000Z", "FREQ=MONTHLY;BYMONTHDAY=1", nil),
            ("DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261202", "FREQ=WEEKLY", "FREQ=WEEKLY"),
            (
                "DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261203",
                "FREQ=DAILY;INTERVAL=2;UNTIL=20261205", "FREQ=DAILY;INTERVAL=2;UNTIL=20261207"
            ),
            (
                "DTSTART:20261201T080000Z\nDUE:20261201T160000Z",
                "FREQ=DAILY;UNTIL=20261203T080000Z",
                "FREQ=DAILY;UNTIL=20261203T160000Z"
            ),
            ("DUE:20261201T160000Z", "FREQ=DAILY;COUNT=3", "FREQ=DAILY;COUNT=3"),
        ] as [(String, String, String?)])
    func foreign(times: String, rule: String, expected: String?) throws {
        let due = times.contains("DUE") ? times : times + "\nDURATION:PT1H"
        let file = try read(Self.file(due + "\nRRULE:" + rule), in: .centralEurope)
        #expect(file.tasks[0].repetition?.text == expected)
        #expect(file.leftOut == (expected == nil ? [.repetitions: 1] : [:]))
        let lines = try lines(file.tasks[0], in: .centralEurope)
        #expect(lines.contains("RRULE:" + rule))
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
        pair.due = point("2026-12-03T09:00:00.000Z")
        #expect(try types(pair) == ["time", "time"])
        var single = try read(Self.file("DUE;VALUE=DATE:20261203")).tasks[0]
        #expect(try types(single) == ["day"])
        single.wait = point("2026-12-01T09:00:00.000Z")
        #expect(try types(single) == ["time", "time"])
    }
}

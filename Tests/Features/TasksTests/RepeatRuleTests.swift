@testable import Tasks
import Testing
import TestSupport

/// New York as in the examples of RFC 5545, without the hour by which clocks are set: the examples' times of day stay the same.
private let calendar = RuleCalendar.utc

@Suite("A rule of repetition")
struct RepeatRuleTests {
    /// The days of the first occurrences from a day on.
    private func days(
        _ rule: RepeatRule, from first: CalendarDate, _ count: Int
    ) throws -> [String] {
        var (rule, present) = (rule, Occurrence(.time(LocalTime(first, hour: 9, minute: 0))))
        var found = [TimeText.text(first)]
        while found.count < count, let next = rule.next(after: present, now: nil, in: calendar) {
            #expect(!next.hasSkipped)
            (present, rule) = (next.occurrence, next.rule)
            found.append(TimeText.text(next.due.date(in: calendar)))
        }
        return found
    }

    private func days(_ rule: String, from first: (Int, Int, Int), _ count: Int) throws -> [String]
    {
        let date = try #require(CalendarDate(year: first.0, month: first.1, day: first.2))
        return try days(RepeatRule(rule: rule), from: date, count)
    }

    /// The days of a month in the text of RFC 5545, such as `1997-09: 2 5 30`.
    private func expected(_ text: String) -> [String] {
        text.split(separator: "\n").flatMap { line -> [String] in
            let parts = line.split(separator: ":")
            return parts[1].split(separator: " ").map { day in
                "\(parts[0].trimmingPrefix(while: { $0 == " " }))-\(day.count == 1 ? "0" : "")\(day)"
            }
        }
    }

    @Test(
        "has the occurrences of the examples in RFC 5545",
        arguments: [
            ("FREQ=DAILY;COUNT=10", (1_997, 9, 2), "1997-09: 2 3 4 5 6 7 8 9 10 11", true),
            ("FREQ=DAILY;INTERVAL=2", (1_997, 9, 2), "1997-09: 2 4 6 8 10 12", false),
            (
                "FREQ=DAILY;INTERVAL=10;COUNT=5", (1_997, 9, 2),
                "1997-09: 2 12 22\n1997-10: 2 12", true
            ),
            (
                "FREQ=WEEKLY;COUNT=10", (1_997, 9, 2),
                "1997-09: 2 9 16 23 30\n1997-10: 7 14 21 28\n1997-11: 4", true
            ),
            (
                "FREQ=WEEKLY;UNTIL=19971224T000000Z", (1_997, 9, 2),
                """
                1997-09: 2 9 16 23 30
                1997-10: 7 14 21 28
                1997-11: 4 11 18 25
                1997-12: 2 9 16 23
                """, true
            ),
            (
                "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", (1_997, 9, 2),
                "1997-09: 2 4 9 11 16 18 23 25 30\n1997-10: 2", true
            ),
            (
                "FREQ=WEEKLY;INTERVAL=2;COUNT=8;BYDAY=TU,TH", (1_997, 9, 2),
                "1997-09: 2 4 16 18 30\n1997-10: 2 14 16", true
            ),
            (
                "FREQ=MONTHLY;COUNT=10;BYDAY=1FR", (1_997, 9, 5),
                """
                1997-09: 5
                1997-10: 3
                1997-11: 7
                1997-12: 5
                1998-01: 2
                1998-02: 6
                1998-03: 6
                1998-04: 3
                1998-05: 1
                1998-06: 5
                """, true
            ),
            (
                "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR", (1_997, 9, 5),
                "1997-09: 5\n1997-10: 3\n1997-11: 7\n1997-12: 5", true
            ),
            (
                "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", (1_997, 9, 7),
                """
                1997-09: 7 28
                1997-11: 2 30
                1998-01: 4 25
                1998-03: 1 29
                1998-05: 3 31
                """, true
            ),
            (
                "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", (1_997, 9, 22),
                """
                1997-09: 22
                1997-10: 20
                1997-11: 17
                1997-12: 22
                1998-01: 19
                1998-02: 16
                """, true
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=-3", (1_997, 9, 28),
                """
                1997-09: 28
                1997-10: 29
                1997-11: 28
                1997-12: 29
                1998-01: 29
                1998-02: 26
                """, false
            ),
            (
                "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15", (1_997, 9, 2),
                """
                1997-09: 2 15
                1997-10: 2 15
                1997-11: 2 15
                1997-12: 2 15
                1998-01: 2 15
                """, true
            ),
            (
                "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1", (1_997, 9, 30),
                """
                1997-09: 30
                1997-10: 1 31
                1997-11: 1 30
                1997-12: 1 31
                1998-01: 1 31
                1998-02: 1
                """, true
            ),
            (
                "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", (1_997, 9, 10),
                "1997-09: 10 11 12 13 14 15\n1999-03: 10 11 12 13", true
            ),
            (
                "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", (1_997, 9, 2),
                """
                1997-09: 2 9 16 23 30
                1997-11: 4 11 18 25
                1998-01: 6 13 20 27
                1998-03: 3 10 17 24 31
                """, false
            ),
            (
                "FREQ=YEARLY;BYDAY=20MO", (1_997, 5, 19), "1997-05: 19\n1998-05: 18\n1999-05: 17",
                false
            ),
            (
                // Its first occurrence is not one of the rule.
                "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", (1_997, 9, 2),
                """
                1997-09: 2
                1998-02: 13
                1998-03: 13
                1998-11: 13
                1999-08: 13
                2000-10: 13
                """, false
            ),
            (
                "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", (1_997, 9, 13),
                "1997-09: 13\n1997-10: 11\n1997-11: 8\n1997-12: 13\n1998-01: 10", false
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", (2_007, 1, 15),
                "2007-01: 15 30\n2007-02: 15\n2007-03: 15 30", true
            ),
        ] as [(String, (Int, Int, Int), String, Bool)])
    func examples(rule: String, first: (Int, Int, Int), text: String, isWhole: Bool) throws {
        let expected = expected(text)
        #expect(try days(rule, from: first, expected.count + (isWhole ? 5 : 0)) == expected)
    }

    @Test(
        "skips days that a month or year does not have",
        arguments: [
            ("FREQ=MONTHLY", (2_026, 1, 31), "2026-01: 31\n2026-03: 31\n2026-05: 31\n2026-07: 31"),
            ("FREQ=YEARLY", (2_024, 2, 29), "2024-02: 29\n2028-02: 29\n2032-02: 29"),
            // 2100 is no leap year.
            ("FREQ=YEARLY", (2_096, 2, 29), "2096-02: 29\n2104-02: 29"),
            ("FREQ=YEARLY;INTERVAL=3", (2_024, 2, 29), "2024-02: 29\n2036-02: 29\n2048-02: 29"),
            ("FREQ=MONTHLY;BYDAY=5FR", (2_026, 1, 30), "2026-01: 30\n2026-05: 29\n2026-07: 31"),
        ] as [(String, (Int, Int, Int), String)])
    func missingDays(rule: String, first: (Int, Int, Int), text: String) throws {
        let expected = expected(text)
        #expect(try days(rule, from: first, expected.count) == expected)
    }

    @Test(
        "that never happens again ends",
        arguments: [
            ("FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30", (2_026, 2, 1)),
            ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", (2_026, 11, 23)),
            ("FREQ=YEARLY;BYDAY=1MO;COUNT=1", (2_026, 1, 5)),
            ("FREQ=DAILY", (9_999, 12, 31)), ("FREQ=YEARLY;INTERVAL=1000", (9_500, 1, 1)),
            ("FREQ=DAILY;UNTIL=20261123", (2_026, 11, 23)),
            ("FREQ=DAILY;UNTIL=20261124T085959Z", (2_026, 11, 23)),
        ] as [(String, (Int, Int, Int))])
    func never(rule: String, first: (Int, Int, Int)) throws {
        #expect(try days(rule, from: first, 2).count == 1)
    }

    @Test(
        "that never happens again is found out after few periods",
        arguments: [
            ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", (2_026, 11, 23)),
            ("FREQ=DAILY;INTERVAL=7;BYDAY=TU;BYMONTHDAY=1", (2_026, 11, 23)),
            ("FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=30", (2_026, 2, 1)),
            ("FREQ=MONTHLY;INTERVAL=24;BYDAY=5MO", (2_025, 2, 1)),
            ("FREQ=YEARLY;INTERVAL=400;BYDAY=53MO", (2_026, 1, 5)),
        ] as [(String, (Int, Int, Int))])
    func neverQuickly(rule: String, first: (Int, Int, Int)) throws {
        let first = date(first.0, first.1, first.2)
        let rule = try RepeatRule(rule: rule)
        let start = LocalTime(first, hour: 9, minute: 0)
        #expect(rule.time(after: start, from: start, isDay: false) == nil)
        // The days of 400 years, each by itself, would be 146,097.
        #expect(rule.periods(after: first, from: first).count <= 402)
    }

    @Test(
        "that happens seldom is found",
        arguments: [
            ("FREQ=DAILY;INTERVAL=999;BYDAY=TU;BYMONTHDAY=31", (2_026, 1, 1), "3579-07: 31"),
            ("FREQ=MONTHLY;INTERVAL=48;BYDAY=5SU", (2_024, 2, 4), "2032-02: 29"),
            ("FREQ=YEARLY;INTERVAL=1000", (2_026, 3, 1), "3026-03: 1"),
            ("FREQ=YEARLY;INTERVAL=100", (2_096, 2, 29), "2196-02: 29"),
            ("FREQ=YEARLY;INTERVAL=100", (2_000, 2, 29), "2400-02: 29"),
        ] as [(String, (Int, Int, Int), String)])
    func seldom(rule: String, first: (Int, Int, Int), second: String) throws {
        #expect(try days(rule, from: first, 2).last == expected(second)[0])
    }

    @Test("keeps the time of day when clocks are set")
    func daylightSaving() throws {
        let europe = RuleCalendar.centralEurope
        let rule = RepeatRule(.daily)
        func next(_ local: LocalTime) throws -> PointInTime {
            let next = rule.next(after: Occurrence(.time(local)), now: nil, in: europe)
            return try #require(next?.due.moment)
        }
        // Clocks skip from 2:00 to 3:00, and show 2:30 twice.
        #expect(europe.local(at: try next(local(2_026, 3, 28, 9))) == local(2_026, 3, 29, 9))
        #expect(
            europe.local(at: try next(local(2_026, 3, 28, 2, 30))) == local(2_026, 3, 29, 3, 30))
        #expect(try next(local(2_026, 10, 24, 2, 30)) == utc(2_026, 10, 25, 0, 30))
    }

    /// The due times of a task that is finished in time.
    private func times(
        _ rule: RepeatRule, from first: LocalTime, _ count: Int, in calendar: some LocalCalendar
    ) throws -> [LocalTime] {
        var task = TodoTask(
            content: .plain(TaskText(name: "a")),
            due: .moment(try #require(calendar.pointsInTime(of: first).first)),
            created: utc(2_026, 1, 1))
        task.setRepetition(rule, in: calendar)
        return try (0..<count).map { _ in
            let next = try #require(task.nextOccurrence(in: calendar))
            task.due = next.due
            task.setSeries(next.rule, next.occurrence)
            return calendar.local(at: try #require(next.due.moment))
        }
    }

    @Test("returns to its time of day after one that clocks skip")
    func skippedTime() throws {
        let europe = RuleCalendar.centralEurope
        let found = try times(RepeatRule(.daily), from: local(2_027, 3, 27, 2, 30), 3, in: europe)
        #expect(
            found == [
                local(2_027, 3, 28, 3, 30), local(2_027, 3, 29, 2, 30), local(2_027, 3, 30, 2, 30),
            ])
        // An hour that clocks show twice is not another time.
        let twice = try times(RepeatRule(.daily), from: local(2_026, 10, 24, 2, 30), 2, in: europe)
        #expect(twice == [local(2_026, 10, 25, 2, 30), local(2_026, 10, 26, 2, 30)])
    }

    /// Clocks are set from Saturday, 27 March 2027, 23:00 to Sunday, 0:00, as in Nuuk.
    private struct Nuuk: LocalCalendar {
        func offset(at time: PointInTime) -> Int {
            time < utc(2_027, 3, 28, 1) ? -7_200 : -3_600
        }
    }

    @Test("returns to its day after an hour before midnight that clocks skip")
    func skippedMidnight() throws {
        let first = local(2_027, 3, 20, 23, 59)
        let found = try times(RepeatRule(.weekly), from: first, 3, in: Nuuk())
        #expect(
            found == [
                local(2_027, 3, 28, 0, 59), local(2_027, 4, 3, 23, 59),
                local(2_027, 4, 10, 23, 59),
            ])
    }

    @Test("has the times of day that are named")
    func namedTimes() throws {
        let rule = try RepeatRule(typed: "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0")
        #expect(
            try times(rule, from: local(2_026, 11, 23, 9), 3, in: calendar) == [
                local(2_026, 11, 23, 17), local(2_026, 11, 24, 9), local(2_026, 11, 24, 17),
            ])
        // A day gets the first of them.
        var task = TodoTask(
            content: .plain(TaskText(name: "a")), due: .day(date(2_026, 11, 23)),
            created: utc(2_026, 1, 1))
        task.setRepetition(try RepeatRule(typed: "daily at 9:30"), in: calendar)
        #expect(task.due == .moment(utc(2_026, 11, 23, 9, 30)))
    }

    @Test("of days has days, in every zone")
    func days() throws {
        let rule = try RepeatRule(typed: "every mon, fri")
        for calendar in RuleCalendar.all {
            let present = Occurrence(dueAt: .day(date(2_026, 11, 23)), in: calendar)
            let next = try #require(rule.next(after: present, now: nil, in: calendar))
            #expect(next.due == .day(date(2_026, 11, 27)) && next.occurrence.zone == nil)
            // Today is not over, and yesterday is.
            let noon = calendar.pointsInTime(of: local(2_026, 11, 27, 12))[0]
            let today = try #require(rule.next(after: present, now: noon, in: calendar))
            #expect(today.due == .day(date(2_026, 11, 27)) && !today.hasSkipped)
            let tomorrow = noon.advanced(by: .seconds(86_400))
            let later = try #require(rule.next(after: present, now: tomorrow, in: calendar))
            #expect(later.due == .day(date(2_026, 11, 30)) && later.hasSkipped)
        }
    }

    @Test(
        "counts in the zone in which it was made",
        .enabled(if: ZoneCalendar("Europe/Berlin") != nil))
    func zones() throws {
        let berlin = try #require(ZoneCalendar("Europe/Berlin"))
        let newYork = try #require(ZoneCalendar("America/New_York"))
        // Early on Mondays in Berlin is still Sunday in New York.
        let due = TaskTime.moment(
            try #require(berlin.pointsInTime(of: local(2_027, 3, 8, 1)).first))
        var task = TodoTask(
            content: .plain(TaskText(name: "a")), due: due, created: utc(2_026, 1, 1))
        task.setRepetition(try RepeatRule(typed: "every mon"), in: berlin)
        for day in [15, 22, 29] {
            let next = try #require(task.nextOccurrence(in: newYork))
            #expect(
                next.due.moment.map { berlin.local(at: $0) } == local(2_027, 3, day, 1), "\(day)")
            task.due = next.due
            task.setSeries(next.rule, next.occurrence)
        }
    }

    @Test("continues from the scheduled time after its owner moved one occurrence")
    func moved() throws {
        var task = TodoTask(
            content: .plain(TaskText(name: "a")), due: .moment(utc(2_026, 11, 23, 9)),
            created: utc(2_026, 1, 1), reminder: .moment(utc(2_026, 11, 22, 9)))
        task.setRepetition(RepeatRule(.weekly), in: calendar)
        let id = task.occurrence
        task.setDue(.moment(utc(2_026, 11, 25, 15)), in: calendar)
        #expect(task.occurrence == id && task.isMoved(in: calendar))
        #expect(task.reminder == .moment(utc(2_026, 11, 24, 15)))
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        try repository.insert([task])
        let stored = try #require(try repository.task(task.id))
        #expect(stored == task)
        let list = TaskList(repository) { utc(2_026, 11, 25, 16) }
        let next = try #require(try list.finish([stored], in: calendar).first?.task)
        #expect(next.due == .moment(utc(2_026, 11, 30, 9)))
        #expect(next.reminder == .moment(utc(2_026, 11, 29, 9)) && !next.isMoved(in: calendar))
    }

    @Test(
        "of a person means the last day where a month is too short",
        arguments: [
            ("FREQ=MONTHLY", (1, 31), "FREQ=MONTHLY;BYMONTHDAY=-1"),
            ("FREQ=MONTHLY", (1, 30), "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1"),
            ("FREQ=MONTHLY", (1, 29), "FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1"),
            ("FREQ=MONTHLY", (1, 28), "FREQ=MONTHLY"),
            (
                "FREQ=MONTHLY;INTERVAL=2;COUNT=3", (1, 31),
                "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1;COUNT=3"
            ),
            ("FREQ=MONTHLY;BYMONTHDAY=1,-1", (1, 31), "FREQ=MONTHLY;BYMONTHDAY=1,-1"),
            ("FREQ=MONTHLY;BYDAY=1FR", (1, 31), "FREQ=MONTHLY;BYDAY=1FR"),
            ("FREQ=YEARLY", (1, 31), "FREQ=YEARLY"),
            ("FREQ=YEARLY", (2, 29), "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"),
            ("FREQ=DAILY", (1, 31), "FREQ=DAILY"),
        ] as [(String, (Int, Int), String)])
    func starting(rule: String, first: (Int, Int), expected: String) throws {
        let day = date(2_028, first.0, first.1)
        let found = try RepeatRule(rule: rule).starting(on: day)
        #expect(found.text == expected)
        #expect(found.starting(on: day) == found)
    }

    @Test("monthly from the 30th is due in February, and again on the 30th")
    func thirtieth() throws {
        let rule = RepeatRule(.monthly).starting(on: date(2_027, 1, 30))
        #expect(
            try days(rule, from: date(2_027, 1, 30), 4)
                == ["2027-01-30", "2027-02-28", "2027-03-30", "2027-04-30"])
        #expect(rule.phrase == "monthly on the 30th or last day" && rule.lastPossibleDay == 30)
    }

    @Test(
        "monthly on a day that some months lack names the rule that means their last day",
        arguments: [
            ("every 29th", "monthly on the 29th or last day"),
            ("every 30th", "monthly on the 30th or last day"),
            ("every 31st", "monthly on the last day"), ("every 28th", nil), ("monthly", nil),
            ("last day of the month", nil), ("every 29th or last day", nil),
        ] as [(String, String?)])
    func shortMonths(typed: String, other: String?) throws {
        let rule = try RepeatRule(typed: typed)
        #expect(rule.countingShortMonths?.phrase == other)
        if let other { #expect(try RepeatRule(typed: other) == rule.countingShortMonths) }
    }

    @Test(
        "has a text for people",
        arguments: [
            ("FREQ=DAILY", "daily"), ("FREQ=WEEKLY", "weekly"), ("FREQ=MONTHLY", "monthly"),
            ("FREQ=YEARLY", "yearly"), ("FREQ=DAILY;INTERVAL=3", "every 3 days"),
            ("FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
            ("FREQ=MONTHLY;INTERVAL=18", "every 18 months"),
            ("FREQ=YEARLY;INTERVAL=10", "every 10 years"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "weekdays"),
            ("FREQ=WEEKLY;BYDAY=MO,TH", "every mon, thu"), ("FREQ=WEEKLY;BYDAY=SU", "every sun"),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every 2 weeks on mon, thu"),
            ("FREQ=WEEKLY;BYMONTH=5,6;BYDAY=SA", "every sat in may, jun"),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", "monthly on the last day"),
            ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1", "every 2 months on the last day"),
            ("FREQ=MONTHLY;BYMONTHDAY=1,11,22,31", "monthly on the 1st, 11th, 22nd, 31st"),
            ("FREQ=MONTHLY;BYMONTHDAY=2,-1", "monthly on the 2nd, last day"),
            ("FREQ=MONTHLY;BYMONTHDAY=-2", "monthly on the 2nd-last day"),
            ("FREQ=MONTHLY;BYMONTH=3,9;BYMONTHDAY=1", "monthly on the 1st in mar, sep"),
            ("FREQ=MONTHLY;BYDAY=1FR,-1MO", "monthly on the 1st fri, last mon"),
            (
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1",
                "monthly on the 1st workday, last workday"
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1", "monthly on the 30th or last day"
            ),
            ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "yearly on 24 dec"),
            ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "yearly on the last day of feb"),
            ("FREQ=YEARLY;INTERVAL=2;BYMONTH=11;BYDAY=4TH", "every 2 years on the 4th thu of nov"),
            ("FREQ=WEEKLY;COUNT=5", "weekly, 5 times"), ("FREQ=WEEKLY;COUNT=1", "weekly, once"),
            ("FREQ=DAILY;UNTIL=20270101", "daily, until 2027-01-01"),
            ("FREQ=DAILY;UNTIL=20270101T093000Z", "daily, until 2027-01-01 09:30Z"),
            ("FREQ=DAILY;UNTIL=20270101T093000", "daily, until 2027-01-01 09:30"),
            ("FREQ=DAILY;BYHOUR=2;BYMINUTE=5;COUNT=2", "daily at 02:05, 2 times"),
            ("FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0;COUNT=5", "daily at 09:00, 17:00, 5 times"),
            ("FREQ=DAILY;EXDATE=20261224,20261231", "daily, except 2026-12-24, 2026-12-31"),
            (
                "FREQ=DAILY;COUNT=9;EXDATE=20261224T090000",
                "daily, 9 times, except 2026-12-24 09:00"
            ),
            // The rule itself, if it has no words.
            ("FREQ=DAILY;BYHOUR=2", "FREQ=DAILY;BYHOUR=2"),
            ("FREQ=DAILY;BYDAY=MO;COUNT=2", "FREQ=DAILY;BYDAY=MO;COUNT=2"),
            ("FREQ=MONTHLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=MO"),
            ("FREQ=YEARLY;BYDAY=20MO", "FREQ=YEARLY;BYDAY=20MO"),
            ("FREQ=YEARLY;BYWEEKNO=20", "FREQ=YEARLY;BYWEEKNO=20"),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU",
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU"
            ),
        ])
    func phrase(rule: String, phrase: String) throws {
        let rule = try RepeatRule(rule: rule)
        #expect(rule.phrase == phrase)
        #expect(try RepeatRule(typed: phrase) == rule)
    }

    @Test("skips what has passed, and counts it")
    func late() throws {
        let due = Occurrence(.time(local(2_026, 11, 2, 9)))
        let now = utc(2_026, 11, 23, 9)
        let weekly = try #require(RepeatRule(.weekly).next(after: due, now: now, in: calendar))
        #expect(weekly.due == .moment(utc(2_026, 11, 30, 9)))
        #expect(weekly.hasSkipped)
        let counted = try RepeatRule(rule: "FREQ=WEEKLY;COUNT=6")
        let last = try #require(counted.next(after: due, now: now, in: calendar))
        #expect(last.due == .moment(utc(2_026, 11, 30, 9)) && last.hasSkipped)
        #expect(last.rule.text == "FREQ=WEEKLY;COUNT=2")
        let few = try RepeatRule(rule: "FREQ=WEEKLY;COUNT=4")
        #expect(few.next(after: due, now: now, in: calendar) == nil)
        let early = try #require(
            RepeatRule(.weekly).next(after: due, now: utc(2_026, 11, 1), in: calendar))
        #expect(early.due == .moment(utc(2_026, 11, 9, 9)))
        #expect(!early.hasSkipped)
    }

    @Test(
        "has one text",
        arguments: [
            ("FREQ=DAILY", "FREQ=DAILY"), ("rrule:freq=weekly;interval=1", "FREQ=WEEKLY"),
            (
                "UNTIL=19971224T000000Z;BYDAY=mo,-1FR;FREQ=MONTHLY;INTERVAL=2",
                "FREQ=MONTHLY;INTERVAL=2;BYDAY=MO,-1FR;UNTIL=19971224T000000Z"
            ),
            ("FREQ=YEARLY;BYMONTHDAY=+1,-31;COUNT=5", "FREQ=YEARLY;BYMONTHDAY=1,-31;COUNT=5"),
            ("FREQ=DAILY;UNTIL=20261123", "FREQ=DAILY;UNTIL=20261123"),
            ("FREQ=DAILY;BYMINUTE=5;BYHOUR=02", "FREQ=DAILY;BYHOUR=2;BYMINUTE=5"),
            ("FREQ=WEEKLY;WKST=SU;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO"),
            (
                "FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=MO",
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU"
            ),
            (
                "BYSETPOS=-1;BYDAY=FR;FREQ=MONTHLY;BYMONTH=2,1;",
                "FREQ=MONTHLY;BYMONTH=2,1;BYDAY=FR;BYSETPOS=-1"
            ),
            (
                "FREQ=DAILY;RECURRENCE-ID=20270102;EXDATE=20270104,20270103,20270104",
                "FREQ=DAILY;EXDATE=20270103,20270104;RECURRENCE-ID=20270102"
            ),
        ])
    func text(typed: String, text: String) throws {
        #expect(try RepeatRule(rule: typed).text == text)
        #expect(try RepeatRule(rule: text) == RepeatRule(rule: typed))
    }

    @Test(
        "is read as people write it",
        arguments: [
            ("daily", "FREQ=DAILY"), ("Weekly", "FREQ=WEEKLY"), ("monthly", "FREQ=MONTHLY"),
            ("yearly", "FREQ=YEARLY"), ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("every day", "FREQ=DAILY"), ("every 3 days", "FREQ=DAILY;INTERVAL=3"),
            ("every 2 weeks", "FREQ=WEEKLY;INTERVAL=2"),
            ("every 18 months", "FREQ=MONTHLY;INTERVAL=18"),
            ("every friday", "FREQ=WEEKLY;BYDAY=FR"),
            ("every mon, wed and fri", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
            ("FREQ=DAILY;COUNT=3", "FREQ=DAILY;COUNT=3"),
            ("every 2 weeks on mon", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
            ("every other day", "FREQ=DAILY;INTERVAL=2"),
            ("every other Monday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
            ("every 2nd week", "FREQ=WEEKLY;INTERVAL=2"),
            ("fortnightly", "FREQ=WEEKLY;INTERVAL=2"), ("weekends", "FREQ=WEEKLY;BYDAY=SA,SU"),
            ("last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
            ("every last day of the month", "FREQ=MONTHLY;BYMONTHDAY=-1"),
            ("the 15th of every month", "FREQ=MONTHLY;BYMONTHDAY=15"),
            ("every 15th", "FREQ=MONTHLY;BYMONTHDAY=15"),
            ("first monday of the month", "FREQ=MONTHLY;BYDAY=1MO"),
            (
                "last workday of the month",
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"
            ),
            ("every 24 dec", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"),
            ("yearly on dec 24th", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"),
            ("every fri at 9:00, 5 times", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=9;BYMINUTE=0;COUNT=5"),
            ("every month on the last fri", "FREQ=MONTHLY;BYDAY=-1FR"),
        ])
    func words(typed: String, text: String) throws {
        #expect(try RepeatRule(typed: typed).text == text)
    }

    @Test(
        "is not understood with other words",
        arguments: [
            "", "every", "every 0 days", "every 1001 days", "every 3", "every 2 mon", "hourly",
            "daily weekly", "every day 9:00", "täglich", "every -1 days", "1e3", "every month-end",
        ])
    func otherWords(text: String) {
        #expect(throws: RepeatRuleError.notUnderstood) { try RepeatRule(typed: text) }
        for example in RepeatRuleError.examples {
            #expect(throws: Never.self) { try RepeatRule(typed: example) }
        }
    }

    @Test(
        "is refused if another program could mean other days",
        arguments: [
            ("", .notUnderstood), ("weekly", .notUnderstood), ("FREQ=", .notUnderstood),
            ("BYDAY=MO", .notUnderstood), ("FREQ=DAILY;;", .notUnderstood),
            ("FREQ=DAILY;FREQ=DAILY", .notUnderstood),
            ("FREQ=HOURLY", .unusable(part: "FREQ")),
            ("FREQ=YEARLY;BYMONTH=13", .unusable(part: "BYMONTH")),
            ("FREQ=YEARLY;BYMONTH=-1", .unusable(part: "BYMONTH")),
            ("FREQ=MONTHLY;BYSETPOS=-1", .unusable(part: "BYSETPOS")),
            ("FREQ=MONTHLY;BYSETPOS=0;BYDAY=MO", .unusable(part: "BYSETPOS")),
            ("FREQ=MONTHLY;BYWEEKNO=1", .unusable(part: "BYWEEKNO")),
            ("FREQ=DAILY;BYYEARDAY=1", .unusable(part: "BYYEARDAY")),
            ("FREQ=DAILY;BYEASTER=0", .unusable(part: "BYEASTER")),
            ("FREQ=DAILY;INTERVAL=0", .unusable(part: "INTERVAL")),
            ("FREQ=DAILY;INTERVAL=1001", .unusable(part: "INTERVAL")),
            ("FREQ=DAILY;BYHOUR=24", .unusable(part: "BYHOUR")),
            ("FREQ=DAILY;BYMINUTE=60", .unusable(part: "BYMINUTE")),
            ("FREQ=DAILY;BYSECOND=60", .unusable(part: "BYSECOND")),
            ("FREQ=DAILY;COUNT=0", .unusable(part: "COUNT")),
            ("FREQ=WEEKLY;BYDAY=1MO", .unusable(part: "BYDAY")),
            ("FREQ=MONTHLY;BYDAY=6MO", .unusable(part: "BYDAY")),
            ("FREQ=MONTHLY;BYDAY=0MO", .unusable(part: "BYDAY")),
            ("FREQ=WEEKLY;BYDAY=MO,", .unusable(part: "BYDAY")),
            ("FREQ=WEEKLY;BYMONTHDAY=1", .unusable(part: "BYMONTHDAY")),
            ("FREQ=MONTHLY;BYMONTHDAY=32", .unusable(part: "BYMONTHDAY")),
            ("FREQ=DAILY;UNTIL=19970230", .unusable(part: "UNTIL")),
            ("FREQ=DAILY;UNTIL=19970228T240000Z", .unusable(part: "UNTIL")),
            ("FREQ=DAILY;EXDATE=1997", .unusable(part: "EXDATE")),
            ("FREQ=DAILY;WKST=XX", .unusable(part: "WKST")),
            ("FREQ=DAILY;COUNT=1;UNTIL=19971224", .twoEnds),
        ] as [(String, RepeatRuleError)])
    func refused(text: String, error: RepeatRuleError) {
        #expect(throws: error) { try RepeatRule(rule: text) }
    }
}

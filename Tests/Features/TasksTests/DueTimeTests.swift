import Tasks
import Testing
import TestSupport

/// Saturday, 21 November 2026, 15:00 in central Europe, and a bit.
private let now = utc(2_026, 11, 21, 14).advanced(by: .milliseconds(250))
private let europe = RuleCalendar.centralEurope

/// When clocks in central Europe show this.
private func clock(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
) -> TaskTime {
    .moment(europe.pointsInTime(of: local(year, month, day, hour, minute, second))[0])
}

@Suite("A due time")
struct DueTimeTests {
    @Test(
        "is read as people write it",
        arguments: [
            ("today", .day(date(2_026, 11, 21))),
            ("tomorrow", .day(date(2_026, 11, 22))),
            ("yesterday", .day(date(2_026, 11, 20))),
            ("tomorrow 9:00", clock(2_026, 11, 22, 9)),
            ("tomorrow at 9am", clock(2_026, 11, 22, 9)),
            ("9:00 tomorrow", clock(2_026, 11, 22, 9)),
            ("today 9:00", clock(2_026, 11, 21, 9)),
            ("Fri 18:00", clock(2_026, 11, 27, 18)),
            ("  friday  ", .day(date(2_026, 11, 27))),
            ("on FRIDAY at 18:00:30", clock(2_026, 11, 27, 18, 0, 30)),
            ("18:00 fri", clock(2_026, 11, 27, 18)),
            ("tues", .day(date(2_026, 11, 24))),
            ("thurs", .day(date(2_026, 11, 26))),
            // Today is a Saturday.
            ("sat", .day(date(2_026, 11, 28))),
            ("saturday 15:01", clock(2_026, 11, 28, 15, 1)),
            ("sun", .day(date(2_026, 11, 22))),
            ("mon noon", clock(2_026, 11, 23, 12)),
            // The next week begins on Monday.
            ("next week", .day(date(2_026, 11, 23))),
            ("next week at 9", clock(2_026, 11, 23, 9)),
            ("next mon", .day(date(2_026, 11, 23))),
            ("next friday 18:00", clock(2_026, 11, 27, 18)),
            ("on next Sunday", .day(date(2_026, 11, 29))),
            ("tonight", clock(2_026, 11, 21, 20)),
            ("tonight at 9:30pm", clock(2_026, 11, 21, 21, 30)),
            ("tonight at 9", clock(2_026, 11, 21, 21)),
            ("9:30 tonight", clock(2_026, 11, 21, 21, 30)),
            ("tonight 22:00", clock(2_026, 11, 21, 22)),
            ("eod", .day(date(2_026, 11, 21))),
            ("eow", .day(date(2_026, 11, 22))),
            ("EOM", .day(date(2_026, 11, 30))),
            ("1st", .day(date(2_026, 12, 1))),
            ("21st", .day(date(2_026, 12, 21))),
            ("22nd 9am", clock(2_026, 11, 22, 9)),
            ("31st", .day(date(2_026, 12, 31))),
            ("tomorrow at 9", clock(2_026, 11, 22, 9)),
            ("fri at 18", clock(2_026, 11, 27, 18)),
            ("at 9", clock(2_026, 11, 22, 9)),
            ("+3d", .day(date(2_026, 11, 24))),
            ("+1w 9:00", clock(2_026, 11, 28, 9)),
            // The next time when the clocks show it.
            ("21:30", clock(2_026, 11, 21, 21, 30)),
            ("9:00", clock(2_026, 11, 22, 9)),
            ("15:00", clock(2_026, 11, 22, 15)),
            ("9am", clock(2_026, 11, 22, 9)),
            ("9:30 PM", clock(2_026, 11, 21, 21, 30)),
            ("at 9:30pm", clock(2_026, 11, 21, 21, 30)),
            ("12am", clock(2_026, 11, 22)),
            ("12:30 am", clock(2_026, 11, 22, 0, 30)),
            ("12pm", clock(2_026, 11, 22, 12)),
            ("11:59:59pm", clock(2_026, 11, 21, 23, 59, 59)),
            // Dates.
            ("2026-12-01", .day(date(2_026, 12, 1))),
            ("2026-12-1", .day(date(2_026, 12, 1))),
            ("2026/12/01", .day(date(2_026, 12, 1))),
            ("2026-12-01 09:00", clock(2_026, 12, 1, 9)),
            ("2026-12-01T09:00", clock(2_026, 12, 1, 9)),
            ("2026-12-01t09:00:15", clock(2_026, 12, 1, 9, 0, 15)),
            ("1 dec", .day(date(2_026, 12, 1))),
            ("1st december, 9am", clock(2_026, 12, 1, 9)),
            ("dec 1", .day(date(2_026, 12, 1))),
            ("Dec 1st 2027", .day(date(2_027, 12, 1))),
            ("22 Nov 2026 10:00", clock(2_026, 11, 22, 10)),
            ("10:00 3 sept", clock(2_027, 9, 3, 10)),
            // Without a year, the next one that is not over.
            ("21 nov", .day(date(2_026, 11, 21))),
            ("21 nov 14:59", clock(2_027, 11, 21, 14, 59)),
            ("20 nov", .day(date(2_027, 11, 20))),
            ("29 feb", .day(date(2_028, 2, 29))),
            ("may 5", .day(date(2_027, 5, 5))),
            // Days from now.
            ("in 3 days", .day(date(2_026, 11, 24))),
            ("in 1 day 9:00", clock(2_026, 11, 22, 9)),
            ("2w", .day(date(2_026, 12, 5))),
            ("in a week", .day(date(2_026, 11, 28))),
            ("in 1 week 2 days", .day(date(2_026, 11, 30))),
            ("in 2 months at 9 am", clock(2_027, 1, 21, 9)),
            ("in 100 months", .day(date(2_035, 3, 21))),
            ("1y", .day(date(2_027, 11, 21))),
            ("0001-01-01", .day(date(1, 1, 1))),
            ("9999-12-31", .day(date(9_999, 12, 31))),
            // What has one meaning in every country.
            ("24.12.2026", .day(date(2_026, 12, 24))), ("12/24/2026", .day(date(2_026, 12, 24))),
            ("31/12/2026 9:00", clock(2_026, 12, 31, 9)), ("24.12.", .day(date(2_026, 12, 24))),
            ("5/5/2027", .day(date(2_027, 5, 5))), ("13/11", .day(date(2_027, 11, 13))),
            ("day after tomorrow", .day(date(2_026, 11, 23))),
            ("the day after tomorrow at 9", clock(2_026, 11, 23, 9)),
            ("next month", .day(date(2_026, 12, 1))), ("next year", .day(date(2_027, 1, 1))),
            ("fri 17", clock(2_026, 11, 27, 17)), ("tomorrow 23", clock(2_026, 11, 22, 23)),
        ] as [(String, TaskTime)])
    func clocks(text: String, expected: TaskTime) throws {
        #expect(try DueTimeParser.read(text, now: now, in: europe) == expected)
    }

    @Test(
        "with an offset is the same point in time in every calendar",
        arguments: [
            ("2026-12-01T09:00+02:00", utc(2_026, 12, 1, 7)),
            ("2026-12-01T09:00:30-03:30", utc(2_026, 12, 1, 12, 30, 30)),
            ("2026-12-01 09:00 +0200", utc(2_026, 12, 1, 7)),
            ("2026-12-01 09:00+2", utc(2_026, 12, 1, 7)),
            ("2026-12-01T09:00Z", utc(2_026, 12, 1, 9)),
            ("2026-12-01t09:00z", utc(2_026, 12, 1, 9)), ("fri 9:00+02:00", utc(2_026, 11, 27, 7)),
            ("1 dec 2026 9am utc", utc(2_026, 12, 1, 9)),
            (
                "2026-12-01T09:00:30.25Z",
                utc(2_026, 12, 1, 9, 0, 30).advanced(by: .milliseconds(250))
            ),
            ("1700-01-01T00:00:00+00:19:32", utc(1_699, 12, 31, 23, 40, 28)),
            ("in 2h", utc(2_026, 11, 21, 16)), ("in 90m", utc(2_026, 11, 21, 15, 30)),
            ("90 minutes", utc(2_026, 11, 21, 15, 30)), ("1h30m", utc(2_026, 11, 21, 15, 30)),
            ("+2h", utc(2_026, 11, 21, 16)), ("+1h30m", utc(2_026, 11, 21, 15, 30)),
            ("in 1 h 30 min", utc(2_026, 11, 21, 15, 30)), ("in an hour", utc(2_026, 11, 21, 15)),
            ("now", utc(2_026, 11, 21, 14)), ("in 0h", utc(2_026, 11, 21, 14)),
        ])
    func moments(text: String, expected: PointInTime) throws {
        for calendar in RuleCalendar.all {
            #expect(
                try DueTimeParser.read(text, now: now, in: calendar) == .moment(expected),
                "\(calendar)")
        }
    }

    @Test("counts hours in elapsed time and days by the calendar when clocks are set")
    func durations() throws {
        // Saturday 15:00, the night before clocks are set forward.
        let spring = utc(2_026, 3, 28, 14)
        let hours = try DueTimeParser.read("in 24h", now: spring, in: europe)
        #expect(hours == clock(2_026, 3, 29, 16))
        let days = try DueTimeParser.read("in 1 day 15:00", now: spring, in: europe)
        #expect(days == clock(2_026, 3, 29, 15))
        #expect(days.moment?.seconds == spring.seconds + 23 * 3_600)
    }

    @Test("without a time of day is that day in every calendar")
    func days() throws {
        for calendar in RuleCalendar.all {
            let time = try DueTimeParser.read("2026-02-14", now: now, in: calendar)
            #expect(time == .day(date(2_026, 2, 14)))
        }
    }

    @Test("of a day begins and ends with its first and last moment")
    func edges() throws {
        let brazil = RuleCalendar.brazil
        // Clocks skip midnight, and set back at midnight.
        let spring = TaskTime.day(date(2_026, 10, 18)).start(in: brazil)
        #expect(brazil.local(at: spring) == local(2_026, 10, 18, 1))
        #expect(brazil.local(at: spring.advanced(by: .seconds(-1))).date.day == 17)
        let autumn = TaskTime.day(date(2_026, 2, 14)).end(in: brazil)
        #expect(brazil.local(at: autumn) == local(2_026, 2, 15))
        #expect(
            brazil.local(at: autumn.advanced(by: .seconds(-1))) == local(2_026, 2, 14, 23, 59, 59))
    }

    @Test("is read in every year that a clock can show")
    func strangeClocks() throws {
        for year in [-200_000_000, -1, 0, 1_969, 200_000_000] {
            let date = try #require(CalendarDate(year: year, month: 6, day: 15))
            let noon = try #require(
                RuleCalendar.utc.pointsInTime(of: LocalTime(date, hour: 12, minute: 0)).first)
            for text in ["eom", "31st", "next week", "fri", "tonight"] {
                _ = try? DueTimeParser.read(text, now: noon, in: RuleCalendar.utc)
            }
        }
    }

    @Test("of the next week and of the end of a week or month is right on each day")
    func weeksAndMonths() throws {
        func read(_ text: String, on day: Int) throws -> Int {
            let noon = utc(2_026, 11, day, 11)
            let time = try DueTimeParser.read(text, now: noon, in: europe)
            return time.date(in: europe).day
        }
        // From Monday, the 23rd, to Sunday, the 29th.
        for day in 23...29 {
            #expect(try read("eow", on: day) == 29)
            #expect(try read("eom", on: day) == 30)
            #expect(try read("next week", on: day) == 30)
            #expect(try read("next tue", on: day) == 1)
            #expect(try read("wed", on: day) == (day < 25 ? 25 : 2))
        }
        #expect(try read("eom", on: 30) == 30)
        #expect(try read("30th", on: 30) == 30, "of December")
        #expect(try read("next sun", on: 29) == 6)
    }

    @Test("is no longer ambiguous when the first of two times has passed")
    func secondOfTwo() throws {
        // 02:45, for the first time.
        let night = utc(2_026, 10, 25, 0, 45)
        #expect(
            try DueTimeParser.read("2:30", now: night, in: europe)
                == .moment(utc(2_026, 10, 25, 1, 30)))
        #expect(throws: DueTimeError.self) {
            try DueTimeParser.read("2:50", now: night, in: europe)
        }
        // For the second time, and after the hour that did not exist.
        #expect(
            try DueTimeParser.read("2:30", now: utc(2_026, 10, 25, 1, 45), in: europe)
                == .moment(utc(2_026, 10, 26, 1, 30)))
        #expect(
            try DueTimeParser.read("2:30", now: utc(2_026, 3, 29, 12), in: europe)
                == .moment(utc(2_026, 3, 30, 0, 30)))
    }
}

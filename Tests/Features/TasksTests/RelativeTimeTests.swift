import Tasks
import Testing
import TestSupport

@Suite("A time in a list")
struct RelativeTimeTests {
    /// Saturday, 21 November 2026, 15:00.
    private let now = utc(2_026, 11, 21, 15)

    @Test(
        "in the future is a day and a time",
        arguments: [
            (utc(2_026, 11, 21, 15), "today 15:00"), (utc(2_026, 11, 21, 18), "today 18:00"),
            (utc(2_026, 11, 21, 23, 59), "today"), (utc(2_026, 11, 22, 9), "tomorrow 09:00"),
            (utc(2_026, 11, 22, 23, 59), "tomorrow"), (utc(2_026, 11, 23, 0, 0), "mon 00:00"),
            (utc(2_026, 11, 27, 18), "fri 18:00"), (utc(2_026, 11, 27, 23, 59), "fri"),
            (utc(2_026, 11, 28, 0, 0), "2026-11-28 00:00"),
            (utc(2_026, 12, 1, 23, 59), "2026-12-01"),
        ])
    func toCome(due: PointInTime, text: String) {
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc) == text)
    }

    @Test("that was given is repeated with its day of the week")
    func repeated() {
        for (time, text) in [
            (utc(2_026, 11, 22, 9), "sun 2026-11-22 09:00"),
            (utc(2_026, 11, 27, 23, 59), "fri 2026-11-27 23:59"),
        ] {
            #expect(TimeText.withWeekday(time, in: RuleCalendar.utc) == text)
        }
    }

    @Test(
        "in the past is a duration",
        arguments: [
            (1, "overdue", "today 14:59"), (59, "overdue", "today 14:59"),
            (60, "1 min overdue", "today 14:59"), (3_599, "59 min overdue", "today 14:00"),
            (3_600, "1 hour overdue", "today 14:00"),
            (23 * 3_600 + 3_599, "23 hours overdue", "yesterday 15:00"),
            (86_400, "1 day overdue", "yesterday 15:00"),
            (2 * 86_400, "2 days overdue", "2026-11-19 15:00"),
            (13 * 86_400, "13 days overdue", "2026-11-08 15:00"),
            (14 * 86_400, "2 weeks overdue", "2026-11-07 15:00"),
            (364 * 86_400, "52 weeks overdue", "2025-11-22 15:00"),
            (366 * 86_400, "1 year overdue", "2025-11-20 15:00"),
            (365 * 86_400, "1 year overdue", "2025-11-21 15:00"),
            (36_524 * 86_400, "99 years overdue", "1926-11-22 15:00"),
            (36_525 * 86_400, "long overdue", "1926-11-21 15:00"),
        ] as [(Int, String, String)])
    func passed(seconds: Int, open: String, done: String) {
        let due = now.advanced(by: .seconds(-seconds))
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc) == open)
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc, isOpen: false) == done)
    }

    @Test("follows the days of the calendar")
    func ofThePerson() {
        // In Nepal it is 20:45 of the same day; at 18:15 UTC the next day begins.
        let due = utc(2_026, 11, 21, 18, 15)
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.nepal) == "tomorrow 00:00")
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc) == "today 18:15")
    }

    @Test(
        "keeps the time of a 23:59 that is not the end of its day, because clocks are set back to 23:00"
    )
    func firstOfTwoEnds() {
        let times = RuleCalendar.brazil.pointsInTime(
            of: local(2_026, 2, 14, 23, 59))
        let noon = times[0].advanced(by: .seconds(-12 * 3_600))
        #expect(
            times.map { RelativeTime.text($0, now: noon, in: RuleCalendar.brazil) }
                == ["today 23:59", "today"])
    }
}

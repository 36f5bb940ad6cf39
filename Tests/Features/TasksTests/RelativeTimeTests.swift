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
            (.moment(utc(2_026, 11, 21, 15)), "today 15:00"),
            (.moment(utc(2_026, 11, 21, 18)), "today 18:00"),
            (.day(date(2_026, 11, 21)), "today"),
            (.moment(utc(2_026, 11, 22, 9)), "tomorrow 09:00"),
            (.day(date(2_026, 11, 22)), "tomorrow"),
            (.moment(utc(2_026, 11, 23, 0, 0)), "mon 00:00"),
            (.moment(utc(2_026, 11, 27, 18)), "fri 18:00"), (.day(date(2_026, 11, 27)), "fri"),
            (.moment(utc(2_026, 11, 28, 0, 0)), "2026-11-28 00:00"),
            (.day(date(2_026, 12, 1)), "2026-12-01"),
            (.moment(utc(2_026, 11, 21, 23, 59)), "today 23:59"),
        ] as [(TaskTime, String)])
    func toCome(due: TaskTime, text: String) {
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc) == text)
    }

    @Test("that was given is repeated with its day of the week")
    func repeated() {
        for (time, text) in [
            (.moment(utc(2_026, 11, 22, 9)), "sun 2026-11-22 09:00"),
            (.day(date(2_026, 11, 27)), "fri 2026-11-27"),
        ] as [(TaskTime, String)] {
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
        let due = TaskTime.moment(now.advanced(by: .seconds(-seconds)))
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc) == open)
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc, isOpen: false) == done)
    }

    @Test("follows the days of the calendar")
    func ofThePerson() {
        // In Nepal it is 20:45 of the same day; at 18:15 UTC the next day begins.
        let due = TaskTime.moment(utc(2_026, 11, 21, 18, 15))
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.nepal) == "tomorrow 00:00")
        #expect(RelativeTime.text(due, now: now, in: RuleCalendar.utc) == "today 18:15")
    }

    @Test(
        "counts whole days, also when clocks are set",
        arguments: [
            // Of 26 March, a whole day: the 27th and the 28th are two days.
            (TaskTime.day(date(2_027, 3, 26)), local(2_027, 3, 29, 0, 30), "2 days overdue"),
            (.day(date(2_027, 3, 28)), local(2_027, 3, 29, 0, 30), "30 min overdue"),
            (.day(date(2_027, 3, 27)), local(2_027, 3, 28, 23), "22 hours overdue"),
            (.day(date(2_027, 3, 27)), local(2_027, 3, 29), "1 day overdue"),
            (.day(date(2_027, 3, 29)), local(2_027, 3, 29, 23, 59), "today"),
            (.day(date(2_027, 3, 28)), local(2_027, 3, 29), "overdue"),
            // 9:00 on the day before is a day ago, although 23 hours have passed.
            (.moment(utc(2_027, 3, 27, 8)), local(2_027, 3, 28, 9), "1 day overdue"),
            (.moment(utc(2_027, 10, 30, 7)), local(2_027, 10, 31, 8, 30), "24 hours overdue"),
        ])
    func days(due: TaskTime, now: LocalTime, text: String) {
        let europe = RuleCalendar.centralEurope
        let now = europe.pointsInTime(of: now)[0]
        #expect(RelativeTime.text(due, now: now, in: europe) == text)
    }
}

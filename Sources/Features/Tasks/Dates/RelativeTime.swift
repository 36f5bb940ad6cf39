/// A due time as text for a column of a list: at most ``maximumWidth`` characters of ASCII.
///
/// ``DueTimeParser`` parses a future time to the same minute: `today 18:00`, `tomorrow 09:00`, `fri
/// 18:00`, `2026-12-01 09:00`.
/// A text without a time means the whole day.
/// A past time is `2 days overdue`, or `yesterday 18:00` or the date if the task is done.
public enum RelativeTime {
    /// The width of the longest text for the years 1 to 9999.
    public static let maximumWidth = 16

    /// The text of a time.
    ///
    /// - Parameters:
    ///   - due: The due time.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    ///   - isOpen: Whether the task is open and can be overdue.
    ///   - isShort: Whether a day or `overdue` is enough: at most 10 characters.
    /// - Returns: The text.
    public static func text(
        _ due: TaskTime, now: PointInTime, in calendar: some LocalCalendar, isOpen: Bool = true,
        isShort: Bool = false
    ) -> String {
        let today = calendar.local(at: now).date
        if isOpen, due.isBefore(CalendarMoment(now, in: calendar)) {
            return isShort ? "overdue" : overdue(since: due.end(in: calendar), now, in: calendar)
        }
        let day = day(due.date(in: calendar), from: today)
        guard case .moment(let time) = due, !isShort else { return day }
        return day + " " + TimeText.minutes(calendar.local(at: time))
    }

    private static func day(_ date: CalendarDate, from today: CalendarDate) -> String {
        switch date.number - today.number {
        case -1: "yesterday"
        case 0: "today"
        case 1: "tomorrow"
        case 2...6: String(date.weekday.name.prefix(3))
        default: TimeText.text(date)
        }
    }

    /// Days count by the clock, so that each is whole when clocks are set.
    private static func overdue(
        since due: PointInTime, _ now: PointInTime, in calendar: some LocalCalendar
    ) -> String {
        let seconds = now.seconds - due.seconds
        let days =
            (calendar.local(at: now).secondsInUTC - calendar.local(at: due).secondsInUTC) / 86_400
        let (minutes, hours) = (seconds / 60, seconds / 3_600)
        return switch days {
        case ..<1 where minutes == 0: "overdue"
        case ..<1 where hours == 0: "\(minutes) min overdue"
        case ..<1: amount(hours, "hour")
        case ..<14: amount(days, "day")
        case ..<365: amount(days / 7, "week")
        // The column has no more space.
        case ..<36_525: amount(max(1, days * 100 / 36_525), "year")
        default: "long overdue"
        }
    }

    private static func amount(_ number: Int64, _ unit: String) -> String {
        "\(number) \(unit)\(number == 1 ? "" : "s") overdue"
    }
}

/// Times as text that ``DueTimeParser`` can parse.
public enum TimeText {
    /// `2026-12-01`.
    public static func text(_ date: CalendarDate) -> String {
        let sign = date.year < 0 ? "-" : date.year > 9_999 ? "+" : ""
        return sign + padded(date.year.magnitude, to: 4) + "-" + padded(date.month.magnitude)
            + "-" + padded(date.day.magnitude)
    }

    /// `09:00`.
    static func minutes(_ local: LocalTime) -> String {
        padded(local.hour.magnitude) + ":" + padded(local.minute.magnitude)
    }

    /// `09:00`, or `09:00:30` if the seconds are not 0.
    public static func clock(_ local: LocalTime) -> String {
        minutes(local) + (local.second == 0 ? "" : ":" + padded(local.second.magnitude))
    }

    /// `2026-12-01 09:00`, with the offset if clocks show the time twice: `2026-10-25 02:30+01:00`.
    /// Fractions of a second are omitted.
    public static func text(_ time: PointInTime, in calendar: some LocalCalendar) -> String {
        let local = calendar.local(at: time)
        let text = text(local)
        if calendar.pointsInTime(of: local).count == 1 { return text }
        return text + offset(calendar.offset(at: time))
    }

    /// `tue 2026-12-01 09:00`: with the day of the week.
    public static func withWeekday(_ time: PointInTime, in calendar: some LocalCalendar) -> String {
        let weekday = calendar.local(at: time).date.weekday.name
        return weekday.prefix(3) + " " + text(time, in: calendar)
    }

    /// `2026-12-01T09:00+01:00`, with the offset: RFC 3339, but seconds of 0 are omitted.
    public static func absolute(_ time: PointInTime, in calendar: some LocalCalendar) -> String {
        let local = calendar.local(at: time)
        return text(local.date) + "T" + clock(local) + offset(calendar.offset(at: time))
    }

    /// `2026-12-01 09:00`.
    static func text(_ local: LocalTime) -> String {
        text(local.date) + " " + clock(local)
    }

    /// `+01:00`; with seconds if the zone has them, as in local mean time.
    static func offset(_ seconds: Int) -> String {
        let size = seconds.magnitude
        let text = (seconds < 0 ? "-" : "+") + padded(size / 3_600) + ":" + padded(size / 60 % 60)
        return size % 60 == 0 ? text : text + ":" + padded(size % 60)
    }

    static func padded(_ number: UInt, to size: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, size - digits.utf8.count)) + digits
    }
}

/// A due time as text for a column of a list: at most ``maximumWidth`` characters of ASCII.
///
/// ``DueTimeParser`` parses a future time to the same minute: `today 18:00`, `tomorrow 09:00`, `fri
/// 18:00`, `2026-12-01 09:00`.
/// A text without a time means 23:59, the end of the day.
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
        _ due: PointInTime, now: PointInTime, in calendar: some LocalCalendar, isOpen: Bool = true,
        isShort: Bool = false
    ) -> String {
        if isOpen, due < now { return isShort ? "overdue" : overdue(now.seconds - due.seconds) }
        let local = calendar.local(at: due)
        // If clocks are set back at midnight, the first 23:59 is not the end of the day.
        let isEndOfDay =
            (local.hour, local.minute) == (23, 59)
            && calendar.local(at: due.advanced(by: .seconds(60))).date != local.date
        let clock = isEndOfDay ? "" : " " + TimeText.minutes(local)
        return day(local.date, from: calendar.local(at: now).date) + (isShort ? "" : clock)
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

    private static func overdue(_ seconds: Int64) -> String {
        let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400)
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

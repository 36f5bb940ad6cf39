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

    /// `2026-12-01`, or the text of a point in time.
    public static func text(_ time: TaskTime, in calendar: some LocalCalendar) -> String {
        switch time {
        case .day(let date): text(date)
        case .moment(let time): text(time, in: calendar)
        }
    }

    /// `tue 2026-12-01 09:00` or `tue 2026-12-01`: with the day of the week.
    public static func withWeekday(_ time: TaskTime, in calendar: some LocalCalendar) -> String {
        time.date(in: calendar).weekday.name.prefix(3) + " " + text(time, in: calendar)
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

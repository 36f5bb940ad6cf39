/// Points in time as people read and type them; ``DueTime`` reads all of it.
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

    /// `09:00`, or `09:00:30` where there are seconds.
    public static func clock(_ local: LocalTime) -> String {
        minutes(local) + (local.second == 0 ? "" : ":" + padded(local.second.magnitude))
    }

    /// `2026-12-01 09:00`, with its offset where the clocks show that twice: `2026-10-25 02:30+01:00`. What is below a second is left out.
    public static func text(_ time: PointInTime, in calendar: some LocalCalendar) -> String {
        let local = calendar.local(at: time)
        let text = text(local)
        if calendar.pointsInTime(of: local).count == 1 { return text }
        return text + offset(calendar.offset(at: time))
    }

    /// `2026-12-01T09:00+01:00`: right everywhere (RFC 3339 but for the seconds, which are left out where there are none).
    public static func absolute(_ time: PointInTime, in calendar: some LocalCalendar) -> String {
        let local = calendar.local(at: time)
        return text(local.date) + "T" + clock(local) + offset(calendar.offset(at: time))
    }

    /// `2026-12-01 09:00`.
    static func text(_ local: LocalTime) -> String {
        text(local.date) + " " + clock(local)
    }

    /// `+01:00`; with seconds where a zone has them, as all had before the telegraph.
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

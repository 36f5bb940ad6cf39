import Tasks
import TestSupport

/// The point in time when clocks on UTC show this.
func utc(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
) -> PointInTime {
    RuleCalendar.utc.pointsInTime(of: local(year, month, day, hour, minute, second))[0]
}

/// A date that exists.
func date(_ year: Int, _ month: Int, _ day: Int) -> CalendarDate {
    guard let date = CalendarDate(year: year, month: month, day: day) else {
        preconditionFailure("a date")
    }
    return date
}

/// A date and a time of day.
func local(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
) -> LocalTime {
    LocalTime(date(year, month, day), hour: hour, minute: minute, second: second)
}

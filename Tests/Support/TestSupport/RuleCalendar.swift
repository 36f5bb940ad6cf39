package import Tasks

/// A calendar with its own daylight-saving rule, independent of the machine's time zone.
package struct RuleCalendar: ZonedCalendar, CustomStringConvertible {
    /// A day of the year and a time of day, as clocks show it just before the change.
    package struct Change: Sendable {
        let month: Int
        /// The first, second, … such day of the month; 5 for the last one.
        let week: Int
        let weekday: Weekday
        let hour: Int

        func local(year: Int) -> LocalTime {
            guard let first = CalendarDate(year: year, month: month, day: 1) else {
                preconditionFailure("every month has a first day")
            }
            let distance = (weekday.rawValue - first.weekday.rawValue + 7) % 7 + (week - 1) * 7
            let day = first.advanced(byDays: distance)
            return LocalTime(
                day.month == month ? day : day.advanced(byDays: -7), hour: hour, minute: 0)
        }
    }

    package let description: String
    package var zoneName: String?
    /// Seconds ahead of UTC in winter.
    package let standard: Int
    /// The offset of daylight-saving time, its start and its end.
    package let summer: (seconds: Int, from: Change, until: Change)?

    package func offset(at time: PointInTime) -> Int {
        guard let summer else { return standard }
        let winterTime = PointInTime(seconds: time.seconds + Int64(standard))
        let year = Self.utc.local(at: winterTime).date.year
        guard (0...9_999).contains(year) else { return standard }
        let start = Self.seconds(summer.from.local(year: year)) - Int64(standard)
        let end = Self.seconds(summer.until.local(year: year)) - Int64(standard + summer.seconds)
        // In the southern hemisphere, summer includes the new year.
        let isSummer =
            start < end
            ? (start..<end).contains(time.seconds) : !(end..<start).contains(time.seconds)
        return isSummer ? standard + summer.seconds : standard
    }

    /// Seconds since 1970 when clocks on UTC show this time.
    private static func seconds(_ local: LocalTime) -> Int64 {
        Self.utc.pointsInTime(of: local)[0].seconds
    }
}

extension RuleCalendar {
    /// No changes.
    package static let utc = RuleCalendar(
        description: "UTC", zoneName: "UTC", standard: 0, summer: nil)

    /// 02:00 becomes 03:00, and 03:00 becomes 02:00.
    package static let centralEurope = RuleCalendar(
        description: "Central Europe", zoneName: "Europe/Berlin", standard: 3_600,
        summer: (
            3_600, Change(month: 3, week: 5, weekday: .sunday, hour: 2),
            Change(month: 10, week: 5, weekday: .sunday, hour: 3)
        ))

    /// 02:00 becomes 03:00, and 02:00 becomes 01:00; behind Greenwich.
    package static let newYork = RuleCalendar(
        description: "New York", zoneName: "America/New_York", standard: -18_000,
        summer: (
            3_600, Change(month: 3, week: 2, weekday: .sunday, hour: 2),
            Change(month: 11, week: 1, weekday: .sunday, hour: 2)
        ))

    /// In the southern hemisphere, by half an hour: 02:00 becomes 02:30, and 02:00 becomes 01:30.
    package static let lordHowe = RuleCalendar(
        description: "Lord Howe", zoneName: "Australia/Lord_Howe", standard: 37_800,
        summer: (
            1_800, Change(month: 10, week: 1, weekday: .sunday, hour: 2),
            Change(month: 4, week: 1, weekday: .sunday, hour: 2)
        ))

    /// In the southern hemisphere, west of Greenwich, at midnight: 00:00 becomes 01:00, and 00:00 becomes 23:00 of the day before.
    package static let brazil = RuleCalendar(
        description: "Brazil", standard: -10_800,
        summer: (
            3_600, Change(month: 10, week: 3, weekday: .sunday, hour: 0),
            Change(month: 2, week: 3, weekday: .sunday, hour: 0)
        ))

    /// No changes, and an odd offset.
    package static let nepal = RuleCalendar(description: "Nepal", standard: 20_700, summer: nil)

    /// All calendars.
    package static let all = [utc, centralEurope, lordHowe, brazil, nepal]
}

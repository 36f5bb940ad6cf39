internal import Platform
internal import TextCoding

/// The Gregorian calendar of a location, and its offset from UTC.
public protocol LocalCalendar: Sendable {
    /// The offset from UTC at a point in time, in seconds; positive east of Greenwich, less than a day.
    func offset(at time: PointInTime) -> Int
}

extension LocalCalendar {
    /// The local time at a point in time.
    public func local(at time: PointInTime) -> LocalTime {
        LocalTime(secondsInUTC: time.seconds + Int64(offset(at: time)))
    }

    /// The points in time of a local time, in ascending order. They are two if clocks show it
    /// twice, and none if clocks skip it.
    public func pointsInTime(of local: LocalTime) -> [PointInTime] {
        moments(of: local).filter { self.local(at: $0) == local }
    }

    /// The candidates for a local time, by the offsets one day before and one day after. Equal
    /// offsets give one, different ones two.
    ///
    /// They contain the point in time of an existing local time, and are the possible meanings of a
    /// skipped one.
    /// This also holds for changes other than daylight saving, which `mktime` with its flag cannot
    /// distinguish.
    /// It requires at most one change in two days.
    func moments(of local: LocalTime) -> [PointInTime] {
        let seconds = local.secondsInUTC
        let offsets = [-86_400, 86_400].map { offset(at: PointInTime(seconds: seconds + $0)) }
        return Set(offsets).map { PointInTime(seconds: seconds - Int64($0)) }.sorted()
    }

    /// The point in time of a local time: the first if clocks show it twice.
    /// If clocks skip it, the offset from before applies (RFC 5545, section 3.3.5).
    func moment(of local: LocalTime) -> PointInTime {
        pointsInTime(of: local).first ?? moments(of: local).last
            ?? PointInTime(seconds: local.secondsInUTC)
    }
}

/// The calendar of the system's time zone: the one in the variable `TZ`, or the machine's.
///
/// The corresponding C function is `localtime_r`. Each new calendar reads the zone again for the
/// whole process.
public struct SystemCalendar: LocalCalendar {
    /// Creates a calendar.
    public init() {
        // POSIX does not require `localtime_r` to call `tzset`.
        tzset()
    }

    /// The offset from UTC in seconds.
    public func offset(at time: PointInTime) -> Int {
        var seconds = time_t(time.seconds)
        // Unsafe because of the unused pointer to the zone's name.
        var parts = unsafe tm()
        // The call fails only for years beyond 32 bits, which milliseconds cannot reach.
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe Int(parts.tm_gmtoff)
    }
}

/// A date and a time of day, without a time zone.
public struct LocalTime: Sendable, Hashable, Comparable {
    private static let secondsOfDay: Int64 = 86_400

    /// The date.
    public let date: CalendarDate
    /// Seconds since midnight, 0 to 86,399.
    public let secondOfDay: Int

    /// Creates a local time. An invalid time of day stops the program.
    public init(_ date: CalendarDate, hour: Int, minute: Int, second: Int = 0) {
        precondition(
            (0..<24).contains(hour) && (0..<60).contains(minute) && (0..<60).contains(second),
            "a time of day")
        self.date = date
        secondOfDay = (hour * 60 + minute) * 60 + second
    }

    /// Creates the local time in UTC from the seconds since 1970-01-01.
    init(secondsInUTC seconds: Int64) {
        date = CalendarDate(number: seconds.floorQuotient(Self.secondsOfDay))
        secondOfDay = Int(seconds.floorRemainder(Self.secondsOfDay))
    }

    /// The same time of day on another date.
    func moved(to date: CalendarDate) -> LocalTime {
        LocalTime(date, hour: hour, minute: minute, second: second)
    }

    /// The seconds from 1970-01-01 to this local time in UTC.
    var secondsInUTC: Int64 { date.number * Self.secondsOfDay + Int64(secondOfDay) }

    /// 0 to 23.
    public var hour: Int { secondOfDay / 3_600 }
    /// 0 to 59.
    public var minute: Int { secondOfDay / 60 % 60 }
    /// 0 to 59.
    public var second: Int { secondOfDay % 60 }

    /// Orders by time.
    public static func < (left: LocalTime, right: LocalTime) -> Bool {
        (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
    }
}

/// A day of the proleptic Gregorian calendar, such as 2026-12-01.
public struct CalendarDate: Sendable, Hashable, Comparable {
    /// The year; 0 is the year before year 1.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    /// Days since 1970-01-01.
    let number: Int64

    /// Creates a date; nil if the month has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard let day = GregorianDay(year: Int64(year), month: Int64(month), day: Int64(day))
        else { return nil }
        self.init(number: day.number)
    }

    /// Creates the date from the days since 1970-01-01.
    init(number: Int64) {
        let date = GregorianDay(number: number).date
        year = Int(date.year)
        month = Int(date.month)
        day = Int(date.day)
        self.number = number
    }

    /// The day of the week.
    public var weekday: Weekday {
        Weekday.allCases[GregorianDay(number: number).weekday]
    }

    /// The date a number of days later.
    public func advanced(byDays days: Int) -> CalendarDate {
        CalendarDate(number: number + Int64(days))
    }

    /// The same day some months later, or the last day of a shorter month; nil outside the range of
    /// years.
    public func advanced(byMonths months: Int) -> CalendarDate? {
        let month = year * 12 + self.month - 1 + months
        let (quotient, remainder) = month.quotientAndRemainder(dividingBy: 12)
        let (year, number) =
            remainder < 0 ? (quotient - 1, remainder + 13) : (quotient, remainder + 1)
        return (0...3).lazy.compactMap {
            CalendarDate(year: year, month: number, day: day - $0)
        }.first
    }

    /// Orders by date.
    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        left.number < right.number
    }
}

/// A day of the week.
public enum Weekday: Int, Sendable, Hashable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The English name, such as `monday`. `String(describing:)` would take as long as starting a
    /// process.
    package var name: String {
        switch self {
        case .monday: "monday"
        case .tuesday: "tuesday"
        case .wednesday: "wednesday"
        case .thursday: "thursday"
        case .friday: "friday"
        case .saturday: "saturday"
        case .sunday: "sunday"
        }
    }
}

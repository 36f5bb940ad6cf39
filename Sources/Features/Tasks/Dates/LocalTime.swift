internal import TextCoding

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
    package var secondsInUTC: Int64 { date.number * Self.secondsOfDay + Int64(secondOfDay) }

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

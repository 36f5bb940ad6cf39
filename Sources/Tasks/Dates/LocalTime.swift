internal import TextCoding

/// What the clocks of a place show: a date and a time of day, without a zone.
public struct LocalTime: Sendable, Hashable, Comparable {
    private static let secondsOfDay: Int64 = 86_400

    /// The date.
    public let date: CalendarDate
    /// Seconds since midnight, 0 to 86,399.
    public let secondOfDay: Int

    /// Makes a local time; a time of day that is none stops the program.
    public init(_ date: CalendarDate, hour: Int, minute: Int, second: Int = 0) {
        precondition(
            (0..<24).contains(hour) && (0..<60).contains(minute) && (0..<60).contains(second),
            "a time of day")
        self.date = date
        secondOfDay = (hour * 60 + minute) * 60 + second
    }

    /// Makes the local time that clocks on UTC show so many seconds after 1970-01-01.
    init(secondsInUTC seconds: Int64) {
        date = CalendarDate(number: seconds.floorQuotient(Self.secondsOfDay))
        secondOfDay = Int(seconds.floorRemainder(Self.secondsOfDay))
    }

    /// Seconds from 1970-01-01 to the moment when clocks on UTC show this.
    var secondsInUTC: Int64 { date.number * Self.secondsOfDay + Int64(secondOfDay) }

    /// 0 to 23.
    public var hour: Int { secondOfDay / 3_600 }
    /// 0 to 59.
    public var minute: Int { secondOfDay / 60 % 60 }
    /// 0 to 59.
    public var second: Int { secondOfDay % 60 }

    /// What clocks show earlier on a day without changes is smaller.
    public static func < (left: LocalTime, right: LocalTime) -> Bool {
        (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
    }
}

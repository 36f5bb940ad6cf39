internal import TextCoding

/// A day, such as 2026-12-01, by the Gregorian calendar also before it was introduced.
public struct CalendarDate: Sendable, Hashable, Comparable {
    /// The year; 0 is the year before 1.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    /// Days since 1970-01-01.
    let number: Int64

    /// Makes a date; nil where the month has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard let day = GregorianDay(year: Int64(year), month: Int64(month), day: Int64(day))
        else { return nil }
        self.init(number: day.number)
    }

    /// Makes the date that lies so many days after 1970-01-01.
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

    /// The day so many days later.
    public func advanced(byDays days: Int) -> CalendarDate {
        CalendarDate(number: number + Int64(days))
    }

    /// The same day so many months later; nil where that month is too short.
    public func advanced(byMonths months: Int) -> CalendarDate? {
        let month = year * 12 + self.month - 1 + months
        let (quotient, remainder) = month.quotientAndRemainder(dividingBy: 12)
        return remainder < 0
            ? CalendarDate(year: quotient - 1, month: remainder + 13, day: day)
            : CalendarDate(year: quotient, month: remainder + 1, day: day)
    }

    /// The earlier one is smaller.
    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        left.number < right.number
    }
}

/// A day of the week.
public enum Weekday: Int, Sendable, Hashable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday
}

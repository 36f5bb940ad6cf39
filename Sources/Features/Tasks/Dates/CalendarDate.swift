internal import TextCoding

/// A day of the proleptic Gregorian calendar, such as 2026-12-01.
public struct CalendarDate: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01.
    let number: Int64
    // Small, because each time of a task may be a day.
    private let ofYear: Int32
    private let ofMonth: Int8
    private let ofDay: Int8

    /// The year; 0 is the year before year 1.
    public var year: Int { Int(ofYear) }
    /// 1 to 12.
    public var month: Int { Int(ofMonth) }
    /// 1 to 31.
    public var day: Int { Int(ofDay) }

    /// Creates a date; nil if the month has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard let day = GregorianDay(year: Int64(year), month: Int64(month), day: Int64(day))
        else { return nil }
        self.init(number: day.number)
    }

    /// Creates the date from the days since 1970-01-01.
    init(number: Int64) {
        let date = GregorianDay(number: number).date
        ofYear = Int32(clamping: date.year)
        ofMonth = Int8(date.month)
        ofDay = Int8(date.day)
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

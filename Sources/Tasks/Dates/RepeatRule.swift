/// How a task repeats: a part of the rules of RFC 5545, section 3.3.10.
///
/// `FREQ` (`DAILY` to `YEARLY`), `INTERVAL`, `BYDAY`, `BYMONTHDAY`, `COUNT` and `UNTIL` have their meaning there; weeks begin on Monday. Other
/// parts are refused, because a rule without them would repeat on other days. Dates that do not exist are skipped, such as the 31st of June.
public struct RepeatRule: Sendable, Hashable {
    /// The unit of ``interval``.
    public enum Frequency: String, Sendable, Hashable, CaseIterable {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    /// A day of the week; with an ordinal, that one of the month or the year, counted from its end if negative.
    public struct Day: Sendable, Hashable {
        /// -53 to 53; 0 for each.
        public var ordinal: Int
        /// The day.
        public var weekday: Weekday

        /// Makes a day.
        public init(_ weekday: Weekday, ordinal: Int = 0) {
            self.weekday = weekday
            self.ordinal = ordinal
        }
    }

    /// The end of the repetition.
    public enum End: Sendable, Hashable {
        /// After so many occurrences, 1 to 10,000.
        case count(Int)
        /// With the last occurrence up to this moment.
        case until(PointInTime)
        /// With the last occurrence up to the end of this day.
        case untilDay(CalendarDate)
    }

    /// The unit of ``interval``.
    public internal(set) var frequency: Frequency
    /// Every so many units, 1 to 1,000.
    public internal(set) var interval = 1
    /// The days of the week; empty for those of the first occurrence.
    public internal(set) var days: [Day] = []
    /// The days of the month, 1 to 31, or -1 to -31 from its end; empty for those of the first occurrence.
    public internal(set) var monthDays: [Int] = []
    /// The end; nil if there is none.
    public internal(set) var end: End?

    /// Makes a rule of a frequency.
    public init(_ frequency: Frequency, interval: Int = 1) {
        precondition((1...Self.maximumInterval).contains(interval), "an interval")
        self.frequency = frequency
        self.interval = interval
    }

    static let maximumInterval = 1_000
    static let maximumCount = 10_000

    /// The first occurrence after a day, of a repetition that began on another one.
    ///
    /// - Parameters:
    ///   - last: The day.
    ///   - first: The day of the first occurrence, which counts even if the rule does not name it.
    /// - Returns: The day; nil if there is none up to the year 9999. ``end`` is not looked at.
    public func day(after last: CalendarDate, from first: CalendarDate) -> CalendarDate? {
        var period = max(0, firstPeriod(reaching: last, from: first))
        while let found = days(inPeriod: period, from: first) {
            if let day = found.first(where: { $0 > last && $0 > first }) { return day }
            period += 1
        }
        return nil
    }

    /// A period that ends before `last` or contains it.
    private func firstPeriod(reaching last: CalendarDate, from first: CalendarDate) -> Int {
        switch frequency {
        case .daily: Int(last.number - first.number) / interval
        case .weekly: Int(last.number - first.number) / (7 * interval) - 1
        case .monthly: (last.monthNumber - first.monthNumber) / interval
        case .yearly: (last.year - first.year) / interval
        }
    }

    /// The days of a period, in ascending order; nil after the year 9999.
    private func days(inPeriod period: Int, from first: CalendarDate) -> [CalendarDate]? {
        let units = period * interval
        let start: CalendarDate?
        switch frequency {
        case .daily: start = first.advanced(byDays: units)
        case .weekly: start = first.advanced(byDays: units * 7 - first.weekday.rawValue)
        case .monthly: start = CalendarDate(month: first.monthNumber + units)
        case .yearly: start = CalendarDate(year: first.year + units, month: 1, day: 1)
        }
        guard let start, DueTimeParser.years.contains(start.year) else { return nil }
        switch frequency {
        case .daily: return [start].filter { isOnMonthDay($0) && isOnWeekday($0) }
        case .weekly:
            let weekdays = days.isEmpty ? [first.weekday] : days.map(\.weekday)
            return (0..<7).map { start.advanced(byDays: $0) }.filter {
                weekdays.contains($0.weekday)
            }
        case .monthly: return chosen(in: [start], first)
        case .yearly:
            let months = (0..<12).compactMap { CalendarDate(month: start.monthNumber + $0) }
            if days.isEmpty, monthDays.isEmpty {
                return chosen(in: [months[first.month - 1]], first)
            }
            return chosen(in: months, first)
        }
    }

    /// The days of months, given by their first days, which is a month or a year.
    private func chosen(in months: [CalendarDate], _ first: CalendarDate) -> [CalendarDate] {
        let all = months.flatMap(\.daysOfMonth)
        if !monthDays.isEmpty { return all.filter { isOnMonthDay($0) && isOnWeekday($0) } }
        if days.isEmpty { return all.filter { $0.day == first.day } }
        let found = days.flatMap { day -> [CalendarDate] in
            let same = all.filter { $0.weekday == day.weekday }
            if day.ordinal == 0 { return same }
            let index = day.ordinal > 0 ? day.ordinal - 1 : same.count + day.ordinal
            return same.indices.contains(index) ? [same[index]] : []
        }
        return Set(found).sorted()
    }

    private func isOnMonthDay(_ date: CalendarDate) -> Bool {
        if monthDays.isEmpty { return true }
        return monthDays.contains(date.day)
            || monthDays.contains(date.day - date.daysInMonth - 1)
    }

    private func isOnWeekday(_ date: CalendarDate) -> Bool {
        days.isEmpty || days.contains { $0.weekday == date.weekday }
    }
}

extension CalendarDate {
    /// Months since January of the year 0.
    fileprivate var monthNumber: Int { year * 12 + month - 1 }

    /// The first day of a month.
    fileprivate init?(month number: Int) {
        self.init(year: number / 12, month: number % 12 + 1, day: 1)
    }

    fileprivate var daysInMonth: Int {
        [31, 30, 29].first { CalendarDate(year: year, month: month, day: $0) != nil } ?? 28
    }

    /// The days of the month that begins with this one.
    fileprivate var daysOfMonth: [CalendarDate] {
        (0..<daysInMonth).map { advanced(byDays: $0) }
    }
}

internal import TextCoding

/// The repetition of a task: a subset of the rules of RFC 5545, section 3.3.10.
///
/// `FREQ` (`DAILY` to `YEARLY`), `INTERVAL`, `BYDAY`, `BYMONTHDAY`, one `BYHOUR` and `BYMINUTE`,
/// `COUNT` and `UNTIL` have the meaning of the RFC. Weeks begin on Monday.
/// Other parts are refused, because a rule without them would repeat on other days.
/// Dates that do not exist are skipped, such as 31 June.
public struct RepeatRule: Sendable, Hashable {
    /// The unit of ``interval``.
    public enum Frequency: String, Sendable, Hashable, CaseIterable {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    /// A day of the week. An ordinal selects one of the month or the year, counted from its end if
    /// negative.
    public struct Day: Sendable, Hashable {
        /// -53 to 53; 0 for each.
        public var ordinal: Int
        /// The day.
        public var weekday: Weekday

        /// Creates a day.
        public init(_ weekday: Weekday, ordinal: Int = 0) {
            self.weekday = weekday
            self.ordinal = ordinal
        }
    }

    /// The end of the repetition.
    public enum End: Sendable, Hashable {
        /// After this number of occurrences, 1 to 10,000.
        case count(Int)
        /// With the last occurrence up to this point in time.
        case until(PointInTime)
        /// With the last occurrence up to the end of this day.
        case untilDay(CalendarDate)
    }

    /// The unit of ``interval``.
    public internal(set) var frequency: Frequency
    /// The number of units between occurrences, 1 to 1,000.
    public internal(set) var interval = 1
    /// The days of the week; empty for those of the first occurrence.
    public internal(set) var days: [Day] = []
    /// The days of the month, 1 to 31, or -1 to -31 from its end. If empty, the first occurrence
    /// determines them.
    public internal(set) var monthDays: [Int] = []
    /// The hour of the day, 0 to 23; nil for that of the due time.
    public internal(set) var hour: Int?
    /// The minute of the hour, 0 to 59; nil for that of the due time.
    public internal(set) var minute: Int?
    /// The end; nil if there is none.
    public internal(set) var end: End?

    /// Creates a rule with a frequency.
    public init(_ frequency: Frequency, interval: Int = 1) {
        precondition((1...Self.maximumInterval).contains(interval), "an interval")
        self.frequency = frequency
        self.interval = interval
    }

    static let maximumInterval = 1_000
    static let maximumCount = 10_000

    private static let lastDay = GregorianDay(year: 9_999, month: 12, day: 31)?.number ?? 0

    /// The first occurrence after a day, for a repetition that began on another day.
    ///
    /// - Parameters:
    ///   - last: The day.
    ///   - first: The day of the first occurrence, which counts even if the rule does not name it.
    /// - Returns: The day; nil if none exists up to the year 9999. ``end`` is not checked.
    public func day(after last: CalendarDate, from first: CalendarDate) -> CalendarDate? {
        let after = max(last, first).number
        for period in periods(after: last, from: first) {
            guard let found = days(inPeriod: period, from: first) else { return nil }
            if let day = found.first(where: { $0 > after }) {
                return day > Self.lastDay ? nil : CalendarDate(number: day)
            }
        }
        return nil
    }

    /// The periods that contain the first occurrence after a day, if there is one.
    func periods(after last: CalendarDate, from first: CalendarDate) -> ClosedRange<Int> {
        let start = max(0, firstPeriod(reaching: last, from: first))
        // The first two periods may contain days before that day.
        return start...(start + 1 + cycle(from: first))
    }

    /// A period that ends before `last` or contains it.
    private func firstPeriod(reaching last: CalendarDate, from first: CalendarDate) -> Int {
        switch frequency {
        case .daily: Int(last.number - first.number) / interval
        case .weekly: Int(last.number - first.number) / (7 * interval)
        case .monthly: (last.monthNumber - first.monthNumber) / interval
        case .yearly: (last.year - first.year) / interval
        }
    }

    /// The number of periods after which the days repeat: the calendar repeats after 400 years,
    /// which are whole weeks.
    private func cycle(from first: CalendarDate) -> Int {
        let units: Int
        switch frequency {
        case .daily:
            let isOnDays = (0..<7).contains { isOnWeekday(first.number + Int64($0 * interval)) }
            if monthDays.isEmpty || !isOnDays { return 7 }
            units = 146_097
        case .weekly: return 1
        case .monthly: units = 4_800
        case .yearly: units = 400
        }
        var (left, divisor) = (units, interval)
        while divisor != 0 { (left, divisor) = (divisor, left % divisor) }
        return units / left
    }

    /// The days of a period by their numbers, in ascending order; nil after the year 9999.
    private func days(inPeriod period: Int, from first: CalendarDate) -> [Int64]? {
        let units = period * interval
        switch frequency {
        case .daily:
            let day = first.number + Int64(units)
            if day > Self.lastDay { return nil }
            return isOnWeekday(day) && isOnMonthDay(CalendarDate(number: day)) ? [day] : []
        case .weekly:
            let monday = first.number - Int64(first.weekday.rawValue) + Int64(units) * 7
            if monday > Self.lastDay { return nil }
            let weekdays = days.isEmpty ? [first.weekday] : days.map(\.weekday)
            return Set(weekdays).map { monday + Int64($0.rawValue) }.sorted()
        case .monthly:
            let month = first.monthNumber + units
            return chosen(inMonths: month...month, first)
        case .yearly:
            let january = (first.year + units) * 12
            if days.isEmpty, monthDays.isEmpty {
                let month = january + first.month - 1
                return chosen(inMonths: month...month, first)
            }
            return chosen(inMonths: january...(january + 11), first)
        }
    }

    /// The days of a month or a year; nil after the year 9999.
    private func chosen(
        inMonths months: ClosedRange<Int>, _ first: CalendarDate
    ) -> [Int64]? {
        guard let all = Self.days(ofMonths: months), all.lowerBound <= Self.lastDay else {
            return nil
        }
        if days.isEmpty || !monthDays.isEmpty {
            let wanted = monthDays.isEmpty ? [first.day] : monthDays
            return months.flatMap { month -> [Int64] in
                guard let all = Self.days(ofMonths: month...month) else { return [] }
                let found = wanted.map {
                    ($0 > 0 ? all.lowerBound - 1 : all.upperBound) + Int64($0)
                }
                return Set(found).filter { all.contains($0) && isOnWeekday($0) }.sorted()
            }
        }
        let found = days.flatMap { day -> [Int64] in
            let distance = (day.weekday.rawValue - all.lowerBound.weekday + 7) % 7
            let same = Array(
                stride(from: all.lowerBound + Int64(distance), to: all.upperBound, by: 7))
            if day.ordinal == 0 { return same }
            let index = day.ordinal > 0 ? day.ordinal - 1 : same.count + day.ordinal
            return same.indices.contains(index) ? [same[index]] : []
        }
        return Set(found).sorted()
    }

    private func isOnMonthDay(_ date: CalendarDate) -> Bool {
        if monthDays.isEmpty || monthDays.contains(date.day) { return true }
        guard let all = Self.days(ofMonths: date.monthNumber...date.monthNumber) else {
            return false
        }
        return monthDays.contains(Int(date.number - all.upperBound))
    }

    private func isOnWeekday(_ day: Int64) -> Bool {
        days.isEmpty || days.contains { $0.weekday.rawValue == day.weekday }
    }

    /// The day numbers of months; the months are counted from January of the year 0.
    private static func days(ofMonths months: ClosedRange<Int>) -> Range<Int64>? {
        func start(_ month: Int) -> Int64? {
            GregorianDay(year: Int64(month / 12), month: Int64(month % 12 + 1), day: 1)?.number
        }
        guard let first = start(months.lowerBound), let end = start(months.upperBound + 1)
        else { return nil }
        return first..<end
    }
}

extension Int64 {
    /// The day of the week of this day number.
    fileprivate var weekday: Int { GregorianDay(number: self).weekday }
}

extension CalendarDate {
    /// The number of months since January of the year 0.
    fileprivate var monthNumber: Int { year * 12 + month - 1 }
}

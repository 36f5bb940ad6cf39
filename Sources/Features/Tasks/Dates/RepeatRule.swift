internal import TextCoding

/// The repetition of a task: a rule of RFC 5545, section 3.3.10, with its exceptions.
///
/// Every part has the meaning of the RFC, for `FREQ` of a day or more. Dates that do not exist are skipped, such as 31 June.
/// A rule has no start of its own: each occurrence determines the next one, with the days and the time that the rule does not name.
/// Rules of every second or later period count from the occurrence, too, because it lies in such a period.
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

    /// A part of a rule that is a list of numbers.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        case months = "BYMONTH"
        case weeks = "BYWEEKNO"
        case yearDays = "BYYEARDAY"
        case monthDays = "BYMONTHDAY"
        case hours = "BYHOUR"
        case minutes = "BYMINUTE"
        case seconds = "BYSECOND"
        case positions = "BYSETPOS"

        /// The largest number, and whether it may also be counted from the end by a negative one. Times of day begin with 0.
        var range: (most: Int, isSigned: Bool) {
            switch self {
            case .months: (12, false)
            case .weeks: (53, true)
            case .yearDays, .positions: (366, true)
            case .monthDays: (31, true)
            case .hours: (23, false)
            case .minutes, .seconds: (59, false)
            }
        }

        var isOfTime: Bool { [.hours, .minutes, .seconds].contains(self) }
    }

    /// The end of the repetition.
    public enum End: Sendable, Hashable {
        /// After this number of occurrences, 1 to 10,000.
        case count(Int)
        /// With the last occurrence up to this point in time.
        case until(PointInTime)
        /// With the last occurrence up to this time of the rule's zone.
        case untilLocal(LocalTime)
        /// With the last occurrence up to the end of this day.
        case untilDay(CalendarDate)
    }

    /// The unit of ``interval``.
    public internal(set) var frequency: Frequency
    /// The number of units between occurrences, 1 to 1,000.
    public internal(set) var interval = 1
    /// The days of the week (`BYDAY`); empty for those of the first occurrence.
    public internal(set) var days: [Day] = []
    /// The numbers of the other parts.
    var numbers: [Part: [Int]] = [:]
    /// The first day of the week. Normalized to Monday where it has no effect.
    public internal(set) var weekStart = Weekday.monday
    /// The end; nil if there is none.
    public internal(set) var end: End?
    /// Occurrences that are left out (`EXDATE`), ascending.
    public internal(set) var exceptions: [FloatingTime] = []
    /// Occurrences that another program keeps as entries of their own (`RECURRENCE-ID`), ascending. They are left out, too.
    public internal(set) var overrides: [FloatingTime] = []

    /// Creates a rule with a frequency.
    public init(_ frequency: Frequency, interval: Int = 1) {
        precondition((1...Self.maximumInterval).contains(interval), "an interval")
        self.frequency = frequency
        self.interval = interval
    }

    static let maximumInterval = 1_000
    static let maximumCount = 10_000
    static let maximumExceptions = 1_000
    /// The limit of days that the search for one occurrence examines: the days of 54 years. A 29 February that is a Monday comes after 40
    /// years at most.
    static let maximumSearch = 20_000

    /// The numbers of a part; empty if the rule does not have it.
    public internal(set) subscript(part: Part) -> [Int] {
        get { numbers[part] ?? [] }
        set { numbers[part] = newValue.isEmpty ? nil : newValue }
    }

    /// Whether the rule names no days, so that an occurrence determines those of the next one.
    var isOpen: Bool {
        days.isEmpty && self[.weeks].isEmpty && self[.yearDays].isEmpty && self[.monthDays].isEmpty
    }

    private static let lastDay = GregorianDay(year: 9_999, month: 12, day: 31)?.number ?? 0

    /// The first occurrence after a time, for a repetition that began at another time.
    ///
    /// - Parameters:
    ///   - last: The time.
    ///   - first: The first occurrence, which counts even if the rule does not name it.
    ///   - isDay: Whether the occurrences are whole days, which have no times of day.
    ///   - budget: The days that may still be examined, less those that were. Times of day and long lists of the rule count, too.
    /// - Returns: The time; nil if none exists up to the year 9999, or within ``maximumSearch``. ``end`` and exceptions are not checked.
    func time(
        after last: LocalTime, from first: LocalTime, isDay: Bool, budget: inout Int
    ) -> LocalTime? {
        let rule = completed(by: first.date)
        guard rule.hasDates else { return nil }
        let available = min(budget, Self.maximumSearch)
        var left = available
        defer { budget -= available - left }
        left -= isDay ? 0 : timesOfDayCount
        guard left > 0 else { return nil }
        let times = isDay ? [0] : timesOfDay(of: first)
        let after = max(last, first)
        let periods = periods(after: last.date, from: first.date)
        var period = periods.lowerBound
        while periods.contains(period), left > 0 {
            guard let range = range(ofPeriod: period, from: first.date) else { return nil }
            left -= rule.cost(of: range)
            if let time = rule.time(after: after, in: range, times) {
                return time.date.number > Self.lastDay ? nil : time
            }
            period = rule.period(behind: period, range, from: first.date)
        }
        return nil
    }

    /// The first occurrence after a time, for a rule that the owner has.
    func time(after last: LocalTime, from first: LocalTime, isDay: Bool) -> LocalTime? {
        var budget = Int.max
        return time(after: last, from: first, isDay: isDay, budget: &budget)
    }

    /// The number of days that a search in a period examines, each as often as sixteen of the numbers that it is compared with.
    private func cost(of period: Range<Int64>) -> Int {
        let months = self[.weeks].isEmpty ? self[.months].count : 0
        let days =
            frequency == .yearly && months > 0 ? min(31 * months, period.count) : period.count
        let size = self.days.count + numbers.values.reduce(0) { $0 + $1.count }
        return days * (1 + size / 16)
    }

    /// The number of times that a day may have.
    private var timesOfDayCount: Int {
        numbers.reduce(1) { $1.key.isOfTime ? $0 * $1.value.count : $0 }
    }

    /// The first occurrence after a time among those of a period.
    private func time(after: LocalTime, in range: Range<Int64>, _ times: [Int]) -> LocalTime? {
        let found = days(in: range)
        if !self[.positions].isEmpty { return chosen(found, times).first { $0 > after } }
        for day in found where day >= after.date.number {
            let date = CalendarDate(number: day)
            let time = times.lazy.map { LocalTime(date, second: $0) }.first { $0 > after }
            if let time { return time }
        }
        return nil
    }

    /// Whether there is such a date at all: the search for 30 February would be long.
    private var hasDates: Bool {
        let (months, monthDays) = (self[.months], self[.monthDays])
        return months.isEmpty || monthDays.isEmpty
            || months.contains { month in
                let longest = CalendarDate(year: 2_000, month: month, day: 1)?.monthLength ?? 0
                return monthDays.contains { Int($0.magnitude) <= longest }
            }
    }

    /// The rule with the days that it takes from the first occurrence.
    private func completed(by first: CalendarDate) -> RepeatRule {
        guard isOpen else { return self }
        var rule = self
        switch frequency {
        case .daily: break
        case .weekly: rule.days = [Day(first.weekday)]
        case .yearly:
            if rule[.months].isEmpty { rule[.months] = [first.month] }
            rule[.monthDays] = [first.day]
        case .monthly: rule[.monthDays] = [first.day]
        }
        return rule
    }

    /// The first time of day that the rule names, in seconds since midnight; nil if it names none.
    var firstTimeOfDay: Int? {
        guard Part.allCases.contains(where: { $0.isOfTime && !self[$0].isEmpty }),
            let day = CalendarDate(year: 2_000, month: 1, day: 1)
        else { return nil }
        return timesOfDay(of: LocalTime(day, hour: 0, minute: 0)).first
    }

    /// The seconds since midnight of the occurrences of a day, ascending.
    private func timesOfDay(of first: LocalTime) -> [Int] {
        func numbers(_ part: Part, else number: Int) -> [Int] {
            self[part].isEmpty ? [number] : self[part]
        }
        let times = numbers(.hours, else: first.hour).flatMap { hour in
            numbers(.minutes, else: first.minute).flatMap { minute in
                numbers(.seconds, else: first.second).map { (hour * 60 + minute) * 60 + $0 }
            }
        }
        return Set(times).sorted()
    }

    /// The occurrences of a period at the positions of `BYSETPOS`, ascending.
    private func chosen(_ days: [Int64], _ times: [Int]) -> [LocalTime] {
        let count = days.count * times.count
        let places = self[.positions].map { $0 > 0 ? $0 - 1 : count + $0 }
        return Set(places.filter { (0..<count).contains($0) }).sorted().map {
            LocalTime(CalendarDate(number: days[$0 / times.count]), second: times[$0 % times.count])
        }
    }
}

// The periods of a rule: days, weeks, months or years.
extension RepeatRule {
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
        let isByDate =
            !self[.months].isEmpty || !self[.monthDays].isEmpty || !self[.yearDays].isEmpty
        let units: Int
        switch frequency {
        case .daily:
            let isOnDays = (0..<7).contains { number in
                let weekday = GregorianDay(number: first.number + Int64(number * interval)).weekday
                return days.isEmpty || days.contains { $0.weekday.rawValue == weekday }
            }
            if !isByDate || !isOnDays { return 7 }
            units = 146_097
        case .weekly:
            if !isByDate { return 1 }
            units = 20_871
        case .monthly: units = 4_800
        case .yearly: units = 400
        }
        var (left, divisor) = (units, interval)
        while divisor != 0 { (left, divisor) = (divisor, left % divisor) }
        return units / left
    }

    /// The next period. Days of a month that the rule does not name are skipped together.
    private func period(behind period: Int, _ range: Range<Int64>, from first: CalendarDate) -> Int
    {
        let date = CalendarDate(number: range.lowerBound)
        guard frequency == .daily, !self[.months].isEmpty, !self[.months].contains(date.month)
        else { return period + 1 }
        let next = Int(date.number - first.number) + date.monthLength - date.day + 1
        return (next + interval - 1) / interval
    }

    /// The day numbers of a period; nil after the year 9999.
    private func range(ofPeriod period: Int, from first: CalendarDate) -> Range<Int64>? {
        let units = period * interval
        let range: Range<Int64>?
        switch frequency {
        case .daily:
            let day = first.number + Int64(units)
            range = day..<(day + 1)
        case .weekly:
            let start =
                first.number - Int64(first.weekday.days(since: weekStart)) + Int64(units) * 7
            range = start..<(start + 7)
        case .monthly:
            let month = first.monthNumber + units
            range = CalendarDate.days(ofMonths: month...month)
        case .yearly:
            let january = (first.year + units) * 12
            range = CalendarDate.days(ofMonths: january...(january + 11))
        }
        guard let range, range.lowerBound <= Self.lastDay else { return nil }
        return range
    }

    /// The days of the rule among those of a period, by their numbers, ascending.
    private func days(in range: Range<Int64>) -> [Int64] {
        // A year has many days that no rule of one month names.
        guard frequency == .yearly, !self[.months].isEmpty, self[.weeks].isEmpty,
            let year = range.first.map({ CalendarDate(number: $0).year })
        else { return range.filter { isNamed(CalendarDate(number: $0)) } }
        return Set(self[.months]).sorted().flatMap { month -> [Int64] in
            let number = year * 12 + month - 1
            return (CalendarDate.days(ofMonths: number...number) ?? 0..<0).filter {
                isNamed(CalendarDate(number: $0))
            }
        }
    }

    /// Whether every part of the rule names the day.
    private func isNamed(_ date: CalendarDate) -> Bool {
        let (months, monthDays) = (self[.months], self[.monthDays])
        if !months.isEmpty, !months.contains(date.month) { return false }
        if !monthDays.isEmpty, !monthDays.contains(date.day),
            !monthDays.contains(date.day - date.monthLength - 1)
        {
            return false
        }
        if !days.isEmpty, !days.contains(where: { isOn($0, date) }) { return false }
        let (weeks, yearDays) = (self[.weeks], self[.yearDays])
        if !weeks.isEmpty {
            let (week, count) = date.week(from: weekStart)
            if !weeks.contains(week), !weeks.contains(week - count - 1) { return false }
        }
        if !yearDays.isEmpty {
            let (day, length) = date.dayOfYear
            if !yearDays.contains(day), !yearDays.contains(day - length - 1) { return false }
        }
        return true
    }

    private func isOn(_ day: Day, _ date: CalendarDate) -> Bool {
        guard day.weekday == date.weekday else { return false }
        if day.ordinal == 0 { return true }
        // In a rule of months, an ordinal counts within the month.
        let isOfMonth = frequency == .monthly || !self[.months].isEmpty
        let (place, length) = isOfMonth ? (date.day, date.monthLength) : date.dayOfYear
        return day.ordinal > 0
            ? (place - 1) / 7 + 1 == day.ordinal : (length - place) / 7 + 1 == -day.ordinal
    }
}

extension Weekday {
    /// The number of days since another day of the week, 0 to 6.
    func days(since other: Weekday) -> Int { (rawValue - other.rawValue + 7) % 7 }
}

extension LocalTime {
    /// A time by its seconds since midnight.
    init(_ date: CalendarDate, second: Int) {
        self.init(date, hour: second / 3_600, minute: second / 60 % 60, second: second % 60)
    }
}

extension CalendarDate {
    /// The number of months since January of the year 0.
    fileprivate var monthNumber: Int { year * 12 + month - 1 }

    /// The number of days of its month.
    var monthLength: Int {
        switch month {
        case 2: year % 4 == 0 && year % 100 != 0 || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the year from 1, and the number of its days.
    fileprivate var dayOfYear: (Int, length: Int) {
        guard let days = Self.days(ofMonths: (year * 12)...(year * 12 + 11)) else {
            return (1, 365)
        }
        return (Int(number - days.lowerBound) + 1, days.count)
    }

    /// The number of its week, and the number of weeks of that week's year. The first week has four days in the year.
    fileprivate func week(from weekStart: Weekday) -> (Int, count: Int) {
        func start(_ year: Int) -> Int64 {
            let fourth = GregorianDay(year: Int64(year), month: 1, day: 4)?.number ?? 0
            return fourth - Int64(CalendarDate(number: fourth).weekday.days(since: weekStart))
        }
        let own = number < start(year) ? year - 1 : number >= start(year + 1) ? year + 1 : year
        return (Int(number - start(own)) / 7 + 1, Int(start(own + 1) - start(own)) / 7)
    }

    /// The day numbers of months, which are counted from January of the year 0.
    fileprivate static func days(ofMonths months: ClosedRange<Int>) -> Range<Int64>? {
        func start(_ month: Int) -> Int64? {
            GregorianDay(year: Int64(month / 12), month: Int64(month % 12 + 1), day: 1)?.number
        }
        guard let first = start(months.lowerBound), let end = start(months.upperBound + 1)
        else { return nil }
        return first..<end
    }
}

/// A day in a text.
enum DueDay: Equatable {
    /// A specific date.
    case date(CalendarDate)
    /// The next date with this month and day.
    case yearly(month: Int, day: Int)
    /// Any date from today on.
    case any

    /// Parses a day; nil for any other form.
    static func read(
        _ words: inout WordList, today: CalendarDate
    ) throws -> DueDay? {
        var rest = words
        guard let word = rest.take() else { return nil }
        var day: DueDay?
        if word == "next" {
            day = try nextDay(&rest, today: today)
        } else if word == "day" || word == "the" && rest.take("day") {
            guard rest.take("after"), rest.take("tomorrow") else { return nil }
            day = .date(today.advanced(byDays: 2))
        } else {
            day = relativeDay(word, today: today)
            if day == nil { day = try numericDay(word) }
            if day == nil { day = try namedDay(word, &rest) }
            if day == nil { day = try ordinalDay(word, today: today) }
        }
        if day != nil { words = rest }
        return day
    }

    /// The possible dates from a date on, in ascending order.
    func dates(from today: CalendarDate) -> [CalendarDate] {
        switch self {
        case .date(let date):
            return [date]
        case .yearly(let month, let day):
            // Leap years are up to eight years apart.
            return (0...8).compactMap { years in
                CalendarDate(year: today.year + years, month: month, day: day)
            }.filter { $0 >= today }
        case .any:
            return [today, today.advanced(byDays: 1), today.advanced(byDays: 2)]
        }
    }

    private static func relativeDay(_ word: String, today: CalendarDate) -> DueDay? {
        switch word {
        case "today": return .date(today)
        case "tomorrow": return .date(today.advanced(byDays: 1))
        case "yesterday": return .date(today.advanced(byDays: -1))
        case "tonight", "eod": return .date(today)
        case "eow": return .date(monday(after: today).advanced(byDays: -1))
        case "eom":
            return dates(of: 1, after: today).first.map { .date($0.advanced(byDays: -1)) }
        default:
            guard let weekday = weekday(word) else { return nil }
            let distance = (weekday.rawValue - today.weekday.rawValue + 6) % 7 + 1
            return .date(today.advanced(byDays: distance))
        }
    }

    /// Parses the text after `next`: a day of the next week, or the first day of the next week, month or year. The week
    /// begins on Monday as in ISO 8601.
    private static func nextDay(_ rest: inout WordList, today: CalendarDate) throws -> DueDay? {
        let word = rest.take() ?? ""
        let monday = monday(after: today)
        let january = (year: today.year + 1, month: 1)
        let first = [
            "month": today.month == 12 ? january : (today.year, today.month + 1), "year": january,
        ]
        if word == "week" { return .date(monday) }
        if let (year, month) = first[word] {
            return CalendarDate(year: year, month: month, day: 1).map { .date($0) }
        }
        guard let weekday = weekday(word) else {
            throw DueTimeError.ambiguousWord(word == "weekend" ? "next weekend" : "next")
        }
        return .date(monday.advanced(byDays: weekday.rawValue))
    }

    private static func monday(after today: CalendarDate) -> CalendarDate {
        today.advanced(byDays: 7 - today.weekday.rawValue)
    }

    /// A day of the week by its name or an abbreviation.
    static func weekday(_ word: String) -> Weekday? {
        switch word {
        case "tues": return .tuesday
        case "thur", "thurs": return .thursday
        default:
            let names = Weekday.allCases.map(\.name)
            return index(of: word, in: names).map { Weekday.allCases[$0] }
        }
    }

    /// `1st`: the next first of a month after today; `31st` skips shorter months.
    private static func ordinalDay(_ word: String, today: CalendarDate) throws -> DueDay? {
        guard let first = word.utf8.first, Digits.isDigit(first),
            !word.utf8.allSatisfy(Digits.isDigit),
            let day = dayNumber(word)
        else { return nil }
        guard let date = dates(of: day, after: today).first else {
            throw DueTimeError.impossibleDate
        }
        return .date(date)
    }

    /// The dates after a day with this day of the month, in three months. Of two consecutive
    /// months, one has every day.
    private static func dates(of day: Int, after today: CalendarDate) -> [CalendarDate] {
        let first = CalendarDate(year: today.year, month: today.month, day: 1)
        return (0...2).compactMap { first?.advanced(byMonths: $0) }
            .compactMap { CalendarDate(year: $0.year, month: $0.month, day: day) }
            .filter { $0 > today }
    }

    /// `2026-12-01`, also with `/` or `.`. With the year in another place, or without one, the text must have one meaning in every
    /// country.
    private static func numericDay(_ word: String) throws -> DueDay? {
        if hasOtherYear(word) { throw DueTimeError.outOfRange }
        for separator in "-/." {
            // In some countries, a dot follows each number.
            let text = separator == "." && word.hasSuffix(".") ? word.dropLast() : word[...]
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            let numbers = parts.compactMap { Digits.number($0, 1...4) }
            guard parts.count == numbers.count, (2...3).contains(parts.count) else { continue }
            if parts.count == 3, parts[0].utf8.count == 4 {
                guard
                    let date = CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2])
                else { throw DueTimeError.impossibleDate }
                return .date(date)
            }
            let days = parts.count == 2 ? yearlyReadings(numbers) : readings(numbers)
            var texts = days.map(\.text)
            // A dot can also separate hours and minutes.
            if separator == ".", parts.count == 2, text == word, parts[1].utf8.count == 2,
                numbers[0] < 24, numbers[1] < 60
            {
                texts.append("\(numbers[0]):\(parts[1])")
            }
            if texts.isEmpty { throw DueTimeError.impossibleDate }
            guard texts.count == 1, let day = days.first else {
                throw DueTimeError.ambiguousDate(readings: texts)
            }
            return day
        }
        return nil
    }

    /// The day as a text that has no other meaning.
    private var text: String {
        switch self {
        case .date(let date): TimeText.text(date)
        case .yearly(let month, let day): "\(day) \(Self.monthNames[month - 1].prefix(3))"
        case .any: ""
        }
    }

    /// Whether the text is a date before the year 0 or after 9999: `-0001-01-01` or `10000-01-01`.
    private static func hasOtherYear(_ word: String) -> Bool {
        var parts = word.split(separator: "-", omittingEmptySubsequences: false)
        let isNegative = parts[0].isEmpty
        if isNegative { parts.removeFirst() }
        return parts.count >= 3 && Digits.number(parts[0], isNegative ? 4...10 : 5...10) != nil
            && Digits.number(parts[1], 1...2) != nil
    }

    /// The readings of two numbers: day and month, in either order.
    private static func yearlyReadings(_ numbers: [Int]) -> [DueDay] {
        unique([(numbers[0], numbers[1]), (numbers[1], numbers[0])]) { (day, month) in
            CalendarDate(year: 2_000, month: month, day: day) == nil
                ? nil : .yearly(month: month, day: day)
        }
    }

    /// The readings of three numbers: the year at the end or, in two digits, at the beginning.
    private static func readings(_ numbers: [Int]) -> [DueDay] {
        let orders = [
            (numbers[2], numbers[1], numbers[0]), (numbers[2], numbers[0], numbers[1]),
            (numbers[0], numbers[1], numbers[2]),
        ]
        return unique(orders) { (year, month, day) in
            CalendarDate(year: year < 100 ? 2_000 + year : year, month: month, day: day)
                .map { .date($0) }
        }
    }

    private static func unique<Order>(_ orders: [Order], _ day: (Order) -> DueDay?) -> [DueDay] {
        var days: [DueDay] = []
        for case let day? in orders.map(day) where !days.contains(day) { days.append(day) }
        return days
    }

    /// `1 dec`, `dec 1` and `dec 1st 2027`.
    private static func namedDay(
        _ word: String, _ rest: inout WordList
    ) throws -> DueDay? {
        guard let next = rest.first else { return nil }
        let month: Int
        let day: Int
        if let named = index(of: word, in: monthNames), let number = dayNumber(next) {
            (month, day) = (named, number)
        } else if let named = index(of: next, in: monthNames), let number = dayNumber(word) {
            (month, day) = (named, number)
        } else {
            return nil
        }
        _ = rest.take()
        // 29 February exists only in leap years.
        guard CalendarDate(year: 2_000, month: month + 1, day: day) != nil else {
            throw DueTimeError.impossibleDate
        }
        guard let year = rest.first.flatMap({ Digits.number($0, 4...4) }) else {
            return .yearly(month: month + 1, day: day)
        }
        _ = rest.take()
        guard let date = CalendarDate(year: year, month: month + 1, day: day) else {
            throw DueTimeError.impossibleDate
        }
        return .date(date)
    }

    /// The day of a month: `1` or `1st`.
    static func dayNumber(_ word: String) -> Int? {
        let isOrdinal = ["st", "nd", "rd", "th"].contains { word.hasSuffix($0) }
        return Digits.number(isOrdinal ? word.dropLast(2) : word[...], 1...2)
    }

    /// The number of a month, by the whole name or its first three letters.
    static func month(_ word: String) -> Int? { index(of: word, in: monthNames).map { $0 + 1 } }

    static let monthNames = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ]

    /// The index of a name by the whole word or its first three letters, or `sept`.
    private static func index(of word: String, in names: [String]) -> Int? {
        names.firstIndex {
            $0 == word || $0.prefix(3) == word || word == "sept" && $0 == "september"
        }
    }
}

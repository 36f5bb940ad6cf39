/// The reason why a text is not a rule.
public enum RepeatRuleError: Error, Sendable, Hashable {
    /// The text has an unknown form.
    case notUnderstood
    /// A part of RFC 5545 that ``RepeatRule`` does not support, or an invalid value of a part.
    case unusable(part: String)
    /// Both `COUNT` and `UNTIL`; a rule may have only one.
    case twoEnds
}

extension RepeatRuleError: CustomStringConvertible {
    /// The reason for messages, in lower case and without a full stop.
    public var description: String {
        switch self {
        case .notUnderstood: "the repetition was not understood"
        case .unusable(let part): "a rule with this \(part) is not supported"
        case .twoEnds: "a rule ends by COUNT or by UNTIL"
        }
    }

    /// Valid texts.
    public static let examples = ["weekdays", "every 3 days", "FREQ=MONTHLY;BYDAY=1FR"]
}

extension RepeatRule {
    /// Parses a rule: `daily`, `weekdays`, `weekly`, `monthly`, `yearly`, `every 3 days`,
    /// `every mon, fri`, or a rule of RFC 5545.
    ///
    /// - Throws: ``RepeatRuleError``.
    public init(typed text: String) throws {
        guard text.utf8.count <= 1_000 else { throw RepeatRuleError.notUnderstood }
        if text.contains("=") {
            try self.init(rule: text)
            return
        }
        var words = WordList(text)
        let rule = words.take("every") ? Self.every(&words) : Self.named(words.take() ?? "")
        guard let rule, words.isEmpty else { throw RepeatRuleError.notUnderstood }
        self = rule
    }

    static let weekdays = {
        var rule = RepeatRule(.weekly)
        rule.days = Weekday.allCases.dropLast(2).map { Day($0) }
        return rule
    }()

    private static func named(_ word: String) -> RepeatRule? {
        switch word {
        case "daily": return RepeatRule(.daily)
        case "weekly": return RepeatRule(.weekly)
        case "monthly": return RepeatRule(.monthly)
        case "yearly": return RepeatRule(.yearly)
        case "weekdays": return weekdays
        default: return nil
        }
    }

    /// Parses the text after `every`: a unit, a number of units, or days of the week.
    private static func every(_ words: inout WordList) -> RepeatRule? {
        if words.take("weekday") { return weekdays }
        var number = 1
        if let typed = words.first.flatMap({ Digits.number($0, 1...4) }) {
            guard (1...maximumInterval).contains(typed) else { return nil }
            number = typed
            _ = words.take()
        }
        let units: [(Frequency, String)] = [
            (.daily, "day"), (.weekly, "week"), (.monthly, "month"), (.yearly, "year"),
        ]
        for (frequency, unit) in units where words.take(unit) || words.take(unit + "s") {
            return RepeatRule(frequency, interval: number)
        }
        var rule = RepeatRule(.weekly)
        while let word = words.first, let weekday = DueDay.weekday(word) {
            _ = words.take()
            _ = words.take("and")
            if !rule.days.contains(Day(weekday)) { rule.days.append(Day(weekday)) }
        }
        return number == 1 && !rule.days.isEmpty ? rule : nil
    }

    static let weekdayCodes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// Parses a rule of RFC 5545, such as `FREQ=WEEKLY;BYDAY=MO,FR`, with an optional `RRULE:`
    /// prefix. Case does not matter.
    ///
    /// - Throws: ``RepeatRuleError``.
    public init(rule text: String) throws {
        guard text.utf8.count <= 1_000 else { throw RepeatRuleError.notUnderstood }
        var rest = text.uppercased()[...]
        if rest.hasPrefix("RRULE:") { rest = rest.dropFirst(6) }
        var values: [String: String] = [:]
        for part in rest.split(separator: ";", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[1].isEmpty,
                values.updateValue(String(sides[1]), forKey: String(sides[0])) == nil
            else { throw RepeatRuleError.notUnderstood }
        }
        guard let name = values.removeValue(forKey: "FREQ") else {
            throw RepeatRuleError.notUnderstood
        }
        guard let frequency = Frequency(rawValue: name) else {
            throw RepeatRuleError.unusable(part: "FREQ")
        }
        self.init(frequency)
        for (part, value) in values.sorted(by: { $0.key < $1.key }) {
            guard try read(part, value) else { throw RepeatRuleError.unusable(part: part) }
        }
        guard hasSense else { throw RepeatRuleError.unusable(part: "BYDAY") }
    }

    /// Parses a part.
    ///
    /// - Returns: `false` if the part is not valid in this rule.
    private mutating func read(_ part: String, _ value: String) throws -> Bool {
        switch part {
        case "INTERVAL":
            guard let number = Digits.number(value, 1...4),
                (1...Self.maximumInterval).contains(number)
            else { return false }
            interval = number
        case "BYDAY":
            let found = value.split(separator: ",", omittingEmptySubsequences: false).map(Self.day)
            guard found.allSatisfy({ $0 != nil }) else { return false }
            days = found.compactMap(\.self)
        case "BYMONTHDAY":
            let found = value.split(separator: ",", omittingEmptySubsequences: false).map {
                Self.signed($0, within: 31)
            }
            guard frequency != .weekly, found.allSatisfy({ $0 != nil }) else { return false }
            monthDays = found.compactMap(\.self)
        case "BYHOUR":
            hour = Digits.number(value, 1...2)
            return hour.map { $0 < 24 } ?? false
        case "BYMINUTE":
            minute = Digits.number(value, 1...2)
            return minute.map { $0 < 60 } ?? false
        case "COUNT":
            if end != nil { throw RepeatRuleError.twoEnds }
            guard let number = Digits.number(value, 1...5), (1...Self.maximumCount).contains(number)
            else { return false }
            end = .count(number)
        case "UNTIL":
            if end != nil { throw RepeatRuleError.twoEnds }
            end = Self.until(value)
            return end != nil
        case "WKST":
            // Another first day of the week affects only rules of every second or later week.
            return Self.weekdayCodes.contains(value)
                && (value == "MO" || frequency != .weekly || interval == 1)
        default: return false
        }
        return true
    }

    /// Whether the days of the week are valid: an ordinal requires a month or a year.
    private var hasSense: Bool {
        guard days.contains(where: { $0.ordinal != 0 }) else { return true }
        guard monthDays.isEmpty else { return false }
        let most = frequency == .monthly ? 5 : frequency == .yearly ? 53 : 0
        return days.allSatisfy { $0.ordinal.magnitude <= most }
    }

    /// `MO`, `1FR` or `-1SU`.
    private static func day(_ text: Substring) -> Day? {
        guard let index = weekdayCodes.firstIndex(of: String(text.suffix(2))) else { return nil }
        let number = text.dropLast(2)
        if number.isEmpty { return Day(Weekday.allCases[index]) }
        return signed(number, within: 53).map { Day(Weekday.allCases[index], ordinal: $0) }
    }

    /// A number other than 0, with or without a sign.
    private static func signed(_ text: Substring, within most: Int) -> Int? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        guard let number = Digits.number(digits, 1...2), (1...most).contains(number) else {
            return nil
        }
        return isNegative ? -number : number
    }

    /// Parses `19971224T000000Z` or `19971224`. A time without a zone is refused, because its
    /// meaning depends on the machine.
    private static func until(_ text: String) -> End? {
        if let date = CalendarDate(basic: text) { return .untilDay(date) }
        return PointInTime(basic: text).map { .until($0) }
    }
}

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
    public static let examples = ["weekdays", "every 2 weeks on mon", "last day of the month"]
}

extension RepeatRule {
    /// The longest rule in bytes, with its exceptions.
    private static let maximumSize = 20_000

    static let weekdayCodes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// Parses a rule of RFC 5545, such as `FREQ=WEEKLY;BYDAY=MO,FR`, with an optional `RRULE:`
    /// prefix. Case does not matter. `EXDATE` and `RECURRENCE-ID` may be further parts.
    ///
    /// - Throws: ``RepeatRuleError``.
    public init(rule text: String) throws {
        guard text.utf8.count <= Self.maximumSize else { throw RepeatRuleError.notUnderstood }
        var rest = text.uppercased()[...]
        if rest.hasPrefix("RRULE:") { rest = rest.dropFirst(6) }
        // Some programs end a rule with a semicolon.
        if rest.hasSuffix(";") { rest = rest.dropLast() }
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
        if let part = senselessPart { throw RepeatRuleError.unusable(part: part) }
        // The first day of the week has an effect only where weeks are counted.
        let countsWeeks =
            frequency == .weekly && (interval > 1 || !self[.positions].isEmpty)
            || !self[.weeks].isEmpty
        if !countsWeeks { weekStart = .monday }
    }

    /// Parses a part.
    ///
    /// - Returns: `false` if the part is not valid.
    private mutating func read(_ part: String, _ value: String) throws -> Bool {
        let values = value.split(separator: ",", omittingEmptySubsequences: false)
        switch part {
        case "INTERVAL":
            guard let number = Digits.number(value, 1...4),
                (1...Self.maximumInterval).contains(number)
            else { return false }
            interval = number
        case "BYDAY":
            guard let found = Self.all(values, Self.day) else { return false }
            days = found
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
            guard let index = Self.weekdayCodes.firstIndex(of: value) else { return false }
            weekStart = Weekday.allCases[index]
        case "EXDATE", "RECURRENCE-ID":
            guard let found = Self.all(values, { FloatingTime(basic: $0) }),
                found.count <= Self.maximumExceptions
            else { return false }
            let times = Set(found).sorted { $0.local < $1.local }
            if part == "EXDATE" { exceptions = times } else { overrides = times }
        default:
            guard let part = Part(rawValue: part),
                let found = Self.all(values, { Self.number($0, of: part) })
            else { return false }
            self[part] = found
        }
        return true
    }

    /// The values in their order, if each is valid. Equal ones count once.
    private static func all<Value: Hashable>(
        _ texts: [Substring], _ read: (Substring) -> Value?
    ) -> [Value]? {
        var known: Set<Value> = []
        var values: [Value] = []
        for text in texts {
            guard let value = read(text) else { return nil }
            if known.insert(value).inserted { values.append(value) }
        }
        return values
    }

    /// A part that the RFC forbids in this rule, because programs do not agree on its meaning.
    private var senselessPart: String? {
        if days.contains(where: { $0.ordinal != 0 }) {
            let most = frequency == .monthly ? 5 : frequency == .yearly ? 53 : 0
            guard self[.weeks].isEmpty, days.allSatisfy({ $0.ordinal.magnitude <= most }) else {
                return "BYDAY"
            }
        }
        if frequency == .weekly, !self[.monthDays].isEmpty { return Part.monthDays.rawValue }
        if frequency != .yearly {
            if let part = [Part.weeks, .yearDays].first(where: { !self[$0].isEmpty }) {
                return part.rawValue
            }
        }
        let hasOthers = !isOpen || Part.allCases.contains { $0 != .positions && !self[$0].isEmpty }
        return self[.positions].isEmpty || hasOthers ? nil : Part.positions.rawValue
    }

    /// `MO`, `1FR` or `-1SU`.
    private static func day(_ text: Substring) -> Day? {
        guard let index = weekdayCodes.firstIndex(of: String(text.suffix(2))) else { return nil }
        let number = text.dropLast(2)
        if number.isEmpty { return Day(Weekday.allCases[index]) }
        return signed(number, within: 53).map { Day(Weekday.allCases[index], ordinal: $0) }
    }

    private static func number(_ text: Substring, of part: Part) -> Int? {
        let (most, isSigned) = part.range
        if isSigned { return signed(text, within: most) }
        let number = Digits.number(text, 1...2)
        return number.flatMap { ((part.isOfTime ? 0 : 1)...most).contains($0) ? $0 : nil }
    }

    /// A number other than 0, with or without a sign.
    private static func signed(_ text: Substring, within most: Int) -> Int? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        guard let number = Digits.number(digits, 1...3), (1...most).contains(number) else {
            return nil
        }
        return isNegative ? -number : number
    }

    /// Parses `19971224T000000Z`, `19971224T000000` or `19971224`.
    private static func until(_ text: String) -> End? {
        switch FloatingTime(basic: text) {
        case .day(let date): .untilDay(date)
        case .time(let local): .untilLocal(local)
        case nil: PointInTime(basic: text).map { .until($0) }
        }
    }

    /// The rule as in RFC 5545, with its exceptions.
    public var text: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        func add(_ name: String, _ values: [String]) {
            if !values.isEmpty { parts.append(name + "=" + values.joined(separator: ",")) }
        }
        if interval != 1 { parts.append("INTERVAL=\(interval)") }
        for part in Part.allCases {
            if part == .monthDays {
                let codes = days.map { day in
                    (day.ordinal == 0 ? "" : String(day.ordinal))
                        + Self.weekdayCodes[day.weekday.rawValue]
                }
                add("BYDAY", codes)
            }
            add(part.rawValue, self[part].map { String($0) })
        }
        if weekStart != .monday { add("WKST", [Self.weekdayCodes[weekStart.rawValue]]) }
        switch end {
        case .count(let count): parts.append("COUNT=\(count)")
        case .until(let time): parts.append("UNTIL=\(time.basic)")
        case .untilLocal(let local): parts.append("UNTIL=\(local.basic)")
        case .untilDay(let date): parts.append("UNTIL=\(date.basic)")
        case nil: break
        }
        add("EXDATE", exceptions.map(\.basic))
        add("RECURRENCE-ID", overrides.map(\.basic))
        return parts.joined(separator: ";")
    }

    /// The rule without its exceptions, for formats that have them in lines of their own.
    var withoutExceptions: RepeatRule {
        var rule = self
        (rule.exceptions, rule.overrides) = ([], [])
        return rule
    }
}

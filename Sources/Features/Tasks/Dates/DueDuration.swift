/// A duration from now in a text.
enum DueDuration: Equatable {
    /// Hours and minutes of elapsed time.
    case seconds(Int64)
    /// Calendar days.
    case days(months: Int, days: Int)

    private enum Unit {
        case seconds(Int)
        case days(Int)
        case months(Int)
    }

    /// Parses `in 2h`, `90m`, `1h30m`, `+3d`, `in 3 days` or `in a week`; nil for any other form.
    static func read(_ words: inout WordList) throws -> DueDuration? {
        var rest = words
        let isSaid = rest.take("in")
        if !isSaid { rest.dropPlus() }
        var seconds: Int64 = 0
        var months = 0
        var days = 0
        var kinds: Set<Bool> = []
        while let pieces = try amounts(&rest, isSaid: isSaid) {
            for (number, unit) in pieces {
                switch unit {
                case .seconds(let size): seconds += Int64(number * size)
                case .days(let size): days += number * size
                case .months(let size): months += number * size
                }
                if case .seconds = unit { kinds.insert(true) } else { kinds.insert(false) }
            }
        }
        if kinds.isEmpty {
            guard isSaid else { return nil }
            let isNumber = rest.first?.utf8.first.map(Digits.isDigit) ?? true
            throw isNumber ? DueTimeError.missingUnit : .notUnderstood
        }
        guard kinds.count == 1 else { throw DueTimeError.mixedUnits }
        words = rest
        return kinds.contains(true) ? .seconds(seconds) : .days(months: months, days: days)
    }

    /// Parses the next amounts: one, or several in one word.
    private static func amounts(
        _ words: inout WordList, isSaid: Bool
    ) throws -> [(Int, Unit)]? {
        var rest = words
        guard let word = rest.take() else { return nil }
        if isSaid, ["a", "an", "one"].contains(word) {
            guard let unit = rest.take().flatMap(unit) else { throw DueTimeError.missingUnit }
            words = rest
            return [(1, unit)]
        }
        var amounts: [(Int, Unit)] = []
        var remaining = word
        repeat {
            let (digits, after) = Digits.split(remaining)
            guard !digits.isEmpty else { return nil }
            var name = after.prefix { !$0.isASCII || !$0.isNumber }
            remaining = String(after.dropFirst(name.count))
            if name.isEmpty, let next = rest.first, unit(next) != nil {
                name = next[...]
                _ = rest.take()
            }
            guard let unit = unit(String(name)) else {
                if isSaid, name.isEmpty, rest.isEmpty { throw DueTimeError.missingUnit }
                return nil
            }
            guard let number = Digits.number(digits, 1...6) else { throw DueTimeError.outOfRange }
            amounts.append((number, unit))
        } while !remaining.isEmpty
        words = rest
        return amounts
    }

    private static func unit(_ name: String) -> Unit? {
        switch name {
        case "m", "min", "mins", "minute", "minutes": .seconds(60)
        case "h", "hr", "hrs", "hour", "hours": .seconds(3_600)
        case "d", "day", "days": .days(1)
        case "w", "wk", "week", "weeks": .days(7)
        case "month", "months": .months(1)
        case "y", "year", "years": .months(12)
        default: nil
        }
    }
}

/// A time of day in a text.
struct ClockTime: Equatable {
    /// The time of `tonight` without a time of day.
    static let evening = ClockTime(hour: 20)

    var hour: Int
    var minute = 0
    var second = 0
    var milliseconds: Int64 = 0
    /// Whether the text contains am or pm.
    var hasHalf = false

    /// Parses `9:00`, `9:00:15.5`, `9am`, `9:30 pm` or `noon`; nil for any other form. After `at`
    /// it also parses the hour `9` or `18`.
    static func read(_ words: inout WordList, afterAt isSaid: Bool) throws -> ClockTime? {
        var rest = words
        guard let word = rest.take() else { return nil }
        if word == "noon" {
            words = rest
            return ClockTime(hour: 12)
        }
        guard let first = word.utf8.first, Digits.isDigit(first) else { return nil }
        var (digits, half) = split(word)
        if half.isEmpty, let next = rest.first, ["am", "pm"].contains(next) {
            half = next
            _ = rest.take()
        }
        guard
            !half.isEmpty || digits.contains(":") || isSaid && Digits.number(digits, 1...2) != nil
        else { return nil }
        let time = try numbers(digits)
        words = rest
        return half.isEmpty ? try time.checked(hours: 0...23) : try time.on(half)
    }

    /// Parses `z`, `utc`, `+02:00`, `-0330` or `+2` as seconds; nil for any other form.
    static func offset(_ word: String) throws -> Int? {
        if ["z", "utc"].contains(word) { return 0 }
        guard let sign = word.utf8.first, "+-".utf8.contains(sign),
            word.utf8.dropFirst().allSatisfy({ Digits.isDigit($0) || $0 == UInt8(ascii: ":") })
        else { return nil }
        let parts = word.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        var numbers = parts.map { Digits.number($0, 2...2) }
        if parts.count == 1, let number = Digits.number(parts[0], 1...4) {
            numbers = parts[0].utf8.count > 2 ? [number / 100, number % 100] : [number]
        }
        guard (1...3).contains(numbers.count), !numbers.contains(nil) else {
            throw DueTimeError.impossibleOffset
        }
        let (hour, rest) = (numbers.compactMap(\.self)[0], numbers.compactMap(\.self).dropFirst())
        guard hour < 24, rest.allSatisfy({ $0 < 60 }) else { throw DueTimeError.impossibleOffset }
        let seconds =
            zip([60, 1], rest.map(\.self)).reduce(hour * 3_600) { $0 + $1.0 * $1.1 }
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    /// The time in the evening: 9 is 21:00.
    var ofEvening: ClockTime {
        var time = self
        if !hasHalf, (1...11).contains(hour) { time.hour += 12 }
        return time
    }

    /// The time of day on a date.
    func on(_ date: CalendarDate) -> LocalTime {
        LocalTime(date, hour: hour, minute: minute, second: second)
    }

    /// The point in time with the fraction of a second.
    func addFraction(to time: PointInTime) -> PointInTime {
        time.advanced(by: .milliseconds(milliseconds))
    }

    /// Splits `9:30pm` into `9:30` and `pm`.
    private static func split(_ word: String) -> (digits: Substring, half: String) {
        guard word.hasSuffix("am") || word.hasSuffix("pm") else { return (word[...], "") }
        return (word.dropLast(2), String(word.suffix(2)))
    }

    private static func numbers(_ text: Substring) throws -> ClockTime {
        let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
        let parts = pieces[0].split(separator: ":", omittingEmptySubsequences: false)
        guard let hour = Digits.number(parts[0], 1...2), parts.count <= 3 else {
            throw DueTimeError.notUnderstood
        }
        var time = ClockTime(hour: hour)
        let rest = parts.dropFirst().map { Digits.number($0, 2...2) }
        guard !rest.contains(nil), pieces.count == 1 || parts.count == 3 && pieces.count == 2
        else { throw DueTimeError.notUnderstood }
        if let minute = rest.first ?? nil { time.minute = minute }
        if rest.count == 2, let second = rest[1] { time.second = second }
        if pieces.count == 2 {
            guard Digits.number(pieces[1], 1...9) != nil else { throw DueTimeError.notUnderstood }
            let thousandths = (pieces[1] + "00").prefix(3)
            time.milliseconds = Int64(thousandths) ?? 0
        }
        return time
    }

    /// The time before or after noon: 12 is the hour before 1.
    private func on(_ half: String) throws -> ClockTime {
        var time = try checked(hours: 1...12)
        time.hour = hour % 12 + (half == "pm" ? 12 : 0)
        time.hasHalf = true
        return time
    }

    private func checked(hours: ClosedRange<Int>) throws -> ClockTime {
        guard hours.contains(hour), minute < 60, second < 60 else {
            throw DueTimeError.impossibleTime
        }
        return self
    }
}

// Dates and times in the basic format of ISO 8601, as used by RFC 5545 and Taskwarrior.

extension CalendarDate {
    /// Parses `20261201`; nil for any other text.
    init?(basic text: some StringProtocol) {
        guard let number = Digits.number(text, 8...8) else { return nil }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }

    /// `20261201`.
    var basic: String { TimeText.text(self).filter { $0 != "-" } }
}

extension LocalTime {
    /// Parses `20261201T090000`; nil for any other text.
    init?(basic text: some StringProtocol) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = CalendarDate(basic: parts[0]),
            let clock = Digits.number(parts[1], 6...6), clock / 10_000 < 24,
            clock / 100 % 100 < 60, clock % 100 <= 60
        else { return nil }
        // A leap second becomes second 59.
        let second = min(clock % 100, 59)
        self.init(date, hour: clock / 10_000, minute: clock / 100 % 100, second: second)
    }

    /// `20261201T090000`.
    var basic: String {
        let clock = [hour, minute, second].map { TimeText.padded($0.magnitude) }
        return date.basic + "T" + clock.joined()
    }
}

extension PointInTime {
    /// Parses `20261201T090000Z`; nil for any other text.
    init?(basic text: String) {
        guard text.hasSuffix("Z"), let local = LocalTime(basic: text.dropLast()) else {
            return nil
        }
        self.init(seconds: local.secondsInUTC)
    }

    /// `20261201T090000Z`.
    var basic: String { LocalTime(secondsInUTC: seconds).basic + "Z" }
}

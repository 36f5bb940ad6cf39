/// Milliseconds since 1970 as RFC 3339 text in UTC, by the proleptic Gregorian calendar.
///
/// Written by hand because the module does without Foundation. RFC 3339 ends with the year 9999; later and earlier years get a sign, so
/// that every `Int64` survives the way out and back.
enum Timestamp {
    private static let millisecondsOfDay: Int64 = 86_400_000

    /// `2026-03-01T09:05:00.120Z`.
    static func text(_ milliseconds: Int64) -> String {
        let timeOfDay = milliseconds.floorRemainder(millisecondsOfDay)
        let day = milliseconds.floorQuotient(millisecondsOfDay)
        let (year, month, dayOfMonth) = civilDate(day: day)
        let sign = year < 0 ? "-" : year > 9_999 ? "+" : ""
        let date =
            sign + padded(abs(year), 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2)
        let (seconds, fraction) = (timeOfDay / 1_000, timeOfDay % 1_000)
        return date + "T" + padded(seconds / 3_600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
            + padded(seconds % 60, 2) + "." + padded(fraction, 3) + "Z"
    }

    /// The milliseconds of a text that ``text(_:)`` makes, nil for any other text.
    static func milliseconds(_ text: String) -> Int64? {
        let numbers = text.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).map { Int64($0) }
        guard numbers.count == 7, let year = numbers[0], let month = numbers[1],
            let day = numbers[2], let hour = numbers[3], let minute = numbers[4],
            let second = numbers[5], let fraction = numbers[6],
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60,
            fraction < 1_000, year < 300_000_000
        else { return nil }
        let days = dayNumber(year: text.hasPrefix("-") ? -year : year, month: month, day: day)
        let timeOfDay = ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
        // In 128 bits, because the midnight before the earliest time is out of the range of 64.
        let sum = Int128(days) * Int128(millisecondsOfDay) + Int128(timeOfDay)
        guard let result = Int64(exactly: sum) else { return nil }
        // Every digit, separator and day of month must be as they are written.
        return Timestamp.text(result) == text ? result : nil
    }

    // Years are counted from March, so that the leap day is the last of its year: then the days before a month follow a straight
    // line, (153 m + 2) / 5. An era is 400 years, 146,097 days; 719,468 days lie between 0000-03-01 and 1970-01-01.
    private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let era = marchYear.floorQuotient(400)
        let yearOfEra = marchYear.floorRemainder(400)
        let marchMonth = (month + 9) % 12
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func civilDate(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted.floorQuotient(146_097)
        let dayOfEra = shifted.floorRemainder(146_097)
        // Leap days so far are taken out before dividing by 365; the last day of an era has one too many.
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = (marchMonth + 2) % 12 + 1
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// The quotient rounded down.
    fileprivate func floorQuotient(_ divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }

    /// What is left, 0 or more.
    fileprivate func floorRemainder(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

/// A day of the proleptic Gregorian calendar as a number: 0 is 1970-01-01.
///
/// Implemented here, because the modules do not use Foundation and `gmtime_r` has no inverse.
package struct GregorianDay: Sendable, Hashable {
    /// Days since 1970-01-01; negative before.
    package let number: Int64

    /// Creates the day of a number.
    package init(number: Int64) {
        self.number = number
    }

    /// Creates the day of a date; nil if the month has no such day.
    /// Years are limited to ±300 million, beyond the range of 64-bit milliseconds.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), (1...31).contains(day), year.magnitude < 300_000_000
        else { return nil }
        // Years begin in March, so that the leap day is the last of its year. The days before a month are then (153 m + 2) / 5. An era is
        // 400 years, 146,097 days; 719,468 days lie between 0000-03-01 and 1970-01-01.
        let marchYear = month > 2 ? year : year - 1
        let era = marchYear.floorQuotient(400)
        let yearOfEra = marchYear.floorRemainder(400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        number =
            era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        // Reject days such as 30 February, which would become a day of March.
        guard date == (year, month, day) else { return nil }
    }

    /// The date.
    package var date: (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = shifted.floorQuotient(146_097)
        let dayOfEra = shifted.floorRemainder(146_097)
        // Subtract leap days before dividing by 365; the last day of an era has one too many.
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = (marchMonth + 2) % 12 + 1
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// 0 for Monday to 6 for Sunday: 1970-01-01 was a Thursday.
    package var weekday: Int { Int((number + 3).floorRemainder(7)) }
}

extension Int64 {
    /// The quotient rounded down.
    package func floorQuotient(_ divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }

    /// The remainder, 0 or more.
    package func floorRemainder(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

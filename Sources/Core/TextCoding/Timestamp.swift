/// Points in time as text: milliseconds since 1970-01-01 UTC as RFC 3339 writes them, by the proleptic Gregorian calendar.
///
/// RFC 3339 ends with the year 9999. Earlier and later years get a sign, as ISO 8601 allows by agreement, so that every `Int64`
/// can be written and read back.
package enum Timestamp {
    private static let millisecondsOfDay: Int64 = 86_400_000

    /// `2026-03-01T09:05:00.120Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let fraction = milliseconds.floorRemainder(1_000)
        return seconds(milliseconds, end: "." + padded(fraction, 3) + "Z")
    }

    /// `2026-03-01T09:05:00Z`; fractions of a second are omitted.
    package static func rfc3339(milliseconds: Int64) -> String {
        seconds(milliseconds, end: "Z")
    }

    /// The milliseconds of a text in the form of ``text(_:)``, nil for any other text.
    package static func milliseconds(_ text: String) -> Int64? {
        let numbers = text.utf8.split(whereSeparator: { !(0x30...0x39).contains($0) })
            .map { Int64(Substring($0)) }
        guard numbers.count == 7, let year = numbers[0], let month = numbers[1],
            let day = numbers[2], let hour = numbers[3], let minute = numbers[4],
            let second = numbers[5], let fraction = numbers[6],
            let date = GregorianDay(
                year: text.hasPrefix("-") ? -year : year, month: month, day: day),
            hour < 24, minute < 60, second < 60, fraction < 1_000
        else { return nil }
        let timeOfDay = ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
        // In 128 bits, because the midnight before the earliest time exceeds the range of 64.
        let sum = Int128(date.number) * Int128(millisecondsOfDay) + Int128(timeOfDay)
        guard let result = Int64(exactly: sum) else { return nil }
        // Every digit and separator must match exactly.
        return Timestamp.text(result) == text ? result : nil
    }

    private static func seconds(_ milliseconds: Int64, end: String) -> String {
        let time = milliseconds.floorRemainder(millisecondsOfDay) / 1_000
        let (year, month, day) =
            GregorianDay(number: milliseconds.floorQuotient(millisecondsOfDay)).date
        let sign = year < 0 ? "-" : year > 9_999 ? "+" : ""
        // The year has as many digits as it needs, other fields have two.
        var text: [UInt8] = []
        text.reserveCapacity(32)
        text.append(contentsOf: sign.utf8)
        text.append(contentsOf: padded(abs(year), 4).utf8)
        func append(_ separator: Unicode.Scalar, _ number: Int64) {
            text.append(UInt8(ascii: separator))
            text.append(UInt8(ascii: "0") + UInt8(number / 10))
            text.append(UInt8(ascii: "0") + UInt8(number % 10))
        }
        append("-", month)
        append("-", day)
        append("T", time / 3_600)
        append(":", time / 60 % 60)
        append(":", time % 60)
        text.append(contentsOf: end.utf8)
        return String(decoding: text, as: UTF8.self)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        if digits.utf8.count >= width { return digits }
        return String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

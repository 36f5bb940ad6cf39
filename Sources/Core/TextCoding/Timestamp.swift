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

    /// Reads a text exactly in the form of ``text(_:)``; nil for any other text.
    package static func milliseconds(_ text: String) -> Int64? {
        guard let time = read(text), Timestamp.text(time) == text else { return nil }
        return time
    }

    /// Reads a time with any zone and fraction. The year has four to nine digits and an optional sign.
    ///
    /// The fraction is cut to milliseconds. A leap second (60) is read as second 59.
    fileprivate static func read(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        func take(_ letters: String) -> UInt8? {
            guard let byte = rest.first, letters.utf8.contains(byte) else { return nil }
            return rest.removeFirst()
        }
        func number(_ sizes: ClosedRange<Int>) -> Int64? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }.prefix(sizes.upperBound)
            guard digits.count >= sizes.lowerBound else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        let sign = take("+-")
        guard let year = number(4...9), take("-") != nil, let month = number(2...2),
            take("-") != nil, let day = number(2...2), take("Tt ") != nil,
            let hour = number(2...2), take(":") != nil, let minute = number(2...2),
            take(":") != nil, let second = number(2...2), hour < 24, minute < 60, second <= 60,
            let date = GregorianDay(
                year: sign == UInt8(ascii: "-") ? -year : year, month: month, day: day)
        else { return nil }
        var fraction: Int64 = 0
        if take(".") != nil {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            let three = (digits + [0x30, 0x30]).prefix(3)
            fraction = three.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        var offset: Int64 = 0
        let zone = take("Zz+-")
        switch zone {
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard let hours = number(2...2), take(":") != nil, let minutes = number(2...2),
                hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (zone == UInt8(ascii: "-") ? -60 : 60)
        case nil: return nil
        default: break
        }
        guard rest.isEmpty else { return nil }
        let timeOfDay = (hour * 60 + minute) * 60 + min(second, 59) - offset
        // In 128 bits, because the midnight before the earliest time exceeds the range of 64.
        let seconds = Int128(date.number) * 86_400 + Int128(timeOfDay)
        return Int64(exactly: seconds * 1_000 + Int128(fraction))
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

extension PointInTime {
    /// Reads a time of RFC 3339 with its time zone, in the years 1 to 9998; nil for any other text.
    package init?(rfc3339 text: String) {
        // In RFC 3339 the year has four digits and no sign.
        guard text.utf8.dropFirst(4).first == UInt8(ascii: "-"), !text.hasPrefix("0000"),
            !text.hasPrefix("9999"), let time = Timestamp.read(text)
        else { return nil }
        self.init(milliseconds: time)
    }
}

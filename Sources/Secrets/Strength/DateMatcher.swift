internal import Platform
internal import TextCoding

/// Finds years and dates, which people like in passwords.
enum DateMatcher {
    private static let years = 1_900...2_049
    /// The order of day, month and year: three are usual.
    private static let orderBits = log2(3.0)
    private static let dayBits = log2(366.0)
    private static let fullYearBits = log2(150.0)
    private static let shortYearBits = log2(100.0)
    /// Which separator, and whether there are leading zeros.
    private static let separatorBits = 2.0

    static func matches(at position: Int, in bytes: RawSpan) -> [PatternMatch] {
        var found: [PatternMatch] = []
        if let year = number(position, 4, bytes), years.contains(year) {
            found.append(PatternMatch(size: 4, bits: fullYearBits))
        }
        for (first, second, third) in [(2, 2, 4), (4, 2, 2), (2, 2, 2)] {
            let isDate = isDate(
                number(position, first, bytes), number(position + first, second, bytes),
                number(position + first + second, third, bytes))
            if isDate {
                let year = first + third > 4 ? fullYearBits : shortYearBits
                found.append(
                    PatternMatch(
                        size: first + second + third, bits: orderBits + dayBits + year))
            }
        }
        if let date = separatedDate(at: position, in: bytes) { found.append(date) }
        return found
    }

    /// `3.10.1990`, `1990-10-03`, `10/3/90`.
    private static func separatedDate(at position: Int, in bytes: RawSpan) -> PatternMatch? {
        var groups: [(value: Int, size: Int)] = []
        var offset = position
        var separator: UInt8?
        while true {
            var size = 0
            while size < 4, number(offset + size, 1, bytes) != nil { size += 1 }
            guard size > 0, size != 3, let value = number(offset, size, bytes) else { return nil }
            groups.append((value, size))
            offset += size
            if groups.count == 3 { break }
            guard offset < bytes.byteCount, " -./_".utf8.contains(bytes[offset]),
                separator == nil || separator == bytes[offset]
            else { return nil }
            separator = bytes[offset]
            offset += 1
        }
        guard isDate(groups[0].value, groups[1].value, groups[2].value) else { return nil }
        let year = groups.contains { $0.size == 4 } ? fullYearBits : shortYearBits
        return PatternMatch(
            size: offset - position, bits: orderBits + dayBits + year + separatorBits)
    }

    /// Whether the three can be a day, a month and a year, the year first or last.
    private static func isDate(_ first: Int?, _ second: Int?, _ third: Int?) -> Bool {
        guard let first, let second, let third else { return false }
        let isYear = { (number: Int) in number < 100 || years.contains(number) }
        let isDay = { (one: Int, other: Int) in
            min(one, other) >= 1 && max(one, other) <= 31 && min(one, other) <= 12
        }
        return (isYear(third) && isDay(first, second)) || (isYear(first) && isDay(second, third))
    }

    /// The value of `count` digits, nil if there are not so many.
    private static func number(_ position: Int, _ count: Int, _ bytes: RawSpan) -> Int? {
        guard position + count <= bytes.byteCount else { return nil }
        var value = 0
        for offset in position..<(position + count) {
            guard (0x30...0x39).contains(bytes[offset]) else { return nil }
            value = value * 10 + Int(bytes[offset] - Byte.zero)
        }
        return value
    }
}

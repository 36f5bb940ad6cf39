internal import Platform
internal import TextCoding

/// A pattern that begins at a position.
struct PatternMatch {
    /// The length in bytes, less than the window of the scan.
    let size: Int
    let bits: Double
}

/// Finds common passwords and dictionary words, also with capitals, or with digits and symbols in place of letters.
enum WordMatcher {
    /// The bits of one of some 4,800 words: ``PassphraseWords`` and the short words that it omits.
    private static let wordBits = 12.0
    /// The bits of capitals, and of replaced letters.
    private static let variationBits = 1.0

    static func matches(at position: Int, in bytes: RawSpan) -> [PatternMatch] {
        commonPasswords(at: position, in: bytes) + words(at: position, in: bytes)
    }

    private static func commonPasswords(at position: Int, in bytes: RawSpan) -> [PatternMatch] {
        var found: [PatternMatch] = []
        for (rank, entry) in CommonPasswords.entries.enumerated() {
            guard position + entry.count <= bytes.byteCount else { continue }
            var hasCapitals = false
            var hasReplacements = false
            let matches = entry.indices.allSatisfy { index in
                let byte = bytes[position + index]
                if byte == entry[index] { return true }
                if byte.lowercased == entry[index] {
                    hasCapitals = true
                    return true
                }
                hasReplacements = true
                return letters(like: byte).contains(entry[index])
            }
            guard matches else { continue }
            let bits = log2(Double(rank + 2)) + variations(hasCapitals, hasReplacements)
            found.append(PatternMatch(size: entry.count, bits: bits))
        }
        return found
    }

    private static func words(at position: Int, in bytes: RawSpan) -> [PatternMatch] {
        var found: [PatternMatch] = []
        // `1` and `!` replace two letters, so both choices are tried.
        for choice in [0, 1] {
            var word = PackedWord()
            var hasCapitals = false
            var hasReplacements = false
            while position + word.count < bytes.byteCount {
                let byte = bytes[position + word.count]
                let candidates = letters(like: byte)
                guard let letter = choice == 0 ? candidates.first : candidates.last,
                    word.append(letter)
                else { break }
                hasCapitals = hasCapitals || byte != byte.lowercased
                hasReplacements = hasReplacements || byte.lowercased != letter
                guard word.count >= 3,
                    PassphraseWords.words.containsSorted(word)
                        || CommonPasswords.everydayWords.containsSorted(word)
                else { continue }
                let bits = wordBits + variations(hasCapitals, hasReplacements)
                found.append(PatternMatch(size: word.count, bits: bits))
                // Attackers who combine words try hyphens and spaces, too.
                let end = position + word.count
                if end < bytes.byteCount, " -_.,+".utf8.contains(bytes[end]) {
                    found.append(PatternMatch(size: word.count + 1, bits: bits))
                }
            }
        }
        return found
    }

    private static func variations(_ hasCapitals: Bool, _ hasReplacements: Bool) -> Double {
        (hasCapitals ? variationBits : 0) + (hasReplacements ? variationBits : 0)
    }

    /// The small letters that a byte stands for: itself, or similar ones.
    private static func letters(like byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "0"): [UInt8(ascii: "o")]
        case UInt8(ascii: "1"), UInt8(ascii: "!"): [UInt8(ascii: "i"), UInt8(ascii: "l")]
        case UInt8(ascii: "3"): [UInt8(ascii: "e")]
        case UInt8(ascii: "4"), UInt8(ascii: "@"): [UInt8(ascii: "a")]
        case UInt8(ascii: "5"), UInt8(ascii: "$"): [UInt8(ascii: "s")]
        case UInt8(ascii: "7"): [UInt8(ascii: "t")]
        case 0x41...0x5A, 0x61...0x7A: [byte.lowercased]
        default: []
        }
    }
}

/// Finds years and dates, which are frequent in passwords.
enum DateMatcher {
    private static let years = 1_900...2_049
    /// Three orders of day, month and year are usual.
    private static let orderBits = log2(3.0)
    private static let dayBits = log2(366.0)
    private static let fullYearBits = log2(150.0)
    private static let shortYearBits = log2(100.0)
    /// The separator, and leading zeros.
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

    /// Whether the three numbers can be a date, with the year first or last.
    private static func isDate(_ first: Int?, _ second: Int?, _ third: Int?) -> Bool {
        guard let first, let second, let third else { return false }
        let isYear = { (number: Int) in number < 100 || years.contains(number) }
        let isDay = { (one: Int, other: Int) in
            min(one, other) >= 1 && max(one, other) <= 31 && min(one, other) <= 12
        }
        return (isYear(third) && isDay(first, second)) || (isYear(first) && isDay(second, third))
    }

    /// The value of `count` digits; nil if there are fewer.
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

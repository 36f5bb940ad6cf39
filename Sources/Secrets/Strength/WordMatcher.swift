internal import Platform
internal import TextCoding

/// Finds common passwords and dictionary words, also with capitals, and with digits and symbols in place of letters.
enum WordMatcher {
    /// A word of a dictionary of some 4,800: the word list and the short words that it leaves out.
    private static let wordBits = 12.0
    /// Whether there are capitals, or replaced letters: a guess more for each.
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
        // `1` and `!` stand for two letters, so everything is tried with the first and with the last choice.
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
                    WordList.words.containsSorted(word)
                        || CommonPasswords.everydayWords.containsSorted(word)
                else { continue }
                let bits = wordBits + variations(hasCapitals, hasReplacements)
                found.append(PatternMatch(size: word.count, bits: bits))
                // Whoever tries word after word tries them with hyphens or spaces, too.
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

    /// The small letters that a byte is read as: itself, or those that it looks like.
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

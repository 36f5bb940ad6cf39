/// The words of a text in lower case, consumed in order.
struct WordList {
    private var words: ArraySlice<String>

    /// Splits at blanks and commas, and splits the parts of `2026-12-01T09:00+02:00`.
    init(_ text: String) {
        let parts = text.lowercased().unicodeScalars.split {
            $0.properties.isWhitespace || $0 == ","
        }
        words = parts.map { String($0) }.flatMap(Self.parts)[...]
    }

    var isEmpty: Bool { words.isEmpty }
    var first: String? { words.first }

    /// Consumes the next word.
    mutating func take() -> String? { words.popFirst() }

    /// Consumes the next word if it equals `word`.
    mutating func take(_ word: String) -> Bool {
        guard words.first == word else { return false }
        words.removeFirst()
        return true
    }

    /// Removes the plus before the number of the next word.
    mutating func dropPlus() {
        guard let word = words.first, word.hasPrefix("+") else { return }
        words[words.startIndex] = String(word.dropFirst())
    }

    /// Splits a word into date, time of day and offset if it has more than one of them.
    private static func parts(_ word: String) -> [String] {
        let bytes = Array(word.utf8)
        guard let first = bytes.first, Digits.isDigit(first) else { return [word] }
        var parts: [String] = []
        var start = 0
        if let letter = bytes.firstIndex(of: UInt8(ascii: "t")),
            bytes[..<letter].allSatisfy({ Digits.isDigit($0) || $0 == UInt8(ascii: "-") }),
            letter + 1 < bytes.count, Digits.isDigit(bytes[letter + 1])
        {
            parts.append(String(decoding: bytes[..<letter], as: UTF8.self))
            start = letter + 1
        }
        // The offset begins after the first colon: before it, a minus belongs to a date.
        let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":"))
        let offset = colon.flatMap { colon in
            bytes[colon...].firstIndex { "+-z".utf8.contains($0) }
        }
        parts.append(String(decoding: bytes[start..<(offset ?? bytes.count)], as: UTF8.self))
        if let offset { parts.append(String(decoding: bytes[offset...], as: UTF8.self)) }
        return parts
    }
}

/// Numbers in texts.
enum Digits {
    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The number in a text of only digits, if their count is in the range.
    static func number(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Int? {
        guard count.contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text)
    }

    /// Splits a text into its leading number and the rest.
    static func split(_ word: String) -> (number: Substring, rest: Substring) {
        let end = word.utf8.firstIndex { !isDigit($0) } ?? word.endIndex
        return (word[..<end], word[end...])
    }
}

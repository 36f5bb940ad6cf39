internal import TextCoding

/// A text that a pager searches, and its entry.
struct PagerSearch {
    /// The longest text, in bytes.
    private static let longest = 256

    /// The typed bytes during the entry, else nil.
    private(set) var entry: [UInt8]?
    /// The text in lower case; empty before the first search.
    private(set) var text = ""

    /// Begins the entry of a text.
    mutating func begin() { entry = [] }

    /// Gives the entry up.
    mutating func cancel() { entry = nil }

    /// Processes a byte of the entry.
    ///
    /// - Returns: Whether the return key has completed it. An empty entry repeats the text before.
    mutating func take(_ byte: UInt8) -> Bool {
        guard var typed = entry else { return false }
        switch byte {
        case 0x0A, 0x0D:
            if !typed.isEmpty { text = String(decoding: typed, as: UTF8.self).lowercased() }
            entry = nil
            return !text.isEmpty
        case 0x1B, 0x03: entry = nil
        case 0x15: entry = []
        case 0x7F, 0x08:
            // The bytes of the last scalar.
            while let last = typed.popLast(), last & 0xC0 == 0x80 {}
            entry = typed
        case 0x20...:
            if typed.count < Self.longest { entry = typed + [byte] }
        default: break
        }
        return false
    }

    /// The entry as text, escaped.
    var entered: String? { entry.map { VisibleText.escape(String(decoding: $0, as: UTF8.self)) } }

    /// Whether a line has the text.
    func finds(_ line: String) -> Bool {
        !text.isEmpty && Self.plain(line).lowercased().has(text)
    }

    /// The next line with the text after `line`, or the one before it; the search wraps around.
    func line(after line: Int, backwards: Bool = false, in lines: [String]) -> Int? {
        guard !lines.isEmpty else { return nil }
        return (1...lines.count).lazy
            .map { (line + (backwards ? lines.count - $0 : $0)) % lines.count }
            .first { finds(lines[$0]) }
    }

    /// A line in which the text is reversed, if it has it and its letters have the same lengths in lower case.
    func marked(_ line: String) -> String {
        guard finds(line) else { return line }
        let plain = Self.plain(line)
        let lower = plain.lowercased()
        guard lower.count == plain.count else { return line }
        var result = ""
        var rest = plain[...]
        while let range = String(rest).lowercased().byteRange(of: text) {
            let before = String(rest).lowercased()[..<range.lowerBound].count
            result += rest.prefix(before) + "\u{1B}[7m"
            result += rest.dropFirst(before).prefix(text.count) + "\u{1B}[0m"
            rest = rest.dropFirst(before + text.count)
        }
        return result + rest
    }

    /// A line without the emphasis of ``Style``.
    private static func plain(_ line: String) -> String {
        var result = ""
        var rest = line[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            result += rest[..<escape]
            rest = rest[escape...].drop { $0 != "m" }.dropFirst()
        }
        return result + rest
    }
}

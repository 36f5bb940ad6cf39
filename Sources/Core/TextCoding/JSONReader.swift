/// An error of a JSON reader.
package protocol JSONReadingFailure: Error {
    /// The text is not JSON, or not the expected value.
    static func invalidJSON(line: Int) -> Self
    /// The name of a member is repeated. The default is `invalidJSON`.
    static func repeatedMember(_ name: String, line: Int) -> Self
}

extension JSONReadingFailure {
    package static func repeatedMember(_ name: String, line: Int) -> Self {
        invalidJSON(line: line)
    }
}

/// A strict reader of JSON (RFC 8259) that finds values without copying them.
///
/// Keys and texts are UTF-8 with valid escapes; only white space surrounds the value. The caller requests the expected structure; any
/// other value is an error. There is no recursion, so nesting cannot exhaust the stack.
package struct JSONReader<Failure: JSONReadingFailure> {
    private var position = 0
    // The line of `countedTo`, so that each line is counted only once.
    private var line = 1
    private var countedTo = 0
    let allowsControls: Bool
    private let replacesDamage: Bool
    /// The number of places that were no text: half of a surrogate pair, or bytes that are not UTF-8. Only if they are replaced.
    package private(set) var damagedPlaces = 0

    /// Starts at the first byte, or after a byte order mark.
    ///
    /// - Parameters:
    ///   - bytes: The whole text; every call gets the same bytes.
    ///   - allowsControls: Whether strings may contain unescaped control characters, which some programs write.
    ///   - replacesDamage: Whether U+FFFD replaces what is no text, and ``damagedPlaces`` counts it; if not, it is an error.
    package init(
        _ bytes: RawSpan, allowingControls allowsControls: Bool = false,
        replacingDamage replacesDamage: Bool = false
    ) {
        self.allowsControls = allowsControls
        self.replacesDamage = replacesDamage
        position = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
    }

    /// The current line, from 1.
    package mutating func currentLine(in bytes: RawSpan) -> Int {
        line += bytes.occurrences(of: Byte.lineFeed, in: countedTo..<position)
        countedTo = position
        return line
    }

    /// An error about an unexpected value here.
    package mutating func unexpected(in bytes: RawSpan) -> Failure {
        Failure.invalidJSON(line: currentLine(in: bytes))
    }

    /// The next key of an object, nil after the last. The reader is then before the value, or after
    /// the object.
    package mutating func nextKey(in bytes: RawSpan, isFirst: Bool) throws -> String? {
        if isFirst { try expect("{", in: bytes) }
        if skip("}", in: bytes) { return nil }
        if !isFirst { try expect(",", in: bytes) }
        let key = try text(in: bytes)
        try expect(":", in: bytes)
        return key
    }

    /// Whether another element of an array follows; if not, the reader is after the array.
    package mutating func nextElement(in bytes: RawSpan, isFirst: Bool) throws -> Bool {
        if isFirst { try expect("[", in: bytes) }
        if skip("]", in: bytes) { return false }
        if !isFirst { try expect(",", in: bytes) }
        return true
    }

    /// The range of a string without escapes; its bytes are not validated.
    package mutating func plainString(in bytes: RawSpan) throws -> Range<Int> {
        try expect("\"", in: bytes)
        let start = position
        while position < bytes.byteCount, bytes[position] != Byte.quote {
            guard bytes[position] != Byte.backslash, bytes[position] >= 0x20 else {
                throw unexpected(in: bytes)
            }
            position += 1
        }
        guard position < bytes.byteCount else { throw unexpected(in: bytes) }
        position += 1
        return start..<(position - 1)
    }

    /// An integer of at most nine digits.
    package mutating func number(in bytes: RawSpan) throws -> Int {
        _ = peek(in: bytes)
        let start = position
        var number = 0
        while position < bytes.byteCount, (0x30...0x39).contains(bytes[position]) {
            number = number * 10 + Int(bytes[position] - Byte.zero)
            position += 1
            if position - start > 9 { throw unexpected(in: bytes) }
        }
        guard position > start, position - start == 1 || bytes[start] != Byte.zero else {
            throw unexpected(in: bytes)
        }
        return number
    }

    /// A string with decoded escapes; for names and attributes only.
    package mutating func text(in bytes: RawSpan) throws -> String {
        var decoded: [UInt8] = []
        try readString(in: bytes) { piece in
            unsafe piece.withUnsafeBytes { unsafe decoded.append(contentsOf: $0) }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Verifies that no other data follows.
    package mutating func expectEnd(in bytes: RawSpan) throws {
        if peek(in: bytes) != nil { throw unexpected(in: bytes) }
    }

    mutating func escape(in bytes: RawSpan) throws -> Unicode.Scalar {
        guard position + 1 < bytes.byteCount else { throw unexpected(in: bytes) }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case Byte.quote, Byte.backslash, UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(in: bytes)
        default: throw unexpected(in: bytes)
        }
    }

    /// Four hexadecimal digits, or two groups of four for a scalar beyond U+FFFF.
    private mutating func unicodeEscape(in bytes: RawSpan) throws -> Unicode.Scalar {
        let first = try codeUnit(in: bytes)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let end = position
        if UTF16.isLeadSurrogate(first), bytes.hasText("\\u", at: position) {
            position += 2
            let second = try codeUnit(in: bytes)
            if UTF16.isTrailSurrogate(second) {
                return UTF16.decode(UTF16.EncodedScalar([first, second]))
            }
        }
        position = end
        try noteDamage(in: bytes)
        return "\u{FFFD}"
    }

    /// Counts a place that is no text.
    mutating func noteDamage(in bytes: RawSpan) throws {
        guard replacesDamage else { throw unexpected(in: bytes) }
        damagedPlaces += 1
    }

    private mutating func codeUnit(in bytes: RawSpan) throws -> UInt16 {
        guard position + 4 <= bytes.byteCount else { throw unexpected(in: bytes) }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            // A stranger's request can consist of escapes, and a `Character` costs a microsecond for each.
            let byte = bytes[position]
            let value: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - UInt8(ascii: "A") + 10
            default: throw unexpected(in: bytes)
            }
            unit = unit << 4 | UInt16(value)
            position += 1
        }
        return unit
    }

    /// Skips white space and returns the next byte without skipping it.
    mutating func peek(in bytes: RawSpan) -> UInt8? {
        while position < bytes.byteCount {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A else { return byte }
            position += 1
        }
        return nil
    }

    /// Skips the opening quotation mark of a string, and returns the next position.
    mutating func beginString(in bytes: RawSpan) throws -> Int {
        try expect("\"", in: bytes)
        return position
    }

    /// The current position.
    var offset: Int { position }

    /// The current byte.
    func byteHere(in bytes: RawSpan) -> UInt8? {
        position < bytes.byteCount ? bytes[position] : nil
    }

    /// Skips a byte.
    mutating func advance() { position += 1 }

    mutating func advance(to offset: Int) { position = offset }

    /// Skips a word if it is at the current position.
    mutating func take(_ word: StaticString, in bytes: RawSpan) -> Bool {
        guard bytes.hasText(word, at: position) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    /// Whether only white space follows.
    package mutating func isAtEnd(in bytes: RawSpan) -> Bool { peek(in: bytes) == nil }

    private mutating func skip(_ token: Unicode.Scalar, in bytes: RawSpan) -> Bool {
        guard peek(in: bytes) == UInt8(ascii: token) else { return false }
        position += 1
        return true
    }

    private mutating func expect(
        _ token: Unicode.Scalar, in bytes: RawSpan
    ) throws {
        guard skip(token, in: bytes) else { throw unexpected(in: bytes) }
    }
}

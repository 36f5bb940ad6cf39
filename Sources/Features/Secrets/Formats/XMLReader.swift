internal import TextCoding

/// A strict reader of XML 1.0 in UTF-8, which does not copy the text.
///
/// A document type is rejected, so only the five predefined entities exist. The caller moves from
/// child to child. Mixed content is not supported, and names are not checked for valid characters.
struct XMLReader {
    /// The maximum nesting depth.
    private static let maximumDepth = 256

    private enum Token {
        case start(String)
        case end
        case text(ImportedValue.Piece, isBlank: Bool)
        case endOfFile
    }

    /// The attributes of the element that ``nextChild(in:)`` returned last.
    private(set) var attributes: [String: String] = [:]
    /// The number of texts with a reference to half of a surrogate pair, which U+FFFD replaces.
    private(set) var damagedTexts = 0
    private var position: Int
    /// The names of the open elements.
    private var open: [Range<Int>] = []
    /// Whether the last tag was an empty-element tag, so that its end comes next.
    private var isEmptyTag = false
    // The line number at offset `countedTo`, so that no line is counted twice.
    private var line = 1
    private var countedTo = 0

    /// Starts at the first byte, or after a byte order mark and white space.
    ///
    /// - Parameter bytes: The whole text. All calls must pass the same bytes.
    init(_ bytes: RawSpan) {
        position = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
        skipBlanks(in: bytes)
    }

    /// Whether the text starts with a tag. No CSV header does.
    static func isMarkup(_ bytes: RawSpan) -> Bool {
        let reader = XMLReader(bytes)
        return bytes.hasText("<", at: reader.position)
    }

    /// The current line, from 1.
    mutating func currentLine(in bytes: RawSpan) -> Int {
        line += bytes.occurrences(of: Byte.lineFeed, in: countedTo..<position)
        countedTo = position
        return line
    }

    /// Opens the next child of the open element and returns its name. Without another child it
    /// closes the element.
    ///
    /// - Returns: nil at the end of the element or the file.
    mutating func nextChild(in bytes: RawSpan) throws -> String? {
        while true {
            switch try nextToken(in: bytes) {
            case .start(let name): return name
            case .end, .endOfFile: return nil
            case .text(_, let isBlank):
                guard isBlank else { throw invalid(in: bytes) }
            }
        }
    }

    /// The text of the open element, which must not have children. The element is then closed.
    mutating func value(in bytes: RawSpan) throws -> ImportedValue {
        var value = ImportedValue()
        while true {
            switch try nextToken(in: bytes) {
            case .text(let piece, _): value.pieces.append(piece)
            case .end: return value
            case .start, .endOfFile: throw invalid(in: bytes)
            }
        }
    }

    /// The text of the open element, for names and attributes only.
    mutating func text(in bytes: RawSpan) throws -> String {
        try value(in: bytes).text(in: bytes) ?? ""
    }

    /// Closes the open element without reading it.
    ///
    /// - Returns: Whether the element had children or text.
    @discardableResult
    mutating func skip(in bytes: RawSpan) throws -> Bool {
        let depth = open.count
        var hasContent = false
        while open.count >= depth {
            switch try nextToken(in: bytes) {
            case .start: hasContent = true
            case .text(_, let isBlank): hasContent = hasContent || !isBlank
            case .end: break
            case .endOfFile: throw invalid(in: bytes)
            }
        }
        return hasContent
    }

    /// The error for invalid XML at the current position.
    mutating func invalid(in bytes: RawSpan) -> ExchangeError {
        .invalidXML(line: currentLine(in: bytes))
    }

    /// Decodes character data: line ends become LF, and references become their characters.
    ///
    /// - Parameters:
    ///   - text: The character data.
    ///   - isRaw: Whether references are not decoded, as in a CDATA section.
    ///   - take: Called for each byte.
    /// - Returns: Whether a reference names half of a surrogate pair, which U+FFFD replaces.
    /// - Throws: `invalidXML` without a line.
    @discardableResult
    static func decode(
        _ text: RawSpan, isRaw: Bool, _ take: (UInt8) -> Void
    ) throws -> Bool {
        var offset = 0
        var isDamaged = false
        while offset < text.byteCount {
            let byte = text[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "&") where !isRaw:
                let scalar = try reference(in: text, at: &offset)
                if scalar == nil { isDamaged = true }
                for unit in UTF8.encode(scalar ?? "\u{FFFD}") ?? .init() { take(unit) }
            case Byte.carriageReturn:
                if offset < text.byteCount, text[offset] == Byte.lineFeed { offset += 1 }
                take(Byte.lineFeed)
            case 0x09, Byte.lineFeed, 0x20...: take(byte)
            default: throw ExchangeError.invalidXML(line: 0)
            }
        }
        return isDamaged
    }

    /// The character of a reference; nil for half of a surrogate pair. `offset` is after the `&`, and moves to after the `;`.
    private static func reference(
        in text: RawSpan, at offset: inout Int
    ) throws -> Unicode.Scalar? {
        let start = offset
        // The longest reference is `&#x10FFFF;`.
        while offset < text.byteCount, offset - start < 10, text[offset] != UInt8(ascii: ";") {
            offset += 1
        }
        guard offset < text.byteCount, text[offset] == UInt8(ascii: ";"),
            let name = text.extracting(start..<offset).text()
        else { throw ExchangeError.invalidXML(line: 0) }
        offset += 1
        let entities: [String: Unicode.Scalar] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
        ]
        if let scalar = entities[name] { return scalar }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard name.hasPrefix("#"), digits.first != "+", digits.first != "-",
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10)
        else { throw ExchangeError.invalidXML(line: 0) }
        if (0xD800...0xDFFF).contains(number) { return nil }
        guard let scalar = Unicode.Scalar(number), isCharacter(scalar) else {
            throw ExchangeError.invalidXML(line: 0)
        }
        return scalar
    }

    /// The production `Char` of XML 1.0.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x1_0000...: true
        default: false
        }
    }

    private mutating func nextToken(in bytes: RawSpan) throws -> Token {
        if isEmptyTag {
            isEmptyTag = false
            open.removeLast()
            return .end
        }
        while position < bytes.byteCount {
            guard bytes[position] == UInt8(ascii: "<") else { return try characters(in: bytes) }
            if bytes.hasText("</", at: position) { return try endTag(in: bytes) }
            if bytes.hasText("<![CDATA[", at: position) {
                let range = try section("<![CDATA[", "]]>", in: bytes)
                guard !open.isEmpty else { throw invalid(in: bytes) }
                try check(range, isRaw: true, in: bytes)
                return .text(.characterData(range), isBlank: range.isEmpty)
            }
            if bytes.hasText("<!--", at: position) {
                _ = try section("<!--", "-->", in: bytes)
            } else if bytes.hasText("<!", at: position) {
                throw ExchangeError.documentType(line: currentLine(in: bytes))
            } else if bytes.hasText("<?", at: position) {
                try instruction(in: bytes)
            } else {
                return try startTag(in: bytes)
            }
        }
        guard open.isEmpty else { throw invalid(in: bytes) }
        return .endOfFile
    }

    /// Skips a processing instruction. The XML declaration must not name another encoding.
    private mutating func instruction(in bytes: RawSpan) throws {
        let isDeclaration = bytes.hasText("<?xml ", at: position)
        let range = try section("<?", "?>", in: bytes)
        guard isDeclaration else { return }
        guard let text = bytes.extracting(range).text()?.lowercased() else {
            throw invalid(in: bytes)
        }
        let isUTF8 = text.has("\"utf-8\"") || text.has("'utf-8'")
        if text.has("encoding"), !isUTF8 { throw invalid(in: bytes) }
    }

    /// The range between two delimiters. The position is at the first one.
    private mutating func section(
        _ begin: StaticString, _ end: StaticString, in bytes: RawSpan
    ) throws -> Range<Int> {
        let start = position + begin.utf8CodeUnitCount
        var offset = start
        while offset < bytes.byteCount, !bytes.hasText(end, at: offset) { offset += 1 }
        guard offset < bytes.byteCount else { throw invalid(in: bytes) }
        position = offset + end.utf8CodeUnitCount
        return start..<offset
    }

    private mutating func characters(in bytes: RawSpan) throws -> Token {
        let start = position
        var isBlank = true
        while position < bytes.byteCount, bytes[position] != UInt8(ascii: "<") {
            if !Self.isBlank(bytes[position]) { isBlank = false }
            position += 1
        }
        try check(start..<position, isRaw: false, in: bytes)
        guard isBlank || !open.isEmpty else { throw invalid(in: bytes) }
        return .text(.xml(start..<position), isBlank: isBlank)
    }

    /// Validates character data, so that later decoding cannot fail.
    private mutating func check(_ range: Range<Int>, isRaw: Bool, in bytes: RawSpan) throws {
        let text = bytes.extracting(range)
        guard text.isUTF8, let isDamaged = try? Self.decode(text, isRaw: isRaw, { _ in }) else {
            throw invalid(in: bytes)
        }
        if isDamaged { damagedTexts += 1 }
    }

    private mutating func endTag(in bytes: RawSpan) throws -> Token {
        position += 2
        let name = try name(in: bytes)
        skipBlanks(in: bytes)
        guard let begun = open.popLast(), begun.count == name.count,
            begun.indices.allSatisfy({
                bytes[$0] == bytes[name.lowerBound + $0 - begun.lowerBound]
            }),
            skip(">", in: bytes)
        else { throw invalid(in: bytes) }
        return .end
    }

    private mutating func startTag(in bytes: RawSpan) throws -> Token {
        position += 1
        let name = try name(in: bytes)
        guard open.count < Self.maximumDepth, let text = bytes.extracting(name).text() else {
            throw invalid(in: bytes)
        }
        attributes = [:]
        while true {
            let hasBlank = position < bytes.byteCount && Self.isBlank(bytes[position])
            skipBlanks(in: bytes)
            isEmptyTag = skip("/", in: bytes)
            if skip(">", in: bytes) { break }
            guard hasBlank, !isEmptyTag else { throw invalid(in: bytes) }
            try attribute(in: bytes)
        }
        open.append(name)
        return .start(text)
    }

    private mutating func attribute(in bytes: RawSpan) throws {
        let name = try name(in: bytes)
        skipBlanks(in: bytes)
        guard skip("=", in: bytes) else { throw invalid(in: bytes) }
        skipBlanks(in: bytes)
        guard position < bytes.byteCount else { throw invalid(in: bytes) }
        let quote = bytes[position]
        guard quote == Byte.quote || quote == UInt8(ascii: "'") else { throw invalid(in: bytes) }
        let start = position + 1
        position = start
        while position < bytes.byteCount, bytes[position] != quote {
            guard bytes[position] != UInt8(ascii: "<") else { throw invalid(in: bytes) }
            position += 1
        }
        let range = start..<position
        try check(range, isRaw: false, in: bytes)
        guard position < bytes.byteCount, let key = bytes.extracting(name).text(),
            attributes[key] == nil
        else { throw invalid(in: bytes) }
        position += 1
        attributes[key] = try ImportedValue(.xml(range)).text(in: bytes)
    }

    private mutating func name(in bytes: RawSpan) throws -> Range<Int> {
        let start = position
        while position < bytes.byteCount, !Self.isBlank(bytes[position]),
            !"<>/=\"'&;!?".utf8.contains(bytes[position])
        {
            position += 1
        }
        guard position > start else { throw invalid(in: bytes) }
        return start..<position
    }

    private mutating func skip(_ mark: StaticString, in bytes: RawSpan) -> Bool {
        guard bytes.hasText(mark, at: position) else { return false }
        position += mark.utf8CodeUnitCount
        return true
    }

    private mutating func skipBlanks(in bytes: RawSpan) {
        while position < bytes.byteCount, Self.isBlank(bytes[position]) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == Byte.lineFeed || byte == Byte.carriageReturn
    }
}

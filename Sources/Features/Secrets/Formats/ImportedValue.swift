internal import SecretMemory
internal import TextCoding

/// A value in an imported file: the ranges of its parts, which are decoded directly into guarded memory.
struct ImportedValue {
    /// The parts, in order.
    var pieces: [Piece]

    /// A part, by its range in the file and its encoding.
    enum Piece {
        /// Unencoded bytes.
        case plain(Range<Int>)
        /// A field of a CSV file.
        case csv(CSVField)
        /// A JSON string, including its quotation marks.
        case json(Range<Int>)
        /// XML character data with references.
        case xml(Range<Int>)
        /// The content of an XML CDATA section.
        case characterData(Range<Int>)
        /// Text between other parts, or a date.
        case literal(String)
        /// A range of decoded parts.
        case part([Piece], Range<Int>)
        /// A value in another encoding than in the file.
        case held(HeldSecret)
    }

    init(_ pieces: Piece...) {
        self.init(pieces: pieces)
    }

    init(pieces: [Piece]) {
        self.pieces = pieces
    }

    var isEmpty: Bool { maximumSize == 0 }

    /// The size. It is an upper bound, because decoding may shorten a part.
    var maximumSize: Int { pieces.reduce(0) { $0 + $1.maximumSize } }

    /// Lends the decoded value in guarded memory.
    func withSecret<Result>(
        in bytes: RawSpan, _ body: (borrowing SecretBytes) throws -> Result
    ) throws -> Result {
        try SecretBufferPool.shared.withBuffer(count: maximumSize) { buffer in
            var end = 0
            for piece in pieces { end = try piece.decode(from: bytes, into: &buffer, at: end) }
            buffer.keep(count: end)
            return try body(buffer)
        }
    }

    /// A part of the decoded value.
    func part(_ range: Range<Int>) -> ImportedValue { ImportedValue(.part(pieces, range)) }

    /// Whether KeePass takes the value from another entry (`{REF:P@I:…}`).
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - isPart: Whether a reference within other text counts as well.
    /// - Returns: Whether the value is a reference.
    /// - Throws: `SecretMemoryError`.
    func isReference(in bytes: RawSpan, also isPart: Bool) throws -> Bool {
        try withSecret(in: bytes) { value in
            value.withBytes { value in
                let places = 0..<max(0, value.byteCount - 7)
                let isWhole =
                    value.byteCount > 0 && value[value.byteCount - 1] == UInt8(ascii: "}")
                return places.contains { place in
                    (place == 0 && isWhole || isPart)
                        && value[place] == UInt8(ascii: "{")
                        && zip(1..., "ref:".utf8).allSatisfy {
                            value[place + $0] | 0x20 == $1 | 0x20
                        }
                        && value[place + 6] == UInt8(ascii: "@")
                }
            }
        }
    }

    /// The decoded value as text, for names and attributes only; nil if it is not UTF-8.
    func text(in bytes: RawSpan) throws -> String? {
        try withSecret(in: bytes) { value in value.withBytes { $0.text() } }
    }
}

extension ImportedValue.Piece {
    fileprivate var maximumSize: Int {
        switch self {
        case .plain(let range), .xml(let range), .characterData(let range): range.count
        case .csv(let field): field.size
        case .json(let range): range.count - 2
        case .literal(let text): text.utf8.count
        case .part(_, let range): range.count
        case .held(let secret): secret.value.count
        }
    }

    /// Writes the decoded bytes at `offset`, and returns the offset after them.
    fileprivate func decode(
        from bytes: RawSpan, into value: inout SecretBytes, at offset: Int
    ) throws -> Int {
        var end = offset
        switch self {
        case .plain(let range):
            value.withMutableBytes { $0.copy(bytes.extracting(range), at: offset) }
            end += range.count
        case .csv(let field):
            value.withMutableBytes { field.unescape(from: bytes, into: &$0, at: offset) }
            end += field.size
        case .json(let range):
            let text = bytes.extracting(range)
            var reader = JSONReader<ExchangeError>(text, replacingDamage: true)
            try reader.readString(in: text) { piece in
                value.withMutableBytes { $0.copy(piece, at: end) }
                end += piece.byteCount
            }
        case .xml(let range), .characterData(let range):
            let isRaw = if case .characterData = self { true } else { false }
            try XMLReader.decode(bytes.extracting(range), isRaw: isRaw) { byte in
                value.withMutableBytes { $0.set(byte, at: end) }
                end += 1
            }
        case .literal(let text):
            let source = Array(text.utf8)
            // Safe: the array outlives the span.
            value.withMutableBytes { $0.copy(unsafe source.span.bytes, at: offset) }
            end += source.count
        case .part(let pieces, let range):
            try ImportedValue(pieces: pieces).withSecret(in: bytes) { whole in
                whole.withBytes { whole in
                    value.withMutableBytes { $0.copy(whole.extracting(range), at: offset) }
                }
            }
            end += range.count
        case .held(let secret):
            secret.value.withBytes { held in
                value.withMutableBytes { $0.copy(held, at: offset) }
            }
            end += secret.value.count
        }
        return end
    }
}

extension JSONReader where Failure == ExchangeError {
    /// The line of the next value, which must be an object.
    mutating func lineOfObject(in bytes: RawSpan) throws -> Int {
        guard try nextKind(in: bytes) == .object else { throw unexpected(in: bytes) }
        return currentLine(in: bytes)
    }

    /// Reads the members of an object; null counts as empty. A duplicate name is an error, because
    /// one value would be lost.
    mutating func forEachMember(
        in bytes: RawSpan, _ body: (inout Self, String) throws -> Void
    ) throws {
        if try skipNull(in: bytes) { return }
        var seen: Set<String> = []
        while let key = try nextKey(in: bytes, isFirst: seen.isEmpty) {
            guard seen.insert(key).inserted else { throw unexpected(in: bytes) }
            try body(&self, key)
        }
    }

    /// Reads the elements of an array; null counts as empty.
    mutating func forEachElement(
        in bytes: RawSpan, _ body: (inout Self) throws -> Void
    ) throws {
        if try skipNull(in: bytes) { return }
        var isFirst = true
        while try nextElement(in: bytes, isFirst: isFirst) {
            isFirst = false
            try body(&self)
        }
    }

    /// A decoded string, for names and attributes only; empty for null.
    mutating func optionalText(in bytes: RawSpan) throws -> String {
        try skipNull(in: bytes) ? "" : text(in: bytes)
    }

    /// The range of a string, a number or a boolean; empty for null. Returns nil for other values
    /// and does not skip them.
    mutating func value(in bytes: RawSpan) throws -> ImportedValue? {
        switch try nextKind(in: bytes) {
        case .string: ImportedValue(.json(try rangeOfValue(in: bytes)))
        case .number, .boolean: ImportedValue(.plain(try rangeOfValue(in: bytes)))
        case .null: try skipNull(in: bytes) ? ImportedValue() : nil
        case .object, .array: nil
        }
    }

    /// Skips a value, and returns whether it is `true` or a number other than 0.
    mutating func isSet(in bytes: RawSpan) throws -> Bool {
        switch try nextKind(in: bytes) {
        case .boolean: return try boolean(in: bytes)
        case .number: return try numberText(in: bytes) != "0"
        default:
            try skipValue(in: bytes)
            return false
        }
    }

    /// Skips a value, and returns whether it has content. Null, `""`, `[]` and `{}` have none.
    mutating func skipContent(in bytes: RawSpan) throws -> Bool {
        switch try nextKind(in: bytes) {
        case .null: return try !skipNull(in: bytes)
        case .number, .boolean:
            try skipValue(in: bytes)
            return true
        case .string: return try rangeOfValue(in: bytes).count > 2
        case .array:
            var hasContent = false
            try forEachElement(in: bytes) { reader in
                hasContent = true
                try reader.skipValue(in: bytes)
            }
            return hasContent
        case .object:
            var hasContent = false
            try forEachMember(in: bytes) { reader, _ in
                hasContent = true
                try reader.skipValue(in: bytes)
            }
            return hasContent
        }
    }
}

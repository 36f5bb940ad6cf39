internal import SecretMemory
internal import TextCoding

/// A field of a record: the range of its bytes, without the surrounding quotes.
struct CSVField {
    let range: Range<Int>
    /// The number of doubled quotes in the field.
    let doubledQuotes: Int

    var isEmpty: Bool { range.isEmpty }
    /// The size after each doubled quote became one.
    var size: Int { range.count - doubledQuotes }

    /// The content as text, for names and attributes only.
    func text(in bytes: RawSpan, line: Int, column: Int) throws -> String {
        guard let text = bytes.extracting(range).text() else {
            throw ExchangeError.invalidText(line: line, column: column)
        }
        guard doubledQuotes > 0 else { return text }
        var unescaped = ""
        var wasQuote = false
        for scalar in text.unicodeScalars {
            wasQuote = scalar == "\"" && !wasQuote
            if !wasQuote { unescaped.unicodeScalars.append(scalar) }
        }
        return unescaped
    }

    /// Lends the content in guarded memory.
    func withSecret(
        in bytes: RawSpan, _ body: (inout SecretBytes) throws -> Void
    ) throws {
        try SecretBufferPool.shared.withBuffer(count: size) { buffer in
            buffer.withMutableBytes { unescape(from: bytes, into: &$0) }
            try body(&buffer)
        }
    }

    /// Writes the content to `target` at `start`.
    func unescape(from bytes: RawSpan, into target: inout MutableRawSpan, at start: Int = 0) {
        guard doubledQuotes > 0 else { return target.copy(bytes.extracting(range), at: start) }
        var offset = range.lowerBound
        for index in start..<(start + size) {
            target.set(bytes[offset], at: index)
            offset += bytes[offset] == Byte.quote ? 2 : 1
        }
    }
}

internal import SecretMemory
internal import TextCoding

extension CSVField {
    /// The content as text; for names and attributes only.
    func text(in bytes: RawSpan, line: Int, column: Int) throws(ExchangeError) -> String {
        guard let text = bytes.extracting(range).text() else {
            throw .invalidText(line: line, column: column)
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
        in bytes: RawSpan, _ body: (inout SecretBytes) throws(ExchangeError) -> Void
    ) throws(ExchangeError) {
        try SecretBufferPool.shared.withBuffer(
            count: size, mapError: { _ in ExchangeError.outOfMemory }
        ) { (buffer) throws(ExchangeError) in
            buffer.withMutableBytes { unescape(from: bytes, into: &$0) }
            try body(&buffer)
        }
    }

    private func unescape(from bytes: RawSpan, into target: inout MutableRawSpan) {
        guard doubledQuotes > 0 else { return target.copy(bytes.extracting(range)) }
        var offset = range.lowerBound
        for index in 0..<size {
            target.set(bytes[offset], at: index)
            offset += bytes[offset] == Byte.quote ? 2 : 1
        }
    }
}

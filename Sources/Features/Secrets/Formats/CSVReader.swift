internal import SecretMemory
internal import TextCoding

/// One record of a CSV file.
struct CSVRecord {
    /// The line on which the record starts.
    let line: Int
    var fields: [CSVField] = []
}

/// Reads the records of a CSV file (RFC 4180), without copying the fields.
///
/// It accepts the variants of real exporters: LF or CR line ends, a byte order mark, empty lines, and
/// a missing last line end. It rejects NUL and stray quotes, because a wrong guess could assign a
/// password to another site.
struct CSVReader {
    private var position = 0
    private var line = 1
    /// Whether a single CR ends a line, as it does the first one.
    private let endsByReturn: Bool

    /// Starts at the first record of `bytes`. All calls must pass the same bytes.
    init(_ bytes: RawSpan) {
        position = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
        var isQuoted = false
        let end = (position..<bytes.byteCount).first { place in
            if bytes[place] == Byte.quote { isQuoted.toggle() }
            return !isQuoted
                && (bytes[place] == Byte.lineFeed || bytes[place] == Byte.carriageReturn)
        }
        endsByReturn =
            end.map {
                bytes[$0] == Byte.carriageReturn && !bytes.hasText("\r\n", at: $0)
            } ?? false
    }

    /// The next record, or nil at the end.
    mutating func next(in bytes: RawSpan) throws -> CSVRecord? {
        while position < bytes.byteCount, skipLineEnd(in: bytes) {}
        guard position < bytes.byteCount else { return nil }
        var record = CSVRecord(line: line)
        while true {
            let isQuoted = position < bytes.byteCount && bytes[position] == Byte.quote
            record.fields.append(
                isQuoted
                    ? try quotedField(in: bytes, column: record.fields.count + 1)
                    : try plainField(in: bytes, column: record.fields.count + 1))
            if position == bytes.byteCount || skipLineEnd(in: bytes) { return record }
            position += 1  // Only a comma is left.
        }
    }

    /// Skips a line end if there is one.
    private mutating func skipLineEnd(in bytes: RawSpan) -> Bool {
        guard isLineEnd(in: bytes) else { return false }
        position += bytes.hasText("\r\n", at: position) ? 2 : 1
        line += 1
        return true
    }

    /// Whether a line end follows. A single CR is content, unless the first line ends so.
    private func isLineEnd(in bytes: RawSpan) -> Bool {
        if bytes[position] == Byte.lineFeed { return true }
        return bytes[position] == Byte.carriageReturn
            && (endsByReturn || bytes.hasText("\r\n", at: position))
    }

    private mutating func plainField(
        in bytes: RawSpan, column: Int
    ) throws -> CSVField {
        let start = position
        while position < bytes.byteCount, bytes[position] != Byte.comma, !isLineEnd(in: bytes) {
            if bytes[position] == Byte.quote {
                throw ExchangeError.strayQuote(line: line, column: column)
            }
            if bytes[position] == 0 { throw ExchangeError.nulByte(line: line) }
            position += 1
        }
        return CSVField(range: start..<position, doubledQuotes: 0)
    }

    private mutating func quotedField(
        in bytes: RawSpan, column: Int
    ) throws -> CSVField {
        let firstLine = line
        let start = position + 1
        var doubledQuotes = 0
        position = start
        while position < bytes.byteCount {
            switch bytes[position] {
            case Byte.quote where bytes.hasText("\"\"", at: position):
                doubledQuotes += 1
                position += 1
            case Byte.quote:
                let field = CSVField(range: start..<position, doubledQuotes: doubledQuotes)
                position += 1
                guard
                    position == bytes.byteCount || bytes[position] == Byte.comma
                        || isLineEnd(in: bytes)
                else { throw ExchangeError.strayQuote(line: line, column: column) }
                return field
            case Byte.lineFeed:
                line += 1
            case Byte.carriageReturn where endsByReturn && !bytes.hasText("\r\n", at: position):
                line += 1
            case 0:
                throw ExchangeError.nulByte(line: line)
            default:
                break
            }
            position += 1
        }
        throw ExchangeError.unterminatedQuote(line: firstLine)
    }
}

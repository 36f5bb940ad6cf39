internal import TextCoding

/// A property of iCalendar: one unfolded line (RFC 5545, section 3.1).
struct ICalendarProperty {
    /// The line in the file, from 1.
    let line: Int
    /// The unfolded line.
    let source: String
    /// The name in upper case.
    let name: String
    /// The values of parameters, without quotation marks, by names in upper case.
    private(set) var parameters: [String: String] = [:]
    /// The unprocessed value.
    let value: String

    /// Parses an unfolded line; nil for any other text.
    init?(_ source: String, line: Int) {
        self.line = line
        self.source = source
        let bytes = Array(source.utf8)
        var position = 0
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        func takeName() -> String {
            let start = position
            while position < bytes.count, Self.isOfName(bytes[position]) { position += 1 }
            return text(start..<position).uppercased()
        }
        name = takeName()
        guard !name.isEmpty else { return nil }
        while position < bytes.count, bytes[position] == UInt8(ascii: ";") {
            position += 1
            let key = takeName()
            guard !key.isEmpty, position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
                return nil
            }
            position += 1
            let start = position
            var isQuoted = false
            while position < bytes.count {
                if bytes[position] == Byte.quote { isQuoted.toggle() }
                if !isQuoted, ";:".utf8.contains(bytes[position]) { break }
                position += 1
            }
            parameters[key] = text(start..<position).filter { $0 != "\"" }
        }
        guard position < bytes.count, bytes[position] == Byte.colon else { return nil }
        value = text((position + 1)..<bytes.count)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        Digits.isDigit(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == UInt8(ascii: "-")
    }

    /// The value as a text (section 3.3.11).
    var text: String { ICalendarText.read(value).joined(separator: ",") }

    /// The value as a list of texts.
    var texts: [String] { ICalendarText.read(value) }
}

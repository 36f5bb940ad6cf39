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

/// The value type TEXT (RFC 5545, section 3.3.11).
enum ICalendarText {
    /// Escapes a text. Control characters are invalid in the format and become U+FFFD.
    static func escape(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": result += ["\\", scalar]
            case "\n": result += ["\\", "n"]
            case let scalar where isControl(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a text has characters that are invalid in the format.
    static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 != "\n" && isControl($0) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
    }

    /// The unescaped texts of a list.
    static func read(_ value: String) -> [String] {
        var texts = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in value.unicodeScalars {
            var added: [Unicode.Scalar] = [scalar]
            if isEscaped {
                isEscaped = false
                switch scalar {
                case "n", "N": added = ["\n"]
                case "\\", ";", ",": break
                // A backslash before another character is not an escape.
                default: added = ["\\", scalar]
                }
            } else if scalar == "\\" {
                isEscaped = true
                continue
            } else if scalar == "," {
                texts.append(String.UnicodeScalarView())
                continue
            }
            texts[texts.count - 1] += added
        }
        if isEscaped { texts[texts.count - 1].append("\\") }
        return texts.map { String($0) }
    }
}

/// A component: the properties and components between `BEGIN` and `END`.
struct ICalendarComponent {
    /// The name in upper case.
    let name: String
    /// The line of `BEGIN`, from 1.
    let line: Int
    var properties: [ICalendarProperty] = []
    var components: [ICalendarComponent] = []

    /// The first property of a name.
    func first(_ name: String) -> ICalendarProperty? {
        properties.first { $0.name == name }
    }

    /// The unfolded lines between `BEGIN` and `END`.
    var content: [String] { properties.map(\.source) + components.flatMap(\.lines) }

    /// All unfolded lines.
    var lines: [String] { ["BEGIN:" + name] + content + ["END:" + name] }
}

/// Parses the components of a file. Lines may be folded, and end with CR LF or LF.
struct ICalendarReader {
    /// The limit of nesting; deeper components are an error. RFC 5545 has three levels.
    private static let maximumDepth = 8

    private var open: [ICalendarComponent] = []
    private var finished: [ICalendarComponent] = []

    /// The outermost components of a file.
    ///
    /// - Throws: ``TaskExchangeError``.
    static func read(_ bytes: RawSpan) throws -> [ICalendarComponent] {
        var reader = ICalendarReader()
        var start = bytes.hasText("\u{FEFF}", at: 0) ? 3 : 0
        var unfolded: [UInt8] = []
        var (number, first) = (0, 1)
        while start < bytes.byteCount {
            var end = start
            while end < bytes.byteCount, bytes[end] != Byte.lineFeed { end += 1 }
            number += 1
            let next = end + 1
            if end > start, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
            let isContinued = start < end && " \t".utf8.contains(bytes[start])
            if isContinued {
                start += 1
            } else {
                try reader.take(unfolded, line: first)
                unfolded.removeAll(keepingCapacity: true)
                first = number
            }
            // A fold may split a character.
            unfolded += bytes.extracting(start..<end).array
            start = next
        }
        try reader.take(unfolded, line: first)
        guard reader.open.isEmpty else { throw TaskExchangeError.invalidCalendar(line: number) }
        return reader.finished
    }

    /// Parses kept unfolded lines; nil if they are not complete components.
    static func read(_ lines: [String], of name: String) -> ICalendarComponent? {
        var reader = ICalendarReader()
        for line in ["BEGIN:" + name] + lines + ["END:" + name] {
            guard (try? reader.take(Array(line.utf8), line: 0)) != nil else { return nil }
        }
        return reader.open.isEmpty && reader.finished.count == 1 ? reader.finished[0] : nil
    }

    private mutating func take(_ bytes: [UInt8], line: Int) throws {
        if bytes.allSatisfy({ $0 == 0x20 }) { return }
        guard let text = unsafe bytes.span.bytes.text() else {
            throw TaskExchangeError.notUTF8(line: line)
        }
        // A line end within a kept line would start another line.
        guard !bytes.contains(Byte.lineFeed), !bytes.contains(Byte.carriageReturn),
            let property = ICalendarProperty(text, line: line)
        else {
            throw TaskExchangeError.invalidCalendar(line: line)
        }
        let name = property.value.uppercased()
        switch property.name {
        case "BEGIN":
            guard open.count < Self.maximumDepth else {
                throw TaskExchangeError.invalidCalendar(line: line)
            }
            open.append(ICalendarComponent(name: name, line: line))
        case "END":
            guard let component = open.popLast(), component.name == name else {
                throw TaskExchangeError.invalidCalendar(line: line)
            }
            if open.isEmpty {
                finished.append(component)
            } else {
                open[open.count - 1].components.append(component)
            }
        default:
            guard !open.isEmpty else { throw TaskExchangeError.invalidCalendar(line: line) }
            open[open.count - 1].properties.append(property)
        }
    }
}

extension ByteSink where Self: ~Copyable {
    /// Writes an unfolded line, folded to 75 octets.
    mutating func writeFolded(_ line: String) throws {
        var folded = String.UnicodeScalarView()
        var size = 0
        for scalar in line.unicodeScalars {
            let width = UTF8.width(scalar)
            if size + width > 75 {
                folded += ["\r", "\n", " "]
                size = 1
            }
            folded.append(scalar)
            size += width
        }
        try write(String(folded) + "\r\n")
    }
}

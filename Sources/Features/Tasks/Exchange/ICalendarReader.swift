internal import TextCoding

/// A component: the properties and components between `BEGIN` and `END`.
struct ICalendarComponent {
    /// The name in upper case.
    let name: String
    /// The line of `BEGIN`, from 1.
    let line: Int
    var properties: [ICalendarProperty] = []
    var components: [ICalendarComponent] = []
    /// The first line that cannot be read, within the component.
    var error: TaskExchangeError?

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
            guard (try? reader.take(Array(line.utf8), line: 0)) != nil,
                reader.open.allSatisfy({ $0.error == nil })
            else { return nil }
        }
        return reader.open.isEmpty && reader.finished.count == 1 ? reader.finished[0] : nil
    }

    private mutating func take(_ bytes: [UInt8], line: Int) throws {
        if bytes.allSatisfy({ $0 == 0x20 }) { return }
        guard let text = unsafe bytes.span.bytes.text() else {
            return try refuse(.notUTF8(line: line))
        }
        // A line end within a kept line would start another line.
        guard !bytes.contains(Byte.lineFeed), !bytes.contains(Byte.carriageReturn),
            let property = ICalendarProperty(text, line: line)
        else {
            return try refuse(.invalidCalendar(line: line))
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
                // A damaged part of an entry damages the entry, but not the calendar.
                if open.count > 1, let error = component.error { try refuse(error) }
                open[open.count - 1].components.append(component)
            }
        default:
            guard !open.isEmpty else { throw TaskExchangeError.invalidCalendar(line: line) }
            open[open.count - 1].properties.append(property)
        }
    }

    /// Notes a line that cannot be read in its entry.
    ///
    /// - Throws: The error, for a line outside of an entry.
    private mutating func refuse(_ error: TaskExchangeError) throws {
        guard open.count > 1 else { throw error }
        if open[open.count - 1].error == nil { open[open.count - 1].error = error }
    }
}

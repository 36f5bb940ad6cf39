package import HTTPClient
package import TextCoding

/// The content of a message: a task from another person or program (`Docs/Inbox.md`).
package struct MessageContent: Sendable, Hashable {
    /// The maximum size of a message, in bytes.
    package static let maximumSize = 65_536
    private static let maximumLineSize = 4_096
    private static let maximumListSize = 256
    private static let maximumSubtasks = 500

    /// The title, one line. It becomes the name of the task.
    package let title: String
    /// The description, one or more lines; may be empty.
    package let body: String
    /// The URL of a picture.
    package let picture: WebURL?
    /// The due date.
    package let due: PointInTime?
    /// The name of the task's list.
    package let list: String?
    /// The names of the subtasks.
    package let subtasks: [String]
    /// The names of members with an invalid value. Their values are ignored.
    package let leftOut: [String]

    /// Reads the JSON of a message, or of an Apple push notification, which has its title and body
    /// in `aps`.
    ///
    /// - Returns: nil if the content is not a JSON object with a title.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount <= Self.maximumSize, let members = MessageMembers(bytes),
            let title = members.title, Self.isLine(title, Self.maximumLineSize)
        else { return nil }
        self.title = title
        var leftOut = members.leftOut
        /// The converted value; nil if it is missing or invalid.
        func checked<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
            guard let text = members.texts[name] else { return nil }
            guard let value = read(text) else {
                leftOut.append(name)
                return nil
            }
            return value
        }
        body = checked("body") { $0.utf8.contains(0) ? nil : Self.withUnixLines($0) } ?? ""
        picture = checked("picture") { text in
            (try? WebURL(text)).flatMap { $0.scheme == .https ? $0 : nil }
        }
        due = checked("due") { PointInTime(rfc3339: $0) }
        list = checked("list") { Self.isLine($0, Self.maximumListSize) ? $0 : nil }
        subtasks = members.subtasks.filter { Self.isLine($0, Self.maximumLineSize) }
            .prefix(Self.maximumSubtasks).map(\.self)
        if subtasks.count < members.subtasks.count { leftOut.append("subtasks") }
        self.leftOut = leftOut.sorted()
    }

    /// The reason why bytes are not a message; nil for a message.
    package static func problem(of bytes: RawSpan) -> String? {
        if bytes.byteCount > maximumSize { return "it is longer than \(maximumSize) bytes" }
        guard let members = MessageMembers(bytes) else { return "it is not a valid JSON object" }
        guard let title = members.title, !title.isEmpty else { return "a title is missing" }
        if title.utf8.count > maximumLineSize {
            return "the title is longer than \(maximumLineSize) bytes"
        }
        if title.utf8.contains(0) { return "the title has a zero byte" }
        return isLine(title, maximumLineSize) ? nil : "a title is missing"
    }

    /// Replaces each CR LF with LF.
    private static func withUnixLines(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\n", result.last == "\r" { result.removeLast() }
            result.append(scalar)
        }
        return String(result)
    }

    /// Whether a text is valid as a name in the to-do list.
    private static func isLine(_ text: String, _ maximum: Int) -> Bool {
        text.utf8.count <= maximum && !text.utf8.contains(0)
            && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }
}

/// The members of a message before conversion.
private struct MessageMembers {
    private struct Failure: JSONReadingFailure {
        static func invalidJSON(line: Int) -> Failure { Failure() }
    }

    private static let names: Set<String> = ["title", "body", "picture", "due", "list"]

    private(set) var texts: [String: String] = [:]
    private(set) var subtasks: [String] = []
    /// The names of members whose value has a wrong type.
    private(set) var leftOut: [String] = []
    private var alert: [String: String] = [:]
    private var seen: Set<String> = []

    /// The title, from `title` or from `aps`.
    private(set) var title: String?

    init?(_ bytes: RawSpan) {
        do {
            var reader = JSONReader<Failure>(bytes)
            guard try reader.nextKind(in: bytes) == .object else { return nil }
            try read(&reader, bytes)
            try reader.expectEnd(in: bytes)
        } catch {
            return nil
        }
        title = texts["title"] ?? alert["title"]
        texts["body"] = texts["body"] ?? alert["body"]
    }

    private mutating func read(_ reader: inout JSONReader<Failure>, _ bytes: RawSpan) throws {
        while let name = try reader.nextKey(in: bytes, isFirst: seen.isEmpty) {
            // The meaning of a duplicate member is ambiguous.
            guard seen.insert(name).inserted else { throw reader.unexpected(in: bytes) }
            let kind = try reader.nextKind(in: bytes)
            switch (name, kind) {
            case ("subtasks", .array): try readSubtasks(&reader, bytes)
            case ("aps", .object): try readService(&reader, bytes)
            case (_, .string) where Self.names.contains(name):
                texts[name] = try reader.text(in: bytes)
            default:
                if kind != .null, Self.names.contains(name) || name == "subtasks" {
                    leftOut.append(name)
                }
                try reader.skipValue(in: bytes)
            }
        }
    }

    private mutating func readSubtasks(
        _ reader: inout JSONReader<Failure>, _ bytes: RawSpan
    ) throws {
        var isFirst = true
        while try reader.nextElement(in: bytes, isFirst: isFirst) {
            isFirst = false
            if try reader.nextKind(in: bytes) == .string {
                subtasks.append(try reader.text(in: bytes))
            } else {
                try reader.skipValue(in: bytes)
                // An empty name is invalid and is reported.
                subtasks.append("")
            }
        }
    }

    /// Reads `{"alert":{"title":…,"body":…}}`, or a string as `alert`.
    private mutating func readService(
        _ reader: inout JSONReader<Failure>, _ bytes: RawSpan
    ) throws {
        var isFirst = true
        while let name = try reader.nextKey(in: bytes, isFirst: isFirst) {
            isFirst = false
            let kind = try reader.nextKind(in: bytes)
            switch (name, kind) {
            case ("alert", .string): alert["title"] = try reader.text(in: bytes)
            case ("alert", .object):
                var isFirst = true
                while let name = try reader.nextKey(in: bytes, isFirst: isFirst) {
                    isFirst = false
                    if try reader.nextKind(in: bytes) == .string {
                        alert[name] = try reader.text(in: bytes)
                    } else {
                        try reader.skipValue(in: bytes)
                    }
                }
            default: try reader.skipValue(in: bytes)
            }
        }
    }
}

extension PointInTime {
    /// Reads a time of RFC 3339 with its time zone, in the years 1 to 9998; nil for any other text.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count,
                bytes[range].allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func isSeparated(_ places: [(Int, String)]) -> Bool {
            places.allSatisfy { $0 < bytes.count && $1.utf8.contains(bytes[$0]) }
        }
        guard isSeparated([(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")]),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...9_998).contains(year), hour < 24, minute < 60, second <= 60,
            let date = GregorianDay(year: year, month: month, day: day)
        else { return nil }
        var zone = 19
        var fraction: Int64 = 0
        if zone < bytes.count, bytes[zone] == UInt8(ascii: ".") {
            let digits = bytes[(zone + 1)...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            for place in 0..<3 {
                let digit = place < digits.count ? digits[digits.startIndex + place] - 0x30 : 0
                fraction = fraction * 10 + Int64(digit)
            }
            zone = digits.endIndex
        }
        var offset: Int64 = 0
        switch bytes.dropFirst(zone).first {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            guard zone + 1 == bytes.count else { return nil }
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard zone + 6 == bytes.count, isSeparated([(zone + 3, ":")]),
                let hours = number((zone + 1)..<(zone + 3)),
                let minutes = number((zone + 4)..<(zone + 6)), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (bytes[zone] == UInt8(ascii: "-") ? -60 : 60)
        default: return nil
        }
        // A leap second counts as the second before.
        let seconds = (hour * 60 + minute) * 60 + min(second, 59) - offset
        self.init(milliseconds: (date.number * 86_400 + seconds) * 1_000 + fraction)
    }
}

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
    private static let names = ["title", "body", "picture", "due", "list"]

    private(set) var texts: [String: String] = [:]
    private(set) var subtasks: [String] = []
    /// The names of members whose value has a wrong type.
    private(set) var leftOut: [String] = []
    /// The title, from `title` or from `aps`.
    let title: String?

    init?(_ bytes: RawSpan) {
        guard let object = JSONObject(bytes) else { return nil }
        for name in Self.names {
            texts[name] = object.text(name, in: bytes)
            if object.has(name), texts[name] == nil { leftOut.append(name) }
        }
        if let ranges = object.elements("subtasks", in: bytes) {
            // An empty name is invalid and is reported.
            subtasks = ranges.map { JSONObject.text(at: $0, in: bytes) ?? "" }
        } else if object.has("subtasks") {
            leftOut.append("subtasks")
        }
        let alert = Self.alert(object, bytes)
        title = texts["title"] ?? alert.title
        texts["body"] = texts["body"] ?? alert.body
    }

    /// The title and body in `{"alert":{"title":…,"body":…}}`, or in a string as `alert`.
    private static func alert(
        _ object: JSONObject, _ bytes: RawSpan
    ) -> (title: String?, body: String?) {
        guard let range = object.range(of: "aps") else { return (nil, nil) }
        let part = bytes.extracting(range)
        guard let service = JSONObject(part), let place = service.range(of: "alert") else {
            return (nil, nil)
        }
        if let title = service.text("alert", in: part) { return (title, nil) }
        let inner = part.extracting(place)
        let alert = JSONObject(inner)
        return (alert?.text("title", in: inner), alert?.text("body", in: inner))
    }
}

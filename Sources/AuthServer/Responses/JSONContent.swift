internal import TextCoding

/// Puts an object of JSON together in memory.
///
/// Every answer and every line of the log is one. `JSONWriter` writes the same into any sink, which costs more than all else that an answer
/// takes: this one appends bytes.
struct JSONContent: ~Copyable {
    private var bytes: [UInt8] = []
    /// Whether a comma stands before the next member.
    private var isFirst = true

    /// The bytes of an object whose members `body` writes, with a line end.
    static func object(_ body: (inout JSONContent) -> Void) -> [UInt8] {
        var json = JSONContent()
        json.bytes.reserveCapacity(512)
        json.bytes.append(UInt8(ascii: "{"))
        body(&json)
        json.bytes.append(UInt8(ascii: "}"))
        json.bytes.append(UInt8(ascii: "\n"))
        return json.bytes
    }

    /// Writes a string, or null.
    mutating func member(_ key: StaticString, _ text: String?) {
        self.key(key)
        if let text { string(text) } else { null() }
    }

    /// Writes an integer, or null.
    mutating func member(_ key: StaticString, _ number: (some FixedWidthInteger)?) {
        self.key(key)
        if let number { bytes.append(contentsOf: String(number).utf8) } else { null() }
    }

    /// Writes true or false.
    mutating func member(_ key: StaticString, _ flag: Bool) {
        self.key(key)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Writes a time, as `Timestamp.rfc3339(milliseconds:)` says.
    mutating func member(_ key: StaticString, milliseconds: Int64) {
        member(key, Timestamp.rfc3339(milliseconds: milliseconds))
    }

    /// Writes strings.
    mutating func member(_ key: StaticString, _ texts: [String]) {
        self.key(key)
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for text in texts {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            string(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// A key of this program's own, which needs no escapes.
    private mutating func key(_ key: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func string(_ text: String) {
        JSONText.append(quoted: text, to: &bytes)
    }

    private mutating func null() {
        bytes.append(contentsOf: "null".utf8)
    }
}

package import SecretMemory
internal import TextCoding

/// Text with secrets in guarded memory, of a fixed capacity.
package struct SecretText: ~Copyable {
    private var bytes: SecretBytes
    private var count = 0

    /// Makes an empty text.
    ///
    /// - Parameter capacity: The maximum size, in bytes.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package init(capacity: Int) throws {
        bytes = try SecretBytes(count: capacity)
    }

    /// Appends ASCII that is not secret.
    package mutating func append(_ text: String) {
        for byte in text.utf8 { append(byte) }
    }

    package mutating func append(_ byte: UInt8) {
        let offset = count
        bytes.withMutableBytes { $0.set(byte, at: offset) }
        count += 1
    }

    /// Appends a field of `application/x-www-form-urlencoded` (RFC 6749, appendix B). All bytes but
    /// letters, digits and `-._` are escaped.
    mutating func appendField(_ name: String, _ value: RawSpan) {
        append((count == 0 ? "" : "&") + name + "=")
        appendEscaped(value)
    }

    /// Appends an escaped value of `application/x-www-form-urlencoded`.
    mutating func appendEscaped(_ value: RawSpan) {
        for offset in 0..<value.byteCount {
            let byte = value[offset]
            if Self.isPlain(byte) {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(Self.digit(byte >> 4))
                append(Self.digit(byte & 15))
            }
        }
    }

    /// Appends a string member to the open JSON object. The value is UTF-8.
    package mutating func appendMember(_ name: String, _ value: RawSpan) {
        append((count == 0 ? "{" : ",") + "\"" + name + "\":\"")
        for offset in 0..<value.byteCount {
            let byte = value[offset]
            switch byte {
            case Byte.quote, Byte.backslash:
                append(Byte.backslash)
                append(byte)
            case 0..<0x20:
                append("\\u00")
                append(Self.digit(byte >> 4))
                append(Self.digit(byte & 15))
            default: append(byte)
            }
        }
        append("\"")
    }

    /// The maximum size of a value of `count` bytes as a field or member, with a name of up to 32
    /// bytes.
    package static func size(_ count: Int) -> Int { 6 * count + 40 }

    /// Returns the text.
    package consuming func finish() -> SecretBytes {
        let count = count
        var result = bytes
        result.keep(count: count)
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension String {
    /// Lends the bytes of a text that is not secret.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        let bytes = Array(utf8)
        // Safe: the array outlives the span.
        return body(unsafe bytes.span.bytes)
    }
}

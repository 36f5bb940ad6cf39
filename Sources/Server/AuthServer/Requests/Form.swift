internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The reason why the content of a request is refused.
enum ContentError: JSONReadingFailure, Hashable {
    /// The content is neither a form nor a JSON object of strings, or it has too many fields.
    case malformed
    /// A field is repeated (RFC 6749 section 3.2).
    case repeated(String)
    /// A member is unknown.
    case unknown(String)

    static func invalidJSON(line: Int) -> ContentError { .malformed }
    static func repeatedMember(_ name: String, line: Int) -> ContentError { .repeated(name) }
}

/// The fields of `application/x-www-form-urlencoded` content (WHATWG URL Standard, section 5), as OAuth uses it (RFC 6749 appendix B).
///
/// A value is decoded on access, so a password goes directly into guarded memory.
struct Form {
    private let body: RequestBody
    private let fields: [(name: String, value: Range<Int>)]

    /// Finds the fields, up to `limit`; 0 is no limit.
    ///
    /// - Throws: `ContentError`.
    init(_ body: RequestBody, limit: Int) throws {
        self.body = body
        fields = try body.withBytes { bytes in
            try Self.fields(bytes, limit: limit == 0 ? .max : limit)
        }
    }

    /// The value of a field; nil if it is missing or empty, which are equivalent (RFC 6749 section
    /// 3.2).
    ///
    /// - Throws: `ContentError.malformed` for a value that is not ASCII.
    func text(_ name: String) throws -> String? {
        guard let range = range(name) else { return nil }
        return try body.withBytes { bytes in
            try FormText.text(bytes.extracting(range))
        }
    }

    /// The value of a field that may be any Unicode text. Check its size before a comparison, which can be slow.
    func unicodeText(_ name: String) throws -> String? {
        guard let range = range(name) else { return nil }
        return try body.withBytes { bytes in
            try FormText.unicodeText(bytes.extracting(range))
        }
    }

    /// The value of a secret field; nil if it is missing or empty.
    ///
    /// - Throws: `ContentError`, `SecretMemoryError`.
    func secret(_ name: String) throws -> SecretBytes? {
        guard let range = range(name) else { return nil }
        return try body.withBytes { bytes in
            try FormText.secret(bytes.extracting(range))
        }
    }

    private func range(_ name: String) -> Range<Int>? {
        fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    private static func fields(
        _ bytes: RawSpan, limit: Int
    ) throws -> [(name: String, value: Range<Int>)] {
        var fields: [(name: String, value: Range<Int>)] = []
        var names: Set<String> = []
        var start = 0
        while start < bytes.byteCount {
            var end = start
            var equals: Int?
            while end < bytes.byteCount, bytes[end] != UInt8(ascii: "&") {
                if equals == nil, bytes[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if end > start {
                let name = try FormText.text(bytes.extracting(start..<(equals ?? end)))
                guard names.insert(name).inserted else { throw ContentError.repeated(name) }
                guard fields.count < limit else { throw ContentError.malformed }
                fields.append((name, (equals.map { $0 + 1 } ?? end)..<end))
            }
            start = end + 1
        }
        return fields
    }
}

/// Decoding of percent-encoded text, in which a plus sign is a space.
enum FormText {
    /// Decodes the ASCII text of a name, or of a value that is compared (RFC 6749 appendix A).
    static func text(_ bytes: RawSpan) throws -> String {
        let text = try unicodeText(bytes)
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw ContentError.malformed }
        return text
    }

    /// Decodes text.
    static func unicodeText(_ bytes: RawSpan) throws -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.byteCount)
        var offset = 0
        while offset < bytes.byteCount {
            let byte = try next(bytes, &offset)
            guard byte >= 0x20, byte != 0x7F else { throw ContentError.malformed }
            decoded.append(byte)
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw ContentError.malformed
        }
        return text
    }

    /// Decodes a secret into guarded memory, without validating it as UTF-8.
    static func secret(_ bytes: RawSpan) throws -> SecretBytes {
        var secret = try SecretBytes(count: bytes.byteCount)
        var offset = 0
        var size = 0
        while offset < bytes.byteCount {
            let byte = try next(bytes, &offset)
            secret.withMutableBytes { $0.set(byte, at: size) }
            size += 1
        }
        secret.keep(count: size)
        return secret
    }

    private static func next(_ bytes: RawSpan, _ offset: inout Int) throws -> UInt8 {
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "+"): return 0x20
        case UInt8(ascii: "%"):
            guard offset + 2 <= bytes.byteCount, let high = digit(bytes[offset]),
                let low = digit(bytes[offset + 1])
            else { throw ContentError.malformed }
            offset += 2
            return high << 4 | low
        default: return byte
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

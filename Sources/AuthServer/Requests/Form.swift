internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// Why a form is refused.
enum FormError: Error, Hashable {
    /// It is no form: a wrong percent sign, text that is not UTF-8, a control character, too many fields.
    case malformed
    /// A field is there twice (RFC 6749 section 3.2).
    case repeated(String)
    /// No memory for a secret.
    case outOfMemory
}

/// The fields of `application/x-www-form-urlencoded` content (WHATWG URL Standard, section 5), as OAuth uses it (RFC 6749 appendix B).
///
/// Values stay where they are until they are asked for, so that a password goes from there straight into guarded memory.
struct Form {
    private let body: RequestBody
    private let fields: [(name: String, value: Range<Int>)]

    /// Finds the fields, of which there are no more than `limit`; 0 is none.
    init(_ body: RequestBody, limit: Int) throws(FormError) {
        self.body = body
        fields = try body.withBytes { (bytes) throws(FormError) in
            try Self.fields(bytes, limit: limit == 0 ? .max : limit)
        }
    }

    /// The value of a field; nil if it is missing or empty, which is the same (RFC 6749 section 3.2).
    func text(_ name: String) throws(FormError) -> String? {
        guard let range = range(name) else { return nil }
        return try body.withBytes { (bytes) throws(FormError) in
            try FormText.text(bytes.extracting(range))
        }
    }

    /// The value of a field that is a secret; nil if it is missing or empty.
    ///
    /// - Throws: `malformed`, `outOfMemory`.
    func secret(_ name: String) throws(FormError) -> SecretBytes? {
        guard let range = range(name) else { return nil }
        return try body.withBytes { (bytes) throws(FormError) in
            try FormText.secret(bytes.extracting(range))
        }
    }

    private func range(_ name: String) -> Range<Int>? {
        fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    private static func fields(
        _ bytes: RawSpan, limit: Int
    ) throws(FormError) -> [(name: String, value: Range<Int>)] {
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
                guard names.insert(name).inserted else { throw .repeated(name) }
                guard fields.count < limit else { throw .malformed }
                fields.append((name, (equals.map { $0 + 1 } ?? end)..<end))
            }
            start = end + 1
        }
        return fields
    }
}

/// Percent-encoded text, in which a plus sign is a space.
enum FormText {
    /// Decodes text.
    static func text(_ bytes: RawSpan) throws(FormError) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.byteCount)
        var offset = 0
        while offset < bytes.byteCount {
            let byte = try next(bytes, &offset)
            guard byte >= 0x20, byte != 0x7F else { throw .malformed }
            decoded.append(byte)
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .malformed }
        return text
    }

    /// Decodes a secret; whoever uses it says what it has to be.
    static func secret(_ bytes: RawSpan) throws(FormError) -> SecretBytes {
        var secret: SecretBytes
        do {
            secret = try SecretBytes(count: bytes.byteCount)
        } catch {
            throw .outOfMemory
        }
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

    private static func next(_ bytes: RawSpan, _ offset: inout Int) throws(FormError) -> UInt8 {
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "+"): return 0x20
        case UInt8(ascii: "%"):
            guard offset + 2 <= bytes.byteCount, let high = digit(bytes[offset]),
                let low = digit(bytes[offset + 1])
            else { throw .malformed }
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

internal import SecretMemory
internal import TextCoding

/// `application/x-www-form-urlencoded` (RFC 6749, appendix B), for text that is not secret.
enum WebForm {
    /// Encodes fields.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    static func text(_ fields: [(name: String, value: String)]) throws -> String {
        let size = fields.map { SecretText.size($0.value.utf8.count) }.reduce(0, +)
        var form = try SecretText(capacity: size)
        for (name, value) in fields { value.withBytes { form.appendField(name, $0) } }
        return form.finish().withBytes { $0.text() } ?? ""
    }

    /// Decodes fields.
    ///
    /// - Returns: The values by name; nil for a repeated name (section 3.1), an invalid escape, and
    ///   bytes that are not UTF-8.
    static func fields(_ text: String) -> [String: String]? {
        var fields: [String: String] = [:]
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(halves[0]),
                let value = halves.count == 2 ? decoded(halves[1]) : "",
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
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

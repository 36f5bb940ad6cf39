public import SecureStorage

/// A reference to a secret: `service/account` or `service/account/field`, optionally after
/// `taskvault://`.
///
/// In a part, `%` and two hexadecimal digits represent a byte of UTF-8: `%2F` is a slash, `%25` a
/// percent sign.
public struct SecretReference: Sendable, Hashable {
    /// The optional prefix of a reference. In templates it is required.
    public static let scheme = "taskvault://"

    /// The secret.
    public let name: SecretName

    /// Reads a reference.
    ///
    /// - Throws: ``SecretReferenceError``; `SecureStoreError.invalidName` for an invalid part.
    public init(_ text: String) throws {
        var text = text[...]
        if text.hasPrefix(Self.scheme) { text = text.dropFirst(Self.scheme.count) }
        let parts = try text.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        )
        .map { try Self.decode($0) }
        guard (2...3).contains(parts.count), !parts.contains("") else {
            throw SecretReferenceError.parts
        }
        name = try SecretName(
            service: parts[0], account: parts[1],
            field: parts.count == 3 ? parts[2] : SecretName.standardField)
    }

    /// Decodes a part (RFC 3986, section 2.1).
    private static func decode(_ part: Substring.UTF8View.SubSequence) throws -> String {
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digit),
                let low = rest.popFirst().flatMap(Self.digit)
            else { throw SecretReferenceError.percent }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SecretReferenceError.percent
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

/// The reason why a text is not a reference.
public enum SecretReferenceError: Error, Sendable, Hashable {
    /// The text does not have two or three parts, or a part is empty.
    case parts
    /// A percent sign without two hexadecimal digits, or decoded bytes that are not UTF-8.
    case percent
    /// A reference that starts on this line of a template does not end on it.
    case open(line: Int)
    /// A reference on this line of a template is invalid.
    case malformed(line: Int)
}

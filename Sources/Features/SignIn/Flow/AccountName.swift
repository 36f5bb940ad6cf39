internal import SecureStorage

/// The name of an account at a server, usually an e-mail address: 1 to 254 bytes without control
/// characters.
///
/// Only the server knows which names are equal. This type compares their bytes.
public struct AccountName: Sendable, Hashable {
    /// The maximum size in bytes of UTF-8: that of an e-mail address (RFC 5321, erratum 1690).
    public static let maximumSize = 254

    /// The name without surrounding white space.
    public let text: String

    /// Makes a name.
    ///
    /// - Returns: nil if the name is empty, too long, or has a control character.
    public init?(_ typed: String) {
        let text = typed.trimmingSpaces()
        guard text.utf8.count <= Self.maximumSize,
            (try? SecretName(service: text, account: text)) != nil
        else { return nil }
        self.text = text
    }

    /// Compares the UTF-8 bytes.
    public static func == (left: AccountName, right: AccountName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
}

extension String {
    fileprivate func trimmingSpaces() -> String {
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        var rest = unicodeScalars[...]
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}

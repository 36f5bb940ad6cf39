internal import SecureStorage

/// The name of an account at a server, an e-mail address in most cases: 1 to 254 bytes without control characters.
///
/// Only the server knows which names are the same; here they are compared by their bytes.
public struct AccountName: Sendable, Hashable {
    /// The largest size, in bytes of UTF-8: that of an e-mail address (RFC 5321, erratum 1690).
    public static let maximumSize = 254

    /// The name without white space around it.
    public let text: String

    /// Makes a name.
    ///
    /// - Returns: nil for one that is empty, too long, or holds a control character.
    public init?(_ typed: String) {
        let text = typed.trimmingSpaces()
        guard text.utf8.count <= Self.maximumSize,
            (try? SecretName(service: text, account: text)) != nil
        else { return nil }
        self.text = text
    }

    /// Compares the bytes of UTF-8.
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

public import HTTPClient
internal import SecureStorage

/// An authorization server, named by its issuer URL (RFC 8414, section 2) in normalised form.
///
/// Stored credentials belong to one issuer and are never sent to another.
public struct Issuer: Sendable, Hashable {
    /// The maximum size in bytes. It fits into a name of the vault.
    public static let maximumSize = 512

    /// The URL without a trailing slash.
    public let text: String
    let url: WebURL

    /// Accepts an `https` URL, or `http` on this machine, without a query.
    ///
    /// - Returns: nil for any other URL.
    public init?(_ url: WebURL) {
        var text = url.description
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        guard url.query == nil, url.scheme == .https || url.isLoopback,
            text.utf8.count <= Self.maximumSize
        else { return nil }
        self.text = text
        self.url = url
    }

    /// Compares the normalised text, which is ASCII.
    public static func == (left: Issuer, right: Issuer) -> Bool { left.text == right.text }

    /// Hashes the normalised text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The path without a trailing slash; empty for most servers.
    var path: String { String(text.dropFirst(url.origin.count)) }
}

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

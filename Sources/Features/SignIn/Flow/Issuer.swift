public import HTTPClient

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

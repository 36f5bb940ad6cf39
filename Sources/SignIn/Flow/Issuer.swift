public import HTTPClient

/// An auth server as its tokens name it: the URL of its issuer (RFC 8414 section 2), in one spelling.
///
/// What is cached in the vault belongs to one issuer and is never sent to another.
public struct Issuer: Sendable, Hashable {
    /// The largest size, in bytes, so that it fits into a name in the vault.
    public static let maximumSize = 512

    /// The URL without a slash at the end.
    public let text: String
    let url: WebURL

    /// Takes an address: `https`, or `http` on this machine, without a query.
    ///
    /// - Returns: nil for any other.
    public init?(_ url: WebURL) {
        var text = url.description
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        guard url.query == nil, url.scheme == .https || url.isLoopback,
            text.utf8.count <= Self.maximumSize
        else { return nil }
        self.text = text
        self.url = url
    }

    /// Compares the one spelling, which is ASCII.
    public static func == (left: Issuer, right: Issuer) -> Bool { left.text == right.text }

    /// Feeds the one spelling to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The path without a slash at the end; empty for most servers.
    var path: String { String(text.dropFirst(url.origin.count)) }
}

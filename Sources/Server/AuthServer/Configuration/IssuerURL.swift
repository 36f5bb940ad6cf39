/// The URL at which clients reach the server: scheme, host and port only (RFC 8414 section 2).
struct IssuerURL: Sendable, Hashable {
    /// The URL.
    let text: String
    /// The host, in brackets if it is an IPv6 address.
    let host: String
    /// Whether the URL names the client's own machine.
    let isLoopback: Bool

    /// Parses a URL; nil for any other text, and for a URL with a user, path, query or fragment.
    init?(_ text: String) {
        let rest: Substring
        if text.hasPrefix("https://") {
            rest = text.dropFirst("https://".count)
        } else if text.hasPrefix("http://") {
            rest = text.dropFirst("http://".count)
        } else {
            return nil
        }
        guard let host = Self.host(of: rest) else { return nil }
        self.text = text
        self.host = host
        isLoopback = host == "localhost" || ListenAddress("\(host):0")?.isLoopback == true
    }

    /// Whether clients use TLS.
    var isEncrypted: Bool { text.hasPrefix("https://") }

    /// The host name, IPv4 address, or IPv6 address in brackets, before an optional port; nil for any other text.
    private static func host(of text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[")
        let host: Substring
        let rest: Substring
        if isBracketed {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<colon]
            rest = text[colon...]
        }
        guard rest.isEmpty || isPort(rest) else { return nil }
        if isBracketed { return ListenAddress("[\(host)]:0").map { _ in "[\(host)]" } }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63
                && label.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                        || byte == UInt8(ascii: "-")
                }
        }
        return isName ? String(host) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), !digits.isEmpty, let port = UInt16(digits) else { return false }
        return port > 0 && String(port) == digits
    }
}

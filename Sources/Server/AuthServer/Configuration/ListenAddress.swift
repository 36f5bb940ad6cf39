internal import Platform

/// The address of a server: a numeric IPv4 or IPv6 address and a port.
struct ListenAddress: Sendable, Hashable {
    /// The address, without brackets.
    let address: String
    /// The port; 0 if the system chooses it.
    let port: UInt16
    private let bytes: [UInt8]

    /// Parses `127.0.0.1:8420` or `[::1]:8420`; nil for any other text.
    ///
    /// The corresponding C function is `inet_pton`.
    init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.utf8.count <= 5, let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard !host.utf8.contains(0),
            let bytes = Self.bytes(String(host), isBracketed ? AF_INET6 : AF_INET)
        else { return nil }
        address = String(host)
        self.port = port
        self.bytes = bytes
    }

    private static func bytes(_ text: String, _ family: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// Whether it is a loopback address.
    var isLoopback: Bool {
        bytes.count == 4
            ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether it is the unspecified address, which identifies no machine.
    var isEvery: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The form in a URL, with the port that the system chose, if given.
    func text(port: UInt16? = nil) -> String {
        let host = bytes.count == 4 ? address : "[\(address)]"
        return "\(host):\(port ?? self.port)"
    }
}

/// The URL at which clients reach the server: scheme, host and port only (RFC 8414 section 2).
struct IssuerURL: Sendable, Hashable {
    /// The URL.
    let text: String
    /// The host, in brackets if it is an IPv6 address.
    let host: String
    /// Whether it is on the client's own machine.
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

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

    /// Whether this is a loopback address.
    var isLoopback: Bool {
        bytes.count == 4
            ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether this is the unspecified address (`0.0.0.0` or `::`), which identifies no machine.
    var isEvery: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The form in a URL, with the port that the system chose, if given.
    func text(port: UInt16? = nil) -> String {
        let host = bytes.count == 4 ? address : "[\(address)]"
        return "\(host):\(port ?? self.port)"
    }
}

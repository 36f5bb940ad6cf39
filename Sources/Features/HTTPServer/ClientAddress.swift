internal import Platform

/// The numeric address of a client, without its port.
public struct ClientAddress: Sendable, Hashable {
    /// The usual form: `192.0.2.7`, `2001:db8::1`; an IPv4-mapped IPv6 address is written as IPv4.
    public let text: String
    /// The unit of per-client limits: the address, or the /64 network of an IPv6 address, such as
    /// `2001:db8::/64`.
    public let network: String

    /// The IPv4 loopback address.
    public static let loopback = ClientAddress(text: "127.0.0.1", network: "127.0.0.1")

    /// Whether this is a loopback address.
    public var isLoopback: Bool { text.hasPrefix("127.") || text == "::1" }

    /// Makes an address from its two forms.
    public init(text: String, network: String) {
        self.text = text
        self.network = network
    }
}

extension ClientAddress {
    /// The first 12 bytes of an IPv4-mapped IPv6 address.
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

    /// Makes an address of 4 or 16 bytes.
    init(bytes: [UInt8]) {
        if bytes.count == 4 {
            let text = Self.text(bytes, AF_INET)
            self.init(text: text, network: text)
        } else if bytes.count == 16, Self.isMapped(bytes) {
            self.init(bytes: Array(bytes.suffix(4)))
        } else if bytes.count == 16 {
            let network = Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8)
            self.init(
                text: Self.text(bytes, AF_INET6), network: Self.text(network, AF_INET6) + "/64")
        } else {
            self.init(text: "", network: "")
        }
    }

    /// Reads a numeric address without port and brackets; nil for any other text.
    init?(numeric text: String) {
        guard let bytes = Self.bytes(of: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Whether 16 bytes are an IPv4-mapped IPv6 address.
    static func isMapped(_ bytes: [UInt8]) -> Bool { bytes.starts(with: mapped) }

    /// The 4 or 16 bytes of a numeric address; nil for any other text.
    ///
    /// The corresponding C function is `inet_pton`.
    static func bytes(of text: String) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        let isLong = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        return unsafe inet_pton(isLong ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }

    private static func text(_ bytes: [UInt8], _ family: Int32) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
            return ""
        }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension ClientAddress {
    /// The networks whose attempts are counted, narrowest first: an IPv4 address and its /24, or
    /// the /64, /56 and /48 of an IPv6 address.
    ///
    /// Providers assign up to a /48 to one customer (RFC 6177), and a host often has neighbouring
    /// addresses.
    public var networks: [String] {
        guard let bytes = Self.bytes(of: text) else { return [network] }
        if bytes.count == 4 {
            return [text, bytes.prefix(3).map(String.init).joined(separator: ".") + ".0/24"]
        }
        return [network, prefix(bytes, 56), prefix(bytes, 48)]
    }

    private func prefix(_ bytes: [UInt8], _ bitCount: Int) -> String {
        let kept = bytes.prefix(bitCount / 8)
        let digits = kept.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return digits.joined() + "/\(bitCount)"
    }
}

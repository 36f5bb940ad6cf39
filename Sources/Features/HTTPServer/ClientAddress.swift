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

    /// Whether it is a loopback address.
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

/// A numeric address, or all addresses with the same prefix.
public struct AddressNetwork: Sendable, Hashable {
    private let bytes: [UInt8]
    private let bitCount: Int

    /// Reads `192.0.2.7`, `192.0.2.0/24`, `2001:db8::1` or `2001:db8::/32` (RFC 4632, RFC 4291
    /// section 2.3).
    ///
    /// Returns nil for any other text, for bits set after the prefix, and for an IPv4-mapped IPv6
    /// address. An empty prefix is invalid too, because it would match all addresses.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = ClientAddress.bytes(of: String(parts[0])),
            !(bytes.count == 16 && ClientAddress.isMapped(bytes))
        else { return nil }
        let bitCount = parts.count == 1 ? 8 * bytes.count : Int(parts[1]) ?? 0
        guard (1...8 * bytes.count).contains(bitCount),
            parts.count == 1 || String(bitCount) == parts[1]
        else { return nil }
        let isClear = (bitCount..<8 * bytes.count).allSatisfy { !Self.bit($0, of: bytes) }
        guard isClear else { return nil }
        self.bytes = bytes
        self.bitCount = bitCount
    }

    /// Whether the network contains an address.
    public func contains(_ address: ClientAddress) -> Bool {
        guard let other = ClientAddress.bytes(of: address.text), other.count == bytes.count else {
            return false
        }
        return (0..<bitCount).allSatisfy { Self.bit($0, of: other) == Self.bit($0, of: bytes) }
    }

    private static func bit(_ index: Int, of bytes: [UInt8]) -> Bool {
        bytes[index / 8] >> (7 - index % 8) & 1 == 1
    }
}

/// The proxies whose `X-Forwarded-For` is accepted.
struct TrustedProxies: Sendable {
    private let networks: [AddressNetwork]

    /// Makes the list of trusted networks.
    init(_ networks: [AddressNetwork]) {
        self.networks = networks
    }

    /// Whether an address belongs to a trusted proxy.
    func contain(_ address: ClientAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The client of a request, according to its proxies.
    enum Client: Hashable {
        /// The peer itself: it is not a trusted proxy, or it names no client.
        case peer
        /// The client named by a trusted proxy.
        case named(ClientAddress)
        /// A trusted proxy sent an invalid address.
        case unreadable
    }

    /// Finds the client of a request from `peer`.
    ///
    /// Each proxy appends its own client to `X-Forwarded-For`. The client is the last entry that is
    /// not a trusted proxy. Earlier entries can be forged, so they are ignored.
    func client(of peer: ClientAddress, _ headers: HTTPHeaders) -> Client {
        guard contain(peer) else { return .peer }
        for value in headers.values("X-Forwarded-For").reversed() {
            for entry in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                let parts = entry.split { $0 == " " || $0 == "\t" }
                guard parts.count == 1, let address = ClientAddress(numeric: String(parts[0]))
                else { return .unreadable }
                if !contain(address) { return .named(address) }
            }
        }
        return .peer
    }
}

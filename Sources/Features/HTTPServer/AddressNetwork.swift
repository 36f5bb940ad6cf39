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

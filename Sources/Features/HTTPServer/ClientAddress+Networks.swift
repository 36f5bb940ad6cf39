internal import Platform

extension ClientAddress {
    /// The networks whose attempts are counted, the narrowest first: the address and its /24 network, or the /64, /56 and /48 networks of an
    /// IPv6 address. Providers give one customer up to a /48 (RFC 6177), and a host often the addresses beside its own.
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

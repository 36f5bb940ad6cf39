internal import Platform

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

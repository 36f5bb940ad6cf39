internal import Platform

extension ClientAddress {
    /// The first 12 bytes of an IPv4 address inside IPv6.
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

    /// The address of 4 or 16 bytes.
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

    /// A numeric address without port and brackets; nil for anything else.
    init?(numeric text: String) {
        guard let bytes = Self.bytes(of: text) else { return nil }
        self.init(bytes: bytes)
    }

    /// Whether 16 bytes are an IPv4 address inside IPv6.
    static func isMapped(_ bytes: [UInt8]) -> Bool { bytes.starts(with: mapped) }

    /// The 4 or 16 bytes of a numeric address; nil for anything else.
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

/// The target of a request (RFC 9112, section 3.2).
struct RequestTarget: Equatable {
    /// The path with percent-encoding.
    let path: String
    /// The query; nil without a question mark.
    let query: String?
    /// Host and port of an absolute-form target; nil for other forms.
    let authority: String?

    init(path: String, query: String?, authority: String?) {
        self.path = path
        self.query = query
        self.authority = authority
    }

    /// Reads a target; nil for an absolute form without a host, or with a user name.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var authority: String?
        if let scheme = Self.scheme(of: bytes) {
            rest = rest.dropFirst(scheme.count)
            let end = rest.firstIndex { Self.endsAuthority($0) } ?? rest.endIndex
            let host = rest[..<end]
            guard let first = host.first, first != UInt8(ascii: ":"),
                !host.contains(UInt8(ascii: "@"))
            else { return nil }
            authority = String(decoding: host, as: UTF8.self)
            rest = rest[end...]
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        let path = rest[..<(mark ?? rest.endIndex)]
        self.init(
            path: path.isEmpty && authority != nil ? "/" : String(decoding: path, as: UTF8.self),
            query: mark.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) },
            authority: authority)
    }

    private static let schemes = [Array("http://".utf8), Array("https://".utf8)]

    /// The scheme of an absolute-form target, compared without regard to case.
    private static func scheme(of bytes: [UInt8]) -> [UInt8]? {
        // Fast path: nearly all targets are paths.
        guard bytes.first != UInt8(ascii: "/") else { return nil }
        return schemes.first { scheme in
            // An upper-case letter differs from its lower-case form in one bit. The other
            // characters of a scheme have that bit set.
            bytes.count >= scheme.count && zip(bytes, scheme).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}

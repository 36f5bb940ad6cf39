/// The syntax of header fields (RFC 9110, section 5).
enum FieldSyntax {
    /// The fields that the client sets itself.
    private static let reserved: Set<String> = [
        "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host",
        "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade", "accept-encoding", "user-agent",
    ]

    /// Whether a caller may send the field.
    static func isAllowed(_ field: ClientRequest.Field) -> Bool {
        let name = Array(field.name.utf8)
        return isName(name[...]) && isValue(field.value)
            && !reserved.contains(String(decoding: name.map(WebHost.lower), as: UTF8.self))
    }

    /// Whether the bytes are a field name.
    static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy {
                WebHost.isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }

    /// Whether the text is a field value: printable ASCII without spaces at either end.
    static func isValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }

    /// Whether a secret is a field value.
    static func isValue(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 0 else { return false }
        for offset in 0..<bytes.byteCount {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            let isEnd = offset == 0 || offset == bytes.byteCount - 1
            guard (0x20..<0x7F).contains(byte), !(isEnd && byte == 0x20) else { return false }
        }
        return true
    }

    /// The bytes without surrounding white space.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result = bytes
        while let first = result.first, first == 0x20 || first == 0x09 { result.removeFirst() }
        while let last = result.last, last == 0x20 || last == 0x09 { result.removeLast() }
        return result
    }
}

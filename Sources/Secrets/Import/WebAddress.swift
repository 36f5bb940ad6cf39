internal import TextCoding

/// Finds its way in the bytes of a URL. No full parser: it serves to find a name for a login.
enum WebAddress {
    /// Where the host stands, empty if there is none: `example.org` in `https://user@example.org:8443/login`.
    static func host(in url: RawSpan) -> Range<Int> {
        let authority = authority(in: url)
        var start = authority.lowerBound
        for offset in authority where url[offset] == UInt8(ascii: "@") { start = offset + 1 }
        var end = start
        var isBracketed = false  // An IPv6 address has colons of its own.
        while end < authority.upperBound {
            if url[end] == UInt8(ascii: "[") { isBracketed = true }
            if url[end] == UInt8(ascii: "]") { isBracketed = false }
            if url[end] == Byte.colon, !isBracketed { break }
            end += 1
        }
        return start..<end
    }

    /// Whether a password stands before the host: `https://user:password@example.org`.
    static func hasPassword(_ url: RawSpan) -> Bool {
        let userEnd = host(in: url).lowerBound
        return (authority(in: url).lowerBound..<userEnd).contains { url[$0] == Byte.colon }
    }

    /// What stands between `//` and the path; a text without a scheme is taken for host and path.
    private static func authority(in url: RawSpan) -> Range<Int> {
        var start = 0
        for offset in 0..<url.byteCount where url.hasText("://", at: offset) {
            start = offset + 3
            break
        }
        var end = start
        while end < url.byteCount, !"/?#".utf8.contains(url[end]) { end += 1 }
        return start..<end
    }
}

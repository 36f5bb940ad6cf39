package import SecretMemory
internal import TextCoding

/// Finds parts of a URL to name a login. This is not a complete parser.
package enum WebAddress {
    /// The text of a URL for an attribute, if it is not secret.
    ///
    /// - Returns: nil for a URL that may contain a password, one of more than 4 KiB, and bytes that
    ///   are not one line of text.
    package static func attribute(of value: borrowing SecretBytes) -> String? {
        value.withBytes { bytes in
            var end = bytes.byteCount
            if end > 0, bytes[end - 1] == Byte.lineFeed { end -= 1 }
            if end > 0, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
            let line = bytes.extracting(0..<end)
            guard (1...ImportedRecord.maximumAttributeSize).contains(end), !hasPassword(line),
                (0..<end).allSatisfy({ line[$0] >= 0x20 && line[$0] != 0x7F })
            else { return nil }
            return line.text()
        }
    }

    /// The range of the host, such as `example.org` in `https://user@example.org:8443/login`; empty
    /// without one.
    static func host(in url: RawSpan) -> Range<Int> {
        let authority = authority(in: url)
        var start = authority.lowerBound
        for offset in authority where url[offset] == UInt8(ascii: "@") { start = offset + 1 }
        var end = start
        var isBracketed = false  // An IPv6 address has colons.
        while end < authority.upperBound {
            if url[end] == UInt8(ascii: "[") { isBracketed = true }
            if url[end] == UInt8(ascii: "]") { isBracketed = false }
            if url[end] == Byte.colon, !isBracketed { break }
            end += 1
        }
        return start..<end
    }

    /// Whether the URL may contain a password, as in `https://user:password@example.org`.
    ///
    /// Some values are several joined URLs, or lack a scheme. So any colon except a scheme's
    /// counts, if an `@` follows.
    static func hasPassword(_ url: RawSpan) -> Bool {
        let places = 0..<url.byteCount
        guard let end = places.last(where: { url[$0] == UInt8(ascii: "@") }) else { return false }
        return (0..<end).contains { url[$0] == Byte.colon && !url.hasText("://", at: $0) }
    }

    /// The range between `//` and the path. Text without a scheme is a host and a path.
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

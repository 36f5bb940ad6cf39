package import SecretMemory
internal import TextCoding

/// Finds parts of a URL to name a login. This is not a complete parser.
package enum WebAddress {
    /// The lines of a value that are addresses for the attribute `url`, if none is secret.
    ///
    /// - Returns: None if a line may contain a password, for more than 4 KiB, and for bytes that are
    ///   not lines of text.
    package static func list(of value: borrowing SecretBytes) -> [String] {
        value.withBytes { bytes in
            var addresses: [String] = []
            var start = 0
            guard bytes.byteCount <= ImportedRecord.maximumAttributeSize else { return [] }
            for end in 0...bytes.byteCount
            where end == bytes.byteCount || bytes[end] == Byte.lineFeed {
                let hasReturn = end > start && bytes[end - 1] == Byte.carriageReturn
                let line = bytes.extracting(start..<(hasReturn ? end - 1 : end))
                start = end + 1
                if line.byteCount == 0 { continue }
                let isText = (0..<line.byteCount).allSatisfy {
                    line[$0] >= 0x20 && line[$0] != 0x7F
                }
                guard isText, !hasPassword(line), let text = line.text() else { return [] }
                addresses.append(text)
            }
            return addresses
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

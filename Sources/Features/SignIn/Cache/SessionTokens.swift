internal import SecretMemory
internal import TextCoding

/// The tokens of a session in one value: the refresh token, a line feed, the access token.
///
/// A token is printable ASCII (RFC 6749, appendix A) and has no line feed.
enum SessionTokens {
    private static let lineFeed = UInt8(ascii: "\n")

    /// Whether the bytes are a token.
    static func isToken(_ bytes: RawSpan) -> Bool {
        guard (1...GrantedTokens.maximumSize).contains(bytes.byteCount) else { return false }
        for offset in 0..<bytes.byteCount where !(0x20...0x7E).contains(bytes[offset]) {
            return false
        }
        return true
    }

    static func encode(_ tokens: borrowing GrantedTokens) throws -> SecretBytes {
        let offset =
            switch tokens.refresh {
            case .some(let refresh): refresh.count
            case .none: 0
            }
        var value = try SecretBytes(count: offset + 1 + tokens.access.count)
        switch tokens.refresh {
        case .some(let refresh):
            refresh.withBytes { source in value.withMutableBytes { $0.copy(source, at: 0) } }
        case .none: break
        }
        value.withMutableBytes { $0.set(lineFeed, at: offset) }
        tokens.access.withBytes { source in
            value.withMutableBytes { $0.copy(source, at: offset + 1) }
        }
        return value
    }

    /// The range of a token; empty if there is none.
    static func range(
        of kind: CredentialCache.TokenKind, in value: borrowing SecretBytes
    ) -> Range<Int> {
        value.withBytes { bytes in
            let end = (0..<bytes.byteCount).first { bytes[$0] == lineFeed }
            return switch kind {
            case .refresh: 0..<(end ?? 0)
            case .access: end.map { ($0 + 1)..<bytes.byteCount } ?? 0..<0
            }
        }
    }
}

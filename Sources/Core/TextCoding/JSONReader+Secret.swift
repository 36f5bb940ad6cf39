package import SecretMemory

extension JSONReader {
    /// Skips a string without copying it.
    package mutating func skipString(in bytes: RawSpan) throws {
        try readString(in: bytes) { _ in }
    }

    /// Decodes a string with its escapes directly into guarded memory.
    ///
    /// - Parameters:
    ///   - bytes: The whole text.
    ///   - secret: At least as large as the encoded string; shortened to the decoded one.
    /// - Throws: `invalidJSON` if the next value is not a string in UTF-8.
    package mutating func secret(
        in bytes: RawSpan, into secret: inout SecretBytes
    ) throws {
        var size = 0
        try readString(in: bytes) { piece in
            secret.withMutableBytes { $0.copy(piece, at: size) }
            size += piece.byteCount
        }
        secret.keep(count: size)
    }

    /// Reads a string in pieces, which are the decoded string one after the other. The whole string is validated as UTF-8 at its end.
    package mutating func readString(
        in bytes: RawSpan, _ take: (RawSpan) -> Void
    ) throws {
        let start = try beginString(in: bytes)
        // A stranger's request can be one string, and a call for each byte costs more than all else.
        var piece = start
        while let byte = byteHere(in: bytes) {
            switch byte {
            case Byte.quote:
                if !bytes.extracting(start..<offset).isUTF8 { try noteDamage(in: bytes) }
                take(bytes.extracting(piece..<offset))
                advance()
                return
            case Byte.backslash:
                take(bytes.extracting(piece..<offset))
                for unit in UTF8.encode(try escape(in: bytes)) ?? .init() {
                    unsafe withUnsafeBytes(of: unit) { unsafe take(RawSpan(_unsafeBytes: $0)) }
                }
                piece = offset
            case 0..<0x20 where !allowsControls:
                throw unexpected(in: bytes)
            default:
                advance(to: bytes.endOfPlainText(from: offset + 1))
            }
        }
        throw unexpected(in: bytes)
    }
}

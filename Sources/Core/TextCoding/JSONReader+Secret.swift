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
        try readString(in: bytes) { byte in
            secret.withMutableBytes { $0.set(byte, at: size) }
            size += 1
        }
        secret.keep(count: size)
    }

    /// Reads a string byte by byte. The whole string is validated as UTF-8 at its end.
    package mutating func readString(
        in bytes: RawSpan, _ take: (UInt8) -> Void
    ) throws {
        let start = try beginString(in: bytes)
        while let byte = byteHere(in: bytes) {
            switch byte {
            case Byte.quote:
                if !bytes.extracting(start..<offset).isUTF8 { try noteDamage(in: bytes) }
                advance()
                return
            case Byte.backslash:
                for unit in UTF8.encode(try escape(in: bytes)) ?? .init() { take(unit) }
            case 0..<0x20 where !allowsControls:
                throw unexpected(in: bytes)
            default:
                take(byte)
                advance()
            }
        }
        throw unexpected(in: bytes)
    }
}

internal import CUTF8Proc
public import SecretMemory

/// A master passphrase: UTF-8 in normalisation form C, in guarded memory, never a `String`.
public struct Passphrase: ~Copyable, Sendable {
    /// The maximum size in normalisation form C, in bytes.
    public static let maximumSize = 1_024
    /// The maximum size before normalisation, in bytes. Large enough for every acceptable passphrase in any Unicode normalisation form.
    static let maximumTypedSize = 16_384

    let bytes: SecretBytes

    /// Normalises typed input.
    ///
    /// Applies NFC (Unicode Standard Annex 15) by utf8proc, in guarded memory. NUL is an ordinary character.
    ///
    /// - Parameter typed: UTF-8 without the line end.
    /// - Throws: `SealingError.passphraseLength` or `passphraseEncoding`; `SecretMemoryError.outOfMemory`.
    public init(typed: borrowing SecretBytes) throws {
        guard (1...Self.maximumTypedSize).contains(typed.count) else {
            throw SealingError.passphraseLength
        }
        let normalized = try typed.withBytes { try Self.normalize($0) }
        guard (1...Self.maximumSize).contains(normalized.count) else {
            throw SealingError.passphraseLength
        }
        bytes = normalized
    }

    /// Copies the passphrase.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public borrowing func copy() throws -> Passphrase {
        try Passphrase(typed: bytes)
    }

    /// The number of Unicode scalars, at least the number of visible characters.
    public var scalarCount: Int {
        bytes.withBytes { bytes in
            var count = 0
            for offset in 0..<bytes.byteCount
            where unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) & 0xC0 != 0x80 {
                count += 1
            }
            return count
        }
    }

    /// Whether every character is assigned in the Unicode version of utf8proc.
    ///
    /// The normal forms of assigned characters never change (Unicode Normalization Stability Policy). An unassigned character may normalise
    /// differently in a later version; the passphrase would then open no slot.
    public var hasAssignedCharactersOnly: Bool {
        let options = utf8proc_option_t(
            rawValue: Self.options.rawValue | UTF8PROC_REJECTNA.rawValue)
        return bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes {
                unsafe utf8proc_decompose($0.bytes, $0.count, nil, 0, options) >= 0
            }
        }
    }

    /// Compares two passphrases in a time that depends only on their sizes.
    public borrowing func isEqual(to other: borrowing Passphrase) -> Bool {
        bytes.isEqual(to: other.bytes)
    }

    /// Calls `body` with the normalised bytes, to estimate their strength.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }

    private static let options = utf8proc_option_t(
        rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)

    /// Decomposes and recomposes the scalars; both steps work in one guarded buffer.
    private static func normalize(_ typed: RawSpan) throws -> SecretBytes {
        let scalarCount = unsafe typed.withUnsafeBytes {
            unsafe utf8proc_decompose($0.bytes, $0.count, nil, 0, options)
        }
        guard scalarCount >= 0 else { throw SealingError.passphraseEncoding }
        // One more scalar: utf8proc terminates the composed bytes with a NUL.
        var work = try SecretBytes(count: (scalarCount + 1) * MemoryLayout<Int32>.size)
        let size = work.withMutableBytes { work in
            unsafe typed.withUnsafeBytes { typed in
                unsafe work.withUnsafeMutableBytes { work in
                    // sodium_malloc aligns the end to a page boundary, so a size that is a multiple of four is aligned.
                    let scalars = unsafe work.assumingMemoryBound(to: Int32.self).baseAddress
                    let count = unsafe utf8proc_decompose(
                        typed.bytes, typed.count, scalars, scalarCount, options)
                    return unsafe count < 0 ? count : utf8proc_reencode(scalars, count, options)
                }
            }
        }
        guard size >= 0 else { throw SealingError.passphraseEncoding }
        work.keep(count: size)
        return work
    }
}

internal import CSodium

/// SHA-256 (FIPS 180-4), as used by WebAuthn and OAuth.
public enum SHA256 {
    /// The hash of a public message, 32 bytes. The corresponding C function is `crypto_hash_sha256`.
    public static func hash(_ message: [UInt8]) -> [UInt8] {
        unsafe hash(message.span.bytes)
    }

    /// The hash of a message in guarded memory, 32 bytes, which is public. The corresponding C
    /// function is `crypto_hash_sha256`.
    public static func hash(_ message: RawSpan) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe message.withUnsafeBytes { bytes in
            _ = unsafe crypto_hash_sha256(
                &digest, bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
                UInt64(bytes.count))
        }
        return digest
    }
}

internal import CSodium

/// SHA-256 of public data, as used by WebAuthn.
public enum SHA256 {
    /// The hash of a message, 32 bytes. The corresponding C function is `crypto_hash_sha256`.
    public static func hash(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = unsafe crypto_hash_sha256(&digest, message, UInt64(message.count))
        return digest
    }
}

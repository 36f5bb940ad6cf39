internal import CSodium

/// HMAC with SHA-256 (RFC 2104), by libsodium.
package enum HMACSHA256 {
    /// The authentication code of a message, 32 bytes. The corresponding C function is `crypto_auth_hmacsha256`.
    package static func code(of message: [UInt8], keyBytes key: RawSpan) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: 32)
        unsafe key.withUnsafeBytes { key in
            _ = unsafe crypto_auth_hmacsha256_init(&state, key.bytes, key.count)
        }
        _ = unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        _ = unsafe crypto_auth_hmacsha256_final(&state, &code)
        unsafe sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
        StackTraces.wipe()
        return code
    }
}

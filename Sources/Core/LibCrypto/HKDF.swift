package import SecretMemory

/// Key derivation from a secret with HMAC (RFC 5869).
package enum HKDF {
    /// Extracts a pseudorandom key from a secret. An empty salt equals a salt of zeros.
    ///
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func extract(
        _ secret: borrowing SecretBytes, salt: RawSpan, _ hash: HashFunction
    ) throws -> SecretBytes {
        try secret.withBytes { (bytes) throws in try HMAC.code(of: bytes, key: salt, hash) }
    }

    /// Expands a pseudorandom key.
    ///
    /// - Parameters:
    ///   - key: The pseudorandom key.
    ///   - info: The context that the output is bound to.
    ///   - count: The size of the output, in bytes; at most 255 times the size of a hash.
    ///   - hash: The hash function.
    /// - Returns: The output.
    /// - Throws: ``LibCryptoError``, with ``LibCryptoError/failed`` also for a larger output; `SecretMemoryError.outOfMemory`.
    package static func expand(
        _ key: borrowing SecretBytes, info: [UInt8], to count: Int, _ hash: HashFunction
    ) throws -> SecretBytes {
        guard count <= 255 * hash.size else { throw LibCryptoError.failed }
        var output = try SecretBytes(count: 0)
        var block = try SecretBytes(count: 0)
        var number: UInt8 = 0
        while output.count < count {
            number += 1
            let end = info + [number]
            let message = try block.joined(with: SecretBytes(copying: unsafe end.span.bytes))
            block = try key.withBytes { (key) throws in
                try message.withBytes { (message) throws in
                    try HMAC.code(of: message, key: key, hash)
                }
            }
            output = try output.joined(with: block)
        }
        output.keep(count: count)
        return output
    }
}

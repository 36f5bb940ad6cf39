internal import CCrypto
internal import CSodium
package import SecretMemory

/// A hash function for HMAC and HKDF.
package enum HashFunction: Sendable, Hashable {
    case sha1, sha256, sha512

    /// The size of a hash, in bytes.
    package var size: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    fileprivate func digest(_ library: CryptoLibrary) -> OpaquePointer? {
        switch self {
        case .sha1: unsafe library.functions.pointee.EVP_sha1()
        case .sha256: unsafe library.functions.pointee.EVP_sha256()
        case .sha512: unsafe library.functions.pointee.EVP_sha512()
        }
    }
}

/// Message authentication codes with a hash function (RFC 2104).
package enum HMAC {
    /// The MAC of a message under a key, in guarded memory.
    ///
    /// The corresponding C function is `HMAC`, which clears its copy of the key. This function wipes the stack.
    ///
    /// - Returns: The MAC, as long as a hash.
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func code(
        of message: RawSpan, key: RawSpan, _ hash: HashFunction
    ) throws -> SecretBytes {
        let library = try CryptoLibrary.required()
        var code = try SecretBytes(count: hash.size)
        var size: UInt32 = 0
        let isDone = unsafe key.withUnsafeBytes { key in
            unsafe message.withUnsafeBytes { message in
                code.withMutableBytes { code in
                    unsafe code.withUnsafeMutableBytes { code in
                        unsafe library.functions.pointee.HMAC(
                            hash.digest(library), key.baseAddress, Int32(key.count),
                            message.assumingMemoryBound(to: UInt8.self).baseAddress,
                            message.count,
                            code.assumingMemoryBound(to: UInt8.self).baseAddress, &size) != nil
                    }
                }
            }
        }
        sodium_stackzero(16_384)
        guard isDone, Int(size) == hash.size else { throw LibCryptoError.failed }
        return code
    }
}

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

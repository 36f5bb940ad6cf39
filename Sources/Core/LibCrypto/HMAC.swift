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

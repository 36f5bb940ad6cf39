internal import CCrypto
internal import CSodium
internal import SecretMemory

/// The hash function of one-time passwords (RFC 6238, section 1.2).
public enum OneTimeAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// The usual one.
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"
}

/// libcrypto of OpenSSL, loaded on first use and never unloaded: libsodium has no SHA-1.
@safe struct CryptoLibrary: @unchecked Sendable {
    private let library: UnsafePointer<ccrypto_library>

    /// The library of this process; nil if it is not installed.
    static let shared = unsafe ccrypto_shared().map { unsafe CryptoLibrary($0) }

    /// Loads a library; nil if there is none of this name.
    init?(name: String) {
        guard let library = unsafe ccrypto_load(name) else { return nil }
        unsafe self.init(library)
    }

    private init(_ library: UnsafePointer<ccrypto_library>) {
        unsafe self.library = unsafe library
    }

    /// The authentication code of a message under a key, in guarded memory.
    ///
    /// The corresponding C function is `HMAC`, which clears its copy of the key. Traces on the stack are wiped here.
    ///
    /// - Returns: 20, 32 or 64 bytes; nil if the library refuses, for example without memory.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    func code(
        of message: [UInt8], key: borrowing SecretBytes, _ algorithm: OneTimeAlgorithm
    ) throws -> SecretBytes? {
        var code = try SecretBytes(count: 64)
        var size: UInt32 = 0
        let digest =
            switch algorithm {
            case .sha1: unsafe library.pointee.EVP_sha1()
            case .sha256: unsafe library.pointee.EVP_sha256()
            case .sha512: unsafe library.pointee.EVP_sha512()
            }
        let isDone = key.withBytes { key in
            unsafe key.withUnsafeBytes { key in
                code.withMutableBytes { code in
                    unsafe code.withUnsafeMutableBytes { code in
                        unsafe library.pointee.HMAC(
                            digest, key.baseAddress, Int32(key.count), message, message.count,
                            code.baseAddress?.assumingMemoryBound(to: UInt8.self), &size) != nil
                    }
                }
            }
        }
        sodium_stackzero(16_384)
        guard isDone, size >= 20, size <= 64 else { return nil }
        code.keep(count: Int(size))
        return code
    }
}

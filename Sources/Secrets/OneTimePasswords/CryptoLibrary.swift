internal import CSodium
internal import Platform
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
    private typealias Digest = @convention(c) () -> OpaquePointer?
    private typealias HMAC =
        @convention(c) (
            OpaquePointer?, UnsafeRawPointer?, Int32, UnsafePointer<UInt8>?, Int,
            UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?
        ) -> UnsafeMutablePointer<UInt8>?

    private let hmac: HMAC
    private let sha1: Digest
    private let sha256: Digest
    private let sha512: Digest

    #if os(macOS)
        private static let names = [
            "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
            "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",
        ]
    #else
        private static let names = ["libcrypto.so.3", "libcrypto.so.1.1"]
    #endif

    /// The library of this process; nil if it is not installed.
    static let shared = CryptoLibrary(names: names)

    /// Loads the first available library of these names.
    init?(names: [String]) {
        for name in names {
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL),
                let hmac = unsafe dlsym(library, "HMAC"),
                let sha1 = unsafe dlsym(library, "EVP_sha1"),
                let sha256 = unsafe dlsym(library, "EVP_sha256"),
                let sha512 = unsafe dlsym(library, "EVP_sha512")
            else { continue }
            unsafe self.hmac = unsafe unsafeBitCast(hmac, to: HMAC.self)
            unsafe self.sha1 = unsafe unsafeBitCast(sha1, to: Digest.self)
            unsafe self.sha256 = unsafe unsafeBitCast(sha256, to: Digest.self)
            unsafe self.sha512 = unsafe unsafeBitCast(sha512, to: Digest.self)
            return
        }
        return nil
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
            case .sha1: unsafe sha1
            case .sha256: unsafe sha256
            case .sha512: unsafe sha512
            }
        let hmac = unsafe hmac
        let isDone = key.withBytes { key in
            unsafe key.withUnsafeBytes { key in
                code.withMutableBytes { code in
                    unsafe code.withUnsafeMutableBytes { code in
                        unsafe hmac(
                            digest(), key.baseAddress, Int32(key.count), message, message.count,
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

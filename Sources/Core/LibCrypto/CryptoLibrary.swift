internal import CCrypto

/// The reason why a function of libcrypto has no result.
package enum LibCryptoError: Error, Sendable, Hashable {
    /// The library is not installed, or lacks a function.
    case missing
    /// A function of the library failed, for example out of memory.
    case failed
}

/// libcrypto of OpenSSL, loaded on first use and never unloaded. Thread-safe.
@safe package struct CryptoLibrary: @unchecked Sendable {
    /// The functions of the library.
    let functions: UnsafePointer<ccrypto_library>

    private static let shared = unsafe ccrypto_shared().map { unsafe CryptoLibrary($0) }

    // libcrypto stores the numbers of private keys in its secure heap, and wipes them. Without this heap it uses ordinary memory.
    private static let secureHeap: Void = {
        guard let shared else { return }
        _ = unsafe shared.functions.pointee.CRYPTO_secure_malloc_init(32_768, 16)
    }()

    /// Whether the library is installed.
    package static var isInstalled: Bool { shared != nil }

    /// The library of this process.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    static func required() throws -> CryptoLibrary {
        guard let shared else { throw LibCryptoError.missing }
        return shared
    }

    /// The library with its secure heap, for private keys.
    ///
    /// The corresponding C function is `CRYPTO_secure_malloc_init`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    static func requiredWithSecureHeap() throws -> CryptoLibrary {
        secureHeap
        return try required()
    }

    /// Loads a library with this file name.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    init(name: String) throws {
        guard let library = unsafe ccrypto_load(name) else { throw LibCryptoError.missing }
        unsafe self.init(library)
    }

    private init(_ functions: UnsafePointer<ccrypto_library>) {
        unsafe self.functions = unsafe functions
    }
}

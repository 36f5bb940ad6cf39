internal import CCrypto
internal import CSodium
internal import SecretMemory
internal import TextCoding

/// The part of libcrypto that Web Push needs: ECDH on P-256, HMAC with SHA-256, AES-128-GCM. Loaded on first use and never unloaded.
///
/// Results are in guarded memory. libcrypto keeps the number of a private key in its secure heap, if the system gives it one, and wipes it.
@safe struct PushCrypto: @unchecked Sendable {
    static let keySize = 32
    static let pointSize = 65
    static let tagSize = 16

    private let library: UnsafePointer<ccrypto_library>

    /// The library of this process; nil if it is not installed.
    static let shared = unsafe ccrypto_shared().map { unsafe PushCrypto($0) }

    private init(_ library: UnsafePointer<ccrypto_library>) {
        _ = unsafe library.pointee.CRYPTO_secure_malloc_init(32_768, 16)
        unsafe self.library = unsafe library
    }

    /// The library.
    ///
    /// - Throws: ``PushError/libraryMissing``.
    static func required() throws -> PushCrypto {
        guard let shared else { throw PushError.libraryMissing }
        return shared
    }

    /// The point of a private key, uncompressed; nil if the number is not one.
    ///
    /// The corresponding C functions are `d2i_PrivateKey` and `i2d_PUBKEY`.
    func point(of privateKey: borrowing SecretBytes) throws -> [UInt8]? {
        guard let key = unsafe try LibraryKey(number: privateKey, library) else { return nil }
        return key.point()
    }

    /// The shared x coordinate of a valid private key and a point, 32 bytes; nil if the point is not valid.
    ///
    /// The corresponding C functions are `d2i_PUBKEY` and `EVP_PKEY_derive`. Where they fail otherwise, as without memory, a message must not
    /// count as unreadable.
    func agree(
        _ privateKey: borrowing SecretBytes, _ point: [UInt8]
    ) throws -> SecretBytes? {
        guard let key = unsafe try LibraryKey(number: privateKey, library) else {
            throw PushError.libraryFailed
        }
        guard let peer = unsafe LibraryKey(point: point, library) else { return nil }
        return try key.agree(with: peer)
    }

    /// The authentication code of a message under a key, 32 bytes.
    ///
    /// The corresponding C function is `HMAC`, which clears its copy of the key. Traces on the stack are wiped here.
    func code(_ key: RawSpan, over message: RawSpan) throws -> SecretBytes {
        var code = try SecretBytes(count: 32)
        var size: UInt32 = 0
        let isDone = unsafe key.withUnsafeBytes { key in
            unsafe message.withUnsafeBytes { message in
                code.withMutableBytes { code in
                    unsafe code.withUnsafeMutableBytes { code in
                        unsafe library.pointee.HMAC(
                            library.pointee.EVP_sha256(), key.baseAddress, Int32(key.count),
                            message.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            message.count,
                            code.baseAddress?.assumingMemoryBound(to: UInt8.self), &size) != nil
                    }
                }
            }
        }
        sodium_stackzero(16_384)
        guard isDone, size == 32 else { throw PushError.libraryFailed }
        return code
    }

    /// Decrypts by AES-128-GCM.
    ///
    /// The corresponding C functions are `EVP_CipherInit_ex`, `EVP_CipherUpdate` and `EVP_CipherFinal_ex`.
    ///
    /// - Returns: The plaintext; nil if the text is not authentic.
    func open(_ sealed: RawSpan, key: RawSpan, nonce: RawSpan) throws -> SecretBytes? {
        let size = sealed.byteCount - Self.tagSize
        guard size >= 0 else { return nil }
        var text = try SecretBytes(count: size)
        guard let context = unsafe library.pointee.EVP_CIPHER_CTX_new() else {
            throw PushError.libraryFailed
        }
        defer { unsafe library.pointee.EVP_CIPHER_CTX_free(context) }
        guard unsafe begin(context, key, nonce, encrypts: false) else {
            throw PushError.libraryFailed
        }
        let isAuthentic = unsafe sealed.withUnsafeBytes { sealed in
            text.withMutableBytes { text in
                unsafe text.withUnsafeMutableBytes { text -> Bool in
                    let from = unsafe sealed.assumingMemoryBound(to: UInt8.self).baseAddress
                    let target = unsafe text.assumingMemoryBound(to: UInt8.self).baseAddress
                    // It is only read.
                    let tag = unsafe UnsafeMutableRawPointer(mutating: sealed.baseAddress)
                        .map { unsafe $0 + size }
                    var count: Int32 = 0
                    guard
                        unsafe library.pointee.EVP_CipherUpdate(
                            context, target, &count, from, Int32(size)) == 1,
                        unsafe library.pointee.EVP_CIPHER_CTX_ctrl(
                            context, Self.setTag, Int32(Self.tagSize), tag) == 1
                    else { return false }
                    return unsafe library.pointee.EVP_CipherFinal_ex(context, target, &count) == 1
                }
            }
        }
        sodium_stackzero(16_384)
        guard isAuthentic else { return nil }
        return text
    }

    /// Encrypts by AES-128-GCM; the tag follows.
    ///
    /// The corresponding C functions are those of ``open(_:key:nonce:)``.
    func seal(_ text: RawSpan, key: RawSpan, nonce: RawSpan) throws -> [UInt8] {
        let size = text.byteCount
        var sealed = [UInt8](repeating: 0, count: size + Self.tagSize)
        guard let context = unsafe library.pointee.EVP_CIPHER_CTX_new() else {
            throw PushError.libraryFailed
        }
        defer { unsafe library.pointee.EVP_CIPHER_CTX_free(context) }
        guard unsafe begin(context, key, nonce, encrypts: true) else {
            throw PushError.libraryFailed
        }
        let isDone = unsafe text.withUnsafeBytes { text in
            unsafe sealed.withUnsafeMutableBufferPointer { sealed -> Bool in
                guard let target = sealed.baseAddress else { return false }
                let from = unsafe text.assumingMemoryBound(to: UInt8.self).baseAddress
                let tag = unsafe target + size
                var count: Int32 = 0
                guard
                    unsafe library.pointee.EVP_CipherUpdate(
                        context, target, &count, from, Int32(size)) == 1,
                    unsafe library.pointee.EVP_CipherFinal_ex(context, tag, &count) == 1
                else { return false }
                return unsafe library.pointee.EVP_CIPHER_CTX_ctrl(
                    context, Self.getTag, Int32(Self.tagSize), tag) == 1
            }
        }
        sodium_stackzero(16_384)
        guard isDone else { throw PushError.libraryFailed }
        return sealed
    }

    // EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG.
    private static let getTag: Int32 = 0x10
    private static let setTag: Int32 = 0x11

    private func begin(
        _ context: OpaquePointer, _ key: RawSpan, _ nonce: RawSpan, encrypts: Bool
    ) -> Bool {
        precondition(key.byteCount == 16 && nonce.byteCount == 12)
        return unsafe key.withUnsafeBytes { key in
            unsafe nonce.withUnsafeBytes { nonce in
                unsafe library.pointee.EVP_CipherInit_ex(
                    context, library.pointee.EVP_aes_128_gcm(), nil,
                    key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    nonce.assumingMemoryBound(to: UInt8.self).baseAddress, encrypts ? 1 : 0) == 1
            }
        }
    }
}

/// A key on P-256 in libcrypto, freed at the end of its lifetime.
@safe private struct LibraryKey: ~Copyable {
    private let library: UnsafePointer<ccrypto_library>
    private let key: OpaquePointer

    /// EVP_PKEY_EC.
    private static let ellipticCurve: Int32 = 408
    /// An ECPrivateKey (RFC 5915) without its public key, before and after the number.
    private static let beforeNumber: [UInt8] = [0x30, 0x31, 2, 1, 1, 4, 0x20]
    private static let afterNumber: [UInt8] = [
        0xA0, 0x0A, 6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7,
    ]
    /// A SubjectPublicKeyInfo (RFC 5480) before the point.
    private static let beforePoint: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 8, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 3, 1, 7, 3, 0x42, 0,
    ]

    /// The order of the group (FIPS 186-5, SP 800-186).
    private static let order: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63]
        + [0x25, 0x51]

    /// Whether a number is below the order, which libcrypto does not check: its subtraction borrows. In constant time.
    private static func isBelowOrder(_ number: RawSpan) -> Bool {
        var borrow: Int32 = 0
        for (offset, digit) in order.enumerated().reversed() {
            borrow = (Int32(number[offset]) - Int32(digit) - borrow) >> 31 & 1
        }
        return borrow == 1
    }

    /// The pair of a private number; nil if it is too large. One of 0 has no point.
    init?(number: borrowing SecretBytes, _ library: UnsafePointer<ccrypto_library>) throws {
        guard number.count == PushCrypto.keySize, number.withBytes({ Self.isBelowOrder($0) })
        else { return nil }
        let (before, after) = (Self.beforeNumber, Self.afterNumber)
        var encoded = try SecretBytes(count: before.count + number.count + after.count)
        number.withBytes { bytes in
            encoded.withMutableBytes { target in
                for (offset, byte) in before.enumerated() { target.set(byte, at: offset) }
                target.copy(bytes, at: before.count)
                let rest = before.count + bytes.byteCount
                for (offset, byte) in after.enumerated() { target.set(byte, at: rest + offset) }
            }
        }
        let key = unsafe encoded.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                var start = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress
                return unsafe library.pointee.d2i_PrivateKey(
                    Self.ellipticCurve, nil, &start, buffer.count)
            }
        }
        sodium_stackzero(16_384)
        guard let key = unsafe key else { return nil }
        unsafe self.library = unsafe library
        unsafe self.key = unsafe key
    }

    /// The public key of an uncompressed point; nil if it is not on the curve.
    init?(point: [UInt8], _ library: UnsafePointer<ccrypto_library>) {
        guard point.count == PushCrypto.pointSize, point[0] == 4 else { return nil }
        let encoded = Self.beforePoint + point
        let key = unsafe encoded.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe library.pointee.d2i_PUBKEY(nil, &start, buffer.count)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.library = unsafe library
        unsafe self.key = unsafe key
    }

    deinit {
        unsafe library.pointee.EVP_PKEY_free(key)
    }

    /// Its point, uncompressed.
    borrowing func point() -> [UInt8]? {
        let library = unsafe library
        let key = unsafe key
        let before = Self.beforePoint
        let size = before.count + PushCrypto.pointSize
        guard unsafe library.pointee.i2d_PUBKEY(key, nil) == Int32(size) else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var target = buffer.baseAddress
            return unsafe library.pointee.i2d_PUBKEY(key, &target)
        }
        guard written == Int32(size), bytes.starts(with: before) else { return nil }
        return Array(bytes[before.count...])
    }

    borrowing func agree(with peer: borrowing LibraryKey) throws -> SecretBytes? {
        var secret = try SecretBytes(count: PushCrypto.keySize)
        let library = unsafe library
        guard let context = unsafe library.pointee.EVP_PKEY_CTX_new(key, nil) else {
            throw PushError.libraryFailed
        }
        defer { unsafe library.pointee.EVP_PKEY_CTX_free(context) }
        guard unsafe library.pointee.EVP_PKEY_derive_init(context) == 1 else {
            throw PushError.libraryFailed
        }
        guard unsafe library.pointee.EVP_PKEY_derive_set_peer(context, peer.key) == 1 else {
            return nil
        }
        var size = PushCrypto.keySize
        let isDone = secret.withMutableBytes { bytes in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe library.pointee.EVP_PKEY_derive(
                    context, buffer.assumingMemoryBound(to: UInt8.self).baseAddress, &size) == 1
            }
        }
        sodium_stackzero(16_384)
        guard isDone, size == PushCrypto.keySize else { throw PushError.libraryFailed }
        return secret
    }
}

internal import CCrypto
internal import CSodium
internal import SecretMemory
internal import TextCoding

/// A key in libcrypto, freed at the end of its lifetime. Not thread-safe.
@safe struct LibraryKey: ~Copyable {
    /// EVP_PKEY_EC in <openssl/evp.h>.
    private static let ellipticCurve: Int32 = 408
    /// The order of the group of P-256 (FIPS 186-5, SP 800-186).
    private static let order: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63]
        + [0x25, 0x51]

    private let library: CryptoLibrary
    private let key: OpaquePointer

    /// Parses a SubjectPublicKeyInfo; nil if it is malformed or its point is not on the curve.
    ///
    /// The corresponding C function is `d2i_PUBKEY`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    init?(publicKey bytes: [UInt8]) throws {
        let library = try CryptoLibrary.required()
        let key = unsafe bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe library.functions.pointee.d2i_PUBKEY(nil, &start, buffer.count)
        }
        guard let key = unsafe key else { return nil }
        self.library = library
        unsafe self.key = unsafe key
    }

    /// Makes the key pair of a private number on P-256; nil if the number is not below the order. The pair of 0 has no point.
    ///
    /// The corresponding C function is `d2i_PrivateKey`.
    ///
    /// - Throws: ``LibCryptoError/missing``; `SecretMemoryError.outOfMemory`.
    init?(p256 number: borrowing SecretBytes) throws {
        guard number.count == P256.keySize, number.withBytes({ Self.isBelowOrder($0) }) else {
            return nil
        }
        let library = try CryptoLibrary.requiredWithSecureHeap()
        let (before, after) = DER.aroundP256Number
        var encoded = try SecretBytes(count: before.count + number.count + after.count)
        number.withBytes { bytes in
            encoded.withMutableBytes { target in
                unsafe target.copy(before.span.bytes)
                target.copy(bytes, at: before.count)
                unsafe target.copy(after.span.bytes, at: before.count + bytes.byteCount)
            }
        }
        let key = unsafe encoded.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                var start = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress
                return unsafe library.functions.pointee.d2i_PrivateKey(
                    Self.ellipticCurve, nil, &start, buffer.count)
            }
        }
        sodium_stackzero(16_384)
        guard let key = unsafe key else { return nil }
        self.library = library
        unsafe self.key = unsafe key
    }

    deinit {
        unsafe library.functions.pointee.EVP_PKEY_free(key)
    }

    /// Whether a number is below the order of the group, in constant time. libcrypto does not check that.
    private static func isBelowOrder(_ number: RawSpan) -> Bool {
        // The subtraction of the order has a borrow exactly if the number is smaller.
        var borrow: Int32 = 0
        for (offset, digit) in order.enumerated().reversed() {
            borrow = (Int32(number[offset]) - Int32(digit) - borrow) >> 31 & 1
        }
        return borrow == 1
    }

    /// The uncompressed point of a key on P-256; nil without a point.
    ///
    /// The corresponding C function is `i2d_PUBKEY`.
    borrowing func point() -> [UInt8]? {
        let library = library
        let key = unsafe key
        let encoded = DER.p256Key([UInt8](repeating: 0, count: P256.pointSize))
        let before = encoded.dropLast(P256.pointSize)
        guard unsafe library.functions.pointee.i2d_PUBKEY(key, nil) == Int32(encoded.count) else {
            return nil
        }
        var bytes = encoded
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var target = buffer.baseAddress
            return unsafe library.functions.pointee.i2d_PUBKEY(key, &target)
        }
        guard written == Int32(encoded.count), bytes.starts(with: before) else { return nil }
        return Array(bytes.dropFirst(before.count))
    }

    /// The shared secret of this private key and another public key; nil if libcrypto rejects the public key.
    ///
    /// The corresponding C functions are `EVP_PKEY_derive_set_peer` and `EVP_PKEY_derive`.
    ///
    /// - Throws: ``LibCryptoError/failed``; `SecretMemoryError.outOfMemory`.
    borrowing func agree(with peer: borrowing LibraryKey, size: Int) throws -> SecretBytes? {
        var secret = try SecretBytes(count: size)
        let library = library
        guard let context = unsafe library.functions.pointee.EVP_PKEY_CTX_new(key, nil) else {
            throw LibCryptoError.failed
        }
        defer { unsafe library.functions.pointee.EVP_PKEY_CTX_free(context) }
        guard unsafe library.functions.pointee.EVP_PKEY_derive_init(context) == 1 else {
            throw LibCryptoError.failed
        }
        guard unsafe library.functions.pointee.EVP_PKEY_derive_set_peer(context, peer.key) == 1
        else { return nil }
        var written = size
        let isDone = secret.withMutableBytes { bytes in
            unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe library.functions.pointee.EVP_PKEY_derive(
                    context, buffer.assumingMemoryBound(to: UInt8.self).baseAddress, &written) == 1
            }
        }
        sodium_stackzero(16_384)
        guard isDone, written == size else { throw LibCryptoError.failed }
        return secret
    }

    /// Verifies a signature with SHA-256.
    ///
    /// The corresponding C function is `EVP_DigestVerify`.
    borrowing func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        let library = library
        guard let context = unsafe library.functions.pointee.EVP_MD_CTX_new() else { return false }
        defer { unsafe library.functions.pointee.EVP_MD_CTX_free(context) }
        guard
            unsafe library.functions.pointee.EVP_DigestVerifyInit(
                context, nil, library.functions.pointee.EVP_sha256(), nil, key) == 1
        else { return false }
        return unsafe library.functions.pointee.EVP_DigestVerify(
            context, signature, signature.count, message, message.count) == 1
    }
}

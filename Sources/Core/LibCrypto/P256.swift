package import SecretMemory

/// Key agreement and signatures on the curve P-256 (SP 800-186). Points are uncompressed: the byte 4, then both coordinates.
package enum P256 {
    /// The size of a private key and of a coordinate, in bytes.
    package static let keySize = 32
    /// The size of a point, in bytes.
    package static let pointSize = 65

    /// The point of a private key; nil if the number is 0 or not below the order of the group.
    ///
    /// The corresponding C functions are `d2i_PrivateKey` and `i2d_PUBKEY`.
    ///
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func point(of privateKey: borrowing SecretBytes) throws -> [UInt8]? {
        guard let key = try LibraryKey(p256: privateKey) else { return nil }
        return key.point()
    }

    /// The shared secret of a private key and a point, an x coordinate of 32 bytes; nil if the point is not on the curve.
    ///
    /// The corresponding C functions are `d2i_PUBKEY` and `EVP_PKEY_derive`.
    ///
    /// - Throws: ``LibCryptoError``, with ``LibCryptoError/failed`` also for an invalid private key; `SecretMemoryError.outOfMemory`.
    package static func agree(
        _ privateKey: borrowing SecretBytes, with point: [UInt8]
    ) throws -> SecretBytes? {
        guard let key = try LibraryKey(p256: privateKey) else { throw LibCryptoError.failed }
        guard let peer = try publicKey(point) else { return nil }
        return try key.agree(with: peer, size: keySize)
    }

    /// Whether bytes are a point on the curve.
    ///
    /// The corresponding C function is `d2i_PUBKEY`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    package static func isPoint(_ bytes: [UInt8]) throws -> Bool {
        try publicKey(bytes) != nil
    }

    /// Verifies an ECDSA signature with SHA-256, in DER, under the public key with this point.
    ///
    /// The corresponding C function is `EVP_DigestVerify`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    package static func verifies(
        _ signature: [UInt8], of message: [UInt8], by point: [UInt8]
    ) throws -> Bool {
        try publicKey(point)?.verifies(signature, of: message) ?? false
    }

    /// Converts a signature from the form of JWS (RFC 7518, section 3.4), two numbers in 64 bytes, to DER; nil if the size is not 64 bytes.
    package static func signature(ofNumbers bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 2 * keySize else { return nil }
        return DER.sequence(
            DER.integer(Array(bytes[..<keySize])) + DER.integer(Array(bytes[keySize...])))
    }

    private static func publicKey(_ point: [UInt8]) throws -> LibraryKey? {
        guard point.count == pointSize, point[0] == 4 else { return nil }
        return try LibraryKey(publicKey: DER.p256Key(point))
    }
}

/// RSASSA-PKCS1-v1_5 signatures with SHA-256 (RFC 8017).
package enum RSA {
    /// Whether libcrypto accepts two big-endian numbers as a public key.
    ///
    /// The corresponding C function is `d2i_PUBKEY`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    package static func isKey(modulus: [UInt8], exponent: [UInt8]) throws -> Bool {
        try LibraryKey(publicKey: DER.rsaKey(modulus, exponent)) != nil
    }

    /// Verifies a signature under the public key with these numbers.
    ///
    /// The corresponding C function is `EVP_DigestVerify`.
    ///
    /// - Throws: ``LibCryptoError/missing``.
    package static func verifies(
        _ signature: [UInt8], of message: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) throws -> Bool {
        try LibraryKey(publicKey: DER.rsaKey(modulus, exponent))?.verifies(signature, of: message)
            ?? false
    }
}

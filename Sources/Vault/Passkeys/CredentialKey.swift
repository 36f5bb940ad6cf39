internal import CCrypto
internal import CSodium

/// The public key of a credential: a COSE_Key (RFC 9052, section 7) with exactly the parameters that WebAuthn requires.
package struct CredentialKey: Sendable, Hashable {
    /// The algorithm with its parameters.
    private enum Kind: Hashable {
        /// ECDSA with SHA-256 on P-256.
        case es256(x: [UInt8], y: [UInt8])
        /// Ed25519.
        case edDSA([UInt8])
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256(modulus: [UInt8], exponent: [UInt8])
    }

    /// The offered algorithms, as COSE numbers, the preferred one first.
    package static let algorithms = [-7, -8, -257]
    private static let modulusBits = 2_048...4_096

    private let kind: Kind

    /// Parses a COSE_Key and checks that it is a key: a point on its curve, or a modulus of 2,048 to 4,096 bits with a usual exponent.
    ///
    /// - Throws: ``PasskeyError/unsupportedKey``; ``PasskeyError/malformed``; ``PasskeyError/libraryMissing``.
    package init(_ bytes: [UInt8]) throws {
        guard let key = try CBORValue(bytes).entries else { throw PasskeyError.malformed }
        guard let kind = Self.kind(of: key) else { throw PasskeyError.unsupportedKey }
        self.kind = kind
        switch kind {
        case .edDSA(let point):
            guard unsafe crypto_core_ed25519_is_valid_point(point) == 1 else {
                throw PasskeyError.unsupportedKey
            }
        case .es256, .rs256:
            guard try PublicKey(subjectPublicKeyInfo) != nil else {
                throw PasskeyError.unsupportedKey
            }
        }
    }

    private static func kind(of key: [CBORValue.Entry]) -> Kind? {
        // Key type, algorithm, then curve and coordinates, or modulus and exponent (RFC 9053, section 7; RFC 8230, section 4).
        switch (key[label: 1]?.number, key[label: 3]?.number, key[label: -1], key.count) {
        case (2, -7, .unsigned(1), 5):
            guard let x = key[label: -2]?.content, let y = key[label: -3]?.content, x.count == 32,
                y.count == 32
            else { return nil }
            return .es256(x: x, y: y)
        case (1, -8, .unsigned(6), 4):
            guard let x = key[label: -2]?.content, x.count == 32 else { return nil }
            return .edDSA(x)
        case (3, -257, .bytes(let modulus), 4):
            guard let exponent = key[label: -2]?.content, isUsual(modulus, exponent) else {
                return nil
            }
            return .rs256(modulus: modulus, exponent: exponent)
        default: return nil
        }
    }

    /// Whether the numbers have no leading zeros and sizes in range, and the exponent is odd and over 2^16 (FIPS 186-5, appendix A.1.1).
    private static func isUsual(_ modulus: [UInt8], _ exponent: [UInt8]) -> Bool {
        guard let first = modulus.first, first != 0, let last = exponent.last else { return false }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        return modulusBits.contains(bits) && (3...4).contains(exponent.count)
            && exponent.first != 0 && last & 1 == 1
    }

    /// Verifies a signature of a message.
    ///
    /// The corresponding C functions are `crypto_sign_verify_detached` and `EVP_DigestVerify`.
    ///
    /// - Throws: ``PasskeyError/libraryMissing``.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) throws -> Bool {
        if case .edDSA(let point) = kind {
            return signature.count == 64
                && (unsafe crypto_sign_verify_detached(
                    signature, message, UInt64(message.count), point) == 0)
        }
        return try PublicKey(subjectPublicKeyInfo)?.verifies(signature, of: message) ?? false
    }

    /// The key as a SubjectPublicKeyInfo for libcrypto (RFC 5480, section 2; RFC 3279, section 2.3.1).
    private var subjectPublicKeyInfo: [UInt8] {
        switch kind {
        case .es256(let x, let y):
            return DER.sequence(
                DER.sequence(DER.ecPublicKey + DER.prime256v1) + DER.bitString([4] + x + y))
        case .rs256(let modulus, let exponent):
            return DER.sequence(
                DER.sequence(DER.rsaEncryption + DER.null)
                    + DER.bitString(DER.sequence(DER.integer(modulus) + DER.integer(exponent))))
        case .edDSA: return []
        }
    }
}

/// The parts of DER (X.690) that a public key needs.
private enum DER {
    /// 1.2.840.10045.2.1.
    static let ecPublicKey: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
    /// 1.2.840.10045.3.1.7.
    static let prime256v1: [UInt8] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
    /// 1.2.840.113549.1.1.1.
    static let rsaEncryption: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    static let null: [UInt8] = [5, 0]

    static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

    static func bitString(_ content: [UInt8]) -> [UInt8] { element(3, [0] + content) }

    /// An unsigned integer without leading zeros.
    static func integer(_ number: [UInt8]) -> [UInt8] {
        element(2, (number.first ?? 0) >= 0x80 ? [0] + number : number)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let size: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + size + content
    }
}

/// A public key in libcrypto.
@safe private struct PublicKey: ~Copyable {
    private let library: UnsafePointer<ccrypto_library>
    private let key: OpaquePointer

    /// Parses a SubjectPublicKeyInfo; nil if it is malformed or its point is not on the curve.
    ///
    /// The corresponding C function is `d2i_PUBKEY`.
    ///
    /// - Throws: ``PasskeyError/libraryMissing``.
    init?(_ bytes: [UInt8]) throws {
        guard let library = unsafe ccrypto_shared() else { throw PasskeyError.libraryMissing }
        let key = unsafe bytes.withUnsafeBufferPointer { buffer in
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

    /// Verifies a signature with SHA-256.
    borrowing func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = unsafe library.pointee.EVP_MD_CTX_new() else { return false }
        defer { unsafe library.pointee.EVP_MD_CTX_free(context) }
        guard
            unsafe library.pointee.EVP_DigestVerifyInit(
                context, nil, library.pointee.EVP_sha256(), nil, key) == 1
        else { return false }
        return unsafe library.pointee.EVP_DigestVerify(
            context, signature, signature.count, message, message.count) == 1
    }
}

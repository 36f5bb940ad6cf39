internal import CSodium
internal import CSoftwareAuthenticator
internal import SecretMemory

/// SHA-256 and what is built on it.
enum SHA256 {
    /// The digest.
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// HMAC-SHA-256 with a key of 32 bytes.
    static func authenticate(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        precondition(key.count == 32)
        var code = [UInt8](repeating: 0, count: 32)
        unsafe crypto_auth_hmacsha256(&code, bytes, UInt64(bytes.count), key)
        return code
    }

    /// HKDF (RFC 5869) with a salt of zeros, 32 bytes.
    static func derive(_ secret: [UInt8], _ info: String) -> [UInt8] {
        let key = authenticate(secret, [UInt8](repeating: 0, count: 32))
        return authenticate(Array(info.utf8) + [1], key)
    }
}

/// Keys of P-256.
enum P256 {
    /// The coordinates of the public key, 64 bytes.
    static func publicKey(of secret: [UInt8]) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: 64)
        precondition(unsafe soft_p256_public(secret, &point))
        return point
    }

    /// The secret that two keys share; nil if the other one is no point of the curve.
    static func agree(_ secret: [UInt8], _ point: [UInt8]) -> [UInt8]? {
        var shared = [UInt8](repeating: 0, count: 32)
        guard point.count == 64, unsafe soft_p256_agree(secret, point, &shared) else { return nil }
        return shared
    }

    /// A signature in DER.
    static func sign(_ message: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 72)
        let size = unsafe soft_p256_sign(secret, message, message.count, &signature)
        precondition(size > 0)
        return Array(signature.prefix(size))
    }
}

/// A PIN/UV auth protocol (CTAP 2.1, sections 6.5.6 and 6.5.7).
enum PINProtocol: Int {
    case one = 1
    case two = 2

    /// The key that follows from the result of the key agreement.
    func key(_ agreed: [UInt8]) -> [UInt8] {
        switch self {
        case .one: SHA256.hash(agreed)
        case .two: SHA256.derive(agreed, "CTAP2 HMAC key") + SHA256.derive(agreed, "CTAP2 AES key")
        }
    }

    /// Encrypts a multiple of 16 bytes.
    func encrypt(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let vector =
            self == .one
            ? [UInt8](repeating: 0, count: 16) : RandomSource.system.bytes(count: 16)
        return (self == .one ? [] : vector)
            + (Self.cipher(true, key.suffix(32), vector, bytes) ?? [])
    }

    /// Decrypts; nil for bytes of a wrong size.
    func decrypt(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8]? {
        switch self {
        case .one: Self.cipher(false, key.suffix(32), [UInt8](repeating: 0, count: 16), bytes)
        case .two:
            bytes.count < 16
                ? nil
                : Self.cipher(
                    false, key.suffix(32), Array(bytes.prefix(16)), Array(bytes.dropFirst(16)))
        }
    }

    /// Whether a code authenticates bytes.
    func verify(_ bytes: [UInt8], _ code: [UInt8], _ key: [UInt8]) -> Bool {
        let right = SHA256.authenticate(bytes, Array(key.prefix(32)))
        return code == (self == .one ? Array(right.prefix(16)) : right)
    }

    private static func cipher(
        _ encrypts: Bool, _ key: ArraySlice<UInt8>, _ vector: [UInt8], _ bytes: [UInt8]
    ) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: bytes.count)
        let isDone = unsafe soft_aes256_cbc(
            encrypts, Array(key), vector, bytes, bytes.count, &result)
        return isDone ? result : nil
    }
}

internal import CSodium
internal import LibCrypto

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
        case .es256(let x, let y):
            guard try Self.ask({ try P256.isPoint([4] + x + y) }) else {
                throw PasskeyError.unsupportedKey
            }
        case .rs256(let modulus, let exponent):
            guard try Self.ask({ try RSA.isKey(modulus: modulus, exponent: exponent) }) else {
                throw PasskeyError.unsupportedKey
            }
        }
    }

    /// Calls `question`, and throws ``PasskeyError/libraryMissing`` without libcrypto: that error has a code in the agent's protocol.
    private static func ask(_ question: () throws -> Bool) throws -> Bool {
        do {
            return try question()
        } catch LibCryptoError.missing {
            throw PasskeyError.libraryMissing
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
    /// The corresponding C function for Ed25519 is `crypto_sign_verify_detached`.
    ///
    /// - Throws: ``PasskeyError/libraryMissing``.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) throws -> Bool {
        switch kind {
        case .edDSA(let point):
            return signature.count == 64
                && (unsafe crypto_sign_verify_detached(
                    signature, message, UInt64(message.count), point) == 0)
        case .es256(let x, let y):
            return try Self.ask {
                try P256.verifies(signature, of: message, by: [4] + x + y)
            }
        case .rs256(let modulus, let exponent):
            return try Self.ask {
                try RSA.verifies(signature, of: message, modulus: modulus, exponent: exponent)
            }
        }
    }
}

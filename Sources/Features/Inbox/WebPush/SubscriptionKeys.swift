internal import LibCrypto
package import SecretMemory

/// The reason why a push message cannot be decrypted or made.
package enum PushError: Error, Sendable, Hashable {
    /// The message or its content is too large.
    case tooLarge
    /// The header is incomplete, or its key id is not an uncompressed P-256 point.
    case header
    /// The body is not exactly one record of the stated size.
    case records
    /// The record was encrypted for other keys, or was changed.
    case notAuthentic
    /// The padding does not end with the delimiter of a last record.
    case padding
    /// The text is not the address of an inbox.
    case address
}

/// The keys of a subscription (RFC 8291, section 3): a P-256 key pair and the authentication
/// secret.
package struct SubscriptionKeys: ~Copyable {
    /// The size of the secret part in bytes: private key raw[32] ‖ authentication secret raw[16].
    package static let size = 48
    static let authenticationSize = 16

    /// The secret part, as stored in the vault.
    package let secrets: SecretBytes
    /// The public key as an uncompressed point.
    package let publicKey: [UInt8]

    /// Takes the secret part from the vault.
    ///
    /// - Returns: nil if the bytes are not valid keys.
    /// - Throws: `LibCryptoError`; `SecretMemoryError`.
    package init?(_ secrets: consuming SecretBytes) throws {
        guard secrets.count == Self.size else { return nil }
        let privateKey = try secrets.copy(from: 0, count: P256.keySize)
        guard let point = try P256.point(of: privateKey) else { return nil }
        self.secrets = secrets
        publicKey = point
    }

    /// Generates keys.
    ///
    /// - Throws: As ``init(_:)``.
    package static func draw(_ random: RandomSource = .system) throws -> SubscriptionKeys {
        while true {
            // About one number in 2^32 exceeds the order of the group.
            if let keys = try SubscriptionKeys(random.secret(count: size)) { return keys }
        }
    }
}

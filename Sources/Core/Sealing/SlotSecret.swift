internal import SecretMemory

/// The keys of one slot, derived from a passphrase, a recovery code or an authenticator's output.
public struct SlotSecret: ~Copyable, Sendable {
    /// Seals the slot's key pair and authentication key.
    public let wrappingKey: SlotWrappingKey
    /// Computes the commitment.
    public let commitmentKey: SlotCommitmentKey

    static let size = 64
    /// The size of a slot's salt, in bytes.
    public static let saltSize = Argon2id.saltSize

    /// Derives by Argon2id 1.3 with one lane (RFC 9106).
    ///
    /// - Parameters:
    ///   - passphrase: The normalised passphrase.
    ///   - salt: 16 bytes.
    ///   - cost: The cost, checked against `limits` first.
    ///   - limits: The accepted costs.
    /// - Throws: `SealingError`: `costTooLow`, `costTooHigh`, `outOfMemory`; `SecretMemoryError.outOfMemory`.
    public init(
        _ passphrase: borrowing Passphrase, salt: [UInt8], cost: KeyDerivationCost,
        limits: KeyDerivationLimits
    ) throws {
        try limits.check(cost)
        var derived = try SecretBytes(count: Self.size)
        try Argon2id.derive(into: &derived, from: passphrase.bytes, salt: salt, cost: cost)
        try self.init(derived)
    }

    /// Derives by keyed BLAKE2b. 256 random bits need no slow derivation.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - prefix: The canonical prefix of the slot.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public init(_ code: borrowing RecoveryCode, prefix: [UInt8]) throws {
        try self.init(hashing: prefix, under: code.bytes)
    }

    /// Derives by keyed BLAKE2b, as from a recovery code.
    ///
    /// - Parameters:
    ///   - output: The output of an authenticator for the salt of the slot.
    ///   - prefix: The canonical prefix of the slot.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public init(_ output: borrowing AuthenticatorOutput, prefix: [UInt8]) throws {
        try self.init(hashing: prefix, under: output.bytes)
    }

    private init(hashing prefix: [UInt8], under key: borrowing SecretBytes) throws {
        var derived = try SecretBytes(count: Self.size)
        key.withBytes { key in
            Blake2b.hash(into: &derived, keyBytes: key) { $0.feed(prefix) }
        }
        try self.init(derived)
    }

    private init(_ derived: borrowing SecretBytes) throws {
        let half = Self.size / 2
        let first = try derived.copy(from: 0, count: half)
        let second = try derived.copy(from: half, count: half)
        wrappingKey = SlotWrappingKey(first)
        commitmentKey = SlotCommitmentKey(second)
    }
}

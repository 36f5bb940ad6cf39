internal import CSodium
internal import SecretMemory

/// Argon2id 1.3 with one lane (RFC 9106); see ``SlotSecret`` for its use.
///
/// The corresponding C function is `crypto_pwhash`.
enum Argon2id {
    /// The size of a salt, in bytes: `crypto_pwhash_SALTBYTES`.
    static let saltSize = 16

    /// Derives `derived`, of at least 16 bytes, from any password. The caller checks the cost.
    ///
    /// - Throws: `SealingError.outOfMemory`.
    static func derive(
        into derived: inout SecretBytes, from password: borrowing SecretBytes, salt: [UInt8],
        cost: KeyDerivationCost
    ) throws {
        precondition(salt.count == saltSize)
        let status = password.withBytes { password in
            derived.withMutableBytes { derived in
                unsafe password.withUnsafeBytes { password in
                    unsafe derived.withUnsafeMutableBytes { derived in
                        unsafe crypto_pwhash(
                            derived.bytes, UInt64(derived.count),
                            UnsafeRawPointer(password.bytes).assumingMemoryBound(to: CChar.self),
                            UInt64(password.count), salt, UInt64(cost.passes),
                            Int(cost.memoryKiB) * 1_024, crypto_pwhash_ALG_ARGON2ID13)
                    }
                }
            }
        }
        StackTraces.wipe(16_384)
        guard status == 0 else { throw SealingError.outOfMemory }
    }
}

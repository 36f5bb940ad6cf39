internal import CSodium
public import SecretMemory

/// An X25519 key pair (RFC 7748). Anyone with the public key can seal a box; only the secret key opens it.
///
/// A box does not authenticate its sender. It is ephemeral public key[32] ‖ tag[16] ‖ ciphertext, by XSalsa20-Poly1305.
///
/// The corresponding C functions are `crypto_box_keypair`, `crypto_scalarmult_base`, `crypto_box_seal` and `crypto_box_seal_open`.
public struct BoxKeyPair: ~Copyable, Sendable {
    /// The size of either key, in bytes.
    public static let keySize = 32
    /// The difference in size between a box and its plaintext, in bytes.
    public static let overhead = 48

    private let secretKey: SecretBytes
    /// The public key, 32 bytes.
    public let publicKey: [UInt8]

    /// Creates the pair of a secret key of 32 bytes.
    public init(secretKey: consuming SecretBytes) {
        precondition(secretKey.count == Self.keySize)
        var publicKey = [UInt8](repeating: 0, count: Self.keySize)
        secretKey.withBytes { secret in
            unsafe secret.withUnsafeBytes { secret in
                _ = unsafe crypto_scalarmult_base(&publicKey, secret.bytes)
            }
        }
        StackTraces.wipe()
        self.secretKey = secretKey
        self.publicKey = publicKey
    }

    /// Creates a random pair.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public static func random(from source: RandomSource) throws -> BoxKeyPair {
        BoxKeyPair(secretKey: try source.secret(count: keySize))
    }

    /// Calls `body` with the secret key's bytes, to seal the key under another.
    public borrowing func withSecretKey<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secretKey.withBytes(body)
    }

    /// Seals bytes to a public key. libsodium generates the ephemeral key.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes.
    ///   - publicKey: 32 bytes.
    /// - Returns: The box, ``overhead`` bytes longer; nil if the public key has small order, which no valid key has.
    public static func seal(_ plaintext: RawSpan, to publicKey: [UInt8]) -> [UInt8]? {
        precondition(publicKey.count == keySize)
        var box = [UInt8](repeating: 0, count: plaintext.byteCount + overhead)
        let status = unsafe plaintext.withUnsafeBytes { plaintext in
            unsafe crypto_box_seal(&box, plaintext.bytes, UInt64(plaintext.count), publicKey)
        }
        StackTraces.wipe()
        return status == 0 ? box : nil
    }

    /// Opens a box into `buffer`, which must have the size of the plaintext.
    /// - Throws: `SealingError.doesNotOpen` for another key pair or any changed byte; the buffer is then zero.
    /// - Throws: `SealingError.doesNotOpen` for another public key or any changed byte; the buffer is then zero.
    public borrowing func open(_ box: [UInt8], into buffer: inout SecretBytes) throws {
        guard box.count >= Self.overhead, buffer.count == box.count - Self.overhead else {
            throw SealingError.doesNotOpen
        }
        let publicKey = publicKey
        let isAuthentic = secretKey.withBytes { secret in
            buffer.withMutableBytes { buffer in
                unsafe secret.withUnsafeBytes { secret in
                    unsafe buffer.withUnsafeMutableBytes { buffer in
                        let status = unsafe crypto_box_seal_open(
                            buffer.bytes, box, UInt64(box.count), publicKey, secret.bytes)
                        if status != 0 { unsafe sodium_memzero(buffer.bytes, buffer.count) }
                        return status == 0
                    }
                }
            }
        }
        StackTraces.wipe()
        guard isAuthentic else { throw SealingError.doesNotOpen }
    }
}

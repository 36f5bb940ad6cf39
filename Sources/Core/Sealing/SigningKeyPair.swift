internal import CSodium
public import SecretMemory

/// An Ed25519 key pair (RFC 8032). Anyone with the public key can verify its signatures.
///
/// The corresponding C functions are `crypto_sign_seed_keypair`, `crypto_sign_detached` and `crypto_sign_verify_detached`.
public struct SigningKeyPair: ~Copyable, Sendable {
    /// The size of a seed, in bytes.
    public static let seedSize = 32
    /// The size of a public key, in bytes.
    public static let publicKeySize = 32
    /// The size of a signature, in bytes.
    public static let signatureSize = 64

    /// Seed ‖ public key, as libsodium expects a secret key.
    private let secretKey: SecretBytes
    /// The public key, 32 bytes.
    public let publicKey: [UInt8]

    /// Creates the pair of a seed of 32 bytes.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public init(seed: borrowing SecretBytes) throws {
        precondition(seed.count == Self.seedSize)
        var secretKey = try SecretBytes(count: Self.seedSize + Self.publicKeySize)
        var publicKey = [UInt8](repeating: 0, count: Self.publicKeySize)
        seed.withBytes { seed in
            secretKey.withMutableBytes { secret in
                unsafe seed.withUnsafeBytes { seed in
                    unsafe secret.withUnsafeMutableBytes { secret in
                        _ = unsafe crypto_sign_seed_keypair(&publicKey, secret.bytes, seed.bytes)
                    }
                }
            }
        }
        StackTraces.wipe()
        self.secretKey = secretKey
        self.publicKey = publicKey
    }

    /// Creates a random pair.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public static func random(from source: RandomSource) throws -> SigningKeyPair {
        try SigningKeyPair(seed: source.secret(count: seedSize))
    }

    /// Calls `body` with the seed, to seal it.
    public borrowing func withSeed<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secretKey.withBytes { (bytes) throws(Failure) in
            try body(bytes.extracting(first: Self.seedSize))
        }
    }

    /// Signs a message.
    ///
    /// - Returns: 64 bytes. They depend only on the key and the message.
    public borrowing func signature(of message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.signatureSize)
        secretKey.withBytes { secret in
            unsafe secret.withUnsafeBytes { secret in
                _ = unsafe crypto_sign_detached(
                    &signature, nil, message, UInt64(message.count), secret.bytes)
            }
        }
        StackTraces.wipe()
        return signature
    }

    /// Whether a signature is that of a message. False for a public key or a part of the signature that is not canonical or has small order.
    ///
    /// - Parameters:
    ///   - signature: 64 bytes.
    ///   - message: The message.
    ///   - publicKey: 32 bytes.
    /// - Returns: Whether the signature is valid.
    public static func isSignature(
        _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) -> Bool {
        precondition(signature.count == signatureSize && publicKey.count == publicKeySize)
        return unsafe crypto_sign_verify_detached(
            signature, message, UInt64(message.count), publicKey) == 0
    }
}

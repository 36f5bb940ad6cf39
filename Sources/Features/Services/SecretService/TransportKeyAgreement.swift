#if os(Linux)
    internal import LibCrypto
    internal import SecretMemory

    /// The key agreement of a session, and the encryption under the agreed key: `dh-ietf1024-sha256-aes128-cbc-pkcs7`.
    ///
    /// It protects values only against programs that record the bus.
    /// Thread-safe, because it is immutable.
    final class TransportKeyAgreement: Sendable {
        /// The name of the algorithm.
        static let name = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
        /// The size of an initialisation vector and of a block, in bytes.
        static let blockSize = AES.blockSize

        /// The public key of this side, 128 bytes.
        let publicKey: [UInt8]
        private let key: SecretBytes

        private init(_ publicKey: [UInt8], _ key: consuming SecretBytes) {
            self.publicKey = publicKey
            self.key = key
        }

        /// Agrees on a key with a peer (RFC 2409, section 6.2; RFC 5869 without salt and info).
        ///
        /// - Parameters:
        ///   - peer: The public key of the peer, big-endian; leading zeros are optional.
        ///   - random: The source of the private key.
        /// - Returns: The agreement; nil unless 1 < key < p − 1.
        /// - Throws: `LibCryptoError`; `SecretMemoryError.outOfMemory`.
        static func agree(
            with peer: [UInt8], _ random: RandomSource = .system
        ) throws -> TransportKeyAgreement? {
            let exponent = try random.secret(count: 32)
            guard let shared = try DiffieHellman.agree(exponent, with: peer) else { return nil }
            let pseudorandom = try HKDF.extract(shared, salt: RawSpan(), .sha256)
            return TransportKeyAgreement(
                try DiffieHellman.publicKey(of: exponent),
                try HKDF.expand(pseudorandom, info: [], to: AES.keySize, .sha256))
        }

        /// Encrypts a value.
        ///
        /// - Returns: The ciphertext, whole blocks.
        /// - Throws: `LibCryptoError`; `SecretMemoryError.outOfMemory`.
        func encrypt(_ value: borrowing SecretBytes, _ vector: [UInt8]) throws -> [UInt8] {
            try AESCBC.encrypt(value, key: key, vector: vector)
        }

        /// Decrypts a value into guarded memory.
        ///
        /// - Returns: The value; nil unless the bytes are whole blocks with valid padding.
        /// - Throws: `LibCryptoError`; `SecretMemoryError.outOfMemory`.
        func decrypt(_ bytes: RawSpan, _ vector: [UInt8]) throws -> SecretBytes? {
            try AESCBC.decrypt(bytes, key: key, vector: vector)
        }
    }
#endif

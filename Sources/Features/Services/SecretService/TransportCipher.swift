#if os(Linux)
    internal import CCrypto
    internal import CSodium
    internal import SecretMemory

    /// The algorithm `dh-ietf1024-sha256-aes128-cbc-pkcs7` of a session. It hides values from programs that record the bus, and from nothing else.
    ///
    /// Thread-safe: nothing changes after the key was agreed on.
    @safe final class TransportCipher: Sendable {
        /// Its name.
        static let name = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
        /// The size of a public key at most, and of the shared secret, in bytes.
        static let groupSize = 128
        /// The size of an initialisation vector and of a block, in bytes.
        static let blockSize = 16

        private static let keySize = 16

        /// This side's public key, 128 bytes.
        let publicKey: [UInt8]
        private let key: SecretBytes

        private init(_ publicKey: [UInt8], _ key: consuming SecretBytes) {
            self.publicKey = publicKey
            self.key = key
        }

        /// Agrees on a key with a peer (RFC 2409, section 6.2; RFC 5869 without salt and info).
        ///
        /// - Parameters:
        ///   - peer: Its public key, big-endian, without or with zeros before it.
        ///   - random: Makes the private key.
        /// - Returns: nil unless 1 < key < p − 1, or without libcrypto.
        /// - Throws: `SecretMemoryError.outOfMemory`.
        static func agree(
            with peer: [UInt8], _ random: RandomSource = .system
        ) throws -> TransportCipher? {
            guard let library = unsafe ccrypto_shared(),
                let numbers = unsafe Numbers(library)
            else { return nil }
            let peer = Array(peer.drop { $0 == 0 })
            guard peer.count <= groupSize, numbers.admits(peer) else { return nil }
            let exponent = try random.secret(count: 32)
            guard let own = try numbers.power([2], exponent),
                let shared = try numbers.power(peer, exponent)
            else { return nil }
            let publicKey = own.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe Array($0) }
            }
            // Extraction with a salt of zeros, then the first block of the expansion.
            let zeros = try SecretBytes(count: 32)
            guard
                let pseudorandom = try unsafe code(of: shared, key: zeros, library),
                var key = try unsafe code(
                    of: SecretBytes(copying: [1 as UInt8].span.bytes), key: pseudorandom, library)
            else { return nil }
            key.keep(count: keySize)
            return TransportCipher(publicKey, key)
        }

        private static func code(
            of message: borrowing SecretBytes, key: borrowing SecretBytes,
            _ library: UnsafePointer<ccrypto_library>
        ) throws -> SecretBytes? {
            var code = try SecretBytes(count: 32)
            var size: UInt32 = 0
            let isDone = message.withBytes { message in
                key.withBytes { key in
                    code.withMutableBytes { code in
                        unsafe message.withUnsafeBytes { message in
                            unsafe key.withUnsafeBytes { key in
                                unsafe code.withUnsafeMutableBytes { code in
                                    unsafe library.pointee.HMAC(
                                        library.pointee.EVP_sha256(), key.baseAddress,
                                        Int32(key.count),
                                        message.baseAddress?.assumingMemoryBound(to: UInt8.self),
                                        message.count,
                                        code.baseAddress?.assumingMemoryBound(to: UInt8.self),
                                        &size) != nil
                                }
                            }
                        }
                    }
                }
            }
            sodium_stackzero(16_384)
            guard isDone, size == 32 else { return nil }
            return code
        }

        /// Encrypts a value.
        ///
        /// - Returns: Whole blocks; nil if the library fails.
        func encrypt(_ value: borrowing SecretBytes, _ vector: [UInt8]) throws -> [UInt8]? {
            var result = try SecretBytes(count: value.count + Self.blockSize)
            guard let size = value.withBytes({ run($0, vector, into: &result, encrypts: true) })
            else { return nil }
            result.keep(count: size)
            return result.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe Array($0) }
            }
        }

        /// Decrypts a value into guarded memory.
        ///
        /// - Returns: nil unless the bytes are whole blocks with a sound end.
        func decrypt(_ bytes: RawSpan, _ vector: [UInt8]) throws -> SecretBytes? {
            guard bytes.byteCount >= Self.blockSize, bytes.byteCount % Self.blockSize == 0,
                vector.count == Self.blockSize
            else { return nil }
            var result = try SecretBytes(count: bytes.byteCount + Self.blockSize)
            guard let size = run(bytes, vector, into: &result, encrypts: false) else {
                return nil
            }
            result.keep(count: size)
            return result
        }

        /// The corresponding C functions are `EVP_CipherInit_ex`, `EVP_CipherUpdate` and `EVP_CipherFinal_ex`.
        private func run(
            _ input: RawSpan, _ vector: [UInt8], into output: inout SecretBytes,
            encrypts: Bool
        ) -> Int? {
            guard let library = unsafe ccrypto_shared(),
                let context = unsafe library.pointee.EVP_CIPHER_CTX_new()
            else { return nil }
            defer {
                unsafe library.pointee.EVP_CIPHER_CTX_free(context)
                sodium_stackzero(16_384)
            }
            let isReady = key.withBytes { key in
                unsafe key.withUnsafeBytes { key in
                    unsafe library.pointee.EVP_CipherInit_ex(
                        context, library.pointee.EVP_aes_128_cbc(), nil,
                        key.baseAddress?.assumingMemoryBound(to: UInt8.self), vector,
                        encrypts ? 1 : 0) == 1
                }
            }
            guard isReady else { return nil }
            return unsafe input.withUnsafeBytes { input in
                output.withMutableBytes { output in
                    unsafe output.withUnsafeMutableBytes { output -> Int? in
                        guard
                            let start = unsafe output.baseAddress?.assumingMemoryBound(
                                to: UInt8.self)
                        else { return nil }
                        var size: Int32 = 0
                        var rest: Int32 = 0
                        let from = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                        guard
                            unsafe input.isEmpty
                                || library.pointee.EVP_CipherUpdate(
                                    context, start, &size, from, Int32(input.count)) == 1,
                            unsafe library.pointee.EVP_CipherFinal_ex(
                                context, start + Int(size), &rest) == 1
                        else { return nil }
                        return Int(size + rest)
                    }
                }
            }
        }
    }

    /// Numbers modulo the prime of the group. Not thread-safe.
    @safe private struct Numbers: ~Copyable {
        private let library: UnsafePointer<ccrypto_library>
        private let prime: OpaquePointer

        init?(_ library: UnsafePointer<ccrypto_library>) {
            guard let prime = unsafe library.pointee.BN_get_rfc2409_prime_1024(nil) else {
                return nil
            }
            unsafe self.library = unsafe library
            unsafe self.prime = unsafe prime
        }

        deinit { unsafe library.pointee.BN_clear_free(prime) }

        /// Whether 1 < number < p − 1; the number begins with no zero.
        borrowing func admits(_ number: [UInt8]) -> Bool {
            guard !number.isEmpty, number != [1] else { return false }
            var largest = [UInt8](repeating: 0, count: TransportCipher.groupSize)
            guard
                unsafe library.pointee.BN_bn2binpad(prime, &largest, Int32(largest.count)) > 0
            else { return false }
            // The prime is odd.
            largest[largest.count - 1] -= 1
            let padded = [UInt8](repeating: 0, count: largest.count - number.count) + number
            return padded.lexicographicallyPrecedes(largest)
        }

        /// The power of a number, left-padded to 128 bytes; nil if the library fails.
        ///
        /// The corresponding C function is `BN_mod_exp_mont_consttime`.
        borrowing func power(
            _ base: [UInt8], _ exponent: borrowing SecretBytes
        ) throws -> SecretBytes? {
            var power = try SecretBytes(count: TransportCipher.groupSize)
            let exponent = unsafe exponent.withBytes { bytes in
                unsafe bytes.withUnsafeBytes {
                    unsafe library.pointee.BN_bin2bn(
                        $0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count), nil)
                }
            }
            let number = unsafe library.pointee.BN_bin2bn(base, Int32(base.count), nil)
            let result = unsafe library.pointee.BN_new()
            let context = unsafe library.pointee.BN_CTX_secure_new()
            defer {
                unsafe library.pointee.BN_clear_free(exponent)
                unsafe library.pointee.BN_clear_free(number)
                unsafe library.pointee.BN_clear_free(result)
                unsafe library.pointee.BN_CTX_free(context)
                sodium_stackzero(16_384)
            }
            guard let exponent = unsafe exponent, let number = unsafe number,
                let result = unsafe result, let context = unsafe context,
                unsafe library.pointee.BN_mod_exp_mont_consttime(
                    result, number, exponent, prime, context, nil) == 1
            else { return nil }
            let isDone = power.withMutableBytes { power in
                unsafe power.withUnsafeMutableBytes { power in
                    guard
                        let start = unsafe power.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    else { return false }
                    return unsafe library.pointee.BN_bn2binpad(
                        result, start, Int32(power.count)) > 0
                }
            }
            guard isDone else { return nil }
            return power
        }
    }
#endif

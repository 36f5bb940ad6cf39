internal import CCrypto
internal import CSodium
package import SecretMemory

/// Diffie-Hellman in the 1,024-bit group with generator 2 (RFC 2409, section 6.2).
package enum DiffieHellman {
    /// The size of a public key and of a shared secret, in bytes.
    package static let size = 128

    /// The public key of a private exponent, 128 bytes.
    ///
    /// The corresponding C function is `BN_mod_exp_mont_consttime`.
    ///
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func publicKey(of exponent: borrowing SecretBytes) throws -> [UInt8] {
        let power = try Group().power([2], exponent)
        return power.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    }

    /// The shared secret of a private exponent and another public key, 128 bytes.
    ///
    /// The corresponding C function is `BN_mod_exp_mont_consttime`.
    ///
    /// - Parameters:
    ///   - exponent: The private exponent.
    ///   - peer: The public key, big-endian; leading zeros are optional.
    /// - Returns: The secret; nil unless 1 < key < p − 1.
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func agree(
        _ exponent: borrowing SecretBytes, with peer: [UInt8]
    ) throws -> SecretBytes? {
        let group = try Group()
        let peer = Array(peer.drop { $0 == 0 })
        guard peer.count <= size, group.admits(peer) else { return nil }
        return try group.power(peer, exponent)
    }
}

/// Arithmetic modulo the prime of the group. Not thread-safe.
@safe private struct Group: ~Copyable {
    private let library: CryptoLibrary
    private let prime: OpaquePointer

    /// - Throws: ``LibCryptoError``.
    init() throws {
        let library = try CryptoLibrary.required()
        guard let prime = unsafe library.functions.pointee.BN_get_rfc2409_prime_1024(nil) else {
            throw LibCryptoError.failed
        }
        self.library = library
        unsafe self.prime = unsafe prime
    }

    deinit { unsafe library.functions.pointee.BN_clear_free(prime) }

    /// Whether 1 < number < p − 1. The number has no leading zeros.
    borrowing func admits(_ number: [UInt8]) -> Bool {
        guard !number.isEmpty, number != [1] else { return false }
        var largest = [UInt8](repeating: 0, count: DiffieHellman.size)
        guard
            unsafe library.functions.pointee.BN_bn2binpad(prime, &largest, Int32(largest.count)) > 0
        else { return false }
        // p − 1. The prime is odd, so the subtraction has no borrow.
        largest[largest.count - 1] -= 1
        let padded = [UInt8](repeating: 0, count: largest.count - number.count) + number
        return padded.lexicographicallyPrecedes(largest)
    }

    /// The power of a number, with leading zeros up to 128 bytes.
    ///
    /// - Throws: ``LibCryptoError/failed``; `SecretMemoryError.outOfMemory`.
    borrowing func power(
        _ base: [UInt8], _ exponent: borrowing SecretBytes
    ) throws -> SecretBytes {
        var power = try SecretBytes(count: DiffieHellman.size)
        let library = library
        let exponent = unsafe exponent.withBytes { bytes in
            unsafe bytes.withUnsafeBytes {
                unsafe library.functions.pointee.BN_bin2bn(
                    $0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32($0.count), nil)
            }
        }
        let number = unsafe library.functions.pointee.BN_bin2bn(base, Int32(base.count), nil)
        let result = unsafe library.functions.pointee.BN_new()
        let context = unsafe library.functions.pointee.BN_CTX_secure_new()
        defer {
            unsafe library.functions.pointee.BN_clear_free(exponent)
            unsafe library.functions.pointee.BN_clear_free(number)
            unsafe library.functions.pointee.BN_clear_free(result)
            unsafe library.functions.pointee.BN_CTX_free(context)
            sodium_stackzero(16_384)
        }
        guard let exponent = unsafe exponent, let number = unsafe number,
            let result = unsafe result, let context = unsafe context,
            unsafe library.functions.pointee.BN_mod_exp_mont_consttime(
                result, number, exponent, prime, context, nil) == 1
        else { throw LibCryptoError.failed }
        let isDone = power.withMutableBytes { power in
            unsafe power.withUnsafeMutableBytes { power in
                guard let start = unsafe power.assumingMemoryBound(to: UInt8.self).baseAddress
                else { return false }
                return unsafe library.functions.pointee.BN_bn2binpad(
                    result, start, Int32(power.count)) > 0
            }
        }
        guard isDone else { throw LibCryptoError.failed }
        return power
    }
}

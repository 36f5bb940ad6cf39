internal import CSodium
internal import Platform
internal import SecretMemory

/// A server's password hash: an Argon2id string such as `$argon2id$v=19$m=65536,t=3,p=1$…$…`, with cost and salt.
///
/// The corresponding C functions are those of `crypto_pwhash_str` (libsodium, "Password hashing").
public struct PasswordHash: Sendable, Hashable {
    /// The string, of printable ASCII.
    public let text: String
    /// The derivation cost in the string.
    public let cost: KeyDerivationCost

    /// Parses a stored string; nil if it is not a libsodium Argon2id string or exceeds 127 bytes.
    public init?(_ text: String) {
        // Parse bytes, which is faster: a server does it for each token request.
        let fields = text.utf8.split(
            separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard text.utf8.count < Int(crypto_pwhash_STRBYTES), fields.count == 6,
            fields[0].isEmpty, fields[1].elementsEqual("argon2id".utf8),
            fields[2].elementsEqual("v=19".utf8),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let cost = Self.cost(fields[3])
        else { return nil }
        self.text = text
        self.cost = cost
    }

    /// Hashes a password with a new random salt.
    ///
    /// - Parameters:
    ///   - password: The password in normalisation form C.
    ///   - cost: The derivation cost; the caller checks it.
    /// - Returns: The hash.
    /// - Throws: `SealingError.outOfMemory`.
    public static func make(
        of password: borrowing Passphrase, cost: KeyDerivationCost
    ) throws -> PasswordHash {
        var buffer = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let status = password.withBytes { password in
            unsafe password.withUnsafeBytes { password in
                unsafe crypto_pwhash_str_alg(
                    &buffer, UnsafeRawPointer(password.bytes).assumingMemoryBound(to: CChar.self),
                    UInt64(password.count), UInt64(cost.passes), Int(cost.memoryKiB) * 1_024,
                    crypto_pwhash_ALG_ARGON2ID13)
            }
        }
        StackTraces.wipe(16_384)
        guard status == 0 else { throw SealingError.outOfMemory }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        guard let hash = PasswordHash(String(decoding: bytes, as: UTF8.self)) else {
            preconditionFailure("libsodium returned an invalid string")
        }
        return hash
    }

    /// Whether this is the hash of a password, compared in constant time.
    ///
    /// - Parameters:
    ///   - password: The password in normalisation form C.
    ///   - limits: The accepted costs, because the string may be untrusted.
    /// - Returns: Whether the password matches.
    /// - Throws: `SealingError`: `costTooHigh`, `costTooLow`, `outOfMemory`.
    public func matches(
        _ password: borrowing Passphrase, limits: KeyDerivationLimits = .standard()
    ) throws -> Bool {
        try limits.check(cost)
        let (status, reason) = password.withBytes { password in
            unsafe password.withUnsafeBytes { password in
                errno = 0
                let status = unsafe crypto_pwhash_str_verify(
                    text, UnsafeRawPointer(password.bytes).assumingMemoryBound(to: CChar.self),
                    UInt64(password.count))
                return (status, errno)
            }
        }
        StackTraces.wipe(16_384)
        if status == 0 { return true }
        // Only a mismatch sets this error number; every other failure is a lack of memory.
        guard reason == EINVAL else { throw SealingError.outOfMemory }
        return false
    }

    /// Parses `m=65536,t=3,p=1`, in libsodium's exact order and form.
    private static func cost(_ field: Substring.UTF8View) -> KeyDerivationCost? {
        let parts = field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].elementsEqual("p=1".utf8),
            let memory = number(parts[0], after: "m="), let passes = number(parts[1], after: "t=")
        else { return nil }
        return KeyDerivationCost(passes: passes, memoryKiB: memory)
    }

    /// A number without a sign or leading zeros.
    private static func number(_ part: Substring.UTF8View, after name: String) -> UInt32? {
        let digits = part.dropFirst(name.utf8.count)
        guard part.starts(with: name.utf8), let first = digits.first,
            first != UInt8(ascii: "0") || digits.count == 1
        else { return nil }
        var number: UInt32 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(
                UInt32(digit - UInt8(ascii: "0")))
            if isTooLarge || isStillTooLarge { return nil }
            number = sum
        }
        return number
    }
}

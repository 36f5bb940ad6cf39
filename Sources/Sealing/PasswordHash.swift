internal import CSodium
internal import Platform
internal import SecretMemory

/// A password as a server stores it: an Argon2id string such as `$argon2id$v=19$m=65536,t=3,p=1$…$…`, with cost and salt in it.
///
/// The corresponding C functions are those of `crypto_pwhash_str` (libsodium, "Password hashing").
public struct PasswordHash: Sendable, Hashable {
    /// The string, of printable ASCII.
    public let text: String
    /// What a derivation costs, as the string says.
    public let cost: KeyDerivationCost

    /// Reads a string as it is stored; nil for what is no Argon2id string of libsodium, and for one of more than 127 bytes.
    public init?(_ text: String) {
        // By bytes, which is quicker: a server reads this with each token that it is asked about.
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
    ///   - cost: What it costs; the caller has checked it.
    /// - Returns: The hash.
    /// - Throws: `outOfMemory`.
    public static func make(
        of password: borrowing Passphrase, cost: KeyDerivationCost
    ) throws(SealingError) -> PasswordHash {
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
        guard status == 0 else { throw .outOfMemory }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        guard let hash = PasswordHash(String(decoding: bytes, as: UTF8.self)) else {
            preconditionFailure("libsodium made a string that is none")
        }
        return hash
    }

    /// Whether this is the hash of a password; compared in constant time.
    ///
    /// - Parameters:
    ///   - password: The password in normalisation form C.
    ///   - limits: What may be spent: the string may be a stranger's.
    /// - Returns: Whether it is.
    /// - Throws: `costTooHigh`, `costTooLow`, `outOfMemory`.
    public func matches(
        _ password: borrowing Passphrase, limits: KeyDerivationLimits = .standard()
    ) throws(SealingError) -> Bool {
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
        // Only of a mismatch the error number tells; the rest is what memory was missing for.
        guard reason == EINVAL else { throw .outOfMemory }
        return false
    }

    /// Reads `m=65536,t=3,p=1`, in the order and form in which libsodium writes it.
    private static func cost(_ field: Substring.UTF8View) -> KeyDerivationCost? {
        let parts = field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].elementsEqual("p=1".utf8),
            let memory = number(parts[0], after: "m="), let passes = number(parts[1], after: "t=")
        else { return nil }
        return KeyDerivationCost(passes: passes, memoryKiB: memory)
    }

    /// A number without a sign or zeros before it.
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

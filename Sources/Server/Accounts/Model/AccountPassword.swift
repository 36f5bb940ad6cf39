internal import Platform
public import Sealing
public import SecretMemory
internal import TextCoding

/// The password of an account: UTF-8 in normalisation form C, in guarded memory.
///
/// It has at least ``minimumCount`` characters. No particular ones are required, but a new password is not a common one (NIST SP 800-63B, section
/// 3.1.1.2).
public struct AccountPassword: ~Copyable, Sendable {
    /// The smallest number of characters (Unicode scalars) in normalisation form C.
    public static let minimumCount = 8
    /// The largest size in normalisation form C, in bytes.
    public static let maximumSize = Passphrase.maximumSize
    /// The largest size of a typed password, in bytes: no other canonical form of an acceptable one is more than three times as large.
    static let maximumTypedSize = 3 * maximumSize
    /// A new password is refused if libzxcvbn finds it within so many guesses, as its list of the most common ones.
    static let commonGuesses = 10_000.0
    /// The largest size of a password that is compared with common ones, in bytes: longer ones are not on lists.
    ///
    /// For the worst 32 bytes found, libzxcvbn takes a twentieth of a derivation; for 64, more than a whole one.
    static let maximumCommonSize = 32

    let passphrase: Passphrase

    /// Normalises a typed password.
    ///
    /// - Parameter typed: UTF-8.
    /// - Throws: ``AccountError/passwordTooShort``, ``AccountError/passwordTooLong``, ``AccountError/passwordEncoding``;
    ///   `SealingError.outOfMemory`.
    public init(typed: borrowing SecretBytes) throws {
        try self.init(Self.normalized(typed))
    }

    private init(_ passphrase: consuming Passphrase) throws {
        guard passphrase.scalarCount >= Self.minimumCount else {
            throw AccountError.passwordTooShort
        }
        self.passphrase = passphrase
    }

    /// Refuses a common password, and the account's own address or its local part in any case. Without libzxcvbn, common passwords are accepted.
    ///
    /// - Throws: ``AccountError/passwordIsAddress``, ``AccountError/passwordCommon``; `SecretMemoryError.outOfMemory`.
    func check(for name: EmailAddress) throws {
        let address = Array(name.text.utf8)
        let localPart = Array(address.prefix { $0 != UInt8(ascii: "@") })
        guard !isEqual(to: address), !isEqual(to: localPart) else {
            throw AccountError.passwordIsAddress
        }
        let size = passphrase.withBytes { $0.byteCount }
        guard size <= Self.maximumCommonSize, let library = ZxcvbnLibrary.shared else { return }
        var text = try SecretBytes(count: size + 1)
        passphrase.withBytes { bytes in
            text.withMutableBytes { copy in
                for offset in 0..<size { copy.set(max(bytes[offset], 1), at: offset) }
            }
        }
        guard library.bits(of: text) > log2(Self.commonGuesses) else {
            throw AccountError.passwordCommon
        }
    }

    /// Compares without the case of ASCII.
    private func isEqual(to text: [UInt8]) -> Bool {
        passphrase.withBytes { bytes in
            bytes.byteCount == text.count
                && text.indices.allSatisfy { index in
                    let byte = bytes[index]
                    let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    return (isCapital ? byte + 0x20 : byte) == text[index]
                }
        }
    }

    private static func normalized(_ typed: borrowing SecretBytes) throws -> Passphrase {
        if typed.count == 0 { throw AccountError.passwordTooShort }
        guard typed.count <= maximumTypedSize else { throw AccountError.passwordTooLong }
        do {
            return try Passphrase(typed: typed)
        } catch SealingError.passphraseLength {
            throw AccountError.passwordTooLong
        } catch SealingError.passphraseEncoding {
            throw AccountError.passwordEncoding
        }
    }
}

/// A received password in guarded memory. Only the work of a lane normalises and checks it, because both are slow for some texts.
public final class TypedPassword: Sendable {
    private let bytes: SecretBytes?

    /// Takes a password; nil for a missing one.
    public init(_ bytes: consuming SecretBytes?) {
        self.bytes = bytes
    }

    /// Whether the password is missing.
    public var isMissing: Bool { bytes == nil }

    /// The normalised password.
    ///
    /// - Throws: As `AccountPassword.init(typed:)`.
    func normalized() throws -> AccountPassword {
        switch bytes {
        case .some(let bytes): try AccountPassword(typed: bytes)
        case .none: throw AccountError.passwordTooShort
        }
    }
}

/// Derives password hashes: the expensive part, which tests and the metrics count.
public protocol PasswordHashing: Sendable {
    /// Hashes a password with a new salt.
    ///
    /// - Throws: `SealingError`.
    func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash

    /// Whether a hash is that of a password.
    ///
    /// - Throws: `SealingError`.
    func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws -> Bool
}

/// Argon2id by libsodium.
public struct Argon2idHashing: PasswordHashing {
    private let limits: KeyDerivationLimits

    /// Creates the hashing.
    ///
    /// - Parameter limits: The limits for the cost of a hash.
    public init(limits: KeyDerivationLimits = .standard()) {
        self.limits = limits
    }

    /// Hashes a password; see ``PasswordHashing/hash(_:cost:)``.
    public func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash {
        try limits.check(cost)
        return try PasswordHash.make(of: password.passphrase, cost: cost)
    }

    /// Verifies a password; see ``PasswordHashing/matches(_:_:)``.
    public func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws -> Bool {
        try hash.matches(password.passphrase, limits: limits)
    }
}

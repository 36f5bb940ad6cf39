internal import Sealing
public import SecretMemory
internal import TextCoding

/// The key of the stored hashes of names and networks, 32 bytes. It is kept outside of the database, because it allows a search for the name of a
/// hash, and because refresh tokens and the keys for second factors are derived from it. Thread-safe.
public final class PseudonymKey: Sendable {
    /// The size in bytes.
    public static let size = 32
    /// The number of keys that names share while the table is full.
    static let sharedKeys: UInt64 = 1_024

    private let key: SecretBytes

    /// Creates the key from 32 bytes; nil for another size.
    public init?(_ key: consuming SecretBytes) {
        guard key.count == Self.size else { return nil }
        self.key = key
    }

    /// The key under which wrong passwords for a name are counted, whether or not an account has that name.
    package func key(of name: EmailAddress) -> AttemptKey { attemptKey("name", [name.text]) }

    /// The key of a known device.
    package func key(of device: TokenHash) -> AttemptKey {
        attemptKey("device", [Hexadecimal.text(device.bytes)])
    }

    /// The key of an account whose owner has a session.
    package func key(of caller: AccountID) -> AttemptKey { attemptKey("caller", [caller.text]) }

    /// The key of the second factors of an account, as a client without a session guesses them, or the account's owner with one.
    package func key(ofFactorsOf account: AccountID, hasSession: Bool) -> AttemptKey {
        attemptKey(hasSession ? "own factor" : "factor", [account.text])
    }

    /// The keyed hash of a challenge's content, 32 bytes; see ``SignedChallenge``.
    func challenge(_ parts: [String]) -> [UInt8] { hash("challenge", parts) }

    /// The key under which the secrets of authenticator apps are sealed.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    func oneTimePasswordKey() throws -> Key<Purpose.OneTimePasswords> {
        var derived = try SecretBytes(count: Self.size)
        key.withBytes { bytes in
            Blake2b.hash(into: &derived, keyBytes: bytes) {
                $0.feed("TaskVault one-time passwords")
            }
        }
        return Key(derived)
    }

    /// The key that a new name shares with others while the table is full.
    func sharedKey(of key: AttemptKey) -> AttemptKey {
        attemptKey("shared", [String(Self.number(key.bytes) % Self.sharedKeys)])
    }

    /// The network of a guess.
    package func origin(_ network: String) -> UInt64 { Self.number(hash("network", [network])) }

    /// The random bytes of the refresh token that replaces this one: its HMAC. A thief of the database alone, or of the token alone, cannot compute it.
    func successor(ofRefreshToken token: String) -> [UInt8] {
        key.withBytes {
            HMACSHA256.code(of: Array("TaskVault successor \(token)".utf8), keyBytes: $0)
        }
    }

    private func attemptKey(_ kind: String, _ parts: [String]) -> AttemptKey {
        guard let key = AttemptKey(bytes: hash(kind, parts)) else {
            preconditionFailure("a hash has the size of a key")
        }
        return key
    }

    private func hash(_ kind: String, _ parts: [String]) -> [UInt8] {
        key.withBytes { bytes in
            Blake2b.hash(size: AttemptKey.size, keyBytes: bytes) { input in
                for part in ["TaskVault attempts", kind] + parts {
                    input.feed(UInt64(part.utf8.count))
                    input.feed(part)
                }
            }
        }
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension AccountTransaction {
    /// Removes the counters of wrong passwords and wrong second factors of an account: of its name, its known devices and its
    /// owner with a session.
    func removeAttempts(of account: Account, _ pseudonyms: PseudonymKey) throws {
        let devices = try knownDevices(of: account.id).map { pseudonyms.key(of: $0.hash) }
        let own = [false, true].map { pseudonyms.key(ofFactorsOf: account.id, hasSession: $0) }
        for key in [pseudonyms.key(of: account.email), pseudonyms.key(of: account.id)] + own
            + devices
        {
            try removeAttempts(key)
        }
    }
}

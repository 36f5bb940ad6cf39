internal import CSodium
public import SecretMemory

/// The purpose of a key. Each purpose is a type, so that a key cannot be used for another purpose.
public protocol KeyPurpose {}
/// A purpose for keys that seal and open blobs.
public protocol SealingPurpose: KeyPurpose {}
/// A purpose for keys of a keyed hash.
public protocol HashingPurpose: KeyPurpose {}

/// The purposes of the vault's keys (`Docs/Format.md`, section 2).
public enum Purpose {
    /// The output of an authenticator, from which the keys of its slot are derived.
    public enum AuthenticatorOutput: HashingPurpose {}
    /// Seals the key pair and the authentication key in a slot.
    public enum SlotWrapping: SealingPurpose {}
    /// Computes the commitment of a slot.
    public enum SlotCommitment: HashingPurpose {}
    /// Computes the proof of a slot: the key *L* of the format.
    public enum SlotAuthentication: HashingPurpose {}
    /// The root key, which is sealed to every slot; subkeys are derived from it.
    public enum Root: KeyPurpose {}
    /// Seals the attribute key, the value keys and the secret key for backups.
    public enum ClassWrapping: SealingPurpose {}
    /// Seals the authentication keys of the slots.
    public enum SlotKey: SealingPurpose {}
    /// Computes lookup tags from names.
    public enum Lookup: HashingPurpose {}
    /// Computes the elements of rows and bucket records.
    public enum RowHash: HashingPurpose {}
    /// Seals bucket records and the state.
    public enum State: SealingPurpose {}
    /// Seals the attributes of items.
    public enum Attribute: SealingPurpose {}
    /// Seals the values of one access class.
    public enum Value: SealingPurpose {}
    /// Seals a record of the log of reads.
    public enum ReadLog: SealingPurpose {}
    /// Seals the secrets of authenticator apps that an auth server keeps.
    public enum OneTimePasswords: SealingPurpose {}
    /// Seals one level of the segments of an epoch, and computes the commitment to itself (`Docs/Sync.md`).
    public enum SyncLevel: SealingPurpose, HashingPurpose {}
    /// Seals the secret keys of a recovery member (`Docs/Sync.md`).
    public enum RecoveryMember: SealingPurpose {}
    /// Seals one level of a device's own records of sync, and computes their hashes (`Docs/Sync.md`).
    public enum SyncStore: SealingPurpose, HashingPurpose {}
}

/// A 32-byte key for one purpose, in guarded memory, wiped at the end of its lifetime.
public struct Key<Use: KeyPurpose>: ~Copyable, Sendable {
    /// The size of every key, in bytes.
    public static var size: Int { 32 }

    let bytes: SecretBytes

    /// Uses a secret of 32 bytes as key.
    public init(_ bytes: consuming SecretBytes) {
        precondition(bytes.count == Self.size)
        self.bytes = bytes
    }

    /// Creates a random key.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public static func random(from source: RandomSource) throws -> Key {
        Key(try source.secret(count: size))
    }

    /// Calls `body` with the key's bytes, to seal the key under another.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }
}

/// A key of the given purpose.
public typealias AuthenticatorOutput = Key<Purpose.AuthenticatorOutput>
/// A key of the given purpose.
public typealias SlotWrappingKey = Key<Purpose.SlotWrapping>
/// A key of the given purpose.
public typealias SlotCommitmentKey = Key<Purpose.SlotCommitment>
/// A key of the given purpose.
public typealias SlotAuthenticationKey = Key<Purpose.SlotAuthentication>
/// A key of the given purpose.
public typealias RootKey = Key<Purpose.Root>
/// A key of the given purpose.
public typealias ClassWrappingKey = Key<Purpose.ClassWrapping>
/// A key of the given purpose.
public typealias SlotKeyKey = Key<Purpose.SlotKey>
/// A key of the given purpose.
public typealias LookupKey = Key<Purpose.Lookup>
/// A key of the given purpose.
public typealias RowHashKey = Key<Purpose.RowHash>
/// A key of the given purpose.
public typealias StateKey = Key<Purpose.State>
/// A key of the given purpose.
public typealias AttributeKey = Key<Purpose.Attribute>
/// A key of the given purpose.
public typealias ValueKey = Key<Purpose.Value>

extension Key where Use == Purpose.Root {
    /// The subkey of the root key that seals attribute key, value keys and secret key for backups.
    public borrowing func classWrappingKey() throws -> ClassWrappingKey {
        try subkey(1)
    }
    /// The subkey of the root key that computes lookup tags.
    public borrowing func lookupKey() throws -> LookupKey { try subkey(2) }
    /// The subkey of the root key that computes row and bucket elements.
    public borrowing func rowHashKey() throws -> RowHashKey { try subkey(3) }
    /// The subkey of the root key that seals bucket records and the state.
    public borrowing func stateKey() throws -> StateKey { try subkey(4) }
    /// The subkey of the root key that seals the authentication keys of the slots.
    public borrowing func slotKeyKey() throws -> SlotKeyKey { try subkey(5) }

    /// Derives a subkey by `crypto_kdf_derive_from_key`.
    private borrowing func subkey<Other>(_ number: UInt64) throws -> Key<Other> {
        var secret = try SecretBytes(count: Self.size)
        bytes.withBytes { master in
            secret.withMutableBytes { subkey in
                unsafe master.withUnsafeBytes { master in
                    unsafe subkey.withUnsafeMutableBytes { subkey in
                        _ = unsafe crypto_kdf_derive_from_key(
                            subkey.bytes, subkey.count, number, "TVaultKy", master.bytes)
                    }
                }
            }
        }
        StackTraces.wipe()
        return Key<Other>(secret)
    }
}

extension Key where Use == Purpose.ReadLog {
    /// The key of the next record: `hash(32, key, "TVRK")`. This key cannot be computed from it.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public borrowing func next() throws -> Key {
        var secret = try SecretBytes(count: Self.size)
        bytes.withBytes { key in Blake2b.hash(into: &secret, keyBytes: key) { $0.feed("TVRK") } }
        return Key(secret)
    }
}

// Re-exports the types in public declarations: `import VaultCore` suffices to create, unlock and use a vault.
@_exported public import Sealing
@_exported public import SecretMemory
@_exported public import SecureStorage
@_exported public import VaultStorage

/// Why a vault could not be created, opened, unlocked or changed. No case carries a secret.
public enum VaultError: Error, Sendable, Hashable {
    /// No passphrase slot opens with this passphrase.
    case wrongPassphrase
    /// No recovery slot opens with this code.
    case wrongRecoveryCode
    /// No slot opens with this output of an authenticator.
    case wrongKey
    /// The passphrase or code is malformed, or the derivation cost is not acceptable.
    case unusable(SealingError)
    /// The stored data was damaged or tampered with.
    case damaged(FormatFailure)
    /// The vault has counter `found`, older than the newest counter `seen` by this machine.
    case rolledBack(found: UInt64, seen: UInt64)
    /// The vault was forked: its state, commit `found`, does not follow from commit `seen`, which this machine saw.
    case forked(seen: UInt64, found: UInt64)
    /// This machine saw another vault at this place or, if `isDestroyed`, destroyed one here.
    case otherVault(isDestroyed: Bool)
    /// The vault's settings require a rollback record, and this machine cannot keep one. A change in progress is stored.
    case noRollbackRecord
    /// The slot cannot be removed: it is the last slot, or the last passphrase or recovery code.
    case lastSlot
    /// The vault already has eight slots.
    case tooManySlots
    /// No slot has this kind or id.
    case noSuchSlot
    /// The credential already has a slot.
    case duplicateKey
    /// Another security key or passkey has this name.
    case duplicateLabel
    /// Another process changed the slots concurrently.
    case conflict
    /// A limit in the settings is out of range.
    case invalidSettings
    /// An operation on secrets was refused.
    case store(SecureStoreError)
    /// The storage failed.
    case storage(DatabaseError)
    /// Memory, including guarded memory, is exhausted.
    case outOfMemory

    /// The revision or the counter reached the format's maximum: the data is sound but cannot be changed.
    static let counterExhausted = VaultError.store(
        .unavailable(.failed, detail: "the maximum number of changes is reached"))

    /// Whether no slot opens with the given secret.
    package var isWrongSecret: Bool {
        switch self {
        case .wrongPassphrase, .wrongRecoveryCode, .wrongKey: true
        default: false
        }
    }

    /// Translates any error inside this module into a vault error, for its public API.
    ///
    /// An error with a special meaning, such as a blob that does not open, is translated where it occurs.
    package init(translating error: any Error) {
        self =
            switch error {
            case let error as VaultError: error
            case let error as SecureStoreError: .store(error)
            case SealingError.outOfMemory, is SecretMemoryError: .outOfMemory
            case let error as SealingError: .unusable(error)
            default: .storage(DatabaseError(translating: error))
            }
    }

    /// Runs `body` and translates its error.
    package static func translating<Result: ~Copyable>(
        _ body: () throws -> Result
    ) throws(VaultError) -> Result {
        do {
            return try body()
        } catch {
            throw VaultError(translating: error)
        }
    }
}

extension SecureStoreError {
    /// The failure of ``VaultError/noRollbackRecord``.
    package static let noRollbackRecord = "no_rollback_record"

    /// The ``SecureStore`` error for an error of the vault.
    package init(_ error: VaultError) {
        switch error {
        case .store(let error): self = error
        case .damaged(let failure): self = .damaged(failure: failure.rawValue)
        case .rolledBack: self = .damaged(failure: FormatFailure.rolledBack.rawValue)
        case .forked: self = .damaged(failure: FormatFailure.forked.rawValue)
        case .otherVault: self = .damaged(failure: FormatFailure.otherVault.rawValue)
        case .noRollbackRecord: self = .damaged(failure: Self.noRollbackRecord)
        case .storage(let error): self.init(error)
        case .outOfMemory: self = .unavailable(.outOfMemory, detail: "out of memory")
        case .wrongPassphrase, .wrongRecoveryCode, .wrongKey, .unusable, .lastSlot, .tooManySlots,
            .noSuchSlot, .duplicateKey, .duplicateLabel, .conflict, .invalidSettings:
            self = .unavailable(.failed, detail: "the vault's slots could not be used")
        }
    }

    private init(_ error: DatabaseError) {
        switch error {
        case .readOnly: self = .unavailable(.readOnly, detail: "the vault file cannot be written")
        case .full: self = .unavailable(.full, detail: "no space left on the device")
        case .busy: self = .unavailable(.busy, detail: "another process is using the vault")
        case .outOfMemory: self = .unavailable(.outOfMemory, detail: "out of memory")
        case .inputOutput(let operation, let code):
            self = .unavailable(
                .failed,
                detail:
                    "\(operation) failed with code \(code): a quota is used up, or the disk fails")
        case .unreachable(let reason): self = .unavailable(.unreachable, detail: reason)
        // Locking closes the storage, or interrupts it.
        case .closed: self = .locked
        case .outcomeUnknown:
            self = .unavailable(
                .failed, detail: "the connection was lost; the change may have been made")
        case .damaged: self = .damaged(failure: "file_damaged")
        case .foreign: self = .damaged(failure: "file_foreign")
        case .notFound: self = .unavailable(.failed, detail: "the vault file no longer exists")
        case .tooLarge:
            self = .unavailable(.failed, detail: "the server's answer is larger than allowed")
        case .newerVersion, .earlierBuild, .unsafeLocation, .alreadyExists, .missing:
            self = .unavailable(.failed, detail: "the vault file is no longer usable")
        }
    }
}

public import Sealing
public import SecureStorage
public import VaultStorage

/// Why a vault could not be made, opened, unlocked or changed. No case carries a secret.
public enum VaultError: Error, Sendable, Hashable {
    /// No passphrase slot has this passphrase.
    case wrongPassphrase
    /// No recovery slot has this code.
    case wrongRecoveryCode
    /// The passphrase or code cannot be one, or the derivation cost is not acceptable.
    case unusable(SealingError)
    /// What is stored was damaged or tampered with.
    case damaged(FormatFailure)
    /// The vault is older than what this machine has seen: its counter is `found`, the newest seen was `seen`.
    case rolledBack(found: UInt64, seen: UInt64)
    /// The vault's keys were replaced by another process (`rekey`, `restore`): unlock again.
    case keysReplaced
    /// The slot cannot be removed: it is the last one.
    case lastSlot
    /// There are eight slots already.
    case tooManySlots
    /// There is no slot of this kind or id.
    case noSuchSlot
    /// Somebody else changed the slots at the same moment.
    case conflict
    /// A limit of the settings is outside its range.
    case invalidSettings
    /// An operation on secrets was refused.
    case store(SecureStoreError)
    /// The storage failed.
    case storage(DatabaseError)
    /// Memory, guarded memory included, is used up.
    case outOfMemory

    /// A revision or the counter is the largest that the format has: sound, and not to be changed any more.
    static let countedToTheEnd = VaultError.store(
        .unavailable(.failed, detail: "it was changed as often as its format can count"))

    /// What it means for a vault that something cannot be derived, sealed or typed so.
    package init(_ error: SealingError) {
        self = error == .outOfMemory ? .outOfMemory : .unusable(error)
    }

    /// What came out of a storage call: the storage's failure, or what the caller's function threw.
    package init(translating error: any Error) {
        self =
            switch error {
            case let error as VaultError: error
            case let error as DatabaseError: .storage(error)
            default: .storage(.inputOutput(operation: "storage", code: 0))
            }
    }

    /// Runs calls of the storage.
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
    /// How an error of the vault looks through the ``SecureStore`` protocol.
    package init(_ error: VaultError) {
        switch error {
        case .store(let error): self = error
        case .damaged(let failure): self = .damaged(failure: failure.rawValue)
        case .rolledBack: self = .damaged(failure: FormatFailure.rolledBack.rawValue)
        case .keysReplaced: self = .locked
        case .storage(let error): self.init(error)
        case .outOfMemory: self = .unavailable(.outOfMemory, detail: "memory is used up")
        case .wrongPassphrase, .wrongRecoveryCode, .unusable, .lastSlot, .tooManySlots, .noSuchSlot,
            .conflict, .invalidSettings:
            self = .unavailable(.failed, detail: "the vault's slots could not be used")
        }
    }

    private init(_ error: DatabaseError) {
        switch error {
        case .readOnly: self = .unavailable(.readOnly, detail: "the vault file cannot be written")
        case .full: self = .unavailable(.full, detail: "no space left on the device")
        case .busy: self = .unavailable(.busy, detail: "another process is using the vault")
        case .outOfMemory: self = .unavailable(.outOfMemory, detail: "memory is used up")
        case .inputOutput(let operation, let code):
            self = .unavailable(.failed, detail: "\(operation) failed with code \(code)")
        case .unreachable(let reason): self = .unavailable(.unreachable, detail: reason)
        case .outcomeUnknown:
            self = .unavailable(
                .failed, detail: "the connection was lost: whether it was done is not known")
        case .damaged: self = .damaged(failure: "file_damaged")
        case .foreign: self = .damaged(failure: "file_foreign")
        case .notFound: self = .unavailable(.failed, detail: "the vault file is gone")
        case .newerVersion, .unsafeLocation, .alreadyExists, .missing, .closed:
            self = .unavailable(.failed, detail: "the vault file cannot be used any more")
        }
    }
}

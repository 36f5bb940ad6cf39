internal import SecretMemory

/// Why an operation of a store failed. No case carries a secret.
public enum SecureStoreError: Error, Sendable, Hashable {
    /// The store is locked: no key is in memory.
    case locked
    /// Another process replaced the store's keys, which ends its session: unlock it again. Later operations fail with `locked`.
    case keysReplaced
    /// The secret's class requires recent verification of the owner.
    case notVerified
    /// No secret has this name.
    case notFound
    /// A secret with this name already exists.
    case duplicate
    /// The secret was changed concurrently: it has revision `found`, the caller expected another.
    case conflict(found: UInt64)
    /// A service, account, field, label or key is not acceptable.
    case invalidName(field: String, InvalidNameReason)
    /// The value, or the attributes together, exceed `maximum` bytes.
    case tooLarge(maximum: Int)
    /// The stored data was damaged or tampered with; `failure` is a name of `Docs/Format.md`, section 10.
    case damaged(failure: String)
    /// The storage failed; `detail` is a displayable description.
    case unavailable(StoreUnavailableReason, detail: String)
}

extension SecureStoreError {
    /// Whether the error concerns one secret only, so that an import skips it and continues.
    package var concernsOneSecret: Bool {
        switch self {
        case .duplicate, .tooLarge, .invalidName: true
        case .locked, .keysReplaced, .notVerified, .notFound, .conflict, .damaged, .unavailable:
            false
        }
    }

    /// Translates an error inside a store: its own error, or a lack of guarded memory.
    package init(translating error: any Error) {
        self =
            switch error {
            case let error as SecureStoreError: error
            case is SecretMemoryError:
                .unavailable(.outOfMemory, detail: "out of guarded memory")
            default: .unavailable(.failed, detail: "the store failed")
            }
    }
}

/// Why a name is invalid.
public enum InvalidNameReason: Sendable, Hashable {
    /// It is empty.
    case empty
    /// It exceeds `maximum` bytes of UTF-8.
    case tooLong(maximum: Int)
    /// It holds a control character, such as a line end.
    case controlCharacter
    /// It occurs twice.
    case repeated
    /// It cannot be the name of a file: it holds a slash, or is `.` or `..`.
    case notAFileName
    /// The store does not have items of this service: only the agent's memory has those of the session.
    case reserved
}

/// Why a store is currently unavailable.
public enum StoreUnavailableReason: Sendable, Hashable {
    /// It cannot be written.
    case readOnly
    /// No space left on the device.
    case full
    /// Other connections used it for longer than the timeout.
    case busy
    /// Memory is exhausted.
    case outOfMemory
    /// It is on a server that does not respond.
    case unreachable
    /// Any other failure, such as an input/output error.
    case failed
}

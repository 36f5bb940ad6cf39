package import SecretMemory

/// Why a store refused. No case carries a secret.
public enum SecureStoreError: Error, Sendable, Hashable {
    /// The store is locked: no key is in memory.
    case locked
    /// The secret's class needs a fresh verification of the owner.
    case notVerified
    /// There is no secret of this name.
    case notFound
    /// There is a secret of this name already.
    case duplicate
    /// The secret was changed by somebody else: it has revision `found`, the caller expected another.
    case conflict(found: UInt64)
    /// A service, account, label or key is not acceptable.
    case invalidName(field: String, InvalidNameReason)
    /// The value, or the attributes together, are larger than `maximum` bytes.
    case tooLarge(maximum: Int)
    /// What is stored was damaged or tampered with; `failure` is a name of `Docs/Format.md`, section 10.
    case damaged(failure: String)
    /// The storage failed; `detail` says how, for a person.
    case unavailable(StoreUnavailableReason, detail: String)
}

extension SecureStoreError {
    /// How it looks through a store that there is no guarded memory for a secret.
    package init(_ error: SecretMemoryError) {
        switch error {
        case .outOfMemory: self = .unavailable(.outOfMemory, detail: "no guarded memory left")
        }
    }
}

/// What is wrong with a name.
public enum InvalidNameReason: Sendable, Hashable {
    /// It has no characters.
    case empty
    /// It is larger than `maximum` bytes of UTF-8.
    case tooLong(maximum: Int)
    /// It holds a control character, a line end for example.
    case controlCharacter
    /// It is there twice.
    case repeated
}

/// Why a store cannot do its work at the moment.
public enum StoreUnavailableReason: Sendable, Hashable {
    /// It cannot be written.
    case readOnly
    /// No space left.
    case full
    /// Others are using it, for longer than this caller waits.
    case busy
    /// Memory is used up.
    case outOfMemory
    /// It is on a server that does not answer.
    case unreachable
    /// Anything else, such as an input/output error.
    case failed
}

internal import SecureStorage
public import VaultCore

/// Why an agent could not be asked, or what it answered. No case carries a secret.
public enum AgentError: Error, Sendable, Hashable {
    /// There is none.
    case notRunning
    /// There is one already.
    case alreadyRunning
    /// It speaks another version of the protocol; the text is its program version.
    case otherVersion(String)
    /// Somebody else answers at the socket, or could have put it there.
    case notTrusted(reason: String)
    /// It does not say hello, as one that was stopped; nothing was asked yet. With its process, where that is known.
    case silent(process: Int32?)
    /// It hung up or did not answer in time: whether what it was asked for was done is not known.
    case connectionLost
    /// It answered something that is not in the protocol.
    case malformed
    /// Too many attempts to prove the owner are waiting.
    case throttled
    /// The vault's settings ask for locked memory, which the system does not give.
    case memoryNotLocked
    /// What the vault said.
    case vault(VaultError)
    /// The system refused a call, with this `errno`.
    case system(String, Int32)

    init(_ refusal: AgentRefusal) {
        switch refusal {
        case .throttled: self = .throttled
        case .memoryNotLocked: self = .memoryNotLocked
        case .vault(let error): self = .vault(error)
        }
    }
}

extension AgentError {
    /// Whether the agent understood and said no.
    var isRefusal: Bool {
        switch self {
        case .throttled, .memoryNotLocked, .vault: true
        default: false
        }
    }
}

extension SecureStoreError {
    /// How an agent's error looks through the ``SecureStore`` protocol.
    init(_ error: AgentError) {
        switch error {
        case .vault(.store(let error)): self = error
        case .notRunning: self = .locked
        case .vault(let error): self = SecureStoreError(error)
        case .connectionLost:
            self = .unavailable(
                .failed,
                detail: "the agent did not answer: whether a change was made is not known")
        case .silent:
            self = .unavailable(.failed, detail: "the agent does not answer")
        case .otherVersion, .notTrusted, .malformed, .alreadyRunning:
            self = .unavailable(.failed, detail: "the agent cannot be used")
        case .throttled, .memoryNotLocked:
            self = .unavailable(.busy, detail: "the agent refused")
        case .system(let call, let code):
            self = .unavailable(.failed, detail: "\(call) failed with code \(code)")
        }
    }
}

public import Passkeys
internal import Sealing
internal import SecretMemory
internal import SecureStorage
public import VaultCore
internal import Platform

/// An error of the connection to the agent, or one that the agent reported. No case carries a secret.
public enum AgentError: Error, Sendable, Hashable {
    /// No agent is running.
    case notRunning
    /// An agent is running already.
    case alreadyRunning
    /// The agent has another protocol version; the text is its program version.
    case otherVersion(String)
    /// Another user listens at the socket, or could have placed it.
    case notTrusted(reason: String)
    /// The agent sends no hello, like a stopped process; no request was sent. With its process, if
    /// known.
    case silent(process: Int32?)
    /// A process holds the agent's lock on the vault's folder, but no agent is reachable.
    case unreachable
    /// The agent closed the connection or did not answer in time: the effect of the request is unknown.
    case connectionLost
    /// The answer violates the protocol.
    case malformed
    /// Too many verification attempts are waiting.
    case throttled
    /// The vault's settings require locked memory, and the system provides none.
    case memoryNotLocked
    /// The answer of a passkey was refused.
    case passkey(PasskeyError)
    /// No finger has verified the owner. If another program already waits for a finger, the case
    /// names it.
    case finger(FingerError, by: String = "")
    /// An error of the vault.
    case vault(VaultError)
    /// A system call failed with this `errno`.
    case system(String, Int32)

    /// The error for an error of the vault, its storage, its secrets or guarded memory.
    init(translating error: any Error) {
        self =
            switch error {
            case let error as AgentError: error
            case let error as PasskeyError: .passkey(error)
            case let error as FingerError: .finger(error)
            case let error as SystemFailure: .system(error.call, error.code)
            default: .vault(VaultError(translating: error))
            }
    }

    /// Whether the agent understood the request and refused it.
    var isRefusal: Bool {
        switch self {
        case .throttled, .memoryNotLocked, .passkey, .finger, .vault: true
        default: false
        }
    }
}

extension SecureStoreError {
    /// The error as reported through the ``SecureStore`` protocol.
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
        case .otherVersion, .notTrusted, .unreachable, .malformed, .alreadyRunning:
            self = .unavailable(.failed, detail: "the agent cannot be used")
        case .throttled, .memoryNotLocked, .passkey, .finger:
            self = .unavailable(.busy, detail: "the agent refused")
        case .system(let call, let code):
            self = .unavailable(.failed, detail: "\(call) failed with code \(code)")
        }
    }
}

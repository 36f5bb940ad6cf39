internal import Passkeys
internal import SecureStorage
internal import VaultCore

/// An encoded refusal: a code with its numbers and texts (`Docs/AgentProtocol.md`, section 5).
package struct WireFailure: Sendable, Hashable {
    var code: String
    var numbers: [UInt64]
    var texts: [String]

    init(_ code: String, numbers: [UInt64] = [], texts: [String] = []) {
        self.code = code
        self.numbers = numbers
        self.texts = texts
    }

    /// Whether the failure has this many numbers and texts.
    func has(numbers: Int, texts: Int) -> Bool {
        self.numbers.count == numbers && self.texts.count == texts
    }

    /// The request was invalid.
    static let malformed = WireFailure("malformed")
}

extension WireFailure {
    /// Encodes the agent's refusal of a request; nil for another error.
    init?(_ error: AgentError) {
        switch error {
        case .throttled: self.init("throttled")
        case .memoryNotLocked: self.init("memory_not_locked")
        case .passkey(let error): self.init("passkey", texts: [error.rawValue])
        case .finger(let error, let program): self.init("finger", texts: [error.rawValue, program])
        case .vault(let error): self.init(error)
        default: return nil
        }
    }

    /// The decoded refusal; nil for a code that this version does not know.
    var refusal: AgentError? {
        switch code {
        case "throttled" where has(numbers: 0, texts: 0): .throttled
        case "memory_not_locked" where has(numbers: 0, texts: 0): .memoryNotLocked
        case "passkey" where has(numbers: 0, texts: 1):
            PasskeyError(rawValue: texts[0]).map { .passkey($0) }
        case "finger" where has(numbers: 0, texts: 2):
            FingerError(rawValue: texts[0]).map { .finger($0, by: texts[1]) }
        default: vaultError.map { .vault($0) }
        }
    }
}

internal import SecureStorage
package import VaultCore

/// A refusal as it travels: a code with its numbers and texts (`Docs/AgentProtocol.md`, section 5).
package struct WireFailure: Sendable, Hashable {
    var code: String
    var numbers: [UInt64]
    var texts: [String]

    init(_ code: String, numbers: [UInt64] = [], texts: [String] = []) {
        self.code = code
        self.numbers = numbers
        self.texts = texts
    }

    /// Whether there are exactly so many numbers and texts.
    func has(numbers: Int, texts: Int) -> Bool {
        self.numbers.count == numbers && self.texts.count == texts
    }

    /// The request was none.
    static let malformed = WireFailure("malformed")
}

extension WireFailure {
    /// Puts an error in its form for the wire.
    init(_ error: AgentRefusal) {
        switch error {
        case .throttled: self.init("throttled")
        case .memoryNotLocked: self.init("memory_not_locked")
        case .vault(let error): self.init(error)
        }
    }

    /// The error again; nil for one that this version does not know.
    var refusal: AgentRefusal? {
        switch code {
        case "throttled" where has(numbers: 0, texts: 0): .throttled
        case "memory_not_locked" where has(numbers: 0, texts: 0): .memoryNotLocked
        default: vaultError.map { .vault($0) }
        }
    }
}

/// Why an agent did not do what it was asked for.
package enum AgentRefusal: Error, Sendable, Hashable {
    /// More attempts than it lets wait are waiting already.
    case throttled
    /// The vault's settings ask for locked memory, which the system does not give.
    case memoryNotLocked
    /// The vault refused, or is locked.
    case vault(VaultError)

    /// A store's refusal.
    static func store(_ error: SecureStoreError) -> AgentRefusal { .vault(.store(error)) }
}

internal import SecureStorage
package import VaultCore

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
    /// Encodes an error.
    init(_ error: AgentRefusal) {
        switch error {
        case .throttled: self.init("throttled")
        case .memoryNotLocked: self.init("memory_not_locked")
        case .vault(let error): self.init(error)
        }
    }

    /// The decoded error; nil for a code that this version does not know.
    var refusal: AgentRefusal? {
        switch code {
        case "throttled" where has(numbers: 0, texts: 0): .throttled
        case "memory_not_locked" where has(numbers: 0, texts: 0): .memoryNotLocked
        default: vaultError.map { .vault($0) }
        }
    }
}

/// The reason for a refused request.
package enum AgentRefusal: Error, Sendable, Hashable {
    /// The limit of waiting attempts is reached.
    case throttled
    /// The vault's settings require locked memory, and the system provides none.
    case memoryNotLocked
    /// An error of the vault, such as locked.
    case vault(VaultError)

    /// The refusal of a store.
    static func store(_ error: SecureStoreError) -> AgentRefusal { .vault(.store(error)) }
}

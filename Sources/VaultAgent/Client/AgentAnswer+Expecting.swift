internal import SecretMemory
internal import SecureStorage
internal import VaultCore
internal import VaultSealing

/// What a client makes of an answer: another one than it asked for is no answer.
extension AgentAnswer {
    func asStatus() throws(AgentError) -> AgentStatus {
        guard case .status(let status) = self else { throw .malformed }
        return status
    }

    func asSettings() throws(AgentError) -> VaultSettings {
        guard case .settings(let settings) = self else { throw .malformed }
        return settings
    }

    func asItem() throws(AgentError) -> SecretItem {
        guard case .item(let item) = self else { throw .malformed }
        return item
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

extension VaultSecret {
    /// The bytes that travel: a passphrase in normalisation form C, a recovery code as its characters.
    borrowing func typed() throws(AgentError) -> SecretBytes {
        do {
            switch self {
            case .passphrase(let passphrase):
                return try passphrase.withBytes { (bytes) throws(SecretMemoryError) in
                    try SecretBytes(copying: bytes)
                }
            case .recoveryCode(let code):
                return try code.text()
            }
        } catch {
            throw .vault(.outOfMemory)
        }
    }

    /// Reads what travelled.
    init(_ kind: KeySlotKind, typed: borrowing SecretBytes) throws(AgentRefusal) {
        do throws(SealingError) {
            switch kind {
            case .passphrase: self = .passphrase(try Passphrase(typed: typed))
            case .recoveryCode: self = .recoveryCode(try RecoveryCode(typed: typed))
            }
        } catch {
            throw .vault(VaultError.refusing(error))
        }
    }
}

extension VaultError {
    fileprivate static func refusing(_ error: SealingError) -> VaultError {
        error == .outOfMemory ? .outOfMemory : .unusable(error)
    }
}

internal import Sealing
internal import SecretMemory
internal import VaultCore

extension VaultSecret {
    /// The encoded bytes: a passphrase in normalization form C, a recovery code as its characters.
    borrowing func typed() throws(AgentError) -> SecretBytes {
        do {
            switch self {
            case .passphrase(let passphrase):
                return try passphrase.withBytes { try SecretBytes(copying: $0) }
            case .recoveryCode(let code):
                return try code.text()
            }
        } catch {
            throw .vault(.outOfMemory)
        }
    }

    /// Decodes the received bytes.
    static func received(
        _ kind: KeySlotKind, _ typed: borrowing SecretBytes
    ) throws(AgentRefusal) -> VaultSecret {
        do {
            return try VaultSecret(kind, typed: typed)
        } catch {
            throw .vault(VaultError(translating: error))
        }
    }
}

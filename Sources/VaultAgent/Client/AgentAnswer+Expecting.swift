internal import SecureStorage
internal import VaultCore

/// Checks that an answer has the kind that the request expects; another kind is malformed.
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

internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultAgent
internal import VaultCore

/// The unlocked vault as a command sees it: through the agent, or by itself.
struct OpenStore {
    /// The secrets.
    let secrets: any SecureStore
    /// The agent, if it is the agent's.
    let agent: AgentClient?
}

extension CommandContext {
    /// Runs `body` with the unlocked vault: the agent's, or with `--no-agent` one that the passphrase opens here and now.
    ///
    /// - Parameters:
    ///   - use: Whether it is going to be changed.
    ///   - body: Gets the secrets.
    /// - Returns: What `body` returns.
    /// - Throws: `locked` where no agent has the vault unlocked; otherwise why it could not be opened, or what `body` throws.
    func withStore<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenStore) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        guard usesAgent else {
            return try withUnlockedVault(use) { (vault, _) throws(CommandFailure) in
                try body(OpenStore(secrets: vault, agent: nil))
            }
        }
        guard let agent = try agent() else { throw try lockedFailure() }
        return try body(OpenStore(secrets: agent, agent: agent))
    }

    /// Runs `body`, and once more after the person was verified where a protected secret asks for that.
    ///
    /// Only showing protected text asks, and only where somebody can be asked, or a passphrase file was given.
    func verifying<Result: ~Copyable>(
        _ store: OpenStore, _ name: SecretName,
        _ body: () throws(SecureStoreError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SecureStoreError) {
            return try body()
        } catch {
            if error == .notVerified, let agent = store.agent,
                canAsk || invocation.has(.passphraseFile)
            {
                try verify(agent)
                return try explaining(name, body)
            }
            return try explaining(name) { () throws(SecureStoreError) in throw error }
        }
    }

    /// Asks for the passphrase, and has the agent check it.
    func verify(_ agent: AgentClient) throws(CommandFailure) {
        let secret = try secretSource().vaultSecret(.passphrase)
        try explainingAgent { () throws(AgentError) in _ = try agent.verify(with: secret) }
    }

    /// Fails early, with nothing changed, where the agent's vault is locked.
    func requireUnlocked(_ store: OpenStore) throws(CommandFailure) {
        _ = try statusUnlocked(store)
    }

    /// Fails early where protected words could not be saved.
    func requireVerified(_ store: OpenStore) throws(CommandFailure) {
        guard let status = try statusUnlocked(store) else { return }
        guard status.isVerified else { throw CommandFailure(SecureStoreError.notVerified, vault) }
    }

    /// What the agent says of the vault that it has unlocked; nil where no agent has it.
    private func statusUnlocked(_ store: OpenStore) throws(CommandFailure) -> AgentStatus? {
        guard let agent = store.agent else { return nil }
        let status = try explainingAgent { () throws(AgentError) in try agent.status() }
        guard status.isUnlocked else { throw .locked(vault) }
        return status
    }

    /// Whether this command works through the agent.
    var usesAgent: Bool {
        invocation.command.traits.contains(.usesAgent) && !invocation.has(.noAgent)
    }

    /// What to say of a vault that no agent has unlocked; that there is no vault, if so.
    func lockedFailure() throws(CommandFailure) -> CommandFailure {
        try withStorage(.reading) { (storage) throws(CommandFailure) in
            _ = try lockedVault(storage)
        }
        return .locked(vault)
    }
}

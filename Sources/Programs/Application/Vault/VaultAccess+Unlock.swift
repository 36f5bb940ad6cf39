internal import TextCoding
package import VaultAgent
package import VaultCore

// Unlocking, by `unlock` or by a command that finds the vault locked.
extension VaultAccess {
    /// The largest number of attempts of a person.
    package static let mostTries = 3

    /// Gets the secret that unlocks the vault and runs `body` with it. At a terminal, a person has
    /// three attempts.
    ///
    /// A plugged-in security key is offered before the passphrase.
    ///
    /// - Parameters:
    ///   - kind: Passphrase, recovery code or security key.
    ///   - body: Receives the secret.
    /// - Returns: The result of `body`.
    /// - Throws: The error of the source, or of `body`.
    package func withSecret<Result: ~Copyable>(
        _ kind: KeySlotKind, _ body: (consuming VaultSecret) throws -> Result
    ) throws -> Result {
        try withSecret(kind, from: try KeyPrompts(owner), body)
    }

    /// Works as ``withSecret(_:_:)``, with prompts that the caller continues to use.
    ///
    /// - Parameters:
    ///   - kind: As in ``withSecret(_:_:)``.
    ///   - slots: The slots of the vault; nil to read them.
    ///   - prompts: The prompts for the person.
    ///   - given: A secret that was typed already.
    ///   - body: As in ``withSecret(_:_:)``.
    /// - Returns: The result of `body`.
    /// - Throws: The error of the source, or of `body`.
    package func withSecret<Result: ~Copyable>(
        _ kind: KeySlotKind, of slots: [KeySlotDescription]? = nil, from prompts: KeyPrompts,
        after given: consuming VaultSecret? = nil,
        _ body: (consuming VaultSecret) throws -> Result
    ) throws -> Result {
        var given = given
        if given == nil, kind == .authenticator {
            return try body(keySecret(of: slots ?? self.slots().slots, prompts))
        }
        if given == nil, kind == .passphrase { given = try offeredKeySecret(of: slots) }
        var tries = 1
        while true {
            do {
                let secret =
                    switch given.take() {
                    case .some(let typed): typed
                    case .none: try prompts.source.vaultSecret(kind)
                    }
                return try body(secret)
            } catch {
                let failure = errors.failure(error)
                guard tries < Self.mostTries, failure.exitCode == .wrongPassphrase else {
                    throw error
                }
                guard prompts.source.isPerson else { throw error }
                tries += 1
                try prompts.source.say("\(Application.program): error: \(failure.message)")
            }
        }
    }

    /// Unlocks the vault in an agent; starts one if none runs.
    ///
    /// - Parameter secret: Passphrase, recovery code or output of a security key.
    /// - Returns: The agent and its session.
    /// - Throws: The reason why no agent could be started, or its refusal.
    package func unlock(with secret: borrowing VaultSecret) throws -> (AgentClient, AgentStatus) {
        // An agent from before the prompt may have ended in the meantime.
        let running = try agent()
        return try unlock(
            try running ?? AgentLauncher(self).start(), with: secret)
    }

    private func unlock(
        _ agent: AgentClient, with secret: borrowing VaultSecret
    ) throws -> (AgentClient, AgentStatus) {
        let status = try agent.unlock(
            with: secret, acceptsOlder: options.acceptsOlder,
            acceptsOther: options.acceptsOther)
        // Another process locked the vault at the same moment.
        guard status.isUnlocked else { throw Failure.locked(reference) }
        note(agent)
        changes.isSet = true
        saveBackupKey(agent)
        if !status.isMemoryLocked {
            owner.warn(
                "memory_not_locked",
                "memory cannot be locked (ulimit -l): the agent's keys may reach the swap")
        }
        return (agent, status)
    }

    /// Whether an agent has the vault unlocked; reports keys that another process has replaced.
    package func isUnlocked(_ agent: AgentClient?) throws -> Bool {
        do {
            // A refusal, unlike a status, contains the reason why the session ended.
            return try agent?.settings() != nil
        } catch AgentError.vault(.store(.locked)), AgentError.notRunning {
            return false
        } catch AgentError.vault(.store(.keysReplaced)) {
            owner.remark("keys replaced; unlock again")
            return false
        }
    }

    /// The agent for an operation that needs the session. At a terminal, a person first unlocks a
    /// locked vault in the agent.
    ///
    /// - Parameters:
    ///   - signsIn: Whether an unlock signs in.
    ///   - typed: Receives the passphrase if no agent can be started, so that the operation opens
    ///     the vault itself.
    /// - Returns: The agent; nil if none can be started.
    /// - Throws: `locked` if no prompt is possible; the reason why the vault was not unlocked.
    func agentForUse(
        signsIn: Bool, orKeeping typed: inout VaultSecret?
    ) throws -> AgentClient? {
        let running = try agent()
        guard owner.canAnswer else {
            guard let running else { throw try lockedFailure() }
            return running
        }
        if try isUnlocked(running) { return running }
        // Fails before the prompt.
        try requireHeader()
        let unlocked = try withSecret(.passphrase) { secret -> (AgentClient, AgentStatus)? in
            let agent: AgentClient
            do {
                agent = try self.agent() ?? AgentLauncher(self).start()
            } catch let failure as Failure where failure.exitCode == .failure {
                owner.warn(
                    "agent_start", failure.reason + "; the vault is unlocked for this command only"
                )
                typed = .some(secret)
                return nil
            }
            return try unlock(agent, with: secret)
        }
        guard let (agent, status) = unlocked else { return nil }
        remark("unlocked", status)
        if signsIn { SignInAccess(self, errors).signInSilently(agent) }
        return agent
    }

    /// Runs `body` with the vault unlocked and its owner verified.
    ///
    /// It uses the agent's vault if the agent has verified the owner, or a person verifies now.
    /// Otherwise the passphrase opens the vault for this command.
    ///
    /// - Parameter body: Receives the secrets.
    /// - Returns: The result of `body`.
    /// - Throws: The reason why the vault could not be opened; the error of `body`.
    package func withVerifiedStore<Result>(_ body: (OpenStore) throws -> Result) throws -> Result {
        var typed: VaultSecret?
        var verified = try verifiedAgent()
        if verified == nil, usesAgent, owner.canAnswer {
            verified = try agentForUse(signsIn: true, orKeeping: &typed)
            if let agent = verified, try !agent.status().isVerified { try verify(agent) }
        }
        if let verified { return try body(OpenStore(secrets: verified, agent: verified)) }
        return try withUnlockedVault(.changing, with: typed.take()) { vault, _ in
            try body(OpenStore(secrets: vault, agent: nil))
        }
    }
}

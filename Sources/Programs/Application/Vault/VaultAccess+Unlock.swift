internal import TextCoding
package import VaultAgent
package import VaultCore

// Unlocking: by `unlock`, or by a command that finds the vault locked.
extension VaultAccess {
    /// How many times a person can type a wrong passphrase.
    private static let mostTries = 3

    /// Asks for what opens the vault, and runs `body` with it; again at a terminal if it is wrong, up to three times.
    ///
    /// A plugged-in security key is offered before the passphrase.
    ///
    /// - Parameters:
    ///   - kind: Passphrase, recovery code or security key.
    ///   - body: Gets the secret.
    /// - Returns: The result of `body`.
    /// - Throws: The error of the source, or of `body`.
    package func withSecret<Result: ~Copyable>(
        _ kind: KeySlotKind, _ body: (consuming VaultSecret) throws -> Result
    ) throws -> Result {
        try withSecret(kind, from: try KeyPrompts(owner), body)
    }

    /// As ``withSecret(_:_:)``, by prompts that the caller goes on using.
    ///
    /// - Parameters:
    ///   - kind: As there.
    ///   - slots: The slots of the vault; read if left out.
    ///   - prompts: Ask the person.
    ///   - given: A secret that the person has typed already.
    ///   - body: As there.
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

    /// Has an agent unlock the vault; starts one if none runs.
    ///
    /// - Parameter secret: Passphrase, recovery code or output of a security key.
    /// - Returns: The agent and its session.
    /// - Throws: Why no agent could be started, or why it refused.
    package func unlock(with secret: borrowing VaultSecret) throws -> (AgentClient, AgentStatus) {
        // An agent from before the question may have ended meanwhile.
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
        // Another process locked it in the same moment.
        guard status.isUnlocked else { throw Failure.locked(reference) }
        note(agent)
        saveBackupKey(agent)
        if !status.isMemoryLocked {
            owner.warn(
                "memory_not_locked",
                "memory cannot be locked (ulimit -l): the agent's keys may reach the swap")
        }
        return (agent, status)
    }

    /// Whether an agent has the vault unlocked; says so if another process has replaced its keys.
    package func isUnlocked(_ agent: AgentClient?) throws -> Bool {
        do {
            // Unlike a status, a refusal says why the session ended.
            return try agent?.settings() != nil
        } catch AgentError.vault(.store(.locked)), AgentError.notRunning {
            return false
        } catch AgentError.vault(.store(.keysReplaced)) {
            owner.remark("keys replaced; unlock again")
            return false
        }
    }

    /// The agent for an operation that needs the session. A person unlocks a locked vault first, and the agent then holds it.
    ///
    /// - Parameters:
    ///   - signsIn: Whether an unlock signs in.
    ///   - typed: Gets the passphrase if no agent can be started, so that the operation opens the vault by itself.
    /// - Returns: The agent; nil if none can be started.
    /// - Throws: `locked` if nothing can be asked; why the vault was not unlocked.
    func agentForUse(
        signsIn: Bool, orKeeping typed: inout VaultSecret?
    ) throws -> AgentClient? {
        let running = try agent()
        guard owner.canAnswer else {
            guard let running else { throw try lockedFailure() }
            return running
        }
        if try isUnlocked(running) { return running }
        // Fails before the question.
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
    /// It is the agent's if that has verified the owner, or if a person verifies now; otherwise one that the passphrase opens for this command.
    ///
    /// - Parameter body: Gets the secrets.
    /// - Returns: The result of `body`.
    /// - Throws: Why the vault could not be opened; the error of `body`.
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

internal import CommandLine
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

extension CommandContext {
    /// Where the vault's agent may be found; nil where there is no folder for it.
    private func agentPlace(_ runtimeFolder: String?) throws(CommandFailure) -> AgentPlace? {
        do throws(StorageError) {
            return try AgentPlace(vaultFile: folders.file, runtimeFolder: runtimeFolder)
        } catch .notFound {
            return nil
        } catch {
            throw CommandFailure(error, vault)
        }
    }

    /// The vault's agent, or nil where none runs.
    func agent() throws(CommandFailure) -> AgentClient? {
        try withAgentPlace { (place) throws(AgentError) in
            try AgentClient(place, programVersion: ProductVersion.number)
        }
    }

    /// Runs `body` with the place where an agent runs.
    ///
    /// - Parameter body: Connects to it.
    /// - Returns: What `body` returns; nil where no agent runs.
    /// - Throws: What `body` throws of the one that runs.
    func withAgentPlace<Result>(
        _ body: (AgentPlace) throws(AgentError) -> Result
    ) throws(CommandFailure) -> Result? {
        for runtimeFolder in folders.runtimeForClients {
            guard let place = try agentPlace(runtimeFolder) else { continue }
            do throws(AgentError) {
                return try body(place)
            } catch .notRunning {
                continue
            } catch {
                throw CommandFailure(error, vault)
            }
        }
        return nil
    }

    /// Whether an agent has the vault unlocked.
    func isAgentUnlocked() throws(CommandFailure) -> Bool {
        guard let agent = try agent() else { return false }
        return try explainingAgent { () throws(AgentError) in try agent.status().isUnlocked }
    }

    /// Makes an agent lock, if there is one, because what it holds is about to be replaced or has been.
    func lockAgent() throws(CommandFailure) {
        guard let agent = try agent() else { return }
        try explainingAgent { () throws(AgentError) in _ = try agent.lock() }
    }

    /// Makes an agent lock where an older vault is accepted: when it locks later, what it saw of the newer one makes the older one too old again.
    func lockAgentIfOlderIsAccepted() throws(CommandFailure) {
        if invocation.has(.acceptOlder) { try lockAgent() }
    }

    /// Makes an agent of any version end, if there is one.
    func endAgent() throws(CommandFailure) {
        for runtimeFolder in folders.runtimeForClients {
            guard let place = try agentPlace(runtimeFolder) else { continue }
            _ = try explainingAgent { () throws(AgentError) in
                try AgentClient.end(place, programVersion: ProductVersion.number)
            }
        }
    }

    /// Runs a call of the agent whose error becomes a failure.
    func explainingAgent<Result: ~Copyable>(
        _ body: () throws(AgentError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(AgentError) {
            return try body()
        } catch {
            throw CommandFailure(error, vault)
        }
    }
}

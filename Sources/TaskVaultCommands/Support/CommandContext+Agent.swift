internal import Terminal
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

extension CommandContext {
    /// Where the vault's agent is to be found; nil where there is no folder for one.
    func agentPlace() throws(CommandFailure) -> AgentPlace? {
        do throws(StorageError) {
            return try AgentPlace(vaultFile: folders.file, runtimeFolder: folders.runtime)
        } catch .notFound {
            return nil
        } catch {
            throw CommandFailure(error, vault)
        }
    }

    /// The vault's agent, or nil where none runs.
    func agent() throws(CommandFailure) -> AgentClient? {
        guard let place = try agentPlace() else { return nil }
        do throws(AgentError) {
            return try AgentClient(place, programVersion: ProductVersion.number)
        } catch .notRunning {
            return nil
        } catch {
            throw CommandFailure(error, vault)
        }
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

    /// Makes an agent of any version end, if there is one.
    func endAgent() throws(CommandFailure) {
        guard let place = try agentPlace() else { return }
        _ = try explainingAgent { () throws(AgentError) in
            try AgentClient.end(place, programVersion: ProductVersion.number)
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

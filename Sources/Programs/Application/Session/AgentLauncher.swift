internal import Platform
package import TextCoding
package import VaultAgent

/// Starts the vault's agent in the background: the same executable in its own session.
package struct AgentLauncher {
    /// The byte that the agent writes to standard output once it is reachable. The agent then
    /// closes its standard descriptors.
    package static let readyByte: UInt8 = 0x2B

    private let vault: VaultAccess

    /// Creates the launcher of a vault's agent.
    package init(_ vault: VaultAccess) {
        self.vault = vault
    }

    /// Starts the agent and waits until it is reachable.
    ///
    /// - Returns: A client of the agent, or of another agent that was started at the same moment.
    package func start() throws -> AgentClient {
        var arguments = [Application.program, "agent", "--background"]
        if let home = vault.options.home { arguments += ["--home", home] }
        // Its errors are forwarded unchanged.
        if vault.options.isForPrograms { arguments.append("--json") }
        let ending: ChildProcess.FailedStart?
        do {
            ending = try ChildProcess.startInBackground(
                arguments, vault.options.environment.entries, until: Self.readyByte)
        } catch let error as SystemFailure {
            throw Failure(
                .failure, code: "agent_start",
                "the agent could not be started: \(error.call), \(error.explanation)")
        }
        // The agent of another process may have started first and listens a moment later.
        for _ in 0..<(ending?.exitCode == ExitCode.alreadyExists.rawValue ? 500 : 1) {
            if let agent = try vault.agent() { return agent }
            SystemSleep.sleep(.milliseconds(10))
        }
        throw failure(ending)
    }

    /// The failure of an agent that did not start; quiet if the agent has printed the reason.
    private func failure(_ ending: ChildProcess.FailedStart?) -> Failure {
        let reason: String
        switch (ending, ending?.exitCode) {
        case (let ending?, let number?):
            if !ending.errors.isEmpty, let exitCode = ExitCode(known: number) {
                vault.owner.passOn(ending.errors)
                return .explained(exitCode)
            }
            reason = "it ended with code \(number)"
        case (_?, nil): reason = "a signal ended it"
        case (nil, _): reason = "it ended right after its start"
        }
        return Failure(
            .failure, code: "agent_start", "the agent could not be started: \(reason)",
            hint: vault.folders.command("agent") + " shows why; --no-agent works without it")
    }
}

extension Failure {
    /// The reason why an agent did not start; the agent itself printed a quiet failure.
    package var reason: String { isQuiet ? "the agent could not be started" : message }
}

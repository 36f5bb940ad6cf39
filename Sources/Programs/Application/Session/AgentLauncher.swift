internal import Platform
package import TextCoding
package import VaultAgent

/// Starts the vault's agent in the background: this executable once more, in a session of its own.
package struct AgentLauncher {
    /// The byte that the agent writes to standard output once it can be reached; then it lets go of its standard descriptors.
    package static let readyByte: UInt8 = 0x2B

    private let vault: VaultAccess

    /// Makes the launcher of a vault's agent.
    package init(_ vault: VaultAccess) {
        self.vault = vault
    }

    /// Starts it and waits until it can be reached.
    ///
    /// - Returns: A client of it; of another agent, if one was started at the same moment.
    package func start() throws -> AgentClient {
        var arguments = [Application.program, "agent", "--background"]
        if let home = vault.options.home { arguments += ["--home", home] }
        // Its errors are passed on as they are.
        if vault.options.isForPrograms { arguments.append("--json") }
        let ending: ChildProcess.Ending?
        do {
            ending = try ChildProcess.startInBackground(
                arguments, vault.options.environment.entries, until: Self.readyByte)
        } catch let error as SystemFailure {
            throw Failure(
                .failure, code: "agent_start",
                "the agent could not be started: \(error.call), \(error.explanation)")
        }
        // An agent of another process may have started first, and listens a moment later.
        for _ in 0..<(ending?.exitCode == ExitCode.alreadyExists.rawValue ? 500 : 1) {
            if let agent = try vault.agent() { return agent }
            SystemSleep.sleep(.milliseconds(10))
        }
        throw failure(ending)
    }

    /// The failure of an agent that did not come up; quiet if the agent itself has explained it.
    private func failure(_ ending: ChildProcess.Ending?) -> Failure {
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
    /// Why an agent did not start; a quiet failure was explained by the agent.
    package var reason: String { isQuiet ? "the agent could not be started" : message }
}

internal import Terminal
internal import VaultAgent

/// Starts the vault's agent in the background: this executable once more, in a session of its own.
struct AgentLauncher {
    /// What the agent writes to standard output once it can be reached; then it lets go of its standard descriptors.
    static let readyMark: UInt8 = 0x2B

    private let context: CommandContext

    init(_ context: CommandContext) {
        self.context = context
    }

    /// Starts it and waits until it can be reached.
    ///
    /// - Returns: A client of it; of another one, if somebody started that at the same moment.
    func start() throws(CommandFailure) -> AgentClient {
        var arguments = ["agent", "--background"]
        if let home = context.invocation.text(of: .home) { arguments += ["--home", home] }
        var isReady = false
        do throws(SystemFailure) {
            isReady = try ChildProcess.startInBackground(
                arguments, context.surroundings.environment, until: Self.readyMark)
        } catch {
            throw CommandFailure(
                .failure, code: "agent_start",
                "the agent could not be started: \(error.call), \(error.explanation)")
        }
        if let agent = try context.agent() { return agent }
        throw CommandFailure(
            .failure, code: "agent_start",
            isReady ? "the agent ended right after its start" : "the agent could not be started",
            hint: context.folders.command("agent") + " shows why; --no-agent works without it")
    }
}

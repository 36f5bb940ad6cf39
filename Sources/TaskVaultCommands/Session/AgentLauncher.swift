internal import CommandLine
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
        // Its errors are passed on as they are.
        if context.isJSON { arguments.append("--json") }
        let ending: ChildProcess.Ending?
        do throws(SystemFailure) {
            ending = try ChildProcess.startInBackground(
                arguments, context.surroundings.environment, until: Self.readyMark)
        } catch {
            throw CommandFailure(
                .failure, code: "agent_start",
                "the agent could not be started: \(error.call), \(error.explanation)")
        }
        // Somebody else's agent may be there already, and a moment later it listens.
        for _ in 0..<(ending?.exitCode == ExitCode.alreadyExists.rawValue ? 500 : 1) {
            if let agent = try context.agent() { return agent }
            SystemSleep.sleep(.milliseconds(10))
        }
        throw failure(ending)
    }

    /// What to say of an agent that did not come up; what it said itself, if it did.
    private func failure(_ ending: ChildProcess.Ending?) -> CommandFailure {
        let reason: String
        switch (ending, ending?.exitCode) {
        case (let ending?, let number?):
            if !ending.errors.isEmpty, let exitCode = CommandTable.taskvault.exitCode(number) {
                unsafe try? Descriptor.write(
                    ending.errors.span.bytes, to: context.surroundings.errors)
                return .explained(exitCode)
            }
            reason = "it ended with code \(number)"
        case (_?, nil): reason = "a signal ended it"
        case (nil, _): reason = "it ended right after its start"
        }
        return CommandFailure(
            .failure, code: "agent_start", "the agent could not be started: \(reason)",
            hint: context.folders.command("agent") + " shows why; --no-agent works without it")
    }
}

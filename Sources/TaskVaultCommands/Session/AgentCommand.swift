internal import CommandLine
internal import Platform
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// `agent`: holds the vault unlocked for other commands.
enum AgentCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        // What its starter had open is none of its business.
        platform_close_from(3)
        var options = Agent.Options(
            vaultFile: context.folders.file, runtimeFolder: context.folders.runtimeForAgent,
            environment: context.environment, programVersion: ProductVersion.number)
        let setting = try context.preferences()[.vault]
        let vault = try VaultSource(setting, context.folders)
        if !vault.isFile {
            options.openStorage = { (mode) throws(StorageError) in try vault.open(mode) }
        }
        let agent: Agent
        do throws(AgentError) {
            agent = try Agent(options)
        } catch .system(let call, let code) {
            throw CommandFailure(
                .failure, code: "agent_start",
                "the agent cannot be started: \(call), \(SystemFailure(call, code: code).explanation)"
            )
        } catch {
            throw CommandFailure(error, context.vault)
        }
        // Whoever changed the setting since it was read found no agent here to be ended; whoever changes it from now on does.
        guard try context.preferences()[.vault] == setting else {
            throw CommandFailure(
                .refused, code: "conflict", "the setting vault was changed meanwhile",
                hint: "run it again")
        }
        if context.invocation.has(.background) { letGo(of: context.surroundings.output) }
        // No folder that somebody wants to unmount is kept in use.
        _ = unsafe chdir("/")
        try context.explainingAgent { () throws(AgentError) in try agent.run() }
    }

    /// Tells the starter that the agent can be reached, and gives the standard descriptors up.
    private static func letGo(of output: Int32) {
        unsafe try? Descriptor.write([AgentLauncher.readyMark].span.bytes, to: output)
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { return }
        for descriptor in Descriptor.standardInput...Descriptor.standardError {
            dup2(nothing, descriptor)
        }
        close(nothing)
    }
}

internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// `agent`: holds the vault unlocked for other commands.
enum AgentCommand: Command {
    /// The directories of libraries that are loaded later, of their settings, and of the kernel's interfaces.
    private static let system = [
        "/usr", "/lib", "/lib64", "/nix", "/gnu", "/etc", "/run", "/proc", "/sys", "/dev",
    ]

    static let description = CommandDescription(
        path: ["agent"],
        summary: "run the agent in the foreground",
        options: [.background],
        notes: [
            """
            For a service manager; otherwise unlock starts the agent. It starts locked, and ends on SIGTERM, if the vault or its folder \
            is removed, or after 15 minutes locked and without a request. SIGUSR1 locks.
            """
        ],
        examples: [.init("taskvault agent", "run it until Ctrl-C")],
        exitCodes: [.notFound, .alreadyExists, .damaged, .refused, .serverUnreachable],
        traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        // The agent must not keep other descriptors of its parent process open.
        platform_close_from(3)
        var options = Agent.Options(
            vaultFile: context.folders.file, runtimeFolder: context.folders.runtimeForAgent,
            environment: context.vault.environment, programVersion: ProductVersion.number)
        options.readLog = context.folders.readLog
        let vault = try context.vault.source()
        if !vault.isFile {
            options.openStorage = { try vault.open($0) }
        }
        let agent: Agent
        do {
            agent = try Agent(options)
        } catch AgentError.system(let call, let code) {
            throw Failure(
                .failure, code: "agent_start",
                "the agent cannot be started: \(call), \(SystemFailure(call, code: code).explanation)"
            )
        }
        // From now on, a change of the setting ends this agent. An earlier change, made after the setting was read, did not find the agent.
        guard try context.vault.source().setting == vault.setting else {
            throw Failure(
                .refused, code: "conflict", "the setting vault was changed by another process",
                hint: "run it again")
        }
        if context.invocation.has(.background) { letGo(of: context.console.output) }
        // The folders may be relative, so the limits precede the change of directory.
        limit(context)
        // The agent must not keep a directory in use that may be unmounted.
        _ = unsafe chdir("/")
        try agent.run()
    }

    /// Gives up files and system calls that an agent does not need; `status` reports the limits. Call it before the first thread of `run`.
    private static func limit(_ context: CommandContext) {
        let folders = context.folders
        // The agent could not create a missing folder later.
        if let state = folders.state { try? VaultLocation.prepareFolder(at: state) }
        let place = try? AgentPlace(
            vaultFile: folders.file, runtimeFolder: folders.runtimeForAgent)
        let environment = context.console.surroundings.environment
        let libraries = (environment["LD_LIBRARY_PATH"] ?? "").split(separator: ":")
        // libpq reads files that its own settings name.
        let isFile = (try? context.vault.source())?.isFile == true
        FileAccessLimits.apply(
            changing: [place?.vault.folder, place?.socket.folder, folders.state].compactMap(\.self),
            reading: isFile
                ? system + libraries.map(String.init)
                    + [folders.preferencesFolder].compactMap(\.self)
                : ["/"])
        SystemCallFilter.apply()
    }

    /// Reports to the parent process that the agent can be reached, and releases the standard descriptors.
    private static func letGo(of output: Int32) {
        unsafe try? Descriptor.write([AgentLauncher.readyByte].span.bytes, to: output)
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { return }
        for descriptor in Descriptor.standardInput...Descriptor.standardError {
            dup2(nothing, descriptor)
        }
        close(nothing)
    }
}

extension OptionDescription {
    /// The mode in which `unlock` starts the agent.
    static let background = OptionDescription(
        "background", "report when the agent can be reached, and release the terminal",
        isHidden: true)
}

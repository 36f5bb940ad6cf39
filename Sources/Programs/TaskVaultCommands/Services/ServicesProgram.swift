package import CommandLine
internal import Database
internal import Platform
internal import Services

/// The program `taskvault-services`, which runs beside the desktop.
package struct ServicesProgram: Sendable {
    private let surroundings: Surroundings

    /// Makes the program.
    package init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Runs it with the arguments of the process.
    ///
    /// - Returns: The exit code.
    package func run() -> Int32 {
        let program = CommandProgram(
            .services, output: surroundings.output, errors: surroundings.errors)
        return program.run { invocation in
            let context = try CommandContext(invocation, surroundings)
            do {
                try RunServicesCommand.run(context)
            } catch {
                throw context.about.failure(error)
            }
        }
    }
}

/// `taskvault-services run`: announces reminders and messages, and serves secrets, until a signal ends it.
enum RunServicesCommand: Command {
    static let description = CommandDescription(
        path: ["run"],
        summary: "announce reminders and serve secrets until SIGTERM",
        options: [.replaceOwner],
        notes: [
            "It needs a session bus (D-Bus), the setting reminder-command, or both. One instance runs for each home folder.",
            "It needs no vault and no passphrase: the text of protected tasks is never announced.",
            """
            Programs store and read secrets over D-Bus (Secret Service) unless the setting services-secrets is off. While the vault is \
            locked, their calls wait for unlock in any terminal: a method 20 seconds, a prompt 60.
            """,
            """
            After inbox enable it also receives messages from others, and shows them while the vault is unlocked; otherwise it tells how many there are.
            """,
        ],
        examples: [
            .init("taskvault-services run", "in the session, usually started by systemd"),
            .init("taskvault-services run --replace", "where another keyring is running"),
        ],
        exitCodes: [.alreadyExists] + .tasks)

    static func run(_ context: CommandContext) throws {
        #if os(Linux)
            let source = CommandReminderSource(context, program: CommandTable.services.program)
            source.warnOfForeignCommand()
            guard let notes = try AnnouncementLog.ofMachine(context.folders, asService: true) else {
                throw CommandFailure(
                    .alreadyExists, code: "already_running",
                    "taskvault-services is already running",
                    hint: "systemctl --user status taskvault-services")
            }
            let bus = try? SessionBus()
            guard try bus != nil || source.settings().command != nil else {
                throw CommandFailure.noDesktop(context.folders)
            }
            let stop = platform_agent_signals_begin()
            guard stop >= 0 else { throw SystemFailure.last("sigaction") }
            let messages = try? MessageReceiver(context)
            defer { messages?.end() }
            let secrets =
                try bus != nil && context.folders.isOn(.servicesSecrets)
                ? SecretServing(context) : nil
            defer { secrets?.end() }
            do {
                try ReminderService(source, notes, on: bus, messages: messages).run(until: stop)
            } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                throw CommandFailure(
                    .failure, code: "session_bus",
                    "the session bus has ended: \(failure.explanation)",
                    hint: "start taskvault-services again in a desktop session")
            }
        #else
            throw CommandFailure(.failure, code: "linux_only", "this needs Linux")
        #endif
    }
}

extension CommandTable {
    /// The table of `taskvault-services`.
    package static let services = CommandTable(
        .services,
        groups: [CommandGroup(title: "The service", commands: [RunServicesCommand.description])],
        globalOptions: [.home, .json, .help, .version],
        exitCodes: [
            .init(.done, "ended by a signal"),
            .init(.failure, "unexpected failure; no session bus and no reminder-command"),
            .init(.usage, "wrong usage; wrong settings"),
            .init(.notFound, "not found"),
            .init(.alreadyExists, "already running"),
            .init(.damaged, "damaged; foreign or newer format"),
            .init(.refused, "refused: unsafe folder or file"),
            .init(.serverUnreachable, "database server unreachable"),
            .init(.interrupted, "interrupted"),
        ])
}

extension ProgramDescription {
    fileprivate static let services = ProgramDescription(
        name: "taskvault-services",
        summary: "announces the reminders of TaskVault, and serves secrets to programs",
        referenceTitle: "The command line of the services",
        paragraphs: [
            """
            taskvault-services announces reminders of tasks by notifications of the desktop and by the program of the setting reminder-command. It \
            receives messages from others. Programs store and read secrets through it.
            """
        ],
        environment: [
            Definition("TASKVAULT_HOME", "the folder of the vault, as with --home"),
            Definition("DBUS_SESSION_BUS_ADDRESS", "the session bus"),
        ],
        libraries: [SQLiteLibrary.title])
}

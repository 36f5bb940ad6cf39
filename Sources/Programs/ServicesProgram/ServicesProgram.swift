internal import Application
package import CommandLine
internal import Database
internal import Platform
internal import Services
internal import TextCoding

/// The program `taskvault-services`, which runs beside the desktop.
package struct ServicesProgram: Sendable {
    private let surroundings: Surroundings

    /// Makes the program.
    package init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Runs the program with the arguments of the process.
    ///
    /// - Returns: The exit code.
    package func run() -> Int32 {
        let program = CommandProgram(
            .services, output: surroundings.output, errors: surroundings.errors)
        return program.run { invocation in
            let owner = ServicesOwner(surroundings.errors, isJSON: invocation.has(.json))
            var options = ApplicationOptions(
                surroundings.environment, home: invocation.text(of: .home))
            options.usesAgent = false
            options.isForPrograms = invocation.has(.json)
            options.now = surroundings.now
            let application = try Application(options, owner)
            do {
                try RunServicesCommand.run(application, replacing: invocation.has(.replaceOwner)) {
                    [options] in try Application(options, owner)
                }
            } catch {
                throw application.errors.failure(error)
            }
        }
    }
}

/// The owner of an unattended program: messages go to standard error at once.
private struct ServicesOwner: Owner, Sendable {
    private let errors: Int32
    private let isJSON: Bool

    init(_ errors: Int32, isJSON: Bool) {
        self.errors = errors
        self.isJSON = isJSON
    }

    func warn(_ code: String, _ message: String) {
        let notices = Notices(
            program: CommandTable.services.program, descriptor: errors, asJSON: isJSON)
        notices.warn(code, message)
        notices.finish()
    }

    func remark(_ message: String) {
        Notices(program: CommandTable.services.program, descriptor: errors, asJSON: isJSON)
            .remark(message)
    }

    func report(_ failure: Failure) {
        failure.report(of: CommandTable.services.program, asJSON: isJSON, to: errors)
    }
}

/// `taskvault-services run`: announces reminders and messages, and serves secrets, until a signal ends it.
private enum RunServicesCommand {
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
        exitCodes: [.alreadyExists, .notFound, .damaged, .refused, .serverUnreachable])

    /// Runs until a signal arrives. `another` makes the operations for another thread.
    static func run(
        _ application: Application, replacing replaces: Bool,
        _ another: @escaping @Sendable () throws -> Application
    ) throws {
        #if os(Linux)
            let source = ReminderAccess(application)
            // The error of unreadable settings is reported with the tasks.
            try? application.folders.warnOfForeignCommand(application.owner.warn)
            guard
                let notes = try AnnouncementLog.ofMachine(application.folders, asService: true)
            else {
                throw Failure(
                    .alreadyExists, code: "already_running",
                    "taskvault-services is already running",
                    hint: "systemctl --user status taskvault-services")
            }
            let bus = try? SessionBus()
            guard try bus != nil || source.settings().command != nil else {
                throw Failure.noDesktop(application.folders)
            }
            let stop = platform_agent_signals_begin()
            guard stop >= 0 else { throw SystemFailure.last("sigaction") }
            let messages = try? MessageReceiver(another)
            defer { messages?.end() }
            let secrets =
                try bus != nil && application.folders.isOn(.servicesSecrets)
                ? SecretServing(another, replacing: replaces) : nil
            defer { secrets?.end() }
            do {
                try ReminderService(source, notes, on: bus, messages: messages).run(until: stop)
            } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                throw Failure(
                    .failure, code: "session_bus",
                    "the session bus has ended: \(failure.explanation)",
                    hint: "start taskvault-services again in a desktop session")
            }
        #else
            throw Failure(.failure, code: "linux_only", "this needs Linux")
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

extension OptionDescription {
    fileprivate static let home = OptionDescription(
        "home", .folder("DIR"),
        "the folder of the vault and all its files; TASKVAULT_HOME does the same")
    /// The owner's permission to replace another keyring.
    fileprivate static let replaceOwner = OptionDescription(
        "replace", "take the place of another program that serves secrets on this bus")
}

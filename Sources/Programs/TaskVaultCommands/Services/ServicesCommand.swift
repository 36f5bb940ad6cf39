internal import Application
internal import CommandLine
internal import Platform
internal import Services
internal import TextCoding

/// `services`: announces reminders and messages, and serves secrets, until a signal ends it.
enum ServicesCommand: Command {
    static let description = CommandDescription(
        path: ["services"],
        summary: "announce reminders and messages, sync, serve secrets to programs, until SIGTERM",
        options: [.replaceOwner],
        notes: [
            """
            Reminders of tasks are announced by notifications of the desktop and by the program of the setting reminder-command. It needs a \
            session bus (D-Bus), that setting, or both. One instance runs for each home folder.
            """,
            "It needs no vault and no passphrase: the text of protected tasks is never announced.",
            """
            Programs store and read their secrets over D-Bus (Secret Service) unless the setting services-secrets is off. Only with the value \
            all they read yours, too, if those are not protected. While the vault is locked, their calls wait for unlock in any terminal: a \
            method 20 seconds, a prompt until it is answered.
            """,
            """
            After inbox enable it also receives messages from others, and shows them while the vault is unlocked; otherwise it tells how many there are.
            """,
            """
            A home that syncs is synced by itself: a change here is sent at once, and one of another device comes at once. While the vault is locked, \
            that is the list. Rounds are no use of the vault: they extend no limit of its session.
            """,
        ],
        examples: [
            .init("taskvault services", "in the session, usually started by systemd"),
            .init("taskvault services --replace", "where another keyring is running"),
        ],
        exitCodes: [.alreadyExists, .notFound, .damaged, .refused, .serverUnreachable],
        traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let owner = ServicesOwner(context.console)
        let surroundings = context.console.surroundings
        var options = ApplicationOptions(
            surroundings.environment, home: context.invocation.text(of: .home))
        options.usesAgent = false
        options.isForPrograms = context.console.isJSON
        options.now = surroundings.now
        let application = try Application(options, owner)
        do {
            try run(application, replacing: context.invocation.has(.replaceOwner)) {
                [options] in try Application(options, owner)
            }
        } catch {
            throw application.errors.failure(error)
        }
    }

    /// Runs until a signal arrives. `another` makes the operations for another thread.
    private static func run(
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
                    "taskvault services is already running",
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
            let sync = SyncFollower(another)
            sync.start()
            defer { sync.end() }
            let secrets =
                try bus != nil && application.folders.programAccess() != .off
                ? SecretServing(another, replacing: replaces) : nil
            defer { secrets?.end() }
            do {
                try ReminderService(source, notes, on: bus, messages: messages).run(until: stop)
            } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                throw Failure(
                    .failure, code: "session_bus",
                    "the session bus has ended: \(failure.explanation)",
                    hint: "start taskvault services again in a desktop session")
            }
        #else
            throw Failure(.failure, code: "linux_only", "this needs Linux")
        #endif
    }
}

/// The owner of an unattended program: messages go to standard error at once.
private struct ServicesOwner: Owner, Sendable {
    private let errors: Int32
    private let isJSON: Bool

    init(_ console: Console) {
        errors = console.surroundings.errors
        isJSON = console.isJSON
    }

    func warn(_ code: String, _ message: String) {
        let notices = Notices(program: Application.program, descriptor: errors, asJSON: isJSON)
        notices.warn(code, message)
        notices.finish()
    }

    func remark(_ message: String) {
        Notices(program: Application.program, descriptor: errors, asJSON: isJSON).remark(message)
    }

    func report(_ failure: Failure) {
        failure.report(of: Application.program, asJSON: isJSON, to: errors)
    }
}

extension OptionDescription {
    /// The owner's permission to replace another keyring.
    fileprivate static let replaceOwner = OptionDescription(
        "replace", "take the place of another program that serves secrets on this bus")
}

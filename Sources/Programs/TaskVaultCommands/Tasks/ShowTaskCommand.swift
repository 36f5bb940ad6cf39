internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore
internal import Platform

/// Shows protected text: on a terminal only as long as the verification lasts, elsewhere unchanged.
struct RevealedPage {
    private let console: Console
    private let folders: VaultFolders
    private let store: OpenStore

    /// Makes a page of text from a vault.
    init(_ context: CommandContext, _ store: OpenStore) {
        console = context.console
        folders = context.folders
        self.store = store
    }

    /// Shows the text.
    ///
    /// - Parameters:
    ///   - page: The text for people.
    ///   - json: Writes the text for programs.
    /// - Throws: `interrupted` by a signal; the error of the terminal or the output.
    func show(_ page: some Page, _ json: (inout JSONWriter<Output>) throws -> Void) throws {
        if console.isJSON {
            if console.isTerminal { console.warnThatTextStays() }
            return try console.printJSON(json)
        }
        guard console.isTerminal else { return try console.print(page) }
        let capabilities = TerminalCapabilities(of: console.output)
        let permission = RevealPermission(store)
        do {
            let ending = try TransientPager().show(while: { permission.ask() }) { columns in
                page.lines(capabilities.resized(to: columns))
            }
            switch ending {
            case .closed, .terminalGone: return
            case .hidden:
                console.notices.remark("hidden: \(folders.command(page.command)) shows it again")
            case .signal: throw Failure(.interrupted, "interrupted")
            }
        } catch InputError.noTerminal, InputError.cannotClear {
            console.warnThatTextStays()
            try console.print(page)
        } catch InputError.failed(let failure) {
            throw Failure(
                .failure, code: "terminal", "the terminal failed: \(failure.explanation)")
        }
    }
}

/// Decides whether protected text may stay on a screen.
final class RevealPermission {
    private let agent: AgentClient?
    private let clock: any SessionClock
    private var deadline: Duration

    /// Starts the time for text that was just read.
    init(_ store: OpenStore, clock: any SessionClock = SystemSessionClock()) {
        agent = store.agent
        self.clock = clock
        let window = (store.secrets as? UnlockedVault)?.settings?[.verificationWindow]
        deadline =
            clock.now + .seconds(Int64(window ?? VaultSettings.standard[.verificationWindow]))
    }

    /// Asks the agent whether it still holds the key. Without an agent, the verification window of the opened vault counts.
    func ask() -> TextPermission {
        let now = clock.now
        if let agent {
            // A stopped agent does not answer. Text must not stay on the screen meanwhile.
            guard now < deadline, let status = try? agent.status(within: .milliseconds(500)),
                status.isUnlocked, status.isVerified
            else { return .hidden }
            deadline = now + .milliseconds(Int64(status.verificationLeft))
        }
        return now < deadline ? .shownFor(deadline - now) : .hidden
    }
}

/// `task show`: shows a task with notes and subtasks.
enum ShowTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "show"],
        summary: "show a task with notes and subtasks",
        operands: [.task],
        notes: [
            """
            The text of a protected task is shown as by list --reveal. While the vault is locked, all else is shown, with exit code 3. Files \
            of a task are listed while the vault is unlocked; with --json, files is null otherwise.
            """
        ],
        examples: [.init("taskvault task show k7m", "the task whose id begins with k7m")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.reading) { tasks in
            let task = try context.task(in: tasks)
            guard task.isProtected else {
                let shown = ShownTask(task)
                let files = context.attempt(orWarn: "its files cannot be listed") {
                    try context.vault.withStoreIfUnlocked { store in
                        try store.files.files(ofTask: task.id.text)
                    }
                }
                guard context.console.isJSON else {
                    return try context.console.page(
                        TaskSheet(shown, files: files ?? [], tasks, context).lines)
                }
                return try context.console.printJSON { json in
                    try json.task(shown, files: files, now: tasks.moment)
                }
            }
            do {
                try reveal(task, tasks, context)
            } catch {
                let failure = error as? Failure ?? context.errors.failure(error)
                if failure.exitCode == .locked, !context.console.isJSON {
                    try context.console.print(TaskSheet(ShownTask(task), tasks, context))
                }
                throw failure
            }
        }
    }

    private static func reveal(
        _ task: TodoTask, _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        try context.vault.withStore(.reading) { store in
            let shown = try context.vault.verifying(store) {
                try tasks.list.reveal(task, from: store.secrets)
            }
            let files = try store.files.files(ofTask: task.id.text)
            try RevealedPage(context, store).show(
                TaskSheet(shown, files: files, tasks, context)
            ) { json in
                try json.task(shown, files: files, now: tasks.moment)
            }
        }
    }
}

internal import Application
internal import CommandLine
internal import Platform
internal import SecureStorage
internal import SecurityKeys
internal import VaultCore

/// The context of a command: its invocation and its operations.
struct CommandContext {
    /// The command with its operands and options.
    let invocation: Invocation
    /// Printing, asking and warnings.
    let console: Console
    /// The operations, with the options of the invocation.
    let application: Application

    /// Makes the context of a command.
    ///
    /// - Throws: A failure of wrong usage if no folder for the vault is known.
    init(
        _ invocation: Invocation, _ surroundings: Surroundings,
        _ keys: SecurityKeys = SecurityKeys()
    ) throws {
        let console = Console(invocation, surroundings)
        try self.init(
            invocation, console, Application(ApplicationOptions(console), console, keys: keys))
    }

    private init(_ invocation: Invocation, _ console: Console, _ application: Application) {
        self.invocation = invocation
        self.console = console
        self.application = application
    }

    /// The context of the same command for another folder.
    func at(home: String) throws -> CommandContext {
        CommandContext(invocation, console, try application.at(home: home))
    }

    /// The folders of the vault and of this machine.
    var folders: VaultFolders { application.folders }
    /// The vault: its storage, its agent, its secrets.
    var vault: VaultAccess { application.vault }
    /// The to-do list.
    var tasks: TaskAccess { application.tasks }
    /// The sign-in at an auth server.
    var signIn: SignInAccess { application.signIn }
    var settings: SettingsAccess { application.settings }
    /// The subjects that errors name.
    var errors: ErrorContext { application.errors }

    /// The name from the operands SERVICE and ACCOUNT and the option `--field`.
    ///
    /// - Throws: A failure for an item of another part of TaskVault.
    func secretName() throws -> SecretName {
        let name = try SecretName(
            service: invocation.text(of: .service), account: invocation.text(of: .account),
            field: invocation.text(of: .field) ?? SecretName.standardField)
        try application.requireOwn(name)
        errors.secret = name
        return name
    }

    /// Prints the last messages of a command, and restores the terminal.
    func finish() {
        console.restoreEcho()
        application.finish()
        console.notices.finish()
    }
}

extension ApplicationOptions {
    /// The options of an invocation.
    fileprivate init(_ console: Console) {
        let invocation = console.invocation
        func has(_ option: OptionDescription) -> Bool {
            invocation.takes(option) && invocation.has(option)
        }
        self.init(console.surroundings.environment, home: invocation.text(of: .home))
        usesAgent = invocation.command.traits.contains(.usesAgent) && !has(.noAgent)
        openingKind = has(.recovery) ? .recoveryCode : has(.key) ? .authenticator : .passphrase
        acceptsOlder = has(.acceptOlder)
        acceptsOther = has(.acceptOther)
        isForPrograms = console.isJSON
        operation = invocation.command.name
        now = console.surroundings.now
    }
}

extension CommandContext {
    /// Runs long work that Ctrl-C interrupts: it says what it leaves, and ends the program.
    ///
    /// - Parameters:
    ///   - sentence: What a signal leaves before ``InterruptibleWork/beginChange(saying:)``.
    ///   - work: The work, which prints its result.
    /// - Throws: The error of `work`.
    func interruptible(_ sentence: String, _ work: () throws -> Void) throws {
        let (descriptor, isJSON) = (console.surroundings.errors, console.isJSON)
        try InterruptibleWork.run(
            sentence,
            saying: { sentence in
                let notices = Notices(
                    program: Application.program, descriptor: descriptor,
                    asJSON: isJSON)
                if isJSON {
                    notices.warn("interrupted", sentence)
                    return notices.finish()
                }
                ProgressLine.erase(at: descriptor)
                notices.remark(sentence)
            }
        ) {
            do {
                try work()
            } catch {
                // The pending signal ends the program before its errors are printed.
                if InterruptibleWork.isCompleting { console.report(errors.failure(error)) }
                throw error
            }
        }
    }
}

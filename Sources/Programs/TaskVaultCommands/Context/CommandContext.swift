internal import CommandLine
internal import SecureStorage
internal import SecurityKeys

/// What a command works with: its invocation, and one small type for each of the program's capabilities.
struct CommandContext {
    /// The command with its operands and options.
    let invocation: Invocation
    /// Printing, asking and warnings.
    let console: Console
    /// Where the files of the vault and of this machine are.
    let folders: VaultFolders
    /// The vault: its storage, its agent, its secrets.
    let vault: VaultAccess
    /// The to-do list.
    let tasks: TaskAccess
    /// The sign-in at an auth server.
    let signIn: SignInAccess
    /// The settings.
    let settings: SettingsAccess
    /// The subjects of errors.
    let about: ErrorContext

    /// Makes the context of a command.
    ///
    /// - Throws: A failure of wrong usage if no folder for the vault is known.
    init(
        _ invocation: Invocation, _ surroundings: Surroundings,
        _ keys: SecurityKeys = SecurityKeys()
    ) throws {
        try self.init(
            invocation, Console(invocation, surroundings),
            VaultFolders(home: invocation.text(of: .home), surroundings.environment), keys)
    }

    /// The context of the same command for another folder.
    func at(home: String) throws -> CommandContext {
        try CommandContext(
            invocation, console, VaultFolders(home: home, console.surroundings.environment),
            vault.keys)
    }

    private init(
        _ invocation: Invocation, _ console: Console, _ folders: VaultFolders, _ keys: SecurityKeys
    ) throws {
        self.invocation = invocation
        self.console = console
        self.folders = folders
        let file = SettingsFile(folders)
        about = ErrorContext(invocation, file)
        vault = VaultAccess(console, file, about, keys)
        tasks = TaskAccess(console, vault, file, about)
        signIn = SignInAccess(console, vault, about)
        settings = SettingsAccess(vault, signIn, file, about)
    }

    /// The name that the operands SERVICE and ACCOUNT and the option `--field` give.
    ///
    /// - Throws: A failure for an item of another part of TaskVault.
    func secretName() throws -> SecretName {
        let name = try SecretName(
            service: invocation.text(of: .service), account: invocation.text(of: .account),
            field: invocation.text(of: .field) ?? SecretName.standardField)
        try requireOwn(name)
        about.secret = name
        return name
    }

    /// Prints what a command says at its end.
    func reportRest() {
        vault.reportRollbackRecord()
        vault.reportNotices()
        console.notices.finish()
    }

    /// Refuses the name of an item that other commands look after.
    func requireOwn(_ name: SecretName) throws {
        if name.isReserved { throw CommandFailure(reserved: name, folders) }
    }
}

internal import CommandLine

/// A command of the table.
protocol ServerCommand: SendableMetatype {
    /// Runs it. Invocation and table agree; everything else is checked here.
    ///
    /// - Parameter context: What was asked for, and the means to do it.
    /// - Throws: Why it could not be done.
    static func run(_ context: ServerContext) throws
}

/// Which type runs which command.
enum ServerCommands {
    /// The commands that need settings by their names; `help` and `completions` are not among them.
    static let commands: [String: any ServerCommand.Type] = [
        "serve": ServeCommand.self,
        "account invite": InviteCommand.self,
        "account list": ListAccountsCommand.self,
        "account show": ShowAccountCommand.self,
        "account disable": DisableAccountCommand.self,
        "account enable": EnableAccountCommand.self,
        "account reset-password": ResetPasswordCommand.self,
        "account end-sessions": EndSessionsCommand.self,
        "account remove": RemoveAccountCommand.self,
        "client add": AddClientCommand.self,
    ]
}

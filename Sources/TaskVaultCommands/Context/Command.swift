internal import CommandLine

/// A command of the table.
protocol Command: SendableMetatype {
    /// Runs it. Invocation and table agree; everything else is checked here.
    ///
    /// - Parameter context: What was asked for, and the means to do it.
    /// - Throws: Why it could not be done, in whole or at all.
    static func run(_ context: CommandContext) throws(CommandFailure)
}

/// Which type runs which command.
enum CommandRegistry {
    /// The commands by their names; `help` is not among them, which the parser answers.
    static let commands: [String: any Command.Type] = [
        "init": InitialiseCommand.self,
        "destroy": DestroyCommand.self,
        "unlock": UnlockCommand.self,
        "recovery unlock": RecoveryUnlockCommand.self,
        "verify": VerifyCommand.self,
        "lock": LockCommand.self,
        "status": StatusCommand.self,
        "settings list": ListSettingsCommand.self,
        "settings get": GetSettingCommand.self,
        "settings set": SetSettingCommand.self,
        "agent": AgentCommand.self,
        "task add": AddTaskCommand.self,
        "task list": ListTasksCommand.self,
        "task show": ShowTaskCommand.self,
        "task edit": EditTaskCommand.self,
        "task done": MarkTasksDoneCommand.self,
        "task undone": MarkTasksUndoneCommand.self,
        "task remove": RemoveTasksCommand.self,
        "task done-all": MarkAllTasksDoneCommand.self,
        "task protect": ProtectTaskCommand.self,
        "task unprotect": UnprotectTaskCommand.self,
        "task clear": ClearTasksCommand.self,
        "task stats": TaskStatisticsCommand.self,
        "task subtask add": AddSubtaskCommand.self,
        "task subtask done": FinishSubtaskCommand.self,
        "task subtask undone": ReopenSubtaskCommand.self,
        "task subtask rename": RenameSubtaskCommand.self,
        "task subtask remove": RemoveSubtaskCommand.self,
        "task subtask move": MoveSubtaskCommand.self,
        "task export": ExportTasksCommand.self,
        "task import": ImportTasksCommand.self,
        "task move-database": MoveDatabaseCommand.self,
        "secret set": SetSecretCommand.self,
        "secret get": GetSecretCommand.self,
        "secret update": UpdateSecretCommand.self,
        "secret edit": EditSecretCommand.self,
        "secret remove": RemoveSecretCommand.self,
        "secret list": ListSecretsCommand.self,
        "secret generate": GenerateSecretCommand.self,
        "secret export": ExportSecretsCommand.self,
        "secret import": ImportSecretsCommand.self,
        "login": LoginCommand.self,
        "logout": LogoutCommand.self,
        "whoami": WhoAmICommand.self,
        "account create": CreateAccountCommand.self,
        "account password": ChangeAccountPasswordCommand.self,
        "account remove": RemoveAccountCommand.self,
        "passphrase change": ChangePassphraseCommand.self,
        "recovery show-new": ShowNewRecoveryCodeCommand.self,
        "recovery revoke": RevokeRecoveryCodeCommand.self,
        "rekey": RekeyCommand.self,
        "doctor": DoctorCommand.self,
        "backup": BackupCommand.self,
        "restore": RestoreCommand.self,
        "completions": CompletionsCommand.self,
    ]
}

internal import Application
package import CommandLine
internal import Database
internal import Sealing

/// A command: a type with a description and an implementation.
protocol Command: SendableMetatype {
    /// The name, operands, options, notes and examples of the command.
    static var description: CommandDescription { get }

    /// Runs the command. The parser has checked the invocation against the description; the command makes all other checks.
    ///
    /// - Parameter context: The invocation, and the program's capabilities.
    /// - Throws: The failure of the command, complete or partial.
    static func run(_ context: CommandContext) throws
}

/// The commands of `taskvault`.
enum Commands {
    /// The groups of commands, in the order of the documentation.
    static let groups: [(title: String, commands: [any Command.Type])] = [
        ("The vault", [InitialiseCommand.self, DestroyCommand.self]),
        ("The app and the services", [AppCommand.self, ServicesCommand.self]),
        (
            "The session",
            [
                UnlockCommand.self, RecoveryUnlockCommand.self, VerifyCommand.self,
                LockCommand.self, StatusCommand.self, AgentCommand.self,
            ]
        ),
        (
            "Tasks",
            [
                AddTaskCommand.self, ListTasksCommand.self, ShowTaskCommand.self,
                EditTaskCommand.self, MarkTasksDoneCommand.self, MarkTasksUndoneCommand.self,
                RemindTaskCommand.self, RemoveTasksCommand.self, UndoTaskCommand.self,
                ProtectTaskCommand.self, UnprotectTaskCommand.self, TaskHistoryCommand.self,
                RestoreTaskCommand.self, ListLabelsCommand.self, ClearTasksCommand.self,
                TaskStatisticsCommand.self, RemindCommand.self,
            ]
        ),
        (
            "Subtasks",
            [
                AddSubtaskCommand.self, FinishSubtaskCommand.self, ReopenSubtaskCommand.self,
                EditSubtaskCommand.self, RemindSubtaskCommand.self, RemoveSubtaskCommand.self,
                MoveSubtaskCommand.self,
            ]
        ),
        (
            "Tasks in and out",
            [ExportTasksCommand.self, ImportTasksCommand.self, MoveDatabaseCommand.self]
        ),
        (
            "Secrets",
            [
                SetSecretCommand.self, GetSecretCommand.self, ShowSecretCommand.self,
                UpdateSecretCommand.self, EditSecretCommand.self, RemoveSecretCommand.self,
                RestoreSecretCommand.self, SecretHistoryCommand.self, ListSecretsCommand.self,
                AuditSecretsCommand.self, GenerateSecretCommand.self, CodeSecretCommand.self,
                ExportSecretsCommand.self, ImportSecretsCommand.self,
            ]
        ),
        (
            "Secrets for other programs",
            [
                RunCommand.self, InjectCommand.self, SetupGitCommand.self,
                SetupDockerCommand.self, GitCredentialCommand.self, DockerCredentialCommand.self,
            ]
        ),
        (
            "Files",
            [
                AddFileCommand.self, ListFilesCommand.self, ShowFileCommand.self,
                GetFileCommand.self, RenameFileCommand.self, ReplaceFileCommand.self,
                AttachFileCommand.self, DetachFileCommand.self, ProtectFileCommand.self,
                UnprotectFileCommand.self, RemoveFilesCommand.self,
                RestoreFileCommand.self, VerifyFilesCommand.self,
            ]
        ),
        (
            "Messages from others",
            [
                EnableInboxCommand.self, DisableInboxCommand.self, InboxStatusCommand.self,
                InboxAddressCommand.self, ListSendersCommand.self, RevokeSenderCommand.self,
                ListMessagesCommand.self, ShowMessageCommand.self, MessagePictureCommand.self,
                AcceptMessagesCommand.self, DeclineMessagesCommand.self,
                RemoveMessagesCommand.self, ClearMessagesCommand.self, ReceiveMessageCommand.self,
                SendMessageCommand.self,
            ]
        ),
        (
            "Checklists",
            [
                ListChecklistsCommand.self, ShowChecklistCommand.self, SaveChecklistCommand.self,
                RemoveChecklistCommand.self, StartChecklistCommand.self,
            ]
        ),
        (
            "The account at a server",
            [
                LoginCommand.self, LogoutCommand.self, WhoAmICommand.self,
                CreateAccountCommand.self, ChangeAccountPasswordCommand.self,
                ResetAccountPasswordCommand.self,
                AccountSessionsCommand.self, EndAccountSessionCommand.self,
                ListSecondFactorsCommand.self, AddSecondFactorCommand.self,
                RemoveSecondFactorCommand.self, RenewRecoveryCodesCommand.self,
                RemoveAccountCommand.self,
            ]
        ),
        (
            "Sync with other devices",
            [
                EnableSyncCommand.self, JoinSyncCommand.self, SyncNowCommand.self,
                SyncStatusCommand.self, SyncCheckCommand.self, SyncLogCommand.self,
                SyncSeenCommand.self, MoveSyncCommand.self, DisableSyncCommand.self,
                ListDevicesCommand.self,
                ApproveDeviceCommand.self, RenameDeviceCommand.self, RemoveDeviceCommand.self,
            ]
        ),
        (
            "Settings",
            [
                ListSettingsCommand.self, GetSettingCommand.self, SetSettingCommand.self,
                UnsetSettingCommand.self,
            ]
        ),
        (
            "Passphrase, recovery code and keys",
            [
                ChangePassphraseCommand.self, ShowNewRecoveryCodeCommand.self,
                RevokeRecoveryCodeCommand.self, AddKeyCommand.self, ListKeysCommand.self,
                TestKeyCommand.self, RenameKeyCommand.self, RemoveKeyCommand.self,
                RekeyCommand.self,
            ]
        ),
        (
            "Checks and backups",
            [DoctorCommand.self, LogCommand.self, BackupCommand.self, RestoreCommand.self]
        ),
        ("Information", [CompletionsCommand.self, VersionCommand.self, HelpCommand.self]),
    ]

    static let all = groups.flatMap(\.commands)

    /// The commands that programs and shells start again and again: describing all would take a fifth of such a start.
    static let frequent: [any Command.Type] = [
        GitCredentialCommand.self, DockerCredentialCommand.self, GetSecretCommand.self,
        RunCommand.self, InjectCommand.self, AddTaskCommand.self, ListTasksCommand.self,
    ]
}

extension CommandTable {
    /// The table of `taskvault`.
    package static let taskvault = CommandTable(
        .taskvault,
        groups: Commands.groups.map { group in
            CommandGroup(title: group.title, commands: group.commands.map { $0.description })
        },
        globalOptions: .global,
        exitCodes: .taskvault)

    /// Of it, ``Commands/frequent``.
    static let frequent = CommandTable(
        .taskvault,
        groups: [
            CommandGroup(title: "", commands: Commands.frequent.map { $0.description })
        ],
        globalOptions: .global,
        exitCodes: .taskvault)
}

extension ProgramDescription {
    fileprivate static let taskvault = ProgramDescription(
        name: Application.program,
        summary: "an encrypted store for credentials and protected text",
        referenceTitle: "The command line",
        paragraphs: [
            """
            TaskVault stores secrets in one encrypted file. Results go to standard output, questions to the terminal, errors to standard error. Options \
            may be given before or after the command and its operands; after -- everything is an operand.
            """,
            """
            Secrets are read from the terminal, from standard input or from --passphrase-file, never from the command line or the environment, which \
            other programs can read.
            """,
        ],
        environment: [
            Definition("TASKVAULT_HOME", "the folder of the vault, as with --home"),
            Definition(
                "XDG_DATA_HOME, XDG_STATE_HOME",
                "the base folders of the vault and of its rollback record otherwise"),
            Definition("NO_COLOR", "disables colours if it is not empty"),
        ],
        libraries: { [CryptographicLibrary.title, SQLiteLibrary.title] },
        firstCommands: [
            "init", "unlock", "lock", "status", "secret set", "secret get", "secret list",
            "task add", "task list", "backup",
        ])
}

extension CommandTrait {
    /// The command is about the agent itself, so `--no-agent` makes no sense.
    static let isAboutAgent = CommandTrait("is about the agent", senseless: [.noAgent])
    /// The command works with the vault that the agent holds unlocked.
    static let usesAgent = CommandTrait("uses the agent")
    /// The command answers another program, which asks a person itself if it gets nothing.
    static let answersProgram = CommandTrait("answers another program")
}

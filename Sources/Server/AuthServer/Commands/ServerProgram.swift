package import CommandLine
internal import Database
internal import HTTPServer
internal import Sealing
internal import TextCoding

/// A command of the server: its description, and the code that runs it.
protocol ServerCommand: SendableMetatype {
    /// The description, for the parser and the documents.
    static var description: CommandDescription { get }
    /// Whether the command needs the settings, so that an error in them is fatal.
    static var readsSettings: Bool { get }

    /// Runs the command. The parser has checked the invocation against the description.
    ///
    /// - Throws: `Failure`, or an error that ``Failure/init(_:_:)`` explains.
    static func run(_ context: ServerContext) throws
}

extension ServerCommand {
    static var readsSettings: Bool { true }
}

/// The program `taskvault-authd`, with all its commands.
package struct ServerProgram: Sendable {
    /// The commands, in the order of the documents.
    static let groups: [(title: String, commands: [any ServerCommand.Type])] = [
        ("The server", [ServeCommand.self]),
        (
            "Accounts",
            [
                InviteCommand.self, ListAccountsCommand.self, ShowAccountCommand.self,
                DisableAccountCommand.self, EnableAccountCommand.self, ResetCodeCommand.self,
                ResetPasswordCommand.self, ResetSecondFactorCommand.self,
                EndSessionsCommand.self, RemoveAccountCommand.self, AuditCommand.self,
            ]
        ),
        ("The database", [MoveDatabaseCommand.self, RestoreCommand.self]),
        (
            "Checklists",
            [
                PublishChecklistCommand.self, ListChecklistsCommand.self,
                RemoveChecklistCommand.self,
            ]
        ),
        ("Clients", [AddClientCommand.self]),
        ("Information", [CompletionsCommand.self, HelpCommand.self]),
    ]

    private let surroundings: Surroundings

    /// Creates the program.
    package init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Runs the program with the arguments of the process.
    ///
    /// - Returns: The exit code.
    package func run() -> Int32 {
        program.run(command: run(_:))
    }

    /// Runs the program with arguments.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit code.
    package func run(_ arguments: [String]) -> Int32 {
        program.run(arguments, command: run(_:))
    }

    private var program: CommandProgram {
        CommandProgram(.server, output: surroundings.output, errors: surroundings.errors)
    }

    /// Runs a command and converts errors to failures.
    private func run(_ invocation: Invocation) throws {
        let commands = Self.groups.flatMap(\.commands)
        guard let command = commands.first(where: { $0.description == invocation.command }) else {
            preconditionFailure("\(invocation.command.name) is not in the table")
        }
        var context = ServerContext(invocation, surroundings)
        do {
            if command.readsSettings { try context.readSettings() }
            try command.run(context)
        } catch {
            throw Failure(error, context)
        }
        context.notices.finish()
    }
}

extension CommandTable {
    /// The table of `taskvault-authd`.
    package static let server = CommandTable(
        .server,
        groups: ServerProgram.groups.map { group in
            CommandGroup(title: group.title, commands: group.commands.map { $0.description })
        },
        globalOptions: [
            .configuration, ServerSettings.database.option, .json, .help, .version,
        ],
        exitCodes: [
            .init(.done, "done"),
            .init(.failure, "unexpected failure; disk full; address in use"),
            .init(.usage, "usage error; configuration error; no password given"),
            .init(.notFound, "account, file or database not found"),
            .init(.alreadyExists, "already exists"),
            .init(.damaged, "database written by an earlier build"),
            .init(.refused, "refused: unsafe configuration or file, policy, declined"),
            .init(.serverUnreachable, "database server unreachable"),
            .init(.interrupted, "interrupted"),
        ])
}

extension ProgramDescription {
    fileprivate static let server = ProgramDescription(
        name: "taskvault-authd",
        summary: "an auth server: accounts and sign-in by OAuth 2.0",
        referenceTitle: "The command line of the auth server",
        paragraphs: [
            """
            taskvault-authd stores accounts and signs people in. By default it listens on loopback only. The accounts are in a file or in a PostgreSQL \
            database. Commands about accounts use the database directly, also while servers use it. Options can stand before or after the command \
            and its operands; after -- everything is an operand.
            """,
            """
            Passwords are read from the terminal, from standard input or from --password-file. They are never read from the command line or the \
            environment, which other programs can see.
            """,
        ],
        environment: [
            Definition(
                "TASKVAULT_AUTHD_NAME",
                "a setting; NAME is its name in capital letters, with underscores for hyphens"),
            Definition(SettingSources.fileVariable, "the configuration file"),
            Definition(
                "XDG_CONFIG_HOME, XDG_DATA_HOME",
                "the folders of the default configuration file and database, unless root runs it"),
            Definition("NO_COLOR", "no colours, if it is not empty"),
        ],
        libraries: {
            [CryptographicLibrary.title, SQLiteLibrary.title, HTTPServerLibrary.title]
        },
        chapters: [.settings],
        firstCommands: [
            "serve", "account invite", "account list", "account reset-password", "client add",
        ])
}

extension ProgramDescription.Chapter {
    /// The settings, from their table.
    fileprivate static let settings = ProgramDescription.Chapter(
        title: "Settings",
        paragraphs: [
            """
            A setting is an option of serve, an environment variable, or a line name = value of the configuration file, in descending order of \
            priority. Unknown names, repeated names and invalid values are errors in each of them. Lines that begin with # are comments.
            """,
            """
            The default configuration file is /etc/taskvault-authd.conf for root, and taskvault-authd.conf in $XDG_CONFIG_HOME for other users. It \
            need not exist. Only its owner may have write permission.
            """,
            """
            A line client NAME = HASH URL SCOPE... registers a service, which can introspect tokens for its URL, and client NAME = public SCOPE... a program without \
            a secret. client add makes these lines. A file with hashes must not be readable by all users.
            """,
            """
            Times are written as 90s, 15m, 1h30m or 7d. 0 switches a limit off; this is refused on an address other than loopback.
            """,
        ],
        subject: "setting",
        definitions: ServerSettings.all.map { setting in
            let standard = setting.form == .yesNo ? " (default: no)" : ""
            return .init(
                "\(setting.name) = \(setting.form.placeholder ?? setting.values)",
                setting.fullHelp + standard)
        })
}

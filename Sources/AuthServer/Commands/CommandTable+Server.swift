package import CommandLine
internal import Database
internal import HTTPServer
internal import Sealing

extension CommandTable {
    /// The table of `taskvault-authd`.
    package static let server = CommandTable(
        .server,
        groups: [.serving, .accounts, .clients, .information],
        globalOptions: .global,
        exitCodes: [
            .init(.done, "done"),
            .init(.failure, "unexpected failure; full disk; the address is in use"),
            .init(.usage, "wrong usage; wrong configuration; no password to be had"),
            .init(.notFound, "no such account, file or database"),
            .init(.alreadyExists, "already exists"),
            .init(.refused, "refused: unsafe configuration or file, policy, declined"),
            .init(.serverUnreachable, "the database server cannot be reached"),
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
            taskvault-authd keeps accounts and signs people in. It serves on loopback unless it is told otherwise, from a database in one file or on a \
            PostgreSQL server. Commands about accounts work on the database, also while servers use it. Options may stand before or after the \
            command and its operands; after -- everything is an operand.
            """,
            """
            Passwords come from the terminal, from standard input or from --password-file, never from the command line or the environment, where other \
            programs can see them.
            """,
        ],
        environment: [
            Definition(
                "TASKVAULT_AUTHD_NAME",
                "a setting, its name in capital letters and with underscores for hyphens"),
            Definition(SettingSources.fileVariable, "the configuration file"),
            Definition(
                "XDG_CONFIG_HOME, XDG_DATA_HOME",
                "where configuration and accounts are otherwise, unless root runs it"),
            Definition("NO_COLOR", "no colours, if it is not empty"),
        ],
        libraries: [
            CryptographicLibrary.title, SQLiteLibrary.title, HTTPServerLibrary.title,
        ],
        chapters: [.settings])
}

extension ProgramDescription.Chapter {
    /// The settings, from their table.
    fileprivate static let settings = ProgramDescription.Chapter(
        title: "Settings",
        paragraphs: [
            """
            A setting is an option of serve, an environment variable, or a line name = value of the configuration file; the first of these that sets \
            it wins. A name that is not known, one that is there twice and a value that cannot be are errors, wherever they are. Lines that begin \
            with # are comments.
            """,
            """
            Without --configuration the file is /etc/taskvault-authd.conf for root, and taskvault-authd.conf in $XDG_CONFIG_HOME for others, if it is \
            there. Nobody but its owner may write it.
            """,
            """
            A line client NAME = HASH names a confidential client, which may ask what tokens are worth; client add makes the secret and this line. \
            A file that has such lines must not be readable by everybody.
            """,
            """
            Times are written as 90s, 15m, 1h30m or 7d. 0 switches a limit off, and is refused on an address other than loopback.
            """,
        ],
        subject: "setting",
        definitions: SettingTable.all.map { setting in
            let standard = setting.placeholder == nil ? " (no if left out)" : ""
            return .init(
                "\(setting.name) = \(setting.placeholder ?? "yes or no")",
                setting.fullMeaning + standard)
        })
}

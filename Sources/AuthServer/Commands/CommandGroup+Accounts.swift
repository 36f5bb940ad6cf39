internal import CommandLine

extension CommandGroup {
    /// What an operator does with accounts.
    static let accounts = CommandGroup(
        title: "Accounts",
        commands: [
            invite, list, show, disable, enable, resetPassword, endSessions, remove,
        ])

    private static let ofDatabase: [ExitCode] = [.notFound, .refused, .serverUnreachable]

    private static let invite = CommandDescription(
        path: ["account", "invite"],
        summary: "let somebody make an account",
        operands: [.email],
        options: [.expires],
        notes: [
            """
            Prints a code once: whoever has it can make the account of this e-mail address, once, until it expires. An earlier invitation for the \
            address is void.
            """
        ],
        examples: [
            .init("taskvault-authd account invite ada@example.org", "for a week"),
            .init("taskvault-authd account invite ada@example.org --expires 12h", "for today"),
        ],
        exitCodes: ofDatabase + [.alreadyExists])

    private static let list = CommandDescription(
        path: ["account", "list"],
        summary: "list accounts and invitations",
        examples: [
            .init("taskvault-authd account list", "who is there, and who is invited"),
            .init("taskvault-authd account list --json", "for a script"),
        ],
        exitCodes: ofDatabase)

    private static let show = CommandDescription(
        path: ["account", "show"],
        summary: "show an account and its sessions",
        operands: [.email],
        examples: [
            .init("taskvault-authd account show ada@example.org", "since when, and signed in where")
        ],
        exitCodes: ofDatabase)

    private static let disable = CommandDescription(
        path: ["account", "disable"],
        summary: "let nobody sign in to an account",
        operands: [.email],
        notes: ["Its sessions end. Whoever tries to sign in learns only that it did not work."],
        examples: [.init("taskvault-authd account disable ada@example.org", "until enable")],
        exitCodes: ofDatabase)

    private static let enable = CommandDescription(
        path: ["account", "enable"],
        summary: "let people sign in to an account again",
        operands: [.email],
        examples: [.init("taskvault-authd account enable ada@example.org", "after disable")],
        exitCodes: ofDatabase)

    private static let resetPassword = CommandDescription(
        path: ["account", "reset-password"],
        summary: "set a new password",
        operands: [.email],
        options: [.passwordFile],
        notes: [
            """
            Asks for the password twice, without showing it; without a terminal it is the first line of standard input. It has 8 to 1024 bytes. All \
            sessions of the account end, and its failed attempts are forgotten.
            """
        ],
        examples: [
            .init("taskvault-authd account reset-password ada@example.org", "ask for it"),
            .init(
                "taskvault-authd account reset-password ada@example.org --password-file - < password.txt",
                "in a script"),
        ],
        exitCodes: ofDatabase,
        surplusHint:
            "the password comes from standard input or a prompt; what is typed here stays in the shell's history"
    )

    private static let endSessions = CommandDescription(
        path: ["account", "end-sessions"],
        summary: "sign an account out everywhere",
        operands: [.email],
        notes: ["All its tokens are worth nothing from now on."],
        examples: [
            .init("taskvault-authd account end-sessions ada@example.org", "a machine was stolen")
        ],
        exitCodes: ofDatabase)

    private static let remove = CommandDescription(
        path: ["account", "remove"],
        summary: "remove an account, or an invitation, for good",
        operands: [.email],
        options: [.yes],
        examples: [
            .init("taskvault-authd account remove ada@example.org", "after asking"),
            .init("taskvault-authd account remove ada@example.org --yes", "in a script"),
        ],
        exitCodes: ofDatabase)
}

package import CommandLine

extension OptionDescription {
    /// Where the passwords of an account come from.
    package static let passwordFile = OptionDescription(
        "password-file", .file("FILE"),
        "read the account's passwords from this file, one a line in the order in which they are needed; - is standard input, after the passphrase if that comes from there too"
    )
    /// Somebody invited.
    package static let invitation = OptionDescription(
        "invitation", "take an invitation code, which is asked for or is the first line of the file"
    )
    /// The password, too.
    package static let forget = OptionDescription(
        "forget", "remove the account's password from the vault, too")
    /// Without the network.
    package static let offline = OptionDescription(
        "offline", "do not sign in afterwards, and do not touch the network")
}

extension OperandDescription {
    /// Whose account.
    package static let email = OperandDescription(
        "EMAIL", "the name of the account; the one that signed in last if left out", count: 0...1)
}

extension CommandGroup {
    /// The account at an auth server.
    static let account = CommandGroup(
        title: "The account at a server",
        commands: [
            login, logout, whoami, createAccount, changeAccountPassword, removeAccount,
        ])

    private static let login = CommandDescription(
        path: ["login"],
        summary: "sign in at the auth server",
        operands: [.email],
        options: [.passwordFile],
        notes: [
            """
            Asks for the password where the vault has none, or the server does not accept it any more; saves it in the vault after the server accepted it. \
            From then on unlock signs in by itself. The server is the setting server (settings set server https://auth.example.org); secrets and tasks need neither server nor account.
            """,
            """
            Nothing that is cached is lost when the server cannot be reached. Somebody who was signed in stays so for the setting offline-limit.
            """,
        ],
        examples: [
            .init("taskvault login ada@example.org", "asks for the password, once"),
            .init("taskvault login", "from then on without a question"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    private static let logout = CommandDescription(
        path: ["logout"],
        summary: "sign out, here and at the server",
        options: [.forget],
        notes: [
            """
            The server is told to end the session, and the tokens leave the vault; unlock does not sign in by itself until the next login. The password stays in the vault, \
            so that login does not ask for it, unless --forget is given. What cannot be said to a server that cannot be reached ends there by itself.
            """
        ],
        examples: [
            .init("taskvault logout", "until the next login"),
            .init("taskvault logout --forget", "and nothing of the account stays"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    private static let whoami = CommandDescription(
        path: ["whoami"],
        summary: "tell who is signed in, as the server sees it",
        notes: [
            "Asks the server, and never a person. Where the server cannot be reached it tells until when the sign-in counts without it."
        ],
        examples: [.init("taskvault whoami --json", "for a script")],
        exitCodes: .account, traits: [.usesAgent])

    private static let createAccount = CommandDescription(
        path: ["account", "create"],
        summary: "make an account at the auth server, and sign in",
        operands: [.email],
        options: [.invitation, .passwordFile],
        notes: [
            "Most servers want an invitation: whoever runs the server makes one for your e-mail address."
        ],
        examples: [
            .init("taskvault account create ada@example.org --invitation", "with an invitation")
        ],
        exitCodes: .account + [.alreadyExists], traits: [.usesAgent])

    private static let changeAccountPassword = CommandDescription(
        path: ["account", "password"],
        summary: "change the account's password, at the server and in the vault",
        options: [.passwordFile],
        notes: [
            """
            This is the password that the server knows. What opens the vault is the passphrase: passphrase change. From a file the current password is the first \
            line and the new one the second.
            """,
            """
            The vault notes the new password before the server is asked, so whatever happens in between, the next sign-in finds out which of the two counts. All other sessions of the account end.
            """,
        ],
        examples: [
            .init("taskvault account password", "asks for the old one and twice for the new")
        ],
        exitCodes: .account, traits: [.usesAgent])

    private static let removeAccount = CommandDescription(
        path: ["account", "remove"],
        summary: "remove the account from the server, and its credentials from the vault",
        options: [.yes, .passwordFile],
        notes: ["Secrets and tasks stay: the server never had them."],
        examples: [.init("taskvault account remove", "asks first")],
        exitCodes: .account, traits: [.usesAgent])
}

extension [ExitCode] {
    /// Those of a command that asks the auth server.
    fileprivate static let account: [ExitCode] = .opening + [.serverRejected]
}

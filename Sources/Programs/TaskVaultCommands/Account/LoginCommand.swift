internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

/// `login`: signs in at the auth server, with the credentials in the vault or those that the person types.
enum LoginCommand: Command {
    static let description = CommandDescription(
        path: ["login"],
        summary: "sign in at the auth server",
        operands: [.email],
        options: [.passwordFile, .secondFactorCode],
        notes: [
            """
            Asks for the password if the vault has none or the server rejects it, and saves it in the vault after the server accepted it. \
            From then on unlock signs in automatically. The setting server names the server (settings set server \
            https://auth.example.org); secrets and tasks need neither server nor account.
            """,
            """
            If the account has a second factor, asks for a code of the app or a recovery code. From then on the server knows this machine, and asks for the \
            password alone. A passkey signs in on the page (app).
            """,
            """
            If the server cannot be reached, cached credentials are kept. An account that was signed in stays so for the setting \
            offline-limit.
            """,
        ],
        examples: [
            .init("taskvault login ada@example.org", "asks for the password once"),
            .init("taskvault login", "later, without a question"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.accountName(place)
            var passwords = try context.console.accountPasswords()
            if context.invocation.has(.secondFactorCode) {
                let code = try passwords.requiredSecondFactor(place.server)
                passwords.give(code)
            }
            try signIn(account, place, passwords, context)
        }
    }

    /// Signs in, ends the session of another account, and prints the account.
    static func signIn(
        _ account: AccountName, _ place: SignInPlace, _ passwords: borrowing AccountPasswords,
        _ context: CommandContext
    ) throws {
        let other = try sessionOfAnother(than: account, place, context)
        try context.signIn.signIn(account, place, asking: passwords)
        switch consume other {
        case .some(let token): context.signIn.revoke(token, place)
        case .none: break
        }
        try context.report(account, place, "signed in")
    }

    /// The refresh token of another account whose session this sign-in replaces.
    private static func sessionOfAnother(
        than account: AccountName, _ place: SignInPlace, _ context: CommandContext
    ) throws -> SecretBytes? {
        try context.signIn.withCache(place) { cache -> SecretBytes? in
            guard let session = try cache.session(), session.account != account else { return nil }
            return try cache.token(.refresh)
        }
    }
}

extension OptionDescription {
    static let secondFactorCode = OptionDescription(
        "code",
        "the second factor is asked for first, or is the first line of the file: a code of the app, or a recovery code"
    )
}

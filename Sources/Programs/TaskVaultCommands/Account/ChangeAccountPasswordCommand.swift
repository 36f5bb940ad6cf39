internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

/// `account password`: changes the password at the server and in the vault.
enum ChangeAccountPasswordCommand: Command {
    static let description = CommandDescription(
        path: ["account", "password"],
        summary: "change the account's password, at the server and in the vault",
        options: [.passwordFile],
        notes: [
            """
            This is the password at the server. The passphrase opens the vault: passphrase change. From a file the current \
            password is the first line and the new one the second.
            """,
            """
            The vault stores the new password before the server is asked. After an interruption the next sign-in finds out which of the \
            two is valid. All other sessions of the account end.
            """,
        ],
        examples: [
            .init(
                "taskvault account password",
                "asks for the old password once and for the new one twice")
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.signIn.signedInAccount(place)
            // The check reports an unusable server before the person types a password.
            try place.client.requireAccounts()
            let passwords = try context.console.accountPasswords()
            let current = try passwords.required("Current password", "the current password")
            let new = try passwords.new()
            guard !current.isEqual(to: new) else {
                throw Failure(.refused, "the new password is the current one")
            }
            // An interrupted earlier change is settled first.
            let token = try context.signIn.signIn(
                account, place, asking: AccountPasswords(try current.copy(), and: passwords))
            let change = PasswordChange(context.signIn.context(account, place))
            let outcome: PasswordChange.Outcome
            do {
                outcome = try change.run(from: current, to: new, with: token)
            } catch {
                let failure = context.errors.failure(error)
                throw Failure(
                    failure.exitCode, code: failure.code,
                    "\(failure.message), while the password was being changed",
                    hint: context.folders.command("unlock")
                        + " finds out which password is valid, if the server was asked")
            }
            switch outcome {
            case .changed: break
            case .unchanged(let error): throw error
            case .unknown(let error): try settle(error, account, new, place, context)
            }
            try context.report(
                account, place, "changed the password, and ended all other sessions; signed in")
        }
    }

    /// Determines the valid password after the server gave no answer.
    ///
    /// - Throws: A failure: the old password is valid, or the valid one is not known yet.
    private static func settle(
        _ error: SignInError, _ account: AccountName, _ new: borrowing SecretBytes,
        _ place: SignInPlace, _ context: CommandContext
    ) throws {
        let message =
            "the password may have been changed: \(context.errors.failure(error).message)"
        let login = context.folders.command("login")
        guard place.settings.cachesCredentials else {
            throw Failure(
                .serverUnreachable, code: "outcome_unknown", message,
                hint: login + " with each of the two passwords finds out")
        }
        do {
            try context.signIn.signIn(account, place, asking: AccountPasswords())
        } catch {
            throw Failure(
                .serverUnreachable, code: "outcome_unknown", message,
                hint: login + " finds out; the vault has both passwords")
        }
        let current = try context.signIn.withCache(place) { cache in
            try cache.password(.current, of: account)
        }
        switch consume current {
        case .some(let current) where current.value.isEqual(to: new): return
        default: throw error
        }
    }
}

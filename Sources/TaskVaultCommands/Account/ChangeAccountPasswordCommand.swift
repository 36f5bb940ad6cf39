internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

/// `account password`: changes the password at the server and in the vault.
enum ChangeAccountPasswordCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withSignIn { (place) throws(CommandFailure) in
            let account = try context.signedInAccount(place)
            let passwords = try context.accountPasswords()
            let current = try passwords.required("Current password", "the current password")
            let new = try passwords.new()
            guard !current.isEqual(to: new) else {
                throw CommandFailure(.refused, "the new password is the current one")
            }
            // A change that was begun before is settled first.
            let token = try context.signIn(
                account, place, asking: AccountPasswords(try context.copy(current)))
            let change = PasswordChange(context.signInContext(account, place))
            let outcome: PasswordChange.Outcome
            do {
                outcome = try change.run(from: current, to: new, with: token)
            } catch {
                let failure = CommandFailure(signIn: error, context.vault)
                throw CommandFailure(
                    failure.exitCode, code: failure.code,
                    "\(failure.message), while the password was being changed",
                    hint: context.folders.command("unlock")
                        + " finds out which password counts, if the server was asked")
            }
            switch outcome {
            case .changed: break
            case .unchanged(let error): throw CommandFailure(error, at: place, context.folders)
            case .unknown(let error): try context.settle(error, account, new, place)
            }
            try context.report(
                account, place, "changed the password, and ended all other sessions; signed in")
        }
    }
}

extension CommandContext {
    /// The account that signed in last.
    func signedInAccount(_ place: SignInPlace) throws(CommandFailure) -> AccountName {
        guard let account = try machineSession(place)?.account ?? place.settings.account else {
            throw CommandFailure(
                .notFound, code: "not_signed_in", "nobody has signed in at \(place.server)",
                hint: folders.command("login"))
        }
        return account
    }

    /// A second owner of a secret.
    func copy(_ secret: borrowing SecretBytes) throws(CommandFailure) -> SecretBytes {
        do throws(SecretMemoryError) {
            return try secret.copy()
        } catch {
            throw .outOfMemory
        }
    }

    /// Finds out which password counts, after the server gave no answer.
    ///
    /// - Throws: That it is still the old one, or that nobody knows yet.
    fileprivate func settle(
        _ error: AuthClientError, _ account: AccountName, _ new: borrowing SecretBytes,
        _ place: SignInPlace
    ) throws(CommandFailure) {
        let failure = CommandFailure(error, at: place, folders)
        guard place.settings.cachesCredentials else {
            throw CommandFailure(
                .serverUnreachable, code: "outcome_unknown",
                "nobody knows whether the password was changed: \(failure.message)",
                hint: folders.command("login") + " with the one and the other password finds out")
        }
        do throws(CommandFailure) {
            try signIn(account, place, asking: AccountPasswords())
        } catch {
            throw CommandFailure(
                .serverUnreachable, code: "outcome_unknown",
                "nobody knows whether the password was changed: \(failure.message)",
                hint: folders.command("login") + " finds out; the vault has both passwords")
        }
        let current = try withCache(place) { cache in
            try cache.password(.current, of: account)
        }
        switch consume current {
        case .some(let current) where current.value.isEqual(to: new): return
        default: throw failure
        }
    }
}

internal import Application
internal import CommandLine
internal import SecretMemory
internal import SignIn
internal import TextCoding

/// `account create`: creates an account at the auth server, and signs in.
enum CreateAccountCommand: Command {
    static let description = CommandDescription(
        path: ["account", "create"],
        summary: "create an account at the auth server, and sign in",
        operands: [.email],
        options: [.invitation, .passwordFile],
        notes: [
            "If the server requires an invitation, this asks for its code first. The operator of the server has it."
        ],
        examples: [
            .init("taskvault account create ada@example.org --invitation", "with an invitation")
        ],
        exitCodes: .account + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.accountName(place)
            // The check reports an unusable server before the person types a password.
            try place.client.requireAccounts()
            let passwords = try context.console.accountPasswords()
            // A person must not type a password in vain.
            let isInvited =
                try context.invocation.has(.invitation)
                || passwords.hasPrompt && place.client.requiresInvitation(for: account)
            let invitation: SecretBytes? =
                isInvited
                ? .some(try passwords.required("Invitation code", "the invitation code")) : .none
            let password = try passwords.new()
            try place.client.createAccount(account, password: password, invitation: invitation)
            do {
                try context.signIn.signIn(
                    account, place, asking: AccountPasswords(password, and: passwords))
            } catch {
                let failure = context.errors.failure(error)
                throw Failure(
                    failure.exitCode, code: failure.code,
                    "the account was created, but the sign-in failed: \(failure.message)",
                    hint: context.folders.command("login"))
            }
            try context.report(account, place, "created the account; signed in")
        }
    }
}

extension OptionDescription {
    static let invitation = OptionDescription(
        "invitation", "use an invitation code, which is asked for or is the first line of the file"
    )
}

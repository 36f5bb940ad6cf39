internal import CommandLine
internal import SecretMemory
internal import SignIn

/// `account create`: makes an account at the auth server, and signs in.
enum CreateAccountCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withSignIn { (place) throws(CommandFailure) in
            let account = try context.accountName(place)
            let passwords = try context.accountPasswords()
            let invitation: SecretBytes? =
                context.invocation.has(.invitation)
                ? .some(try passwords.required("Invitation code", "the invitation code")) : .none
            let password = try passwords.new()
            do {
                try place.client.createAccount(
                    account, password: password, invitation: invitation)
            } catch {
                throw CommandFailure(asking: place, error, context.folders)
            }
            do throws(CommandFailure) {
                try context.signIn(account, place, asking: AccountPasswords(password))
            } catch {
                throw CommandFailure(
                    error.exitCode, code: error.code,
                    "the account was made, and the sign-in failed: \(error.message)",
                    hint: context.folders.command("login"))
            }
            try context.report(account, place, "made the account; signed in")
        }
    }
}

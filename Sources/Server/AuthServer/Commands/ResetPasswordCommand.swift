internal import Accounts
internal import CommandLine
internal import SecretMemory
internal import TextCoding

/// `account reset-password`: sets a password.
enum ResetPasswordCommand: ServerCommand {
    private static let passwordFile = OptionDescription(
        "password-file", .file("FILE"),
        "read the password from the first line of this file; - is standard input")

    static let description = CommandDescription(
        path: ["account", "reset-password"],
        summary: "set a new password",
        operands: [.email],
        options: [passwordFile],
        notes: [
            """
            Asks for the password twice, without echo. Without a terminal it reads the first line of standard input. A password has 8 characters to 1024 bytes. All \
            sessions of the account end, and its failed attempts are forgotten.
            """
        ],
        examples: [
            .init("taskvault-authd account reset-password ada@example.org", "ask for it"),
            .init(
                "taskvault-authd account reset-password ada@example.org --password-file - < password.txt",
                "in a script"),
        ],
        exitCodes: .ofDatabase,
        surplusHint:
            "the password is read from standard input or a prompt; on the command line it would stay in the shell's history"
    )

    private static let subject = "the new password"

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let now = context.now
        // A missing account is reported before the prompt.
        try context.withAccounts { _ = try $0.details(of: email, at: now) }
        let password = try password(context)
        try context.withAccounts { try $0.resetPassword(of: email, to: password, at: now) }
        try context.report("password_reset", email, text: "set the password of")
    }

    /// Reads the first line of a file or of standard input. On a terminal it asks twice until both
    /// texts are equal.
    private static func password(_ context: ServerContext) throws -> AccountPassword {
        let input = context.surroundings.standardInput
        let path = context.invocation.text(of: passwordFile)
        if path == nil, input.isTerminal { return try ask(context) }
        let line: SecretBytes
        do {
            let file = try PassphraseFile(
                path: path ?? "-", standardInput: input, of: "password", warning: context.notices)
            guard let first = try file.nextLine() else { throw InputError.endOfInput }
            line = first
        } catch let error as InputError {
            throw Failure(error, reading: subject, insteadOf: passwordFile)
        }
        return try AccountPassword(typed: line)
    }

    private static func ask(_ context: ServerContext) throws -> AccountPassword {
        let prompt: TerminalPrompt
        do {
            prompt = try context.surroundings.openTerminal()
        } catch let error as InputError {
            throw Failure(error, reading: subject, insteadOf: passwordFile)
        }
        return try AccountPassword(
            typed: NewSecret.ask(
                prompt, ("New password", "Repeat the password"), (subject, "passwords"),
                insteadOf: passwordFile, program: CommandTable.server.program
            ) { typed in
                do {
                    _ = try AccountPassword(typed: typed)
                } catch {
                    // The dialogue repeats the question after a refusal, which is a `Failure`.
                    throw Failure(error, context)
                }
            })
    }
}

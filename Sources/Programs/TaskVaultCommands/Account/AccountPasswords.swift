internal import Accounts
internal import CommandLine
internal import SecretMemory
internal import SignIn

/// Where the passwords of an account come from: a file, one a line in the order in which they are needed, the person at the terminal, or
/// what was typed before.
struct AccountPasswords: ~Copyable {
    private static let subject = "the password"

    private var file: PassphraseFile?
    private var prompt: TerminalPrompt?
    private var given: SecretBytes?

    /// No source: nothing can be asked.
    init() {}

    /// `--password-file`.
    init(_ file: consuming PassphraseFile) {
        self.file = .some(file)
    }

    /// Questions.
    init(_ prompt: consuming TerminalPrompt) {
        self.prompt = .some(prompt)
    }

    /// One that was typed already; it is not tried twice.
    init(_ given: consuming SecretBytes) {
        self.given = .some(given)
    }

    /// Answers a sign-in.
    ///
    /// - Parameters:
    ///   - reason: Why it asks.
    ///   - serverText: What the server said.
    ///   - question: What a person is asked.
    /// - Returns: The answer; nil without a source, or if a given password was rejected.
    /// - Throws: Why it could not be read.
    borrowing func answer(
        _ reason: LoginFlow.AskReason, _ serverText: String?, _ question: String
    ) throws -> SecretBytes? {
        switch given {
        case .some(let given):
            guard reason != .wrong else { return nil }
            return .some(try given.copy())
        case .none: break
        }
        switch reason {
        case .nothingCached: break
        case .rejected:
            try say(
                "the server no longer accepts the password in the vault"
                    + (serverText.map { ": \($0)" } ?? ""))
        case .wrong: try say(serverText ?? "incorrect e-mail address or password")
        }
        return try secret(question, Self.subject)
    }

    /// Asks for a secret, or takes the next line.
    ///
    /// - Parameters:
    ///   - question: What a person is asked.
    ///   - subject: Its name in messages, such as `the password`.
    /// - Returns: What was typed.
    /// - Throws: A failure without a source, or at the end of the file.
    borrowing func required(
        _ question: String, _ subject: String
    ) throws -> SecretBytes {
        guard let secret = try secret(question, subject) else {
            throw CommandFailure(
                hasFile ? .endOfInput : .noTerminal, reading: subject, insteadOf: .passwordFile)
        }
        return secret
    }

    /// Asks for a new password, twice on a terminal.
    borrowing func new() throws -> SecretBytes {
        let subject = "the new password"
        switch prompt {
        case .some(let prompt):
            return try NewSecret.ask(
                prompt, ("New password", "Repeat the password"), (subject, "passwords"),
                insteadOf: .passwordFile, program: CommandTable.taskvault.program
            ) { typed in try Self.check(typed) }
        case .none:
            let typed = try required("", subject)
            try Self.check(typed)
            return typed
        }
    }

    /// Whether a person is asked.
    var hasPrompt: Bool {
        switch prompt {
        case .some: true
        case .none: false
        }
    }

    private var hasFile: Bool {
        switch file {
        case .some: true
        case .none: false
        }
    }

    private borrowing func secret(
        _ question: String, _ subject: String
    ) throws -> SecretBytes? {
        do {
            switch file {
            case .some(let file): return try file.nextLine()
            case .none: break
            }
            switch prompt {
            case .some(let prompt): return .some(try prompt.askSecret(question))
            case .none: return nil
            }
        } catch let error as InputError {
            throw CommandFailure(error, reading: subject, insteadOf: .passwordFile)
        }
    }

    private borrowing func say(_ sentence: String) throws {
        switch prompt {
        case .some(let prompt):
            do {
                try prompt.say("\(CommandTable.taskvault.program): \(sentence)")
            } catch let error as InputError {
                throw CommandFailure(error, reading: Self.subject, insteadOf: .passwordFile)
            }
        case .none: break
        }
    }

    /// The rule of TaskVault's own server, which other servers know in much the same way (NIST SP 800-63B).
    private static func check(_ typed: borrowing SecretBytes) throws {
        do {
            _ = try AccountPassword(typed: typed)
        } catch let error as AccountError {
            throw CommandFailure(error)
        }
    }
}

extension AccountPasswords {
    /// The source that an invocation names.
    init(_ console: Console) throws {
        do {
            guard let path = console.invocation.text(of: .passwordFile) else {
                if console.asks {
                    self.init(try console.openTerminal())
                } else {
                    self.init()
                }
                return
            }
            if path == "-" { try console.skipPassphrase() }
            self.init(
                try PassphraseFile(
                    path: path, standardInput: console.surroundings.standardInput, of: "password",
                    warning: console.notices))
        } catch let error as InputError {
            throw CommandFailure(error, reading: "the password file", insteadOf: .passwordFile)
        }
    }
}

internal import Accounts
package import SecretMemory
package import SignIn
internal import TextCoding

/// Where the passwords of an account come from: a file, one a line in the order in which they are needed, the person at the terminal, or
/// what was typed before.
package struct AccountPasswords: ~Copyable {
    private static let subject = "the password"

    private let source: (any SecretSource)?
    private var given: SecretBytes?
    /// The option that gives passwords in a file, such as `--password-file FILE`; nil if the operation takes none.
    package let option: String?

    /// Makes the passwords of a source; without one nothing can be asked.
    package init(_ source: (any SecretSource)? = nil, option: String? = nil) {
        self.source = source
        self.option = option
    }

    /// Takes one that was typed already; it is not tried twice.
    package init(_ given: consuming SecretBytes) {
        source = nil
        option = nil
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
    package borrowing func answer(
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
    package borrowing func required(
        _ question: String, _ subject: String
    ) throws -> SecretBytes {
        guard let secret = try secret(question, subject) else {
            throw Failure(
                source == nil ? .noTerminal : .endOfInput, reading: subject, insteadOf: option)
        }
        return secret
    }

    /// Asks for a new password, twice on a terminal.
    package borrowing func new() throws -> SecretBytes {
        let subject = "the new password"
        if let source, source.isPerson {
            return try source.newSecret(
                ("New password", "Repeat the password"), (subject, "passwords")
            ) { typed in try Self.check(typed) }
        }
        let typed = try required("", subject)
        try Self.check(typed)
        return typed
    }

    /// Whether a person is asked.
    var hasPrompt: Bool { source?.isPerson == true }

    private borrowing func secret(
        _ question: String, _ subject: String
    ) throws -> SecretBytes? {
        guard let source else { return nil }
        return try source.next(question, subject)
    }

    private borrowing func say(_ sentence: String) throws {
        guard let source else { return }
        do {
            try source.say("\(Application.program): \(sentence)")
        } catch let error as InputError {
            throw Failure(error, reading: Self.subject)
        }
    }

    /// The rule of TaskVault's own server, which other servers know in much the same way (NIST SP 800-63B).
    private static func check(_ typed: borrowing SecretBytes) throws {
        do {
            _ = try AccountPassword(typed: typed)
        } catch let error as AccountError {
            throw Failure(error)
        }
    }
}

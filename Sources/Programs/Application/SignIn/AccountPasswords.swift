internal import Accounts
package import SecretMemory
package import SignIn
internal import TextCoding

/// The source of an account's passwords: a file, a prompt, or earlier input. A file has one
/// password per line in order of use.
package struct AccountPasswords: ~Copyable {
    private static let subject = "the password"

    private let source: (any SecretSource)?
    private var given: SecretBytes?
    /// The second factor that was given before the sign-in; nil to ask for one.
    private var secondFactor: SecondFactorAnswer?
    /// The option that names a password file, such as `--password-file FILE`; nil if the operation
    /// has none.
    package let option: String?

    /// Creates the passwords of a source; without a source there are no prompts.
    package init(_ source: (any SecretSource)? = nil, option: String? = nil) {
        self.source = source
        self.option = option
    }

    /// Creates the passwords from one that was typed already; it is tried once. A second factor
    /// comes from the source of other passwords, if there are any.
    package init(_ given: consuming SecretBytes, and others: borrowing AccountPasswords) {
        source = others.source
        option = others.option
        secondFactor = others.secondFactor
        self.given = .some(given)
    }

    /// Sets the second factor that a server may ask for.
    package mutating func give(_ secondFactor: SecondFactorAnswer?) {
        self.secondFactor = secondFactor
    }

    /// Reads the text that the sign-in asks for, such as a password.
    ///
    /// - Parameters:
    ///   - reason: Why the sign-in asks.
    ///   - serverText: The message of the server.
    ///   - question: The prompt that a person sees.
    /// - Returns: The text; nil if the owner cannot be asked, or if the server rejected the password that was given.
    /// - Throws: The reason why the answer could not be read.
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
        case .wrong: try say(serverText ?? SignInError.wrongPassword)
        }
        return try secret(question, Self.subject)
    }

    /// Answers a request for a second factor.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - server: The server, for the question.
    /// - Returns: The answer; nil without a person, or if a given one was refused.
    /// - Throws: The reason why the answer could not be read.
    package borrowing func answer(
        _ request: SecondFactorRequest, _ server: String
    ) throws -> SecondFactorAnswer? {
        if let secondFactor { return request.isRefused ? nil : secondFactor }
        guard hasPrompt else { return nil }
        if request.isRefused {
            try say("the code is wrong or was used before")
        } else if request.acceptsPasskey {
            try say("a passkey signs in on the page: \(Application.program) app")
        }
        // The refusal of a code does not repeat the kinds.
        return try requiredSecondFactor(isCode: request.acceptsCode || request.isRefused, server)
    }

    /// Asks for a second factor that the account has, or reads the next line.
    package borrowing func requiredSecondFactor(
        isCode: Bool = true, _ server: String
    ) throws -> SecondFactorAnswer {
        if let secondFactor { return secondFactor }
        let code = isCode ? "Code of the app, or recovery code" : "Recovery code"
        return SecondFactorAnswer(
            typed: try required("\(code), for \(server)", "the second factor"))
    }

    /// Asks for a secret, or reads the next line.
    ///
    /// - Parameters:
    ///   - question: The question for a person.
    ///   - subject: The name of the secret in messages, such as `the password`.
    /// - Returns: The secret.
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

    /// Asks for a new password, twice at a terminal.
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

    /// Whether a person answers.
    package var hasPrompt: Bool { source?.isPerson == true }

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

    /// The rule of TaskVault's own server, similar to those of other servers (NIST SP 800-63B).
    private static func check(_ typed: borrowing SecretBytes) throws {
        do {
            _ = try AccountPassword(typed: typed)
        } catch let error as AccountError {
            throw Failure(error)
        }
    }
}

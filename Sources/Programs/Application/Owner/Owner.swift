package import TextCoding

/// The owner of the vault, as operations reach them: questions, warnings and remarks. Not thread-safe.
///
/// Without further members nothing can be asked.
package protocol Owner {
    /// Whether the owner answers questions: at a terminal, unless results are for a program.
    var canAnswer: Bool { get }
    /// Whether the owner sees the results on a terminal, and not a program.
    var seesResults: Bool { get }
    /// Whether the owner has named a file with passphrases, and so chosen how the vault is opened.
    var hasPassphraseFile: Bool { get }

    /// The passphrases of an operation: from the file, or from the terminal.
    ///
    /// - Throws: A failure of wrong usage if there is neither.
    func passphrases() throws -> any SecretSource

    /// Asks for a line, which the owner sees. `subject` is its name in messages, such as `the e-mail address`.
    func askText(_ question: String, _ subject: String) throws -> String

    /// Requires consent to what cannot be undone.
    ///
    /// - Parameters:
    ///   - action: The action, such as `remove 2 saved checklists`.
    ///   - question: The question.
    /// - Throws: A failure if the owner declines or cannot be asked.
    func requireConsent(to action: String, _ question: String) throws

    /// Warns, once for each code.
    ///
    /// - Parameters:
    ///   - code: A stable name in snake_case.
    ///   - message: The text, beginning in lower case and without full stop; never a secret.
    func warn(_ code: String, _ message: String)

    /// Tells a person what is no warning.
    func remark(_ message: String)

    /// Reports a failure that does not end the work.
    func report(_ failure: Failure)

    /// Hands on the errors that a process of this program has written.
    func passOn(_ errors: [UInt8])
}

extension Owner {
    package var canAnswer: Bool { false }
    package var seesResults: Bool { false }
    package var hasPassphraseFile: Bool { false }

    /// Whether a person or a file can give a passphrase.
    package var canVerify: Bool { canAnswer || hasPassphraseFile }

    package func passphrases() throws -> any SecretSource {
        throw Failure(.noTerminal, reading: "the passphrase")
    }

    package func askText(_ question: String, _ subject: String) throws -> String {
        throw Failure(.noTerminal, reading: subject)
    }

    package func requireConsent(to action: String, _ question: String) throws {
        throw Failure.usage("cannot ask whether to \(action)")
    }

    package func report(_ failure: Failure) {}
    package func passOn(_ errors: [UInt8]) {}
}

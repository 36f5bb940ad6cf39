package import TextCoding

/// The owner of the vault, who receives questions, warnings and remarks. Not thread-safe.
///
/// The default implementations answer no question.
package protocol Owner {
    /// Whether the owner answers questions: true at a terminal, unless results or the whole command are for a program.
    var canAnswer: Bool { get }
    /// Whether the results go to a terminal and not to a program.
    var seesResults: Bool { get }
    /// Whether the owner named a passphrase file, and so chose the method of unlocking.
    var hasPassphraseFile: Bool { get }

    /// The source of the operation's passphrases: the file, or the terminal.
    ///
    /// - Throws: A failure of wrong usage if there is neither.
    func passphrases() throws -> any SecretSource

    /// Asks for a line with visible input. `subject` is its name in messages, such as
    /// `the e-mail address`.
    func askText(_ question: String, _ subject: String) throws -> String

    /// Asks which of several things is meant.
    ///
    /// - Parameters:
    ///   - title: The line before the things, such as `several secrets match mail`.
    ///   - lines: A line for each thing.
    /// - Returns: The index of the chosen thing; nil if the owner cannot be asked.
    /// - Throws: A failure if the owner chooses none.
    func choose(_ title: String, _ lines: [String]) throws -> Int?

    /// Requires consent to an irreversible action.
    ///
    /// - Parameters:
    ///   - action: The action, such as `remove 2 saved checklists`.
    ///   - question: The question.
    /// - Throws: A failure if the owner declines or cannot be asked.
    func requireConsent(to action: String, _ question: String) throws

    /// Warns once for each code.
    ///
    /// - Parameters:
    ///   - code: A stable name in snake_case.
    ///   - message: The text, in lower case and without a full stop; never a secret.
    func warn(_ code: String, _ message: String)

    /// Prints a remark for a person.
    func remark(_ message: String)

    /// Reports a failure that does not end the work.
    func report(_ failure: Failure)

    /// Forwards errors that a child process of this program has written.
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

    package func choose(_ title: String, _ lines: [String]) throws -> Int? { nil }

    package func requireConsent(to action: String, _ question: String) throws {
        throw Failure.usage("cannot ask whether to \(action)")
    }

    package func report(_ failure: Failure) {}
    package func passOn(_ errors: [UInt8]) {}
}

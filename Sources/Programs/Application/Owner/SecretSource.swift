internal import Sealing
package import SecretMemory
internal import TextCoding
package import VaultCore

/// Where the secrets of one operation come from: a file, one a line in the order in which they are needed, or a person at a terminal.
///
/// Without further members it is a file.
package protocol SecretSource: AnyObject {
    /// Whether a person answers, who reads messages and can try again.
    var isPerson: Bool { get }

    /// Asks for a secret, or takes the next line.
    ///
    /// - Parameters:
    ///   - question: The question for a person.
    ///   - subject: Its name in messages, such as `the passphrase`.
    /// - Returns: The secret, without a line end; nil at the end of a file.
    /// - Throws: A failure that names the subject.
    func next(_ question: String, _ subject: String) throws -> SecretBytes?

    /// Asks a person twice, until both answers are equal and acceptable; takes one line of a file.
    ///
    /// - Parameters:
    ///   - questions: The first question and the second.
    ///   - noun: Its name, such as `the new password`, and its plural, such as `passwords`.
    ///   - check: Throws for an unacceptable answer; a failure with another exit code than `refused` ends the dialogue.
    /// - Returns: The answer.
    /// - Throws: A failure that names the subject; the error of `check`.
    func newSecret(
        _ questions: (String, String), _ noun: (one: String, many: String),
        _ check: (borrowing SecretBytes) throws -> Void
    ) throws -> SecretBytes

    /// Asks a person a yes-or-no question.
    func confirm(_ question: String) throws -> Bool

    /// Says a line to a person.
    func say(_ line: String) throws

    /// Says a line, and waits for the return key or for something else that makes it unnecessary.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isOver: Waits a moment for the other thing, and says whether it has come.
    /// - Returns: Whether the return key was pressed.
    /// - Throws: `InputError`, such as `interrupted`.
    func waitForReturn(_ line: String, unless isOver: () -> Bool) throws -> Bool
}

extension SecretSource {
    package var isPerson: Bool { false }

    package func newSecret(
        _ questions: (String, String), _ noun: (one: String, many: String),
        _ check: (borrowing SecretBytes) throws -> Void
    ) throws -> SecretBytes {
        let secret = try secret("", noun.one)
        try check(secret)
        return secret
    }

    package func confirm(_ question: String) throws -> Bool { false }
    package func say(_ line: String) throws {}

    package func waitForReturn(_ line: String, unless isOver: () -> Bool) throws -> Bool {
        while !isOver() {}
        return false
    }
}

extension SecretSource {
    /// Asks for a secret, or takes the next line.
    ///
    /// - Parameters:
    ///   - question: The question for a person.
    ///   - subject: Its name in messages, such as `the passphrase`.
    /// - Returns: The secret, without a line end.
    /// - Throws: A failure that names the subject.
    package func secret(_ question: String, _ subject: String) throws -> SecretBytes {
        guard let secret = try next(question, subject) else {
            throw Failure(.endOfInput, reading: subject)
        }
        return secret
    }

    /// Asks for the secret that opens a vault.
    ///
    /// - Parameters:
    ///   - kind: Passphrase or recovery code; an authenticator is asked otherwise.
    ///   - suffix: The rest of the question and of messages, such as ` of the backup`.
    /// - Returns: The secret; whether it is the right one is not known yet.
    /// - Throws: A failure that explains a malformed secret.
    package func vaultSecret(_ kind: KeySlotKind, of suffix: String = "") throws -> VaultSecret {
        let subject = kind == .passphrase ? "passphrase" : "recovery code"
        let question = subject.prefix(1).uppercased() + subject.dropFirst() + suffix
        let typed = try secret(question, "the " + subject + suffix)
        do {
            return try VaultSecret(kind, typed: typed)
        } catch SealingError.passphraseLength {
            // Empty, or longer than any passphrase: certainly not the right one.
            throw Failure(.wrongPassphrase, "wrong passphrase")
        }
    }
}

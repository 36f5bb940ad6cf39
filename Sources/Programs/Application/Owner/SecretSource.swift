internal import Sealing
package import SecretMemory
internal import TextCoding
package import VaultCore

/// The source of an operation's secrets: a file or a person at a terminal. A file has one secret
/// per line in order of use.
///
/// The default implementations are those of a file.
package protocol SecretSource: AnyObject {
    /// Whether a person answers, and so can read messages and try again.
    var isPerson: Bool { get }

    /// Asks for a secret, or reads the next line.
    ///
    /// - Parameters:
    ///   - question: The question for a person.
    ///   - subject: The name of the secret in messages, such as `the passphrase`.
    /// - Returns: The secret, without a line end; nil at the end of a file.
    /// - Throws: A failure that names the subject.
    func next(_ question: String, _ subject: String) throws -> SecretBytes?

    /// Asks a person twice until both answers are equal and valid; reads one line of a file.
    ///
    /// - Parameters:
    ///   - questions: The first question and the second.
    ///   - noun: The name of the secret, such as `the new password`, and its plural, such as
    ///     `passwords`.
    ///   - check: Throws for an invalid answer; a failure with an exit code other than `refused`
    ///     ends the dialogue.
    /// - Returns: The answer.
    /// - Throws: A failure that names the subject; the error of `check`.
    func newSecret(
        _ questions: (String, String), _ noun: (one: String, many: String),
        _ check: (borrowing SecretBytes) throws -> Void
    ) throws -> SecretBytes

    /// Asks a person a yes-or-no question.
    func confirm(_ question: String) throws -> Bool

    /// Prints a line for a person.
    func say(_ line: String) throws

    /// Prints a line and waits for the return key, or for an event that makes it unnecessary.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isOver: Waits briefly for the event and returns whether it has occurred.
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
    /// Asks for a secret, or reads the next line.
    ///
    /// - Parameters:
    ///   - question: The question for a person.
    ///   - subject: The name of the secret in messages, such as `the passphrase`.
    /// - Returns: The secret, without a line end.
    /// - Throws: A failure that names the subject.
    package func secret(_ question: String, _ subject: String) throws -> SecretBytes {
        guard let secret = try next(question, subject) else {
            throw Failure(.endOfInput, reading: subject)
        }
        return secret
    }

    /// Asks for the secret that unlocks a vault.
    ///
    /// - Parameters:
    ///   - kind: Passphrase or recovery code; an authenticator has other prompts.
    ///   - suffix: The rest of the question and of messages, such as ` of the backup`.
    /// - Returns: The secret, which may still be wrong.
    /// - Throws: A failure that explains a malformed secret.
    package func vaultSecret(_ kind: KeySlotKind, of suffix: String = "") throws -> VaultSecret {
        let subject = kind == .passphrase ? "passphrase" : "recovery code"
        let question = subject.prefix(1).uppercased() + subject.dropFirst() + suffix
        let typed = try secret(question, "the " + subject + suffix)
        do {
            return try VaultSecret(kind, typed: typed)
        } catch SealingError.passphraseLength {
            // An empty or overlong text can never be the passphrase.
            throw Failure(.wrongPassphrase, "wrong passphrase")
        }
    }
}

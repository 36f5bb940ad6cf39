internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultCore

/// Where the passphrases of one command come from: a file, one a line in the order in which they are needed, or the person at the terminal.
enum SecretSource: ~Copyable {
    /// `--passphrase-file`.
    case file(PassphraseFile)
    /// Questions.
    case terminal(TerminalPrompt)

    /// Asks for a secret, or takes the next line.
    ///
    /// - Parameters:
    ///   - question: What a person is asked.
    ///   - subject: Its name in messages, such as `the passphrase`.
    /// - Returns: What was typed, without a line end.
    /// - Throws: A failure that names the subject.
    borrowing func secret(
        _ question: String, _ subject: String
    ) throws -> SecretBytes {
        do {
            switch self {
            case .file(let file):
                guard let line = try file.nextLine() else { throw InputError.endOfInput }
                return line
            case .terminal(let prompt):
                return try prompt.askSecret(question)
            }
        } catch let error as InputError {
            throw CommandFailure(error, reading: subject)
        }
    }

    /// Asks for what opens a vault.
    ///
    /// - Parameters:
    ///   - kind: Passphrase or recovery code; no command asks for an authenticator.
    ///   - suffix: What follows in the question and in messages, such as ` of the backup`.
    /// - Returns: The secret; whether it is the right one is not known yet.
    /// - Throws: A failure that explains a malformed secret.
    borrowing func vaultSecret(
        _ kind: KeySlotKind, of suffix: String = ""
    ) throws -> VaultSecret {
        let subject = kind == .passphrase ? "passphrase" : "recovery code"
        let question = subject.prefix(1).uppercased() + subject.dropFirst() + suffix
        let typed = try secret(question, "the " + subject + suffix)
        do {
            return try VaultSecret(kind, typed: typed)
        } catch SealingError.passphraseLength {
            // Empty, or longer than any passphrase: certainly not the right one.
            throw CommandFailure(.wrongPassphrase, "wrong passphrase")
        }
    }
}

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
    ///   - subject: What it is, for messages, such as `the passphrase`.
    /// - Returns: What was typed, without a line end.
    /// - Throws: A failure that names the subject.
    borrowing func secret(
        _ question: String, _ subject: String
    ) throws(CommandFailure) -> SecretBytes {
        do throws(InputError) {
            switch self {
            case .file(let file):
                guard let line = try file.nextLine() else { throw .endOfInput }
                return line
            case .terminal(let prompt):
                return try prompt.askSecret(question)
            }
        } catch {
            throw CommandFailure(error, reading: subject)
        }
    }

    /// Asks for what opens a vault.
    ///
    /// - Parameters:
    ///   - kind: Passphrase or recovery code.
    ///   - suffix: What follows the question, such as ` of the backup`.
    /// - Returns: The secret; whether it is the right one is not known yet.
    /// - Throws: A failure that says what is wrong with what was typed.
    borrowing func vaultSecret(
        _ kind: KeySlotKind, of suffix: String = ""
    ) throws(CommandFailure) -> VaultSecret {
        let subject = kind == .passphrase ? "passphrase" : "recovery code"
        let question = subject.prefix(1).uppercased() + subject.dropFirst() + suffix
        let typed = try secret(question, "the " + subject)
        do throws(SealingError) {
            return try VaultSecret(kind, typed: typed)
        } catch {
            // Empty, or longer than any passphrase: certainly not the right one.
            if error == .passphraseLength {
                throw CommandFailure(.wrongPassphrase, "wrong passphrase")
            }
            throw CommandFailure(error)
        }
    }
}

extension CommandContext {
    /// The source that this invocation names.
    ///
    /// - Throws: A failure of wrong usage where there is neither a file nor a terminal.
    func secretSource() throws(CommandFailure) -> SecretSource {
        guard let path = invocation.text(of: .passphraseFile) else {
            do throws(InputError) {
                return .terminal(try surroundings.openTerminal())
            } catch {
                throw CommandFailure(error, reading: "the passphrase")
            }
        }
        do throws(InputError) {
            let file = try PassphraseFile(
                path: path, standardInput: surroundings.standardInput, of: "passphrase",
                warning: notices)
            if path == "-" { passphraseLine.isTaken = true }
            return .file(file)
        } catch {
            throw CommandFailure(error, reading: "the passphrase file")
        }
    }

    /// Passes over the passphrase that a script gives on standard input whether or not it is needed: what follows is meant for the command.
    func skipPassphrase() throws(InputError) {
        guard invocation.text(of: .passphraseFile) == "-", !passphraseLine.isTaken else { return }
        passphraseLine.isTaken = true
        _ = try surroundings.standardInput.readLine()
    }

    /// Which secret this invocation opens the vault with.
    var openingKind: KeySlotKind {
        let takesRecovery = invocation.command.options.contains(.recovery)
        return takesRecovery && invocation.has(.recovery) ? .recoveryCode : .passphrase
    }
}

internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import Secrets

/// The dialogue in which a person makes a passphrase.
enum NewPassphrase {
    /// Fewer Unicode scalars than these are refused: the owner's rule.
    static let minimumCharacters = 4
    private static let subject = "the new passphrase"

    /// Asks twice on a terminal, until both are the same; takes one line from a file. Tells how strong it is.
    ///
    /// - Parameters:
    ///   - source: Where it comes from.
    ///   - console: Where its strength is shown.
    /// - Returns: One of at least four characters.
    /// - Throws: The source's failure; from a file also a refusal of what it gave; ``CommandFailure/cancelled`` if the person does not want
    ///   a weak one.
    static func ask(_ source: borrowing SecretSource, _ console: Console) throws -> Passphrase {
        let passphrase = try typed(source)
        let strength = try passphrase.withBytes { try PassphraseStrength(of: $0) }
        let text = "strength: \(strength)"
        switch source {
        case .terminal(let prompt) where strength.level == .weak: try confirm(text, prompt)
        case .terminal: console.notices.remark(text)
        case .file where strength.level == .weak: console.notices.warn("weak_passphrase", text)
        case .file: break
        }
        return passphrase
    }

    /// Asks whether to use a weak passphrase.
    private static func confirm(_ text: String, _ prompt: borrowing TerminalPrompt) throws {
        do {
            try prompt.say("\(CommandTable.taskvault.program): \(text)")
            if try prompt.confirm("use it anyway?") { return }
        } catch let error as InputError {
            throw CommandFailure(error, reading: "the answer")
        }
        throw CommandFailure.cancelled
    }

    private static func typed(_ source: borrowing SecretSource) throws -> Passphrase {
        switch source {
        case .file:
            return try acceptable(source.secret("", subject))
        case .terminal(let prompt):
            return try acceptable(
                NewSecret.ask(
                    prompt, ("Create a passphrase", "Repeat the passphrase"),
                    (subject, "passphrases"), insteadOf: .passphraseFile,
                    program: CommandTable.taskvault.program
                ) { typed in _ = try acceptable(typed) })
        }
    }

    private static func acceptable(
        _ typed: borrowing SecretBytes
    ) throws -> Passphrase {
        let passphrase: Passphrase
        do {
            guard typed.count > 0 else { throw tooShort }
            passphrase = try Passphrase(typed: typed)
        } catch let error as SealingError {
            // Explained here, so that the dialogue can ask again.
            throw CommandFailure(error)
        }
        guard passphrase.scalarCount >= minimumCharacters else { throw tooShort }
        guard passphrase.hasAssignedCharactersOnly else {
            throw CommandFailure(
                .refused, code: "passphrase_unassigned",
                "the passphrase has a character that is unknown to this machine's Unicode version",
                hint: "another version may encode it differently; choose another character")
        }
        return passphrase
    }

    private static let tooShort = CommandFailure(
        .refused, code: "passphrase_too_short",
        "the passphrase has fewer than \(minimumCharacters) characters",
        hint: "several random words are easy to type and hard to guess")
}

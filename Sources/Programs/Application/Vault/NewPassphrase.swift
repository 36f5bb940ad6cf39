package import Sealing
internal import SecretMemory
internal import Secrets
internal import TextCoding

/// The dialogue for a new passphrase.
package enum NewPassphrase {
    /// The smallest number of Unicode scalars, by the owner's rule.
    static let minimumCharacters = 4
    private static let subject = "the new passphrase"

    /// Asks twice at a terminal until both answers are equal, or reads one line from a file.
    /// Reports the strength.
    ///
    /// - Parameters:
    ///   - source: The source of the passphrase.
    ///   - owner: Receives the strength.
    /// - Returns: A passphrase of at least four characters.
    /// - Throws: The source's failure. For a file, also the refusal of its passphrase.
    ///   ``Failure/cancelled`` if the person declines a weak one.
    package static func ask(_ source: any SecretSource, _ owner: any Owner) throws -> Passphrase {
        let passphrase = try typed(source)
        let strength = try passphrase.withBytes { try PassphraseStrength(of: $0) }
        let text = "strength: \(strength)"
        switch (source.isPerson, strength.level == .weak) {
        case (true, true): try confirm(text, source)
        case (true, false): owner.remark(text)
        case (false, true): owner.warn("weak_passphrase", text)
        case (false, false): break
        }
        return passphrase
    }

    /// Asks whether to use a weak passphrase.
    private static func confirm(_ text: String, _ source: any SecretSource) throws {
        do {
            try source.say("\(Application.program): \(text)")
            if try source.confirm("use it anyway?") { return }
        } catch let error as InputError {
            throw Failure(error, reading: "the answer")
        }
        throw Failure.cancelled
    }

    private static func typed(_ source: any SecretSource) throws -> Passphrase {
        try acceptable(
            source.newSecret(
                ("Create a passphrase", "Repeat the passphrase"), (subject, "passphrases")
            ) { typed in _ = try acceptable(typed) })
    }

    private static func acceptable(
        _ typed: borrowing SecretBytes
    ) throws -> Passphrase {
        let passphrase: Passphrase
        do {
            guard typed.count > 0 else { throw tooShort }
            passphrase = try Passphrase(typed: typed)
        } catch let error as SealingError {
            // The error is converted here so that the dialogue can ask again.
            throw Failure(error)
        }
        guard passphrase.scalarCount >= minimumCharacters else { throw tooShort }
        guard passphrase.hasAssignedCharactersOnly else {
            throw Failure(
                .refused, code: "passphrase_unassigned",
                "the passphrase has a character that is unknown to this machine's Unicode version",
                hint: "another version may encode it differently; choose another character")
        }
        return passphrase
    }

    private static let tooShort = Failure(
        .refused, code: "passphrase_too_short",
        "the passphrase has fewer than \(minimumCharacters) characters",
        hint: "several random words are easy to type and hard to guess")
}

internal import CommandLine
internal import Platform
internal import Sealing
internal import SecretMemory
internal import Secrets

/// The dialogue in which a person makes a passphrase.
enum NewPassphrase {
    /// Fewer Unicode scalars than these are refused: the owner's rule.
    static let minimumCharacters = 4
    private static let subject = "the new passphrase"
    /// Below this guessing time, in seconds, a passphrase is called weak: a hundred years of one machine are a month of a thousand.
    private static let weakTime = 100.0 * 31_557_600

    /// Asks twice on a terminal, until both are the same; takes one line from a file.
    ///
    /// - Parameter source: Where it comes from.
    /// - Returns: One of at least four characters.
    /// - Throws: The source's failure; from a file also a refusal of what it gave.
    static func ask(_ source: borrowing SecretSource) throws -> Passphrase {
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

    /// An honest word about a passphrase: how long guessing it takes.
    struct Assessment {
        /// Whether the person should choose another.
        let isWeak: Bool
        /// How long guessing takes, beginning in lower case and without full stop.
        let sentence: String

        /// Assesses a passphrase for a derivation cost.
        init(_ passphrase: borrowing Passphrase, _ cost: KeyDerivationCost) {
            let strength = passphrase.withBytes { PassphraseStrength(of: $0) }
            let rate = Self.guessesPerSecond(cost)
            isWeak = strength.guessingTime(guessesPerSecond: rate) < weakTime
            sentence = strength.sentence(guessesPerSecond: rate)
        }

        /// How many guesses a second a machine like this one makes.
        ///
        /// Not measured: Argon2id is bound by memory, of which a core of today passes over some 1,250 MiB a second.
        private static func guessesPerSecond(_ cost: KeyDerivationCost) -> Double {
            let work = Double(cost.passes) * Double(cost.memoryKiB) / 1_024
            let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            return Double(cores) * 1_250 / max(work, 1)
        }

        /// Says how hard the passphrase is to guess: always if it is weak, otherwise to a person at a terminal.
        func report(on console: Console) {
            if isWeak {
                console.notices.warn("weak_passphrase", "this passphrase is weak: \(sentence)")
            } else if console.canAsk, !console.isJSON {
                console.notices.remark("a good passphrase: \(sentence)")
            }
        }
    }
}

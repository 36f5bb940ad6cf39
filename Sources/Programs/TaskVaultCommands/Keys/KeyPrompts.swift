internal import CommandLine
internal import SecretMemory
internal import SecurityKeys

/// Asks the person for what a security key needs: its PIN, and a touch.
final class KeyPrompts: SecurityKeyPrompting {
    /// The person turned to the passphrase.
    struct PassphraseWanted: Error {}

    /// Where secrets of the command come from.
    let source: SecretSource
    private let console: Console
    private let isOffer: Bool

    /// Makes the prompts of a command.
    ///
    /// - Parameters:
    ///   - console: The console of the command.
    ///   - isOffer: Whether the person may turn to the passphrase instead.
    /// - Throws: As ``Console/secretSource()``.
    init(_ console: Console, isOffer: Bool = false) throws {
        self.console = console
        self.isOffer = isOffer
        source = try console.secretSource()
    }

    func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes {
        if wasWrong {
            switch source {
            case .file:
                // Its next line is no second try.
                throw SecurityKeyError.pinWrong(attemptsLeft: attemptsLeft)
            case .terminal:
                let left = attemptsLeft.map { "; \(counted($0, "attempt")) left" } ?? ""
                say("\(CommandTable.taskvault.program): error: wrong PIN" + left)
            }
        }
        let question = "PIN of the security key" + (isOffer ? ", or Enter for the passphrase" : "")
        let pin = try source.secret(question, "the PIN")
        guard pin.count > 0 else {
            throw isOffer ? PassphraseWanted() : CommandFailure.cancelled
        }
        return pin
    }

    func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) throws {
        let words =
            switch touch {
            case .choose: "Touch the security key to use"
            case .create: "Touch the security key to create a credential"
            case .use: "Touch the security key"
            }
        switch source {
        case .terminal(let prompt):
            guard isOffer else { break }
            do {
                let line = words + ", or Enter for the passphrase"
                guard try prompt.waitForReturn(line, unless: isOver) else { return }
            } catch let error as InputError {
                throw CommandFailure(error, reading: "the passphrase")
            }
            throw PassphraseWanted()
        case .file: break
        }
        say(words)
        while !isOver() {}
    }

    /// Says something at the terminal; a script gets it on standard error.
    func say(_ line: String) {
        switch source {
        case .terminal(let prompt): try? prompt.say(line)
        case .file: console.notices.remark(line.prefix(1).lowercased() + line.dropFirst())
        }
    }
}

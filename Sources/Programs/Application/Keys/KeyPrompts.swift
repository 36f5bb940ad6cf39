package import SecretMemory
package import SecurityKeys
internal import TextCoding

/// Asks the person for the PIN of a security key, and for a touch.
package final class KeyPrompts: SecurityKeyPrompting {
    /// The person chose the passphrase instead.
    struct PassphraseWanted: Error {}

    /// The source of the operation's secrets.
    package let source: any SecretSource
    private let owner: any Owner
    private let isOffer: Bool

    /// Creates the prompts of an operation.
    ///
    /// - Parameters:
    ///   - owner: Provides the secrets.
    ///   - isOffer: Whether the person may choose the passphrase instead.
    /// - Throws: As ``Owner/passphrases()``.
    package init(_ owner: any Owner, isOffer: Bool = false) throws {
        self.owner = owner
        self.isOffer = isOffer
        source = try owner.passphrases()
    }

    package func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes {
        if wasWrong {
            // The next line of a file is not a second attempt.
            guard source.isPerson else {
                throw SecurityKeyError.pinWrong(attemptsLeft: attemptsLeft)
            }
            let left = attemptsLeft.map { "; \(counted($0, "attempt")) left" } ?? ""
            say("\(Application.program): error: wrong PIN" + left)
        }
        let question = "PIN of the security key" + (isOffer ? ", or Enter for the passphrase" : "")
        let pin = try source.secret(question, "the PIN")
        guard pin.count > 0 else {
            throw isOffer ? PassphraseWanted() : Failure.cancelled
        }
        return pin
    }

    package func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) throws {
        let words =
            switch touch {
            case .choose: "Touch the security key to use"
            case .create: "Touch the security key to create a credential"
            case .use: "Touch the security key"
            }
        if source.isPerson, isOffer {
            do {
                let line = words + ", or Enter for the passphrase"
                guard try source.waitForReturn(line, unless: isOver) else { return }
            } catch let error as InputError {
                throw Failure(error, reading: "the passphrase")
            }
            throw PassphraseWanted()
        }
        say(words)
        while !isOver() {}
    }

    /// Prints a line at the terminal; a script receives it on standard error.
    package func say(_ line: String) {
        if source.isPerson {
            try? source.say(line)
        } else {
            owner.remark(line.prefix(1).lowercased() + line.dropFirst())
        }
    }
}

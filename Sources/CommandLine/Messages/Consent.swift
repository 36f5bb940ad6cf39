package import SecretMemory

/// Makes sure that something that cannot be undone is meant.
package enum Consent {
    /// Passes if it was said on the command line, or else is said on the terminal.
    ///
    /// - Parameters:
    ///   - action: What is done without asking, such as `repair the vault`.
    ///   - option: The option by which it is said on the command line.
    ///   - invocation: The command.
    ///   - input: Standard input.
    ///   - ask: Asks, and returns whether it is meant.
    /// - Throws: A failure if no person can be asked, or the person declines.
    package static func require(
        to action: String, unless option: OptionDescription, in invocation: Invocation,
        from input: SecretInput, _ ask: () throws -> Bool
    ) throws {
        if invocation.has(option) { return }
        guard input.isTerminal else {
            throw CommandFailure.usage(
                "cannot ask whether to \(action): standard input is not a terminal",
                hint: "give \(option.spelling) to skip the question")
        }
        do {
            if try ask() { return }
        } catch let error as InputError {
            throw CommandFailure(error, reading: "the answer", insteadOf: option)
        }
        throw CommandFailure.cancelled
    }
}

/// The dialogue in which a person makes a passphrase or a password.
package enum NewSecret {
    /// Asks twice, until both are the same and acceptable.
    ///
    /// - Parameters:
    ///   - prompt: Where.
    ///   - questions: The first question and the second.
    ///   - noun: Its name, such as `the new password`, and its plural, such as `passwords`.
    ///   - option: The option that reads it from a file.
    ///   - program: The name of the program, for refusals.
    ///   - check: Throws for what cannot be one; a failure with another exit code than `refused` ends the dialogue.
    /// - Returns: What was typed.
    /// - Throws: Why the person cannot be asked.
    package static func ask(
        _ prompt: borrowing TerminalPrompt, _ questions: (String, String),
        _ noun: (one: String, many: String), insteadOf option: OptionDescription,
        program: String,
        _ check: (borrowing SecretBytes) throws -> Void
    ) throws -> SecretBytes {
        do {
            while true {
                let message: String
                do {
                    let first = try prompt.askSecret(questions.0)
                    try check(first)
                    let second = try prompt.askSecret(questions.1)
                    if first.isEqual(to: second) { return first }
                    message = "the two \(noun.many) differ"
                } catch let failure as CommandFailure where failure.exitCode == .refused {
                    // The person can type a better one.
                    message = failure.message
                }
                try prompt.say("\(program): error: \(message)")
            }
        } catch let error as InputError {
            throw CommandFailure(error, reading: noun.one, insteadOf: option)
        }
    }
}

package import SecretMemory

/// The dialogue in which a person makes a passphrase or a password.
package enum NewSecret {
    /// Asks twice, until both are the same and acceptable.
    ///
    /// - Parameters:
    ///   - prompt: Where.
    ///   - questions: The first question and the second.
    ///   - noun: What it is, such as `the new password`, and in the plural, such as `passwords`.
    ///   - option: The option that reads it from a file.
    ///   - program: The name of the program, for what is said of one that is refused.
    ///   - check: Throws for what cannot be one; a failure with another exit code than `refused` ends the dialogue.
    /// - Returns: What was typed.
    /// - Throws: Why nobody can be asked.
    package static func ask(
        _ prompt: borrowing TerminalPrompt, _ questions: (String, String),
        _ noun: (one: String, many: String), insteadOf option: OptionDescription,
        program: String,
        _ check: (borrowing SecretBytes) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> SecretBytes {
        while true {
            let failure: CommandFailure
            do throws(CommandFailure) {
                let first = try secret(prompt, questions.0, noun.one, option)
                try check(first)
                let second = try secret(prompt, questions.1, noun.one, option)
                if first.isEqual(to: second) { return first }
                failure = CommandFailure(.refused, "the two \(noun.many) differ")
            } catch {
                // What is wrong with what was typed can be done better; what is wrong with the terminal cannot.
                guard error.exitCode == .refused else { throw error }
                failure = error
            }
            do throws(InputError) {
                try prompt.say("\(program): error: \(failure.message)")
            } catch {
                throw CommandFailure(error, reading: noun.one, insteadOf: option)
            }
        }
    }

    private static func secret(
        _ prompt: borrowing TerminalPrompt, _ question: String, _ subject: String,
        _ option: OptionDescription
    ) throws(CommandFailure) -> SecretBytes {
        do throws(InputError) {
            return try prompt.askSecret(question)
        } catch {
            throw CommandFailure(error, reading: subject, insteadOf: option)
        }
    }
}

package import SecretMemory
internal import TextCoding

/// The dialogue for a new passphrase or password.
package enum NewSecret {
    /// Asks twice, until both answers are equal and valid.
    ///
    /// - Parameters:
    ///   - prompt: The terminal.
    ///   - questions: The first question and the second.
    ///   - noun: The name of the secret, such as `the new password`, and its plural, such as `passwords`.
    ///   - option: The option that reads it from a file.
    ///   - program: The name of the program, for rejections.
    ///   - check: Throws for an invalid answer; a failure with an exit code other than `refused`
    ///     ends the dialogue.
    /// - Returns: The answer.
    /// - Throws: The error of the prompt.
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
                } catch let failure as Failure where failure.exitCode == .refused {
                    // The user can type a better one.
                    message = failure.message
                }
                try prompt.say("\(program): error: \(message)")
            }
        } catch let error as InputError {
            throw Failure(error, reading: noun.one, insteadOf: option)
        }
    }
}

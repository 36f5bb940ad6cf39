internal import TextCoding

/// Requires confirmation of an irreversible action.
package enum Consent {
    /// Returns if the action is confirmed by an option or at the terminal.
    ///
    /// - Parameters:
    ///   - action: The action, such as `repair the vault`.
    ///   - option: The option that confirms it.
    ///   - invocation: The command.
    ///   - input: Standard input.
    ///   - ask: Asks the user; returns whether the user confirms the action.
    /// - Throws: A failure if no terminal is available, or the user declines.
    package static func require(
        to action: String, unless option: OptionDescription, in invocation: Invocation,
        from input: SecretInput, _ ask: () throws -> Bool
    ) throws {
        if invocation.has(option) { return }
        guard input.isTerminal else {
            throw Failure.usage(
                "cannot ask whether to \(action): standard input is not a terminal",
                hint: "give \(option.spelling) to skip the question")
        }
        do {
            if try ask() { return }
        } catch let error as InputError {
            throw Failure(error, reading: "the answer", insteadOf: option)
        }
        throw Failure.cancelled
    }
}

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
    /// - Throws: A failure where nobody can be asked, or where it is not meant.
    package static func require(
        to action: String, unless option: OptionDescription, in invocation: Invocation,
        from input: SecretInput, _ ask: () throws(InputError) -> Bool
    ) throws(CommandFailure) {
        if invocation.has(option) { return }
        guard input.isTerminal else {
            throw .usage(
                "cannot ask whether to \(action): standard input is not a terminal",
                hint: "give \(option.spelling) to do it without asking")
        }
        let isMeant: Bool
        do throws(InputError) {
            isMeant = try ask()
        } catch {
            throw CommandFailure(error, reading: "the answer", insteadOf: option)
        }
        guard isMeant else {
            throw CommandFailure(.refused, code: "declined", "nothing was changed")
        }
    }
}

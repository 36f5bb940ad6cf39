internal import CommandSyntax
internal import SecretMemory
internal import SecureStorage
internal import Terminal

extension CommandContext {
    /// Makes sure that something that cannot be undone is meant: by `--yes`, or by asking.
    ///
    /// - Parameters:
    ///   - action: What is done without asking, such as `repair the vault`.
    ///   - ask: Asks, and returns whether it is meant.
    /// - Throws: A failure where nobody can be asked, or where it is not meant.
    func requireConsent(
        to action: String, _ ask: (borrowing TerminalPrompt) throws(InputError) -> Bool
    ) throws(CommandFailure) {
        try Consent.require(
            to: action, unless: .yes, in: invocation, from: surroundings.standardInput
        ) { () throws(InputError) in try ask(try surroundings.openTerminal()) }
    }

    /// Reads a value: standard input byte for byte, or what a person types without seeing it.
    func readValue() throws(CommandFailure) -> SecretBytes {
        do throws(InputError) {
            if canAsk { return try surroundings.openTerminal().askSecret("Value") }
            try skipPassphrase()
            return try surroundings.standardInput.readAll(limit: SecretLimits.maximumValueSize)
        } catch {
            throw CommandFailure(error, reading: "the value")
        }
    }

    /// The name that the operands SERVICE and ACCOUNT give.
    func secretName() throws(CommandFailure) -> SecretName {
        try explaining { () throws(SecureStoreError) in
            try SecretName(
                service: invocation.text(of: .service), account: invocation.text(of: .account))
        }
    }
}

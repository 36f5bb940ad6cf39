internal import CommandLine
internal import SecretMemory
internal import SecureStorage

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
    ///
    /// An empty one is seldom meant, and would take the place of a good one: a person is asked again, a script has to say so.
    func readValue() throws(CommandFailure) -> SecretBytes {
        let mayBeEmpty = invocation.has(.allowEmpty)
        let value: SecretBytes
        do throws(InputError) {
            if canAsk { return try askValue(mayBeEmpty: mayBeEmpty) }
            try skipPassphrase()
            value = try surroundings.standardInput.readAll(limit: SecretLimits.maximumValueSize)
        } catch {
            throw CommandFailure(error, reading: "the value")
        }
        guard value.count > 0 || mayBeEmpty else {
            throw CommandFailure(
                .usage, code: "value_empty", "standard input is empty: there is no value to save",
                hint: "look at what should have given it; if that is meant, add --allow-empty")
        }
        return value
    }

    private func askValue(mayBeEmpty: Bool) throws(InputError) -> SecretBytes {
        let terminal = try surroundings.openTerminal()
        while true {
            let value = try terminal.askSecret("Value")
            if value.count > 0 || mayBeEmpty { return value }
            try terminal.say(
                "\(CommandTable.taskvault.program): error: nothing was typed; --allow-empty saves that"
            )
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

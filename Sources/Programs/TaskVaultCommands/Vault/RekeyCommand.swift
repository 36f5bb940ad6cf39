internal import Application
internal import CommandLine
internal import VaultCore

/// `rekey`: makes new keys and encrypts every secret again.
enum RekeyCommand: Command {
    static let description = CommandDescription(
        path: ["rekey"],
        summary: "create new keys and encrypt every secret again",
        options: [.recovery],
        notes: [
            """
            For use after the passphrase was changed with --keep-keys, or the recovery code was replaced: a person with an older copy of \
            the file and the old passphrase or code cannot read secrets saved from now on. Atomic; the time grows with the size of the vault.
            """,
            """
            The passphrase and the recovery code stay as they are. A rekey alone does not end a leaked one.
            """,
        ],
        examples: [.init("taskvault rekey", "after passphrase change --keep-keys")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, _, _ in
            let oldBytes = try context.changeKeys(of: vault) { vault, progress in
                try vault.rekey(progress: progress)
            }
            try KeyReport(context).print(
                """
                created new keys and encrypted every secret again: the passphrase and the recovery code stay; keys of older copies no \
                longer open this file, but such a copy still shows its own content
                """, oldBytes, code: nil)
        }
    }
}

extension CommandContext {
    /// Changes slots or keys of the vault. If the keys change, it shows the progress, and locks the agent afterwards.
    ///
    /// - Parameters:
    ///   - vault: The vault.
    ///   - isKeeping: Whether the vault keeps its keys.
    ///   - change: Makes the change, and reports the progress.
    /// - Returns: Whether old bytes are erased, by `change`.
    /// - Throws: A failure without a change if an agent runs but does not answer; the error of `change`.
    func changeKeys(
        of vault: consuming AuthenticatedVault, keepingKeys isKeeping: Bool = false,
        _ change: (consuming AuthenticatedVault, (Int, Int) -> Void) throws -> OldBytes
    ) throws -> OldBytes {
        guard !isKeeping else { return try change(vault) { _, _ in } }
        // The agent is asked first, because it later detects by itself that its keys are replaced. An unreachable agent fails here, before
        // the change.
        let endsSession = try self.vault.isAgentUnlocked()
        var line = ProgressLine("encrypting", descriptor: console.surroundings.errors)
        let oldBytes = try change(vault) { done, total in line.update(done: done, of: total) }
        line.finish()
        if endsSession { console.notices.remark("the agent is locked now: its keys were replaced") }
        do {
            try self.vault.lockAgent()
        } catch {
            // The agent holds keys that open nothing, so the result is still shown.
            let failure = errors.failure(error)
            console.notices.warn(failure.code, failure.message)
        }
        return oldBytes
    }
}

extension OptionDescription {
    static let keepKeys = OptionDescription(
        "keep-keys", "keep the keys: do not encrypt the secrets again")
}

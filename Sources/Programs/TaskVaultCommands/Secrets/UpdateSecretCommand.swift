internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret update`: replaces the value of a secret.
enum UpdateSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "update"],
        summary: "replace the value of a secret",
        operands: [.foundService, .foundAccount],
        options: [.field, .allowEmpty, .twice, .visible],
        exclusive: [.twice, .visible],
        notes: [
            SetSecretCommand.valueNote,
            """
            Label, class and name stay. A missing secret is an error. SERVICE alone finds an entry as secret get does. A task of secret edit \
            --change-every or --expires is completed.
            """,
        ],
        examples: [
            .init("taskvault secret update mail.example ada", "after changing it at the service"),
            .init("taskvault secret update mail", "the only entry that matches"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent],
        surplusHint: SetSecretCommand.valueHint)

    static func run(_ context: CommandContext) throws {
        try context.vault.withStore(.changing) { store in
            let name = try context.foundSecretName(in: store.secrets)
            // A missing secret, or one that cannot be changed now, is reported before the question.
            let known = try described(name, store.secrets, context)
            try context.requireWritable(known, in: store)
            let value = try context.console.readValue()
            try context.checkSeed(value, of: name)
            // The verification may expire while the person types; a new one saves the typed value.
            let item = try context.vault.verifying(store) {
                try known.replace(by: value, in: store.secrets)
            }
            try item.report("updated", on: context.console)
            context.completeRenewal(of: name, in: store)
        }
    }

    private static func described(
        _ name: SecretName, _ store: any SecureStore, _ context: CommandContext
    ) throws -> SecretItem {
        do {
            return try store.addressItem(of: name) ?? store.describe(name)
        } catch SecureStoreError.notFound {
            throw context.application.missing(name, in: store)
        }
    }
}

extension SecretItem {
    /// Replaces the value, and keeps the description. Addresses are described by their value.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - store: The secrets.
    ///   - revision: The revision that is replaced; nil for any.
    /// - Returns: The changed secret.
    /// - Throws: The error of the store, such as `conflict`.
    func replace(
        by value: borrowing SecretBytes, in store: any SecureStore,
        expecting revision: UInt64? = nil
    ) throws -> SecretItem {
        guard name.isAddress else { return try store.update(name, to: value, expecting: revision) }
        try store.moveAddressesIntoField(of: name)
        let edit = SecretEdit(extra: attributes.extra.describing(value))
        return try store.update(name, to: value, edit, expecting: nil)
    }
}

internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret set`: saves a secret.
enum SetSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "set"],
        summary: "save a secret",
        operands: [.service, .account],
        options: [
            .field, .accessClass, .label, .tagSecret, .replace, .allowEmpty, .twice, .visible,
        ],
        exclusive: [.twice, .visible],
        notes: [
            valueNote,
            """
            An existing secret of this name is not changed without --replace; with it, the secret keeps its class unless --class is \
            given. A secret of the class after-verification can be read only during the verification window.
            """,
            """
            The secrets of one service and account are the fields of one entry: password, notes, url, totp, or any other name. Label, tags \
            and class are those of the entry. The field url has the addresses, one a line. They can be searched and are not secret, unless \
            one has a password inside.
            """,
        ],
        examples: [
            .init("taskvault secret set mail.example ada", "save a password that is asked for"),
            .init(
                "taskvault secret set mail.example ada --field notes < notes.txt",
                "add notes of several lines"),
            .init(
                "taskvault secret set --class after-verification diary 2026-12-01 < entry.txt",
                "save a protected text from a file"),
            .init(
                "printf %s \"$token\" | taskvault secret set --replace ci.example bot",
                "save or replace a token from a pipe"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent],
        surplusHint: valueHint)

    /// The note about the input of a value.
    static let valueNote = """
        The value is read from standard input byte for byte, up to 1 MiB; on a terminal it is asked for and not shown. An empty value, \
        as from a failed program, is refused without --allow-empty.
        """
    /// The hint for a value after the names.
    static let valueHint = """
        the value is read from standard input or asked for; an argument stays in the shell's history
        """

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        try context.vault.withStore(.changing) { store in
            let saving = try SecretSaving(name, store, context)
            let value = try context.console.readValue()
            try context.checkSeed(value, of: name)
            // The verification may expire while the person types; a new one saves the typed value.
            let item = try context.vault.verifying(store) { try saving.save(value) }
            try item.report("saved", on: context.console)
            context.completeRenewal(of: name, in: store)
        }
    }
}

extension CommandContext {
    /// Verifies the owner before a change of a secret that requires it, and before its questions.
    func requireWritable(_ item: SecretItem, in store: OpenStore) throws {
        if item.attributes.accessClass == .afterVerification { try vault.requireVerified(store) }
    }
}

extension AccessClass {
    /// The class that `--class` names, or the default.
    init(option invocation: Invocation) {
        self =
            invocation.text(of: .accessClass).flatMap { AccessClass(name: $0) } ?? .whileUnlocked
    }
}

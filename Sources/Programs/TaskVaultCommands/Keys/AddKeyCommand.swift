internal import Application
internal import CommandLine
internal import Sealing
internal import SecureStorage
internal import SecurityKeys
internal import TextCoding
internal import VaultCore

/// `key add`: adds a key slot for a security key.
enum AddKeyCommand: Command {
    static let description = CommandDescription(
        path: ["key", "add"],
        summary: "add a security key that opens the vault",
        options: [.securityKey, .keyLabel, .recovery, .key],
        exclusive: [.recovery, .key],
        notes: [
            """
            The key must support FIDO2 with hmac-secret and credProtect, and have a PIN or a fingerprint reader. It is touched twice. \
            Needs libfido2.
            """,
            """
            Unlocking by key hides nothing from programs that run as you, and the passphrase still opens the vault. It saves typing the \
            passphrase where others watch. A lost or reset key cannot be replaced: add several, and keep the recovery code.
            """,
            "In a passphrase file the passphrase is the first line and the PIN of the key the second.",
        ],
        examples: [
            .init("taskvault key add --security-key --label blue", "add the key that is plugged in")
        ],
        exitCodes: .opening + [.alreadyExists])

    static func run(_ context: CommandContext) throws {
        guard context.invocation.has(.securityKey) else {
            throw Failure.usage(
                "key add needs the kind of key",
                hint: context.folders.command("key add --security-key"))
        }
        let (vault, keys) = (context.vault, context.vault.keys)
        // These checks fail before the question.
        let known = try vault.slots().slots
        let name = try name(context, known)
        guard known.count < KeySlotDescription.maximumCount else { throw VaultError.tooManySlots }
        guard keys.isPluggedIn else { throw SecurityKeyError.notPluggedIn }
        try vault.withAuthenticatedVault { vault, slots, prompts in
            let input = RandomSource.system.bytes(count: SlotRecord.inputSize)
            let made = try keys.enroll(
                salt: SlotRecord.salt(of: input), userName: name,
                excluding: slots.securityKeys.map(\.credential), prompts: prompts)
            let record = SlotRecord(
                transport: .securityKey, isSynchronised: false, input: input,
                credentialID: made.credential.id, publicKey: made.credential.publicKey, name: name)
            try vault.addKey(record, with: VaultSecret(made.output))
        }
        let console = context.console
        let slots = try vault.slots()
        if console.isJSON {
            return try console.printJSON { json in
                try json.beginObject()
                try json.member("label", name)
                try json.endObject()
            }
        }
        try console.printLine("added the security key \(name)")
        try console.printLine(
            "It opens the vault beside the passphrase, and does not stop programs that run as you.")
        try console.printLine(
            slots.weakPoint == nil
                ? "Keys get lost: add a second one, and keep the recovery code."
                : "Keys get lost: add a second one, and create a recovery code with "
                    + context.folders.command(SlotReport.remedy) + ".")
    }

    /// The label from the option, or a label that no key has.
    private static func name(
        _ context: CommandContext, _ slots: [KeySlotDescription]
    ) throws -> String {
        let taken = Set(slots.compactMap(\.record?.name))
        if let name = context.invocation.text(of: .keyLabel) {
            try context.requireLabel(name)
            guard !taken.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                throw VaultError.duplicateLabel
            }
            return name
        }
        return (1...).lazy.map { "\($0)" }.first { !taken.contains($0) } ?? ""
    }
}

extension OptionDescription {
    static let key = OptionDescription("key", "use a security key instead of the passphrase")
    static let securityKey = OptionDescription(
        "security-key", "a FIDO2 security key that is plugged in")
    static let keyLabel = OptionDescription(
        "label", .text("TEXT"), "a name for the key, at most 64 bytes; a number if left out")
}

extension CommandContext {
    /// Rejects an invalid label.
    func requireLabel(_ label: String) throws {
        guard label.isEmpty else { return try SlotRecord.check(name: label) }
        throw SecureStoreError.invalidName(field: "label", .empty)
    }
}

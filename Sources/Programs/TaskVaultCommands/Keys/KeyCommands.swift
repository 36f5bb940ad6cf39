internal import Application
internal import CommandLine
internal import TextCoding
internal import VaultCore

/// `key list`: lists the security keys and passkeys.
enum ListKeysCommand: Command {
    static let description = CommandDescription(
        path: ["key", "list"],
        summary: "list the security keys and passkeys that open the vault",
        notes: [
            "Works while the vault is locked. The last use is that on this machine.",
            "A synced passkey is on all devices of its account at the maker of the device.",
        ],
        examples: [
            .init("taskvault key list", "before one is removed"),
            .init("taskvault key list --json", "for a program"),
        ],
        exitCodes: [.notFound, .damaged, .refused, .serverUnreachable])

    static func run(_ context: CommandContext) throws {
        let report = try context.vault.slots().onlyKeys
        if context.console.isJSON {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("keys", report)
                try json.endObject()
            }
        }
        guard !report.slots.isEmpty else {
            return context.console.notices.remark("no security key or passkey opens the vault")
        }
        var table = TextTable([
            .init("ID", isWhole: true), .init("KIND"), .init("LAST USED"),
            .init("LABEL", takesRest: true),
        ])
        for slot in report.slots {
            let isSynchronised = slot.record?.isSynchronised == true
            table.add([
                slot.shortID, slot.method + (isSynchronised ? ", synced" : ""),
                report.lastUse(of: slot).map { Timestamp.rfc3339(milliseconds: $0) } ?? "-",
                slot.record?.name ?? "",
            ])
        }
        try context.console.print(table)
    }
}

/// `key test`: checks that a security key opens the vault.
enum TestKeyCommand: Command {
    static let description = CommandDescription(
        path: ["key", "test"],
        summary: "check that a security key opens the vault",
        operands: [.anyKey],
        notes: ["Changes nothing, and does not unlock the vault for other commands."],
        examples: [.init("taskvault key test blue", "after finding it in a drawer")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        let vault = context.vault
        let report = try vault.slots()
        let label = context.invocation.texts(of: .anyKey).first
        let slots = try label.map { [try report.securityKey($0, context)] } ?? report.slots
        let secret = try vault.keySecret(of: slots, KeyPrompts(context.console))
        let slot = try vault.withStorage(.reading) { storage in
            try vault.locked(storage).authenticate(with: secret).openedSlot
        }
        if context.console.isJSON {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("label", slot.record?.name)
                try json.endObject()
            }
        }
        try context.console.printLine("the \(slot.title) opens the vault")
    }
}

/// `key rename`: gives a security key another label.
enum RenameKeyCommand: Command {
    static let description = CommandDescription(
        path: ["key", "rename"],
        summary: "rename a security key",
        operands: [.someKey, .newKeyLabel],
        notes: [
            "Needs the key itself: the vault's key is derived from the key's answer together with the label."
        ],
        examples: [.init("taskvault key rename blue office", "after labelling it")],
        exitCodes: .opening + [.alreadyExists])

    static func run(_ context: CommandContext) throws {
        let vault = context.vault
        let new = context.invocation.text(of: .newKeyLabel)
        try context.requireLabel(new)
        let report = try vault.slots()
        let slot = try report.securityKey(context.invocation.text(of: .someKey), context)
        let isTaken = report.slots.contains {
            $0.id != slot.id && $0.record?.name.utf8.elementsEqual(new.utf8) == true
        }
        // The check fails before the person touches the key.
        if isTaken { throw VaultError.duplicateLabel }
        let secret = try vault.keySecret(of: [slot], KeyPrompts(context.console))
        let oldBytes = try vault.withStorage(.changing) { storage in
            try vault.locked(storage).authenticate(with: secret).renameKey(to: new, with: secret)
        }
        try KeyReport(context).print("renamed the security key to \(new)", oldBytes, code: nil)
    }
}

/// `key remove`: removes a security key or passkey.
enum RemoveKeyCommand: Command {
    static let description = CommandDescription(
        path: ["key", "remove"],
        summary: "remove a security key or passkey",
        operands: [.someKey],
        options: [.keepKeys, .recovery, .key],
        exclusive: [.recovery, .key],
        notes: [
            "A passphrase or a recovery code always remains. The removed key itself is not needed.",
            """
            Replaces the keys and encrypts every secret again, in one step. The removed key then opens only copies of the file from \
            before. With --keep-keys the keys in such a copy also open what is saved here later, until taskvault rekey replaces them.
            """,
        ],
        examples: [.init("taskvault key remove blue", "after losing it")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        let slot = try context.vault.slots().onlyKeys.slot(
            context.invocation.text(of: .someKey), context)
        try context.vault.withAuthenticatedVault { vault, _, _ in
            let isKeeping = context.invocation.has(.keepKeys)
            let oldBytes: OldBytes
            do {
                oldBytes = try context.changeKeys(of: vault, keepingKeys: isKeeping) {
                    vault, progress in
                    try vault.revokeSlot(id: slot.id, keepingKeys: isKeeping, progress: progress)
                }
            } catch VaultError.noSuchSlot {
                // The slot existed before the question.
                throw VaultError.conflict
            }
            try KeyReport(context).print(
                "removed the \(slot.title)", ending: "that key", keepingKeys: isKeeping, oldBytes)
        }
    }
}

extension SlotReport {
    /// The security key of a label or an id; passkeys are refused.
    fileprivate func securityKey(
        _ label: String, _ context: CommandContext
    ) throws -> KeySlotDescription {
        let slot = try onlyKeys.slot(label, context)
        guard slot.record?.transport == .securityKey else {
            throw Failure(
                .refused, code: "is_passkey",
                "\(ShellText.quote(label)) is a passkey, which only a browser can use")
        }
        return slot
    }

    /// The slot of a label, or of a prefix of its id.
    fileprivate func slot(
        _ label: String, _ context: CommandContext
    ) throws -> KeySlotDescription {
        var found = slots.filter { $0.record?.name.utf8.elementsEqual(label.utf8) == true }
        if found.isEmpty, label.utf8.count >= 4 {
            found = slots.filter { Hexadecimal.text($0.id).hasPrefix(label.lowercased()) }
        }
        guard let slot = found.first else {
            throw Failure(
                .notFound, code: "no_key", "there is no key \(ShellText.quote(label))",
                hint: context.folders.command("key list") + " shows the labels")
        }
        guard found.count == 1 else {
            throw Failure(
                .usage, code: "several_keys",
                "several keys have the label \(ShellText.quote(label))",
                hint: "use the id that " + context.folders.command("key list") + " shows")
        }
        return slot
    }
}

extension OperandDescription {
    fileprivate static let someKey = OperandDescription(
        "LABEL", "the label of the key, or a unique beginning of its id")
    fileprivate static let anyKey = OperandDescription(
        "LABEL", "the label of the key, or a unique beginning of its id; any key if left out",
        count: 0...1)
    fileprivate static let newKeyLabel = OperandDescription(
        "NEW-LABEL", "the new label, at most 64 bytes")
}

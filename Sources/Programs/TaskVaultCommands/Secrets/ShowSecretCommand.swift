internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret show`: shows the fields of an entry.
enum ShowSecretCommand: Command {
    private static let reveal = OptionDescription(
        "reveal", "show the values, too; asks for the passphrase if necessary")

    static let description = CommandDescription(
        path: ["secret", "show"],
        summary: "show all fields of an entry",
        operands: [.foundService, .foundAccount],
        options: [reveal],
        notes: [
            "Values are hidden without --reveal. With --json they are in value_base64, which is null if hidden."
        ],
        examples: [
            .init("taskvault secret show mail.example ada", "label, URL, tags and fields"),
            .init("taskvault secret show --reveal mail", "the values of the entry that matches"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.vault.withStore(.reading) { store in
            let entry = try context.entry(in: store.secrets)
            let values = try context.vault.verifying(store) {
                try FieldValues(
                    context.invocation.has(reveal) ? entry.fields : [], in: store.secrets)
            }
            guard context.console.isJSON else { return try print(entry, values, context.console) }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.members(of: entry) { json, item in
                    try json.key("value_base64")
                    let isShown = try values.withValue(of: item) { try json.base64($0) }
                    if !isShown { try json.null() }
                }
                try json.endObject()
            }
        }
    }

    private static func print(
        _ entry: SecretEntry, _ values: FieldValues, _ console: Console
    ) throws {
        var facts = [("label", entry.label)]
        facts += entry.addresses.map { ("url", $0) }
        facts += [
            ("tags", entry.tags.joined(separator: " ")), ("class", entry.accessClass.name),
            ("created", Timestamp.rfc3339(milliseconds: entry.created)),
            ("modified", Timestamp.rfc3339(milliseconds: entry.modified)),
        ]
        let names = entry.fields.map { VisibleText.escape($0.name.field) }
        let width = 2 + (names + ["modified"]).reduce(0) { max($0, TextWidth.columns(of: $1)) }
        try console.print { output in
            try output.writeLine(VisibleText.escape(entry.typed))
            for (name, text) in facts where !text.isEmpty {
                try output.writeLine(
                    "  " + TextWidth.pad(name, to: width) + VisibleText.escape(text))
            }
            for (name, item) in zip(names, entry.fields) {
                // The address is already printed above.
                if name == ExtraAttribute.url, entry.url != nil { continue }
                try output.write("  " + TextWidth.pad(name, to: width))
                let isShown = try values.withValue(of: item) { value in
                    try VisibleText.write(secret: value, keepingLines: true, to: &output)
                }
                try output.writeLine(isShown ? "" : "(hidden)")
            }
        }
    }
}

/// Copies of the values of an entry's fields.
private struct FieldValues {
    private final class Value {
        let bytes: SecretBytes

        init(_ bytes: borrowing SecretBytes) throws {
            self.bytes = try bytes.copy()
        }
    }

    private var values: [SecretName: Value] = [:]

    /// Reads the values of some fields.
    init(_ fields: [SecretItem], in store: any SecureStore) throws {
        for item in fields { values[item.name] = try Value(store.value(of: item.name)) }
    }

    /// Lends a value.
    ///
    /// - Returns: `false`, without a call of `body`, if it was not read.
    func withValue(
        of item: SecretItem, _ body: (borrowing SecretBytes) throws -> Void
    ) throws -> Bool {
        guard let value = values[item.name] else { return false }
        try body(value.bytes)
        return true
    }
}

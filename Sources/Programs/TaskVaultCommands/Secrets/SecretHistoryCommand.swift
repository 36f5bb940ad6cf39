internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret history`: lists the revisions and times of earlier values of a secret.
enum SecretHistoryCommand: Command {
    private static let show = OptionDescription("show", "show the earlier values, too")

    static let description = CommandDescription(
        path: ["secret", "history"],
        summary: "list the earlier values of a secret, by revision and time",
        operands: [.foundService, .foundAccount],
        options: [.field, show],
        notes: [
            """
            With --show the values are shown, too, after a verification. The settings earlier-values and earlier-days \
            say how many are kept, and for how long.
            """,
            "Clears the mark concurrent of the secret, on all devices.",
        ],
        examples: [
            .init("taskvault secret history mail.example ada", "before a restore"),
            .init("taskvault secret history mail --show", "with the values"),
            .init("taskvault secret history --json mail.example ada", "for a program"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        if context.invocation.has(show) { return try showValues(context) }
        let (name, earlier) = try context.vault.withStore(.reading) { store in
            let name = try context.foundSecretName(in: store.secrets)
            do {
                let earlier = try store.secrets.history(of: name)
                context.application.sync.looked(at: name, store)
                return (name, earlier)
            } catch SecureStoreError.notFound {
                throw context.application.missing(name, in: store.secrets)
            }
        }
        try context.console.printHistory(earlier, of: "secret \(name.typed)") { json, secret in
            try json.members(of: secret.item)
        }
    }

    /// Prints the earlier values, each after a line with its revision and times.
    private static func showValues(_ context: CommandContext) throws {
        try context.vault.withStore(.reading) { store in
            let name = try context.foundSecretName(in: store.secrets)
            // One command shows many passwords.
            try context.vault.requireVerified(store)
            do {
                let earlier = try store.secrets.history(of: name)
                // All are read before the first one is shown.
                let values = try context.vault.verifying(store) {
                    try earlier.map { try EarlierValue($0, of: name, in: store.secrets) }
                }
                try print(values, of: name, context.console)
                context.application.sync.looked(at: name, store)
            } catch SecureStoreError.notFound {
                throw context.application.missing(name, in: store.secrets)
            }
        }
    }

    private static func print(
        _ values: [EarlierValue], of name: SecretName, _ console: Console
    ) throws {
        guard !console.isJSON else {
            return try console.printJSON { json in
                try json.beginArray()
                for value in values {
                    try json.beginObject()
                    try json.members(of: value.secret.item)
                    try json.member("replaced", milliseconds: value.secret.moved)
                    try json.key("value_base64")
                    try json.base64(value.bytes)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        if values.isEmpty { console.notices.remark("secret \(name.typed) has no earlier value") }
        try console.print { output in
            for value in values {
                let (item, moved) = (value.secret.item, value.secret.moved)
                try output.writeLine(
                    "revision \(item.revision), written \(Timestamp.rfc3339(milliseconds: item.modified)), replaced \(Timestamp.rfc3339(milliseconds: moved))"
                )
                try VisibleText.write(secret: value.bytes, keepingLines: true, to: &output)
                try output.writeLine()
            }
        }
    }
}

/// A copy of an earlier value; a class, because an array cannot have a secret.
private final class EarlierValue {
    let secret: EarlierSecret
    let bytes: SecretBytes

    init(_ secret: EarlierSecret, of name: SecretName, in store: any SecureStore) throws {
        self.secret = secret
        bytes = try store.readEarlier(name, revision: secret.item.revision) {
            (_, value) throws(SecureStoreError) in
            do {
                return try value.copy()
            } catch {
                throw SecureStoreError(translating: error)
            }
        }
    }
}

extension Console {
    /// Prints earlier versions by revision and time. In JSON, `members` adds their description.
    func printHistory(
        _ earlier: [EarlierSecret], of subject: String,
        _ members: (inout JSONWriter<Output>, EarlierSecret) throws -> Void
    ) throws {
        if isJSON {
            return try printJSON { json in
                try json.beginArray()
                for secret in earlier {
                    try json.beginObject()
                    try members(&json, secret)
                    try json.member("replaced", milliseconds: secret.moved)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !earlier.isEmpty else { return notices.remark("\(subject) has no earlier value") }
        var table = TextTable(["REVISION", "WRITTEN", "REPLACED"].map { TextTable.Column($0) })
        for secret in earlier {
            table.add([
                "\(secret.item.revision)", Timestamp.rfc3339(milliseconds: secret.item.modified),
                Timestamp.rfc3339(milliseconds: secret.moved),
            ])
        }
        try print(table)
    }
}

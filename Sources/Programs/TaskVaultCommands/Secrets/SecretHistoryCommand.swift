internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret history`: lists the revisions and times of earlier values of a secret.
enum SecretHistoryCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "history"],
        summary: "list the earlier values of a secret, by revision and time",
        operands: [.foundService, .foundAccount],
        options: [.field],
        notes: [
            """
            The values themselves are not shown. The settings earlier-values and earlier-days say how many are kept, and for how long.
            """
        ],
        examples: [
            .init("taskvault secret history mail.example ada", "before a restore"),
            .init("taskvault secret history --json mail.example ada", "for a program"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let (name, earlier) = try context.vault.withStore(.reading) { store in
            let name = try context.foundSecretName(in: store.secrets)
            do {
                return (name, try store.secrets.history(of: name))
            } catch SecureStoreError.notFound {
                throw context.application.missing(name, in: store.secrets)
            }
        }
        try context.console.printHistory(earlier, of: "secret \(name.typed)") { json, secret in
            try json.members(of: secret.item)
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

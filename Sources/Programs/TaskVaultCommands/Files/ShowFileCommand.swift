internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file show`: shows size, type and times of a file.
enum ShowFileCommand: Command {
    static let description = CommandDescription(
        path: ["file", "show"],
        summary: "show size, type and times of a file",
        operands: [.file],
        notes: [
            "Earlier contents are listed by revision; file restore --revision brings one back."
        ],
        examples: [.init("taskvault file show holiday.jpg", "all but the content")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let (file, earlier) = try context.vault.withStore(.reading) { store in
            let file = try context.file(in: store.files)
            let earlier = try store.files.history(of: file.id)
            let name = try SecretName(service: SecretName.fileService, account: file.id)
            context.application.sync.looked(at: name, store)
            return (file, earlier)
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.file(file) { json in
                    try json.key("earlier")
                    try json.beginArray()
                    for version in earlier {
                        try json.beginObject()
                        try json.member("revision", version.file.revision)
                        try json.member("size", version.file.size)
                        try json.member("media_type", version.file.mediaType)
                        try json.member("replaced", milliseconds: version.moved)
                        try json.endObject()
                    }
                    try json.endArray()
                }
            }
        }
        var facts = [
            ("size", "\(byteText(file.size)) (\(counted(Int(file.size), "byte")))"),
            ("type", file.mediaType),
        ]
        if let pixels = file.pixels {
            facts.append(("pixels", "\(pixels.width) × \(pixels.height)"))
        }
        facts.append(("protected", file.isProtected ? "yes" : "no"))
        if let task = file.task { facts.append(("task", task)) }
        facts += [
            ("added", Timestamp.rfc3339(milliseconds: file.added)),
            ("modified", Timestamp.rfc3339(milliseconds: file.modified)),
            ("revision", "\(file.revision)"), ("id", file.id),
        ]
        for version in earlier {
            facts.append(
                (
                    "earlier",
                    "revision \(version.file.revision), \(version.file.summary), replaced "
                        + Timestamp.rfc3339(milliseconds: version.moved)
                ))
        }
        try context.console.print { output in
            try output.writeLine(VisibleText.escape(file.name))
            for (name, text) in facts {
                try output.writeLine("  " + TextWidth.pad(name, to: 11) + VisibleText.escape(text))
            }
        }
    }
}

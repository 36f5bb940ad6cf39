internal import Accounts
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import TextCoding

/// `checklist publish`: publishes a checklist from a file.
enum PublishChecklistCommand: ServerCommand {
    private static let file = OperandDescription(
        "FILE", .file, "the file of the checklist, JSON")

    /// The largest answer, in bytes. Clients keep it in a vault, whose values have at most 1,048,576.
    private static let largestAnswer = 1_000_000

    static let description = CommandDescription(
        path: ["checklist", "publish"],
        summary: "publish a checklist for all accounts",
        operands: [file],
        notes: [
            """
            The file is a JSON object: "format" is "taskvault-checklist", "version" is 1; "id" has 1 to 64 of the letters a to z, digits and hyphens; \
            "title" has up to 200 bytes; "summary" and "picture", an https address, may be missing; "items" is an array of 1 to 1,000 objects with \
            "title" and "details".
            """,
            """
            As the server sends it, with escapes, it has at most 1,000,000 bytes. It replaces an earlier checklist of the same id. Everyone with an account can \
            read it.
            """,
        ],
        examples: [
            .init("taskvault-authd checklist publish journey.json", "publish or replace it")
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let path = context.invocation.text(of: file)
        let checklist = try read(path, at: context.now)
        guard AuthServer.content(of: checklist).count <= largestAnswer else {
            throw Failure(
                .refused, code: "too_large",
                "cannot publish \(path): as the server sends it, it is larger than 1,000,000 bytes",
                hint: "split it into two checklists")
        }
        let published = try context.withAccounts { try $0.publish(checklist) }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.members(of: published)
                try json.endObject()
            }
        }
        try context.printLine(
            "published \(published.id), revision \(published.revision), \(published.count) items")
    }

    private static func read(_ path: String, at now: PointInTime) throws -> PublishedChecklist {
        do {
            let file = try TrustedFile(
                path, limit: PublishedChecklist.maximumSize, followingLinks: true)
            return try file.content.withBytes { try PublishedChecklist(file: $0, at: now) }
        } catch let fault as ChecklistFault {
            let reason =
                switch fault {
                case .notJSON(let line): "line \(line) is not JSON, or a value has another type"
                case .member(let name): "\(VisibleText.escape(name)) is not as it must be"
                }
            throw Failure(
                .usage, code: "invalid_checklist", "cannot publish \(path): \(reason)",
                hint: "taskvault-authd help checklist publish")
        } catch {
            throw Failure(error, reading: "the checklist", path)
        }
    }
}

/// `checklist list`: lists the published checklists.
enum ListChecklistsCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["checklist", "list"],
        summary: "list the published checklists",
        examples: [.init("taskvault-authd checklist list", "by title")],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let checklists = try context.withAccounts { try $0.checklists() }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.key("checklists")
                try json.beginArray()
                for checklist in checklists {
                    try json.beginObject()
                    try json.members(of: checklist)
                    try json.endObject()
                }
                try json.endArray()
                try json.endObject()
            }
        }
        if checklists.isEmpty {
            if Descriptor.isTerminal(context.output) {
                context.notices.remark("no checklists yet: taskvault-authd checklist publish FILE")
            }
            return
        }
        var table = TextTable(["ID", "TITLE", "ITEMS", "SINCE"].map { TextTable.Column($0) })
        for checklist in checklists {
            table.add([
                checklist.id, checklist.title, String(checklist.count), checklist.published.text,
            ])
        }
        let columns = TerminalCapabilities(of: context.output).columns
        try context.printLines(table.lines(limit: columns))
    }
}

/// `checklist remove`: removes a published checklist.
enum RemoveChecklistCommand: ServerCommand {
    private static let id = OperandDescription("ID", "the id of the checklist")

    static let description = CommandDescription(
        path: ["checklist", "remove"],
        summary: "remove a published checklist",
        operands: [id],
        notes: ["Copies that were saved stay with those who saved them."],
        examples: [.init("taskvault-authd checklist remove journey", "remove it")],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let id = context.invocation.text(of: Self.id)
        do {
            try context.withAccounts { try $0.removeChecklist(id) }
        } catch AccountError.missing {
            throw Failure(
                .notFound, code: "no_checklist", "checklist not found",
                hint: "taskvault-authd checklist list")
        }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("id", id)
                try json.member("done", "removed")
                try json.endObject()
            }
        }
        try context.printLine("removed \(id)")
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the members of a checklist, without its items.
    fileprivate mutating func members(of checklist: PublishedChecklist) throws {
        try member("id", checklist.id)
        try member("revision", checklist.revision)
        try member("title", checklist.title)
        try member("items", checklist.count)
        try member("published", milliseconds: checklist.published.milliseconds)
    }
}

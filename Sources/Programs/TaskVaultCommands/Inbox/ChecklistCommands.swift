internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import Tasks
internal import TextCoding

/// `checklist list`: lists the checklists of the server, or the saved ones.
enum ListChecklistsCommand: Command {
    private static let saved = OptionDescription(
        "saved", "the saved checklists, which need no server")

    static let description = CommandDescription(
        path: ["checklist", "list"],
        summary: "list the checklists of the auth server",
        options: [saved],
        notes: ["The list of the server requires that an account is signed in."],
        examples: [
            .init("taskvault checklist", "those of the server"),
            .init("taskvault checklist list --saved", "also without a network"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let entries: [ChecklistEntry]
        let saved: [ChecklistEntry]
        if context.invocation.has(Self.saved) {
            saved = try context.vault.withStore(.reading) { store in
                try InboxStore(store.secrets).savedChecklists()
            }
            entries = saved
        } else {
            do {
                let lists = try context.signIn.withSignIn { place in
                    (try context.checklists(place), try InboxStore(place.store).savedChecklists())
                }
                entries = lists.0
                saved = lists.1
            } catch let error as SignInError where error.isOffline {
                let failure = context.errors.failure(error)
                throw Failure(
                    failure.exitCode, failure.message,
                    hint: context.folders.command("checklist list --saved"))
            }
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginArray()
                for entry in entries {
                    try json.beginObject()
                    try json.entry(entry, isSaved: saved.contains { $0.id == entry.id })
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !entries.isEmpty else {
            if context.console.isTerminal { context.console.notices.remark("no checklists") }
            return
        }
        var table = TextTable([
            TextTable.Column("ID"), TextTable.Column("ITEMS", .trailing),
            TextTable.Column("SAVED"), TextTable.Column("TITLE", takesRest: true),
        ])
        for entry in entries {
            table.add([
                entry.id, "\(entry.count)", saved.contains { $0.id == entry.id } ? "yes" : "no",
                entry.title,
            ])
        }
        try context.console.print(table)
    }
}

/// `checklist show`: shows a checklist with all its items.
enum ShowChecklistCommand: Command {
    static let description = CommandDescription(
        path: ["checklist", "show"],
        summary: "show a checklist with the details of its items",
        operands: [.checklist],
        notes: [
            "A saved checklist is brought up to date if the server can be reached; otherwise it is shown as it was saved."
        ],
        examples: [.init("taskvault checklist show travel", "items and details")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let (checklist, isSaved, isSavable) = try context.checklist(context.checklistID())
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.entry(ChecklistEntry(checklist), isSaved: isSaved)
                try json.key("details")
                try json.beginArray()
                for item in checklist.items {
                    try json.beginObject()
                    try json.member("title", item.title)
                    try json.member("details", item.details)
                    try json.endObject()
                }
                try json.endArray()
                try json.endObject()
            }
        }
        try context.console.page { capabilities in
            lines(checklist, isSaved, isSavable, context, capabilities)
        }
    }

    private static func lines(
        _ checklist: Checklist, _ isSaved: Bool, _ isSavable: Bool, _ context: CommandContext,
        _ capabilities: TerminalCapabilities
    ) -> [String] {
        let style = Style(capabilities)
        func fold(_ text: String, _ indent: String) -> [String] {
            let safe = VisibleText.escape(text, keepingLines: true)
            let paragraphs = safe.split(separator: "\n", omittingEmptySubsequences: false)
            return paragraphs.flatMap { paragraph -> [String] in
                guard let columns = capabilities.columns else { return [String(paragraph)] }
                return TextWidth.fold(String(paragraph), to: max(1, columns - indent.utf8.count))
            }.map { indent + $0 }
        }
        var lines = fold(checklist.title, "").map { style.apply(.bold, to: $0) }
        if !checklist.summary.isEmpty { lines += fold(checklist.summary, "") }
        if let picture = checklist.picture {
            lines.append(style.apply(.faint, to: "picture: " + picture.description))
        }
        lines.append("")
        for item in checklist.items {
            lines += fold("• " + item.title, "")
            if !item.details.isEmpty { lines += fold(item.details, "    ") }
        }
        guard isSaved || isSavable else { return lines }
        lines.append("")
        let command = isSaved ? "checklist remove" : "checklist save"
        lines.append(
            style.apply(
                .faint,
                to: (isSaved ? "saved; " : "")
                    + context.folders.command("\(command) \(checklist.id)")))
        return lines
    }
}

/// `checklist save`: saves a checklist for offline use.
enum SaveChecklistCommand: Command {
    static let description = CommandDescription(
        path: ["checklist", "save"],
        summary: "keep a checklist in the vault, for use without a network",
        operands: [.checklist],
        notes: [
            "Keeps everything but the picture, of which only the address is kept. The setting allow-saving can forbid it."
        ],
        examples: [.init("taskvault checklist save travel", "before the journey")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let id = try context.checklistID()
        try context.signIn.withSignIn { place in
            let inbox = InboxStore(place.store)
            guard try inbox.settings().allowsSaving else { throw context.savingIsOff }
            let checklist = try context.download(id, place, saving: true)
            try context.reportChecklist("saved", checklist.id, checklist.title)
        }
    }
}

/// `checklist remove`: removes a saved checklist.
enum RemoveChecklistCommand: Command {
    static let description = CommandDescription(
        path: ["checklist", "remove"],
        summary: "remove a saved checklist from the vault",
        operands: [.checklist],
        examples: [.init("taskvault checklist remove travel", "that of the server stays")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let id = try context.checklistID()
        try context.vault.withStore(.changing) { store in
            let inbox = InboxStore(store.secrets)
            guard let saved = try inbox.savedChecklist(id) else {
                throw context.noChecklist(id, "saved ")
            }
            try inbox.removeChecklist(id)
            try context.reportChecklist("removed", id, saved.checklist.title)
        }
    }
}

/// `checklist start`: makes a task of each item of a checklist.
enum StartChecklistCommand: Command {
    static let description = CommandDescription(
        path: ["checklist", "start"],
        summary: "make a task of each item of a checklist",
        operands: [.checklist],
        options: [.inList],
        notes: [
            "The tasks get the details as notes. Without --list they are in a list with the title of the checklist. Works without a network for a saved one."
        ],
        examples: [
            .init("taskvault checklist start travel", "in the list of its title"),
            .init("taskvault checklist start travel --list june", "in another list"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let checklist = try context.checklist(context.checklistID()).checklist
        let list = context.invocation.text(of: .inList) ?? checklist.title
        let now = context.console.surroundings.now()
        var ids: Set<TaskID> = []
        let tasks = checklist.items.enumerated().map { index, item in
            var id = TaskID()
            while !ids.insert(id).inserted { id = TaskID() }
            // Distinct times keep the order of the items.
            var task = TodoTask(
                id: id, content: .plain(TaskText(name: item.title, notes: item.details)),
                created: PointInTime(milliseconds: now.milliseconds + Int64(index)))
            task.list = list.isEmpty ? nil : list
            return task
        }
        try context.tasks.withTasks(.changing) { open in
            let count = try open.list.insert(tasks)
            try context.report(
                count: count,
                "added \(counted(count, "task"))"
                    + (list.isEmpty ? "" : " to the list \(ShellText.quote(list))"))
        }
    }
}

private typealias ShownChecklist = (checklist: Checklist, isSaved: Bool, isSavable: Bool)

extension CommandContext {
    /// The id from the operand.
    fileprivate func checklistID() throws -> String {
        let id = invocation.text(of: .checklist)
        guard Checklist.isID(id) else { throw noChecklist(id) }
        return id
    }

    fileprivate func noChecklist(_ id: String, _ kind: String = "") -> Failure {
        Failure(
            .notFound, "there is no \(kind)checklist \(ShellText.quote(id))",
            hint: folders.command(kind.isEmpty ? "checklist list" : "checklist list --saved"))
    }

    fileprivate var savingIsOff: Failure {
        Failure(
            .refused, code: "saving_off", "saving is off: allow it in the settings first",
            hint: folders.command("settings set allow-saving yes"))
    }

    /// The checklists of the server.
    fileprivate func checklists(_ place: SignInPlace) throws -> [ChecklistEntry] {
        let server = InboxClient(place.client.issuer, place.http)
        var entries: [ChecklistEntry]?
        try application.withToken(place) { token in
            let answer = try server.checklists(token)
            switch answer.content {
            case .some(let content): entries = content.withBytes { ChecklistEntry.list($0) }
            case .none: break
            }
        }
        guard let entries else {
            throw SignInError.broken(detail: "its answer is not a list of checklists")
        }
        return entries
    }

    /// Returns the saved checklist, updated if the server can be reached, or else the server's checklist. The result also has whether it is
    /// saved or can be saved.
    fileprivate func checklist(_ id: String) throws -> ShownChecklist {
        try vault.withStore(.changing, signsIn: false) { store -> ShownChecklist in
            let inbox = InboxStore(store.secrets)
            guard let saved = try inbox.savedChecklist(id) else {
                let found = try download(id, signIn.place(of: store.secrets), saving: false)
                return (found, false, try inbox.settings().allowsSaving)
            }
            do {
                guard let place = try signIn.silentPlace(store.secrets),
                    saved.server == place.server
                else { return (saved.checklist, true, true) }
                return (try download(id, place, saving: true), true, true)
            } catch {
                let reason = errors.failure(error).message
                console.notices.remark("saved; not compared with the server: \(reason)")
                return (saved.checklist, true, true)
            }
        }
    }

    /// Downloads a checklist. The server does not send an unchanged saved checklist again.
    ///
    /// - Parameters:
    ///   - id: The checklist.
    ///   - place: The vault and the server.
    ///   - isSaving: Whether to save the checklist.
    /// - Returns: The checklist.
    /// - Throws: A failure if there is none; the error that prevented the request.
    fileprivate func download(
        _ id: String, _ place: SignInPlace, saving isSaving: Bool
    ) throws -> Checklist {
        let inbox = InboxStore(place.store)
        let server = InboxClient(place.client.issuer, place.http)
        var saved = try inbox.savedChecklist(id)
        // Another server may use the same tag for other content.
        if saved?.server != place.server { saved = nil }
        var found: Checklist?
        do {
            try application.withToken(place) { token in
                let answer = try server.checklist(id, unless: saved?.etag, token)
                switch answer.content {
                case .some(let content):
                    guard let checklist = content.withBytes({ Checklist($0) }),
                        checklist.id == id
                    else { throw SignInError.broken(detail: "its answer is not a checklist") }
                    if isSaving,
                        try !inbox.save(
                            content, checklist, server: place.server, etag: answer.etag)
                    {
                        throw savingIsOff
                    }
                    found = checklist
                case .none: found = saved?.checklist
                }
            }
        } catch SignInError.unsupported {
            throw noChecklist(id)
        }
        guard let found else { throw noChecklist(id) }
        return found
    }

    fileprivate func reportChecklist(_ done: String, _ id: String, _ title: String) throws {
        guard console.isJSON else {
            return try console.printLine("\(done) \(id): \(title)")
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("id", id)
            try json.member("title", title)
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the members of an entry.
    fileprivate mutating func entry(_ entry: ChecklistEntry, isSaved: Bool) throws {
        try member("id", entry.id)
        try member("revision", entry.revision)
        try member("title", entry.title)
        try member("summary", entry.summary)
        try member("picture", entry.picture?.description)
        try member("items", entry.count)
        try member("saved", isSaved)
    }
}

extension OperandDescription {
    fileprivate static let checklist = OperandDescription("ID", "the id of the checklist")
}

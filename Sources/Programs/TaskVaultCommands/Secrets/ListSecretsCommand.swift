internal import Application
internal import CommandLine
internal import Platform
internal import SecureStorage
internal import Tasks
internal import TextCoding
internal import VaultCore

/// `secret list`: lists the entries without their values.
enum ListSecretsCommand: Command {
    private static let removed = OptionDescription(
        "removed", "the removed secrets that secret restore can bring back, the last one first")

    private static let pattern = OperandDescription(
        "PATTERN", "a part of service, account, label, URL or tags, ignoring case", count: 0...1)

    static let description = CommandDescription(
        path: ["secret", "list"],
        summary: "list the entries without their values",
        operands: [pattern],
        options: [removed],
        notes: [
            """
            One line each, ordered by service and account. Items of programs, of tasks, of the inbox and of the sign-in are not shown; \
            --removed shows those that programs removed.
            """,
            """
            On a terminal times are short and local, a long list opens in a pager, and a narrow one leaves out class and time, not service and \
            account; a lock is then the class after-verification. A pipe gets exact times in UTC.
            """,
            """
            An entry is marked concurrent if two devices changed it at the same time: secret history has the other value, and clears the mark.
            """,
        ],
        examples: [
            .init("taskvault secret list", "show all"),
            .init("taskvault secret list mail", "show those that match"),
            .init("taskvault secret list --json", "for a program"),
            .init("taskvault secret list --removed", "before a restore"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let search = context.invocation.texts(of: pattern).first.map { SecretSearch.part($0) }
        if context.invocation.has(removed) { return try listRemoved(search, context) }
        let (items, marked) = try context.vault.withStore(.reading) { store in
            let marked = context.application.sync.markedSecrets(store)
            if let search { return (try store.secrets.find(search), marked) }
            var items = try store.secrets.list()
            items.removeAll { $0.name.isReserved }
            return (items, marked)
        }
        let entries = SecretEntry.entries(of: items)
        if context.console.isJSON {
            try printJSON(entries, marked, context)
        } else if !entries.isEmpty {
            try context.console.show(SecretTable(entries, marked, context).table)
        } else if context.console.isTerminal {
            context.console.notices.remark(
                search == nil
                    ? "no secrets yet: \(context.folders.command("secret set --help"))"
                    : "no secret matches")
        }
    }

    private static func printJSON(
        _ entries: [SecretEntry], _ marked: Set<SecretName>, _ context: CommandContext
    ) throws {
        try context.console.printJSON { json in
            try json.beginArray()
            for entry in entries {
                try json.beginObject()
                try json.members(of: entry)
                try json.member("concurrent", entry.isMarked(marked))
                try json.endObject()
            }
            try json.endArray()
        }
    }

    private static func listRemoved(_ search: SecretSearch?, _ context: CommandContext) throws {
        let key = search?.key
        let secrets = try context.vault.withStore(.reading) { store in
            try store.secrets.removed().filter { secret in
                guard let search else { return secret.item.name.isRestorable }
                return search.finds(secret.item, key, orOfProgram: true)
            }
        }
        if context.console.isJSON {
            return try context.console.printJSON { json in
                try json.beginArray()
                for secret in secrets {
                    try json.beginObject()
                    try json.member("id", Hexadecimal.text(secret.id))
                    try json.members(of: secret.item)
                    try json.member("removed", milliseconds: secret.moved)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !secrets.isEmpty else {
            if context.console.isTerminal { context.console.notices.remark("no removed secrets") }
            return
        }
        let times = ListTimes(context)
        let hasFields = secrets.contains { $0.item.name.hasOwnField }
        let columns =
            ["ID", "SERVICE", "ACCOUNT"].map { TextTable.Column($0, isWhole: true) }
            + (hasFields ? ["FIELD"] : []).map { TextTable.Column($0) } + [
                TextTable.Column("REMOVED", isWhole: true),
                TextTable.Column("LABEL", takesRest: true),
            ]
        var table = TextTable(columns)
        for secret in secrets {
            let name = secret.item.name
            table.add(
                [String(Hexadecimal.text(secret.id).prefix(8)), name.service, name.account]
                    // The field `password` is not shown.
                    + (hasFields ? [name.hasOwnField ? name.field : ""] : [])
                    + [times.text(secret.moved), secret.item.label])
        }
        try context.console.show { _ in table }
    }
}

extension SecretEntry {
    /// Whether one of its fields is marked.
    fileprivate func isMarked(_ marked: Set<SecretName>) -> Bool {
        !marked.isEmpty && fields.contains { marked.contains($0.name) }
    }
}

extension Console {
    /// Prints a table, in the pager if a terminal is too small for it. A long table for a pipe is never kept as lines.
    fileprivate func show(_ table: (TerminalCapabilities) -> TextTable) throws {
        guard isTerminal else { return try print(table(TerminalCapabilities(of: output))) }
        try page { table($0).lines(on: $0) }
    }
}

/// Entries as a table. Service and account are whole; on a narrow terminal class and time give way.
private struct SecretTable {
    private enum Column: CaseIterable {
        case service, account, fields, accessClass, modified, tags, label

        var title: String {
            switch self {
            case .service: "SERVICE"
            case .account: "ACCOUNT"
            case .fields: "FIELDS"
            case .accessClass: "CLASS"
            case .modified: "MODIFIED"
            case .tags: "TAGS"
            case .label: "LABEL"
            }
        }
    }

    /// The width that a longer label gives up before another column is left out.
    private static let labelWidth = 16

    private let entries: [SecretEntry]
    private let marked: Set<SecretName>
    private let times: ListTimes
    /// The columns that an entry needs.
    private let columns: [Column]

    init(_ entries: [SecretEntry], _ marked: Set<SecretName>, _ context: CommandContext) {
        self.entries = entries
        self.marked = marked
        times = ListTimes(context)
        columns = Column.allCases.filter { column in
            switch column {
            case .fields: entries.contains(where: \.hasOwnFields)
            case .tags: entries.contains { !$0.tags.isEmpty }
            default: true
            }
        }
    }

    func table(_ capabilities: TerminalCapabilities) -> TextTable {
        let shown = capabilities.columns.map { columns(within: $0) } ?? columns
        var table = TextTable(
            shown.map { column in
                TextTable.Column(
                    column.title, takesRest: column == .label,
                    isWhole: column == .service || column == .account)
            })
        let hasClasses = shown.contains(.accessClass)
        for entry in entries {
            table.add(shown.map { text($0, of: entry, hasClasses: hasClasses) })
        }
        return table
    }

    private func text(_ column: Column, of entry: SecretEntry, hasClasses: Bool) -> String {
        switch column {
        case .service: entry.name.service
        case .account: entry.name.account
        case .fields: entry.fields.map(\.name.field).joined(separator: ", ")
        case .accessClass: entry.accessClass.name
        case .modified: times.text(entry.modified)
        case .tags: entry.tags.joined(separator: " ")
        case .label:
            [
                entry.isMarked(marked) ? "(concurrent)" : "",
                !hasClasses && entry.accessClass == .afterVerification ? TodoTask.lock : "",
                entry.label,
            ].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    /// The columns for a width: without the class, and without the time, if they do not fit.
    private func columns(within width: Int) -> [Column] {
        let needed = columns.map { column in
            let texts = [column.title] + entries.map { text(column, of: $0, hasClasses: true) }
            let widest = texts.map { TextWidth.columns(of: VisibleText.escape($0)) }.max() ?? 0
            return (column, column == .label ? min(widest, Self.labelWidth) : widest)
        }
        var shown = needed
        for column in [Column.accessClass, .modified]
        where shown.reduce(0, { $0 + $1.1 + 2 }) - 2 > width {
            shown.removeAll { $0.0 == column }
        }
        return shown.map(\.0)
    }
}

/// Times of lists: on a terminal short and local, otherwise exact.
private struct ListTimes {
    private let isShort: Bool
    private let now: PointInTime
    private let calendar: SystemCalendar

    init(_ context: CommandContext) {
        isShort = context.console.isTerminal
        now = context.console.surroundings.now()
        calendar = context.tasks.calendar
    }

    /// The text of a time in milliseconds since 1970-01-01 UTC, such as `yesterday 18:00`.
    func text(_ milliseconds: Int64) -> String {
        guard isShort else { return Timestamp.rfc3339(milliseconds: milliseconds) }
        return RelativeTime.text(
            .moment(PointInTime(milliseconds: milliseconds)), now: now, in: calendar, isOpen: false)
    }
}

internal import Application
internal import CommandLine
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file list`: lists the files without their contents.
enum ListFilesCommand: Command {
    private static let sort = OptionDescription(
        "sort", .choice("ORDER", FileOrder.allCases.map(\.rawValue)),
        "the order, in place of the setting file-sort")
    private static let sizes = OptionDescription(
        "sizes", "show sizes, in place of the setting file-sizes")
    private static let noSizes = OptionDescription("no-sizes", "show no sizes")
    private static let removed = OptionDescription(
        "removed", "the removed files that file restore can bring back, the last one first")

    static let description = CommandDescription(
        path: ["file", "list"],
        summary: "list the files",
        options: [sort, sizes, noSizes, removed],
        exclusive: [sizes, noSizes],
        notes: [
            """
            By name, IMG_2 before IMG_10; -name is the reverse. By size the largest, by added the newest one is first. With --json every file has its size.
            """,
            "On a synced machine, a file that is not HERE is fetched from the other machines by file get.",
        ],
        examples: [
            .init("taskvault file list", "as the settings file-sort and file-sizes say"),
            .init("taskvault file list --sort size", "the largest first"),
            .init("taskvault file list --json", "for a program"),
            .init("taskvault file list --removed", "before a restore"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        if invocation.has(removed) { return try listRemoved(context) }
        let (files, elsewhere, showsSizes) = try context.vault.withStore(.reading) { store in
            let files = store.files
            let settings = try files.settings()
            let order = invocation.text(of: sort).flatMap { FileOrder(rawValue: $0) }
            return (
                try files.list(order ?? settings.order),
                try context.application.sync.filesElsewhere(store), settings.showsSizes
            )
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.files(files, elsewhere: elsewhere)
            }
        }
        guard !files.isEmpty else {
            if context.console.isTerminal {
                context.console.notices.remark(
                    "no files yet: \(context.folders.command("file add --help"))")
            }
            return
        }
        try context.console.print(
            table(
                files, elsewhere,
                sizes: invocation.has(sizes) || (showsSizes && !invocation.has(noSizes))))
    }

    private static func table(
        _ files: [StoredFile], _ elsewhere: Set<String>, sizes showsSizes: Bool
    ) -> TextTable {
        // Columns that no file needs are omitted.
        let hasClasses = files.contains(where: \.isProtected)
        let hasTasks = files.contains { $0.task != nil }
        var columns: [TextTable.Column] = []
        if showsSizes { columns.append(TextTable.Column("SIZE", .trailing)) }
        columns.append(TextTable.Column("TYPE"))
        if hasClasses { columns.append(TextTable.Column("PROTECTED")) }
        if hasTasks { columns.append(TextTable.Column("TASK")) }
        if !elsewhere.isEmpty { columns.append(TextTable.Column("HERE")) }
        columns += [TextTable.Column("ADDED"), TextTable.Column("NAME", takesRest: true)]
        var table = TextTable(columns)
        for file in files {
            var cells: [String] = []
            cells.reserveCapacity(columns.count)
            if showsSizes { cells.append(byteText(file.size)) }
            cells.append(file.mediaType)
            if hasClasses { cells.append(file.isProtected ? "yes" : "no") }
            if hasTasks { cells.append(file.task ?? "") }
            if !elsewhere.isEmpty { cells.append(elsewhere.contains(file.id) ? "no" : "yes") }
            cells.append(Timestamp.rfc3339(milliseconds: file.added))
            cells.append(file.name)
            table.add(cells)
        }
        return table
    }

    private static func listRemoved(_ context: CommandContext) throws {
        let removed = try context.vault.withStore(.reading) { store in try store.files.removed() }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginArray()
                for earlier in removed {
                    try json.file(earlier.file) { json in
                        try json.member("removed", milliseconds: earlier.moved)
                    }
                }
                try json.endArray()
            }
        }
        guard !removed.isEmpty else {
            if context.console.isTerminal { context.console.notices.remark("no removed files") }
            return
        }
        var table = TextTable([
            TextTable.Column("ID"), TextTable.Column("SIZE", .trailing),
            TextTable.Column("REMOVED"), TextTable.Column("NAME", takesRest: true),
        ])
        for earlier in removed {
            table.add([
                String(earlier.file.id.prefix(8)), byteText(earlier.file.size),
                Timestamp.rfc3339(milliseconds: earlier.moved), earlier.file.name,
            ])
        }
        try context.console.print(table)
    }
}

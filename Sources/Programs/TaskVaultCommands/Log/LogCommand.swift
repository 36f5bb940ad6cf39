internal import Application
internal import CommandLine
internal import Platform
internal import SecureStorage
internal import TextCoding
internal import VaultAgent

/// `log`: shows the reads of secrets on this machine.
enum LogCommand: Command {
    private static let program = OptionDescription(
        "program", .text("NAME"), "only reads by this program, or by one that it started")
    private static let since = OptionDescription(
        "since", .text("TIME"), "only reads since this time, such as 2h, 3d or 2026-05-01T08:00:00Z"
    )

    static let description = CommandDescription(
        path: ["log"],
        summary: "show which secrets were read on this machine",
        options: [program, since],
        notes: [
            """
            The names of programs are information, not proof: a program can choose its name. In parentheses is the program that started the reader.
            """,
            """
            A log that was changed, or that lacks reads before the vault's last change, is refused (exit code 7). The last second, and \
            what followed the last change of the vault, can be cut off unseen.
            """,
            """
            What programs keep over D-Bus has a random name; in parentheses is its label, if it is still there. The newest 4 MiB are kept, \
            some ten thousand reads.
            """,
        ],
        examples: [
            .init("taskvault log", "all reads"),
            .init("taskvault log --program git --since 3d", "what git asked for"),
            .init("taskvault log --json", "for a program"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let since = try context.invocation.text(of: since).map {
            try earliest($0, context.console.surroundings.now())
        }
        guard let place = context.folders.readLog else {
            throw Failure.usage("no home folder is known", hint: "set HOME")
        }
        let program = context.invocation.text(of: program)
        let (content, reads, labels) = try context.vault.withStore(.reading) { store in
            let content = try context.vault.verifying(store) {
                try self.content(place, store, context)
            }
            let reads = content.reads.filter { read in
                let names = [read.reader.program, read.reader.parent]
                return read.time >= since ?? .min
                    && program.map { wanted in names.contains { $0.hasSameBytes(as: wanted) } }
                        ?? true
            }
            return (content, reads, self.labels(of: Set(reads.map(\.name)), store.secrets))
        }
        if content.lost > 0 {
            context.console.notices.warn(
                "reads_lost", "\(content.lost) reads could not be written")
        }
        if content.isCut {
            context.console.notices.warn(
                "log_cut", "reads are missing: the log was cut off or removed, and went on")
        }
        try print(reads, labels, content, on: context.console)
    }

    /// The current labels of secrets, without empty ones. An item that was made over D-Bus has a random name.
    private static func labels(
        of names: Set<SecretName>, _ store: any SecureStore
    ) -> [SecretName: String] {
        var labels: [SecretName: String] = [:]
        for name in names {
            if let item = try? store.describe(name) { labels[name] = known(item.label) }
        }
        return labels
    }

    private static func content(
        _ place: ReadLogPlace, _ store: OpenStore, _ context: CommandContext
    ) throws -> ReadLogContent {
        let vaultID =
            try store.agent?.vaultID()
            ?? context.vault.withStorage(.reading) { try context.vault.locked($0).id }
        guard let key = try ReadLog.secretKey(place, in: store.secrets) else {
            return ReadLogContent()
        }
        let path = try place.file(of: vaultID, under: key)
        let files = ReadLogPlace.log(path).filter(FileSystem.exists)
        do {
            return try ReadLogContent(
                path, of: vaultID, secretKey: key, head: head(place, store.secrets))
        } catch let error as ReadLogError {
            throw Failure(error, files)
        }
    }

    private static func head(
        _ place: ReadLogPlace, _ store: any SecureStore
    ) throws -> [UInt8]? {
        do {
            return try store.value(of: place.headName()).withBytes { $0.array }
        } catch let error as SecureStoreError {
            guard error == .notFound else { throw error }
            return nil
        }
    }

    /// The time of an option, in milliseconds.
    private static func earliest(_ text: String, _ now: PointInTime) throws -> Int64 {
        if let span = TimeSpan(text, hasDays: true) {
            return now.milliseconds - Int64(span.seconds) * 1_000
        }
        let whole = text.hasSuffix("Z") ? text.dropLast() + ".000Z" : ""
        guard
            let time = Timestamp.milliseconds(text) ?? Timestamp.milliseconds(String(whole))
        else {
            throw Failure.usage(
                "option '--since' takes a duration or a time",
                hint: "such as --since 3d or --since 2026-05-01T08:00:00Z")
        }
        return time
    }

    private static func print(
        _ reads: [LoggedRead], _ labels: [SecretName: String], _ content: ReadLogContent,
        on console: Console
    ) throws {
        if console.isJSON {
            return try console.printJSON { json in
                try json.beginObject()
                try json.key("reads")
                try json.beginArray()
                for read in reads {
                    try json.beginObject()
                    try json.member("time", milliseconds: read.time)
                    try json.member("program", known(read.reader.program))
                    try json.member("parent", known(read.reader.parent))
                    let process = read.reader.process
                    try json.member("process_id", process == 0 ? nil : process)
                    try json.member("service", read.name.service)
                    try json.member("account", read.name.account)
                    try json.member("field", read.name.field)
                    try json.member("label", labels[read.name])
                    try json.endObject()
                }
                try json.endArray()
                try json.member("lost", content.lost)
                try json.member("cut", content.isCut)
                try json.endObject()
            }
        }
        guard !reads.isEmpty else { return console.notices.remark("no reads") }
        var table = TextTable(["TIME", "PROGRAM", "SECRET"].map { TextTable.Column($0) })
        for read in reads {
            let parent = read.reader.parent
            table.add([
                Timestamp.rfc3339(milliseconds: read.time),
                (known(read.reader.program) ?? "?") + (parent.isEmpty ? "" : " (\(parent))"),
                read.name.typed + (labels[read.name].map { " (\($0))" } ?? ""),
            ])
        }
        try console.print(table)
    }

    private static func known(_ name: String) -> String? { name.isEmpty ? nil : name }
}

extension Failure {
    fileprivate init(_ error: ReadLogError, _ files: [String]) {
        let path = files.last ?? ""
        let message =
            switch error {
            case .foreign: "\(path) is not the log of reads of this vault"
            case .changed(let record): "the log of reads was changed: record \(record)"
            case .truncated: "the log of reads was cut off: reads that the vault knows are missing"
            case .unreadable(let code):
                "cannot read \(path): \(SystemFailure("read", code: code).explanation)"
            }
        if case .unreadable = error {
            self.init(.failure, code: "cannot_read", message)
        } else {
            self.init(
                .damaged, code: "log_changed", message,
                hint: files.isEmpty
                    ? nil
                    : "to begin a new log: rm "
                        + files.map { ShellText.quote($0) }.joined(separator: " "))
        }
    }
}

internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding
internal import VaultCore
internal import VaultStorage
internal import Platform
internal import VaultAgent

/// `destroy`: removes the vault's files.
///
/// The command also works for a damaged vault.
enum DestroyCommand: Command {
    static let description = CommandDescription(
        path: ["destroy"],
        summary: "remove the vault permanently",
        options: [.yes],
        notes: [
            """
            Asks to type the name of the vault's folder first. Afterwards only a backup brings the secrets back. Copies of the file \
            elsewhere, and old data on the disk, are not removed. A copy put there later is refused without --accept-other.
            """,
            """
            The to-do list is not part of the vault and stays; its protected tasks lose their text.
            """,
        ],
        examples: [
            .init("taskvault destroy", "remove the vault, after typing its name"),
            .init("taskvault destroy --home /tmp/trial --yes", "remove a vault in a script"),
        ],
        exitCodes: [.notFound, .refused])

    static func run(_ context: CommandContext) throws {
        guard try context.vault.source().isFile else {
            throw Failure(
                .refused, code: "vault_on_server",
                "the vault is in \(context.vault.reference.path): this command does not remove tables",
                hint:
                    "DROP SCHEMA taskvault_vault CASCADE removes it on the server"
            )
        }
        let location = try VaultLocation(path: context.folders.file)
        guard FileSystem.exists(location.path) else { throw DatabaseError.notFound }
        let name = name(of: location)
        let tasks = LeftTasks(context)
        try context.console.requireConsent(to: "remove the vault") { prompt in
            try prompt.say("This removes \(location.path) and every secret in it permanently.")
            if let lost = tasks.lost {
                try prompt.say("\(lost) is among them; the to-do list itself stays.")
            }
            return try prompt.confirm("Type \(name) to remove it", byTyping: name)
        }
        try context.vault.endAgent()
        do {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try FileSystem.remove(location.path + suffix)
            }
            try FileSystem.sync(folder: location.folder)
        } catch let error as SystemFailure {
            throw Failure(
                .failure, code: "cannot_remove",
                "cannot remove \(location.path): \(error.explanation)")
        }
        removeLog(context)
        retire(context)
        if context.application.sync.forget() {
            context.console.notices.remark(
                "this home does not sync any more; remove it on another device: \(Application.program) device remove NAME"
            )
        }
        warnOfOthers(beside: location, context)
        tasks.report(context.console.notices)
        guard context.console.isJSON else {
            return try context.console.printLine("removed \(location.path)")
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("path", location.path)
            try json.endObject()
        }
    }

    /// Removes the log of reads, unless another place of this machine has the same vault.
    private static func removeLog(_ context: CommandContext) {
        let records = context.vault.rollbackRecords
        guard let place = context.folders.readLog, let record = try? records.read(),
            let elsewhere = try? records.readElsewhere(),
            !elsewhere.contains(where: { $0.vaultID == record.vaultID && !$0.isRetired })
        else { return }
        for path in place.files(of: record.vaultID) { try? FileSystem.remove(path) }
    }

    /// Makes this machine refuse a copy that appears at this place later.
    private static func retire(_ context: CommandContext) {
        do {
            try context.vault.rollbackRecords.retire()
        } catch {
            context.console.notices.warn(
                "not_recorded",
                "this machine cannot record that the vault was destroyed: a copy that is put there later will open"
            )
        }
    }

    /// Warns about files that `restore` and `doctor --repair` kept. They contain secrets as well.
    private static func warnOfOthers(beside location: VaultLocation, _ context: CommandContext) {
        let names = (try? FileSystem.names(in: location.folder)) ?? []
        // Killed commands leave the second kind of file.
        let others = names.filter {
            $0.hasPrefix(location.name + ".") || $0.hasPrefix(".taskvault-")
        }
        if !others.isEmpty {
            context.console.notices.warn(
                "copies_left",
                "earlier files of the vault are left in \(location.folder): \(others.joined(separator: ", "))"
            )
        }
        let list = SafeFolder.split(context.folders.tasks).name
        let lists = names.filter { $0.hasPrefix(list + ".") }
        if !lists.isEmpty {
            context.console.notices.warn(
                "lists_left",
                "earlier to-do lists, not encrypted, are left in \(location.folder): \(lists.joined(separator: ", "))"
            )
        }
    }

    /// The name of the vault's folder.
    private static func name(of location: VaultLocation) -> String {
        location.folder.split(separator: "/").last.map(String.init) ?? location.name
    }
}

/// The to-do list of a removed vault. The list stays, but the text of its protected tasks is lost.
struct LeftTasks {
    private enum Protected {
        case none
        case some(Int)
        /// The list is on a server, which is not asked, or its file is damaged. Neither prevents the removal of the vault.
        case unknown
    }

    /// The name of the database in messages; nil without a list.
    private let title: String?
    private let protected: Protected

    /// Reads the list before the vault is removed.
    init(_ context: CommandContext) {
        guard let setting = try? context.settings.value(of: .database),
            let place = try? TaskDatabasePlace(setting, context.folders),
            !place.isFile || FileSystem.exists(context.folders.tasks)
        else {
            title = nil
            protected = .none
            return
        }
        title = place.title
        protected = place.isFile ? Self.count(place) : .unknown
    }

    private static func count(_ place: TaskDatabasePlace) -> Protected {
        guard let repository = try? place.open(.reading) else { return .unknown }
        defer { repository.close() }
        guard let count = try? repository.count(TaskFilter(isProtected: true)) else {
            return .unknown
        }
        return count == 0 ? .none : .some(count)
    }

    /// The lost text, as the beginning of a sentence; nil if no text is lost.
    var lost: String? {
        switch protected {
        case .none: nil
        case .some(let count): "The text of \(counted(count, "protected task"))"
        case .unknown: "The text of protected tasks"
        }
    }

    /// Reports that the to-do list stays, and whether text of its protected tasks was removed with the vault.
    func report(_ notices: Notices) {
        guard let title else { return }
        switch protected {
        case .none: notices.remark("the to-do list \(title) stays")
        case .some(let count):
            notices.warn(
                "protected_text_removed",
                "the text of \(counted(count, "protected task")) was removed with it; the to-do list \(title) stays"
            )
        case .unknown:
            notices.warn(
                "protected_text_removed",
                "the text of protected tasks was removed with it; the to-do list \(title) stays")
        }
    }
}

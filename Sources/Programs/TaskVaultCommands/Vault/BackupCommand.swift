internal import Application
internal import CommandLine
internal import Platform
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// `backup`: writes a copy of vault, tasks and settings. It needs no passphrase.
enum BackupCommand: Command {
    static let description = CommandDescription(
        path: ["backup"],
        summary: "write a copy of vault, tasks and settings",
        operands: [.backupTarget],
        notes: [
            """
            Needs no passphrase, and other commands may use the vault meanwhile. The file is encrypted and opens with any passphrase, \
            recovery code or security key that opens the vault now. It holds the tasks also if they are on a server, and the settings without addresses.
            """,
            """
            A backup is authenticated with a key of this machine, which the vault gets at the next unlock. Restoring a backup that was made \
            before leaves out tasks and settings.
            """,
        ],
        examples: [
            .init("taskvault backup /media/disk/taskvault-2026-12-01", "a dated copy")
        ],
        exitCodes: [.notFound, .alreadyExists, .damaged, .refused, .serverUnreachable])

    static func run(_ context: CommandContext) throws {
        let target = context.invocation.text(of: .backupTarget)
        if FileSystem.exists(target) { throw failure(.alreadyExists, target) }
        let made = try context.vault.withStorage(.reading) { storage in
            // The header is checked, because a copy that no key can open would be useless.
            let vaultID = try context.vault.locked(storage).id
            let store = (try? context.vault.agent()).flatMap { agent in
                (try? agent?.status().isUnlocked) == true ? agent : nil
            }
            let known = BackupKeys(context.folders).key(of: vaultID, store)
            return (
                parts: try write(target, storage, known.key, context), isKnown: known.isKnown
            )
        }
        if !made.isKnown, made.parts.paths.count > 1 {
            context.console.notices.warn(
                "backup_key_pending",
                "this machine's key for backups is not in the vault yet: restoring this backup elsewhere leaves out tasks and settings; "
                    + "unlock the vault, then make another one")
        }
        try report(target, made.parts, isAuthenticated: made.isKnown, context)
    }

    /// Copies the parts into a temporary folder, and seals them. The temporary folder is in the vault's folder, or elsewhere if that is
    /// unusable or full.
    ///
    /// The copied list is not encrypted, so the other folder is the state folder. Without a list, it is the folder of the backup.
    private static func write(
        _ target: String, _ storage: any RecordStorage, _ key: borrowing BackupKey,
        _ context: CommandContext
    ) throws -> BackupSources {
        let list = try BackupSources.list(context)
        do {
            let folder = try ScratchFolder(in: context.folders.vault)
            return try write(target, storage, key, list, folder, context)
        } catch let error as SystemFailure where error.code != EINTR {
            // A vault on a server has no such folder, or the folder is read-only.
        } catch VaultError.storage(.full), DatabaseError.full {
            // A backup is most urgent if the vault's disk is full.
        }
        do {
            let other =
                try list == nil ? SafeFolder.split(target).folder : stateFolder(of: context)
            let folder = try ScratchFolder(in: other)
            return try write(target, storage, key, list, folder, context)
        } catch let error as SystemFailure {
            guard list == nil || error.code == EINTR else {
                throw noPlace(error.explanation, context)
            }
            throw failure(DatabaseError(translating: error), target)
        } catch let error as UnusableFile {
            throw noPlace(error.reason, context)
        }
    }

    private static func stateFolder(of context: CommandContext) throws -> String {
        guard let folder = context.folders.state else { throw SystemFailure("open", code: ENOENT) }
        try SafeFolder.create(folder)
        let resolved = try SafeFolder.resolve(folder)
        try SafeFolder.require(resolved)
        return resolved
    }

    private static func noPlace(_ reason: String, _ context: CommandContext) -> Failure {
        Failure(
            .failure, code: "no_place_for_tasks",
            "there is no folder for a temporary copy of the to-do list, which is not encrypted: \(reason)",
            hint:
                "make \(context.folders.vault) or \(context.folders.state ?? "the state folder") writable"
        )
    }

    private static func write(
        _ target: String, _ storage: any RecordStorage, _ key: borrowing BackupKey,
        _ tasks: TaskDatabasePlace?, _ folder: borrowing ScratchFolder, _ context: CommandContext
    ) throws -> BackupSources {
        let time = context.vault.environment.now()
        let parts = try BackupSources(storage, tasks, folder, context)
        try folder.requireNoSignal()
        do {
            try BackupWriting.write(
                to: target, parts.paths, at: time, authenticatedBy: key, context.vault.environment)
        } catch VaultError.storage(let error) {
            throw failure(error, target)
        }
        return parts
    }

    private static func failure(_ error: DatabaseError, _ target: String) -> any Error {
        switch error {
        case .alreadyExists:
            Failure(
                .alreadyExists, "\(target) already exists",
                hint: "a backup never replaces a file: give another name")
        case .notFound:
            Failure(.notFound, code: "no_folder", "there is no folder for \(target)")
        case .readOnly:
            Failure(.failure, code: "read_only", "\(target) cannot be written")
        default: VaultError.storage(error)
        }
    }

    private static func report(
        _ target: String, _ parts: BackupSources, isAuthenticated: Bool, _ context: CommandContext
    ) throws {
        guard context.console.isJSON else {
            return try context.console.printLine("wrote the backup \(target): \(parts.title)")
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("path", target)
            try json.member("tasks", parts.tasks)
            try json.member("settings", parts.paths[.settings] != nil)
            try json.member("authenticated", isAuthenticated)
            try json.endObject()
        }
    }
}

/// The parts of a backup, copied into files.
private struct BackupSources {
    private(set) var paths: [BackupPart: String] = [:]
    /// The number of tasks, without cleared ones; nil if there is no list.
    private(set) var tasks: Int?

    /// The place of the list; nil if there is none.
    static func list(_ context: CommandContext) throws -> TaskDatabasePlace? {
        let setting = try SettingsFile(context.folders).read()[.database]
        let place = try TaskDatabasePlace(setting, context.folders)
        return !place.isFile || FileSystem.exists(context.folders.tasks) ? place : nil
    }

    /// Copies all parts. The copy of the vault has the text of each protected task in the copy.
    init(
        _ storage: any RecordStorage, _ place: TaskDatabasePlace?,
        _ folder: borrowing ScratchFolder, _ context: CommandContext
    ) throws {
        let vault = folder.file("vault.db")
        let list = folder.file("tasks.db")
        let settings = try SettingsFile(context.folders).read()
        if let place {
            // While the list is locked, the vault loses no text that the list needs.
            try Self.holding(place, context) {
                try VaultError.translating { try storage.backup(to: vault) }
                context.errors.tasks = place
                let repository = try place.open(.reading)
                defer { repository.close() }
                try repository.backup(to: list)
                tasks = try repository.count(TaskFilter())
            }
            context.errors.tasks = nil
            paths[.tasks] = list
        } else {
            try VaultError.translating { try storage.backup(to: vault) }
        }
        paths[.vault] = vault
        let lines = settings.portableText
        guard !lines.isEmpty else { return }
        let file = folder.file("settings")
        try FileSystem.replace(file, with: lines)
        paths[.settings] = file
    }

    /// Runs `body` while no program can change the list. A list on a read-only medium needs no lock.
    private static func holding(
        _ place: TaskDatabasePlace, _ context: CommandContext, _ body: () throws -> Void
    ) throws {
        context.errors.tasks = place
        let holder = try place.open(.reading)
        defer { holder.close() }
        var isHeld = false
        do {
            try holder.change { _ in
                isHeld = true
                context.errors.tasks = nil
                try body()
            }
        } catch DatabaseError.readOnly where !isHeld {
            context.errors.tasks = nil
            try body()
        } catch DatabaseError.full where !isHeld {
            context.errors.tasks = nil
            try body()
        }
    }

    /// The contents of the backup, for a message.
    var title: String {
        var titles = ["the vault"]
        if let tasks { titles.append(counted(tasks, "task")) }
        if paths[.settings] != nil { titles.append("the settings") }
        guard let last = titles.popLast(), !titles.isEmpty else { return "the vault" }
        return titles.joined(separator: ", ") + " and " + last
    }
}

extension OperandDescription {
    static let backupTarget = OperandDescription(
        "FILE", .file, "the file to create; it must not exist")
}

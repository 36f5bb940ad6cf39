internal import Platform
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// A backup of vault, tasks and settings. It needs no passphrase. A vault that an agent has unlocked is verified first.
///
/// The list is held while both databases are copied, so that they match.
package struct Backup {
    private let application: Application
    private let target: String
    private let progress: (_ total: UInt64) -> (Int) -> Void

    /// The contents of a written backup.
    package struct Result {
        /// The contents, for a message.
        package let title: String
        /// The number of tasks, without cleared ones; nil without a list.
        package let tasks: Int?
        package let hasSettings: Bool
        /// Whether the vault has the key of the backup's MAC.
        package let isAuthenticated: Bool
        /// Whether the vault was verified before. Without keys, only the form of its file is checked.
        package let isVerified: Bool
    }

    /// Describes a backup.
    ///
    /// - Parameters:
    ///   - application: The operations on the folder of the vault.
    ///   - target: The path of the file to create.
    ///   - progress: Shows the progress: gets the number of all bytes, and then that of each piece.
    package init(
        _ application: Application, to target: String,
        progress: @escaping (_ total: UInt64) -> (Int) -> Void
    ) {
        self.application = application
        self.target = target
        self.progress = progress
    }

    /// Writes the backup.
    ///
    /// The first backup of a machine needs the passphrase, unless the vault is unlocked: the vault gets the key with which the machine
    /// authenticates its backups. Otherwise a restore would leave out tasks and settings.
    ///
    /// - Throws: A failure if the file exists, or the owner cannot be asked for the passphrase; `VaultError`, also of a vault that does not verify; `DatabaseError`; `AgentError`.
    package func run() throws -> Result {
        if OutputFile.isTaken(target) { throw failure(.alreadyExists) }
        try saveKey()
        let made = try application.vault.withStorage(.reading) { storage in
            // The header is checked, because a copy that no key can open would be useless.
            let vaultID = try application.vault.locked(storage).id
            let store = (try? application.vault.agent()).flatMap { agent in
                (try? agent?.status().isUnlocked) == true ? agent : nil
            }
            let isVerified = try verify(store)
            let known = BackupKeys(application.folders).key(of: vaultID, store)
            return (
                parts: try write(storage, known.key), isKnown: known.isKnown,
                isVerified: isVerified
            )
        }
        if !made.isKnown, made.parts.paths.count > 1 {
            application.owner.warn(
                "backup_key_pending",
                "this machine's key for backups is not in the vault yet: restoring this backup elsewhere leaves out tasks and settings; "
                    + "unlock the vault, then make another one")
        }
        return Result(
            title: made.parts.title, tasks: made.parts.tasks,
            hasSettings: made.parts.paths[.settings] != nil, isAuthenticated: made.isKnown,
            isVerified: made.isVerified)
    }

    /// Saves the machine's key for backups in the vault, if tasks or settings need it and the vault does not have it.
    private func saveKey() throws {
        let vaultID = try application.vault.withStorage(.reading) { storage in
            try application.vault.locked(storage).id
        }
        let keys = BackupKeys(application.folders)
        guard keys.isMissing(of: vaultID) else { return }
        let hasSettings = try !SettingsFile(application.folders).read().portableText.isEmpty
        guard try hasSettings || BackupSources.list(application) != nil else { return }
        if try application.vault.isAgentUnlocked() { return }
        guard application.owner.canVerify else {
            // The next unlock saves the key that is made here.
            _ = keys.key(of: vaultID, nil)
            throw Failure(
                .locked, code: "backup_key_pending",
                "the vault does not have this machine's key for backups yet: a restore would leave out tasks and settings",
                hint: application.folders.command("unlock") + ", once, or give --passphrase-file")
        }
        try application.vault.withUnlockedVault(.changing) { vault, _ in
            // A full disk must not prevent a backup. A warning follows.
            _ = keys.key(of: vaultID, vault)
        }
    }

    /// Verifies the vault with the keys of an agent.
    ///
    /// - Returns: `false` if no agent has them.
    private func verify(_ agent: AgentClient?) throws -> Bool {
        do {
            try agent?.check()
            return agent != nil
        } catch AgentError.notRunning, AgentError.vault(.store(.locked)),
            AgentError.vault(.store(.keysReplaced))
        {
            return false
        } catch AgentError.vault(.damaged(.chunkMissing)) where application.sync.isEnabled {
            // The rows were verified before. Another device has the content of a file that was not opened here.
            return true
        }
    }

    /// Copies the parts into a temporary folder, and seals them. The temporary folder is in the vault's folder, or elsewhere if that is
    /// unusable or full.
    ///
    /// The copied list is not encrypted, so the other folder is the state folder. Without a list, it is the folder of the backup.
    private func write(
        _ storage: any RecordStorage, _ key: borrowing BackupKey
    ) throws -> BackupSources {
        let list = try BackupSources.list(application)
        do {
            let folder = try ScratchFolder(in: application.folders.vault)
            return try write(storage, key, list, folder)
        } catch let error as SystemFailure where error.code != EINTR {
            // A vault on a server has no such folder, or the folder is read-only.
        } catch VaultError.storage(.full), DatabaseError.full {
            // A backup is most urgent if the vault's disk is full.
        }
        do {
            let other =
                try list == nil ? SafeFolder.split(target).folder : stateFolder()
            let folder = try ScratchFolder(in: other)
            return try write(storage, key, list, folder)
        } catch let error as SystemFailure {
            guard list == nil || error.code == EINTR else {
                throw noPlace(error.explanation)
            }
            throw failure(DatabaseError(translating: error))
        } catch let error as UnusableFile {
            throw noPlace(error.reason)
        }
    }

    private func stateFolder() throws -> String {
        guard let folder = application.folders.state else {
            throw SystemFailure("open", code: ENOENT)
        }
        try SafeFolder.create(folder)
        let resolved = try SafeFolder.resolve(folder)
        try SafeFolder.require(resolved)
        return resolved
    }

    private func noPlace(_ reason: String) -> Failure {
        Failure(
            .failure, code: "no_place_for_tasks",
            "there is no folder for a temporary copy of the to-do list, which is not encrypted: \(reason)",
            hint:
                "make \(application.folders.vault) or \(application.folders.state ?? "the state folder") writable"
        )
    }

    private func write(
        _ storage: any RecordStorage, _ key: borrowing BackupKey, _ tasks: TaskDatabasePlace?,
        _ folder: borrowing ScratchFolder
    ) throws -> BackupSources {
        let time = application.vault.environment.now()
        let parts = try BackupSources(storage, tasks, folder, application)
        try folder.requireNoSignal()
        let sizes = parts.paths.values.compactMap { FileSystem.size($0) }
        do {
            try BackupWriting.write(
                to: target, parts.paths, at: time, authenticatedBy: key,
                application.vault.environment,
                progress: progress(UInt64(sizes.reduce(0, +))))
        } catch {
            guard case VaultError.storage(let error) = error else { throw error }
            throw failure(error)
        }
        return parts
    }

    private func failure(_ error: DatabaseError) -> any Error {
        switch error {
        case .alreadyExists:
            Failure(
                .alreadyExists, "\(target) already exists",
                hint: "a backup never replaces a file: give another name")
        case .notFound:
            Failure(.notFound, code: "no_folder", "there is no folder for \(target)")
        case .readOnly:
            Failure(.failure, code: "read_only", "\(target) cannot be written")
        case .unsafeLocation(let path, let reason): UnusableFile(path, reason)
        case .inputOutput(let operation, let code):
            Failure(
                .failure, code: "cannot_write",
                "cannot write \(target): \(SystemFailure(operation, code: Int32(clamping: code)).explanation)"
            )
        default: VaultError.storage(error)
        }
    }
}

/// The parts of a backup, copied into files.
private struct BackupSources {
    private(set) var paths: [BackupPart: String] = [:]
    /// The number of tasks, without cleared ones; nil if there is no list.
    private(set) var tasks: Int?

    /// The place of the list; nil if there is none.
    static func list(_ application: Application) throws -> TaskDatabasePlace? {
        let place = try application.tasks.place()
        return !place.isFile || FileSystem.exists(application.folders.tasks) ? place : nil
    }

    /// Copies all parts. The copy of the vault has the text of each protected task in the copy.
    init(
        _ storage: any RecordStorage, _ place: TaskDatabasePlace?,
        _ folder: borrowing ScratchFolder, _ application: Application
    ) throws {
        let vault = folder.file("vault.db")
        let list = folder.file("tasks.db")
        let settings = try SettingsFile(application.folders).read()
        if let place {
            // While the list is locked, the vault loses no text that the list needs.
            try Self.holding(place, application) {
                try VaultError.translating { try storage.backup(to: vault) }
                application.errors.tasks = place
                let repository = try place.open(.reading)
                defer { repository.close() }
                try repository.backup(to: list)
                tasks = try repository.count(TaskFilter())
            }
            application.errors.tasks = nil
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
        _ place: TaskDatabasePlace, _ application: Application, _ body: () throws -> Void
    ) throws {
        application.errors.tasks = place
        let holder = try place.open(.reading)
        defer { holder.close() }
        var isHeld = false
        do {
            try holder.change { _ in
                isHeld = true
                application.errors.tasks = nil
                try body()
            }
        } catch DatabaseError.readOnly where !isHeld {
            application.errors.tasks = nil
            try body()
        } catch DatabaseError.full where !isHeld {
            application.errors.tasks = nil
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

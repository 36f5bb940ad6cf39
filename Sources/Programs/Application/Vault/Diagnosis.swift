internal import Sealing
internal import SecretMemory
package import SecureStorage
internal import Database
internal import Tasks
package import TextCoding
package import VaultAgent
package import VaultCore
internal import Platform

/// A problem of a vault.
package struct Problem {
    package let failure: FormatFailure
    /// The secret with the problem, if its name could be read.
    package let item: SecretName?
    /// The bucket with the problem, if one is known.
    package let bucket: Int?

    /// Creates a problem of the whole vault.
    package init(_ failure: FormatFailure) {
        self.failure = failure
        item = nil
        bucket = nil
    }

    /// Creates a problem that a check found.
    package init(_ problem: VaultReport.Problem) {
        failure = problem.failure
        item = problem.item
        bucket = problem.bucket
    }
}

/// All results of `doctor`.
package struct Diagnosis {
    /// A part of the vault that was checked.
    package enum Part: String, CaseIterable {
        case file
        case keys = "keys and state"
        case memory
        case record = "rollback record"
        case secrets
        case tasks = "to-do list"
        case sync
    }

    /// A recommendation that is not a problem.
    package struct Warning {
        package let part: Part
        package let code: String
        package let message: String
    }

    /// The result of a repair.
    package struct Repair {
        package let kept: Int
        package let removed: Int
        /// Whether the state was lost, and with it the settings and the proof that the slots are
        /// the newest.
        package let isStateLost: Bool
        /// The place of the damaged file's copy.
        package let copy: String

        /// Creates a result.
        package init(kept: Int, removed: Int, isStateLost: Bool, copy: String) {
            self.kept = kept
            self.removed = removed
            self.isStateLost = isStateLost
            self.copy = copy
        }
    }

    package var problems: [Problem] = []
    /// Whether this machine's rollback record refuses the vault.
    package var isRefused = false
    package var warnings: [Warning] = []
    /// Whether this home takes part in sync.
    package private(set) var isSyncing = false
    /// The key slots; nil before the header was read.
    package private(set) var slots: SlotReport?
    /// The recommended next command, without the program's name; nil for none.
    package private(set) var next: String?
    /// Whether the secrets were read.
    package private(set) var isRead = false
    /// The number of fully readable items: the fields of secrets, and the items of tasks, files, messages and settings.
    package private(set) var soundItems = 0
    /// The number of secrets, as `secret list` shows them, and of the other items; nil if the vault has problems.
    package private(set) var listed: (secrets: Int, others: Int)?
    /// The number of fully readable earlier values and removed secrets.
    package private(set) var soundEarlier = 0
    /// The number of tasks, without cleared ones; nil without a sound list in a file.
    package private(set) var tasks: Int?
    /// Why the file of the to-do list cannot be used.
    package private(set) var tasksFailure: Failure?
    package var repair: Repair?
    /// The state of the fingerprint; nil if the vault did not open.
    package var finger: FingerState?

    /// Creates an empty diagnosis.
    package init() {}

    /// Whether the checks found no problem.
    package var isSound: Bool { problems.isEmpty && tasksFailure == nil }

    /// Whether the keys are intact, so that a repair keeps the sound items.
    package var canBeRepaired: Bool {
        // If everything is intact but older, only the owner can decide: missing links can hide a
        // fork.
        problems.contains {
            $0.failure.remedy == .repair || ($0.failure.isOfLinks && !isRefused)
        }
            && problems.allSatisfy { $0.failure.remedy != .restore || $0.failure.isOfFiles }
    }

    /// Adds the results of a check.
    ///
    /// - Parameters:
    ///   - report: The results.
    ///   - items: The items of the vault; nil if they cannot be listed.
    ///   - filesElsewhere: The ids of files whose content is at another device, which is no problem.
    package mutating func add(
        _ report: VaultReport, items: [SecretItem]?, filesElsewhere: Set<String> = []
    ) {
        isRead = true
        let problems = report.problems.filter { problem in
            guard problem.failure == .chunkMissing, let name = problem.item else { return true }
            return !filesElsewhere.contains(name.account)
        }
        if let items, problems.isEmpty {
            let own = items.filter { !$0.name.isReserved }
            listed = (SecretEntry.entries(of: own).count, report.soundItems - own.count)
        }
        soundItems = report.soundItems
        soundEarlier = report.soundEarlier
        self.problems += problems.map { Problem($0) }
        if !filesElsewhere.isEmpty {
            warn(
                .sync, "files_elsewhere",
                "\(counted(filesElsewhere.count, "file")) without content on this machine: file get fetches it"
            )
        }
        for (name, ids) in report.unusableFileNames {
            warn(
                .secrets, "file_names",
                "\(counted(ids.count, "file")) with the name \(ShellText.quote(name)): file rename ID NEW gives it another one (ID: \(ids.joined(separator: ", ")))"
            )
        }
        if let chunks = report.orphanedChunks, chunks > 0 {
            warn(
                .secrets, "orphaned_chunks",
                "\(counted(chunks, "chunk")) of content without a file: of a transfer that goes on or did not end, and removed after a day"
            )
        }
    }

    /// Checks the files before the vault is opened.
    package mutating func noteFiles(of application: Application) {
        guard (try? application.vault.source())?.isFile == true else { return }
        let file = application.folders.file
        if let size = FileSystem.size(file + "-wal"), size > 0 {
            warn(
                .file, "log_left_behind",
                "there is a log beside the vault: another process uses the vault, or was killed; the log is merged when the vault is closed"
            )
        }
        if FileSystem.exists(file), !FileSystem.isWritable(file) {
            warn(.file, "read_only", "the vault file cannot be written")
        }
    }

    /// Checks the file of the to-do list with its log: its place, its schema, all pages and rows, and that it has the changes which this
    /// machine saw. A list on a server is not checked.
    package mutating func noteTasks(of application: Application) {
        do {
            let place = try application.tasks.place()
            guard place.isFile else { return }
            application.errors.tasks = place
            defer { application.errors.tasks = nil }
            do {
                let repository = try place.open(.reading)
                defer { repository.close() }
                guard FileSystem.exists(application.folders.tasks) else { return }
                guard try repository.isWellFormed() else {
                    throw DatabaseError.damaged(reason: "SQLite finds it malformed")
                }
                tasks = try repository.count(TaskFilter(.openOrDone))
            } catch {
                tasksFailure = application.errors.failure(error)
            }
        } catch {
            tasksFailure = application.errors.failure(error)
        }
    }

    /// Adds what the last round of sync found.
    package mutating func noteSync(of application: Application) {
        guard let problems = application.sync.problems else { return }
        isSyncing = true
        for problem in problems {
            let parts = [problem.message, problem.hint]
            warn(.sync, problem.code, parts.compactMap(\.self).joined(separator: "; "))
        }
    }

    /// Checks the key slots and the features of the machine.
    package mutating func noteMachine(
        _ vaultID: [UInt8], _ slots: [KeySlotDescription], _ application: Application
    ) {
        let report = SlotReport(slots, of: vaultID, application.folders)
        self.slots = report
        let standard = KeyDerivationCost.standard
        if slots.contains(where: { $0.kind == .passphrase && $0.cost.isLower(than: standard) }) {
            let change =
                "passphrase change --kdf-memory \(standard.memoryKiB / 1_024) --kdf-passes \(standard.passes)"
            next = change
            warn(
                .keys, "kdf_below_standard",
                "the key derivation cost is below the current default: \(application.folders.command(change))"
            )
        }
        // Advise a backup first: a lost passphrase or file does more harm than a low cost of the key derivation.
        if BackupKeys(application.folders).hasKey(of: vaultID) == false {
            next = Self.backupCommand
        }
        if let weakPoint = report.weakPoint {
            next = SlotReport.remedy
            warn(.keys, SlotReport.weakPointCode, weakPoint)
        }
        if !MemoryLocking.isAvailable {
            warn(
                .memory, "memory_not_locked",
                "memory cannot be locked: raise the limit (ulimit -l)"
            )
        }
    }

    /// The command for a vault without a backup from this machine.
    package static let backupCommand = "backup FILE"

    private mutating func warn(_ part: Part, _ code: String, _ message: String) {
        warnings.append(Warning(part: part, code: code, message: message))
    }
}

extension Problem {
    /// The part with the problem.
    package var part: Diagnosis.Part {
        switch failure {
        case .fileDamaged: .file
        case .rolledBack, .forked, .otherVault, .rollbackRecordDamaged, .backupKeyChanged: .record
        case .slotKey, .slotPair, .slotProof, .slotBox, .wrappedKeySeal, .backupKey, .stateMissing,
            .stateLength, .stateFormat, .stateSeal, .stateContent, .linkMissing, .linkDamaged:
            .keys
        default: .secrets
        }
    }
}

internal import Sealing
internal import SecretMemory
package import SecureStorage
internal import TextCoding
package import VaultAgent
package import VaultCore
internal import Platform

/// Something that is wrong with a vault.
package struct Problem {
    package let failure: FormatFailure
    /// The secret that it is in, where its name could be read.
    package let item: SecretName?
    /// The bucket that it is in, where there is one.
    package let bucket: Int?

    /// A problem of the whole.
    package init(_ failure: FormatFailure) {
        self.failure = failure
        item = nil
        bucket = nil
    }

    /// A problem that a check found.
    package init(_ problem: VaultReport.Problem) {
        failure = problem.failure
        item = problem.item
        bucket = problem.bucket
    }
}

/// Everything that `doctor` found out.
package struct Diagnosis {
    /// A part of the vault that was checked.
    package enum Part: String, CaseIterable {
        case file
        case keys = "keys and state"
        case memory
        case record = "rollback record"
        case secrets
    }

    /// Something that is not wrong and could be better.
    package struct Warning {
        package let part: Part
        package let code: String
        package let message: String
    }

    /// The result of a repair.
    package struct Repair {
        package let kept: Int
        package let removed: Int
        /// Whether the state was lost, and with it the settings and the evidence that the slots are the newest.
        package let isStateLost: Bool
        /// Where the damaged file was kept.
        package let copy: String

        /// Notes a repair.
        package init(kept: Int, removed: Int, isStateLost: Bool, copy: String) {
            self.kept = kept
            self.removed = removed
            self.isStateLost = isStateLost
            self.copy = copy
        }
    }

    package var problems: [Problem] = []
    /// Whether this machine's rollback record does not admit the vault.
    package var isRefused = false
    package var warnings: [Warning] = []
    /// The key slots; nil before the header was read.
    package private(set) var slots: SlotReport?
    /// The command that a person should run next, without the program's name; nil for none.
    package private(set) var next: String?
    /// Whether the secrets were read.
    package private(set) var isRead = false
    /// How many secrets were read in whole.
    package private(set) var soundItems = 0
    /// How many earlier values and removed secrets were read in whole.
    package private(set) var soundEarlier = 0
    package var repair: Repair?
    /// What a finger can do; nil if the vault did not open.
    package var finger: FingerState?

    /// Begins a diagnosis.
    package init() {}

    /// Whether every answer that the vault can give is right.
    package var isSound: Bool { problems.isEmpty }

    /// Whether the keys are intact, so that sound items can be kept.
    package var canBeRepaired: Bool {
        // Only the owner's word helps where everything is intact but older: missing links can hide a fork.
        problems.contains {
            $0.failure.remedy == .repair || ($0.failure.isOfLinks && !isRefused)
        }
            && problems.allSatisfy { $0.failure.remedy != .restore || $0.failure.isOfFiles }
    }

    /// Takes over what a check found.
    package mutating func add(_ report: VaultReport) {
        isRead = true
        soundItems = report.soundItems
        soundEarlier = report.soundEarlier
        problems += report.problems.map { Problem($0) }
        if let chunks = report.orphanedChunks, chunks > 0 {
            warn(
                .secrets, "orphaned_chunks",
                "\(counted(chunks, "chunk")) of content without a file: of a transfer that goes on or did not end, and removed after a day"
            )
        }
    }

    /// Looks at the files, before anything is opened.
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

    /// Looks at the key slots and at what the machine offers.
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
        // A lost passphrase or file costs more than a low cost of the derivation.
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

    /// The command for a vault of which this machine has made no backup.
    package static let backupCommand = "backup FILE"

    private mutating func warn(_ part: Part, _ code: String, _ message: String) {
        warnings.append(Warning(part: part, code: code, message: message))
    }
}

extension Problem {
    /// The part that it is in.
    package var part: Diagnosis.Part {
        switch failure {
        case .rolledBack, .forked, .otherVault, .rollbackRecordDamaged, .backupKeyChanged: .record
        case .slotKey, .slotPair, .slotProof, .slotBox, .wrappedKeySeal, .backupKey, .stateMissing,
            .stateLength, .stateFormat, .stateSeal, .stateContent, .linkMissing, .linkDamaged:
            .keys
        default: .secrets
        }
    }
}

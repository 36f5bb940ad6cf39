internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultAgent
internal import VaultCore
internal import Platform

/// Something that is wrong with a vault.
struct Problem {
    let failure: FormatFailure
    /// The secret that it is in, where its name could be read.
    let item: SecretName?
    /// The bucket that it is in, where there is one.
    let bucket: Int?

    /// A problem of the whole.
    init(_ failure: FormatFailure) {
        self.failure = failure
        item = nil
        bucket = nil
    }

    /// A problem that a check found.
    init(_ problem: VaultReport.Problem) {
        failure = problem.failure
        item = problem.item
        bucket = problem.bucket
    }
}

/// Everything that `doctor` found out.
struct Diagnosis {
    /// A part of the vault that was checked.
    enum Part: String, CaseIterable {
        case file
        case keys = "keys and state"
        case memory
        case record = "rollback record"
        case secrets
    }

    /// Something that is not wrong and could be better.
    struct Warning {
        let part: Part
        let code: String
        let message: String
    }

    /// The result of a repair.
    struct Repair {
        let kept: Int
        let removed: Int
        /// Whether the state was lost, and with it the settings and the evidence that the slots are the newest.
        let isStateLost: Bool
        /// Where the damaged file was kept.
        let copy: String
    }

    var problems: [Problem] = []
    /// Whether this machine's rollback record does not admit the vault.
    var isRefused = false
    var warnings: [Warning] = []
    /// The key slots; nil before the header was read.
    private(set) var slots: SlotReport?
    /// The command that a person should run next, without the program's name; nil for none.
    private(set) var next: String?
    /// Whether the secrets were read.
    private var isRead = false
    /// How many secrets were read in whole.
    private(set) var soundItems = 0
    /// How many earlier values and removed secrets were read in whole.
    private(set) var soundEarlier = 0
    var repair: Repair?
    /// What a finger can do; nil if the vault did not open.
    var finger: FingerState?

    /// Whether every answer that the vault can give is right.
    var isSound: Bool { problems.isEmpty }

    /// Whether the keys are intact, so that sound items can be kept.
    var canBeRepaired: Bool {
        // Only the owner's word helps where everything is intact but older: missing links can hide a fork.
        problems.contains {
            $0.failure.remedy == .repair || ($0.failure.isOfLinks && !isRefused)
        }
            && problems.allSatisfy { $0.failure.remedy != .restore || $0.failure.isOfFiles }
    }

    /// Takes over what a check found.
    mutating func add(_ report: VaultReport) {
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
    mutating func noteFiles(of context: CommandContext) {
        guard (try? context.vault.source())?.isFile == true else { return }
        let file = context.folders.file
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
    mutating func noteMachine(
        _ vaultID: [UInt8], _ slots: [KeySlotDescription], _ context: CommandContext
    ) {
        let report = SlotReport(slots, of: vaultID, context.folders)
        self.slots = report
        let standard = KeyDerivationCost.standard
        if slots.contains(where: { $0.kind == .passphrase && $0.cost.isLower(than: standard) }) {
            let change =
                "passphrase change --kdf-memory \(standard.memoryKiB / 1_024) --kdf-passes \(standard.passes)"
            next = change
            warn(
                .keys, "kdf_below_standard",
                "the key derivation cost is below the current default: \(context.folders.command(change))"
            )
        }
        // A lost passphrase or file costs more than a low cost of the derivation.
        if BackupKeys(context.folders).hasKey(of: vaultID) == false {
            next = DiagnosisReport.backup
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

    private mutating func warn(_ part: Part, _ code: String, _ message: String) {
        warnings.append(Warning(part: part, code: code, message: message))
    }

    /// What was found out about a part, in one line.
    func summary(of part: Part) -> String {
        let problems = problems.count { $0.part == part }
        let warnings = warnings.count { $0.part == part }
        var parts: [String] = []
        if part == .keys { parts = slots?.slots.map(\.title) ?? [] }
        if part == .secrets, isRead {
            parts.append("\(soundItems) checked")
            if soundEarlier > 0 { parts.append(counted(soundEarlier, "earlier value")) }
        }
        if problems > 0 { parts.append(counted(problems, "problem")) }
        if warnings > 0 { parts.append(counted(warnings, "warning")) }
        if parts.isEmpty { parts = [part == .secrets ? "not checked" : "ok"] }
        return TextWidth.pad(part.rawValue, to: 17) + parts.joined(separator: ", ")
    }
}

extension Problem {
    /// The part that it is in.
    fileprivate var part: Diagnosis.Part {
        switch failure {
        case .rolledBack, .forked, .otherVault, .rollbackRecordDamaged, .backupKeyChanged: .record
        case .slotKey, .slotPair, .slotProof, .slotBox, .wrappedKeySeal, .backupKey, .stateMissing,
            .stateLength, .stateFormat, .stateSeal, .stateContent, .linkMissing, .linkDamaged:
            .keys
        default: .secrets
        }
    }
}

/// Reports the findings of `doctor`: each problem, its secret and its remedy.
struct DiagnosisReport {
    /// The command for a vault of which this machine has made no backup.
    static let backup = "backup FILE"

    private let diagnosis: Diagnosis
    private let context: CommandContext

    /// Makes the report of a diagnosis.
    init(_ diagnosis: Diagnosis, _ context: CommandContext) {
        self.diagnosis = diagnosis
        self.context = context
    }

    /// Prints it.
    ///
    /// - Throws: A failure of damage where the vault is not sound.
    func print() throws {
        if context.console.isJSON {
            try printJSON()
        } else {
            try printSummary()
            try printProblems()
            try printRest()
        }
        guard let first = diagnosis.problems.first else { return }
        throw CommandFailure(
            .damaged, code: first.failure.rawValue,
            "the vault is not sound: " + counted(diagnosis.problems.count, "problem"),
            hint: remedy)
    }

    /// Prints a line for each problem.
    func printProblems() throws {
        try context.console.print { output in
            for problem in diagnosis.problems {
                try output.writeLine("problem: " + VisibleText.escape(line(problem)))
            }
        }
    }

    private func printSummary() throws {
        try context.console.print { output in
            for part in Diagnosis.Part.allCases {
                try output.writeLine(VisibleText.escape(diagnosis.summary(of: part)))
            }
            for line in diagnosis.slots?.lines ?? [] {
                try output.writeLine(VisibleText.escape(line))
            }
            if let finger = diagnosis.finger, let slots = diagnosis.slots {
                try output.writeLine(slots.line(of: finger))
            }
        }
    }

    private func printRest() throws {
        try context.console.print { output in
            for warning in diagnosis.warnings {
                try output.writeLine("warning: " + VisibleText.escape(warning.message))
            }
            if let repair = diagnosis.repair {
                try output.writeLine(
                    "repaired: kept \(counted(repair.kept, "secret")), removed \(repair.removed)")
                try output.writeLine(
                    "the damaged file is kept as \(VisibleText.escape(repair.copy))")
                if repair.isStateLost {
                    try output.writeLine(
                        "key slots and settings may be old: change the passphrase, then \(context.folders.command("rekey"))"
                    )
                }
            }
            // Of a vault that is not sound, the failure names the next step.
            if diagnosis.isSound {
                let command = diagnosis.next.map(context.folders.command) ?? "nothing"
                try output.writeLine("next: " + VisibleText.escape(command))
            }
        }
    }

    private func line(_ problem: Problem) -> String {
        var line = "\(problem.failure.rawValue): \(problem.failure.explanation)"
        if let item = problem.item {
            line += " (secret \(item.typed))"
        } else if let bucket = problem.bucket {
            line += " (bucket \(bucket))"
        }
        return line
    }

    /// What can be done about all of it.
    private var remedy: String {
        let restore = context.folders.command("restore --replace BACKUP")
        let remedies = diagnosis.problems.map(\.failure.remedy)
        if remedies.contains(.restore) { return restore + " restores a backup" }
        if remedies.contains(.repair) {
            return restore + " restores a backup; "
                + context.folders.command("doctor --repair")
                + " keeps the items that can be decrypted"
        }
        if remedies.contains(.acceptOther) {
            return "if this is expected, " + context.folders.command("doctor --accept-other")
        }
        guard diagnosis.problems.contains(where: \.failure.isOfLinks) else {
            return "if you restored the file on purpose, "
                + context.folders.command("doctor --accept-older")
        }
        guard diagnosis.isRefused else {
            return context.folders.command("doctor --repair") + " replaces the links"
        }
        return
            "it may be an older copy that was changed elsewhere: compare the other machines and the backups; "
            + context.folders.command("doctor --accept-older --repair") + " accepts this one"
    }

    private func printJSON() throws {
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("sound", diagnosis.isSound)
            try json.member("sound_items", diagnosis.soundItems)
            try json.member("sound_earlier", diagnosis.soundEarlier)
            try json.key("problems")
            try json.beginArray()
            for problem in diagnosis.problems { try json.object(problem) }
            try json.endArray()
            try json.key("warnings")
            try json.beginArray()
            for warning in diagnosis.warnings {
                try json.beginObject()
                try json.member("code", warning.code)
                try json.member("message", warning.message)
                try json.endObject()
            }
            try json.endArray()
            try json.member("slots", diagnosis.slots)
            try json.member("fingerprint", diagnosis.finger?.code)
            try json.member(
                "fingerprint_last_used",
                milliseconds: diagnosis.finger == nil ? nil : diagnosis.slots?.lastUseOfFinger)
            try json.key("repair")
            if let repair = diagnosis.repair {
                try json.beginObject()
                try json.member("kept", repair.kept)
                try json.member("removed", repair.removed)
                try json.member("copy", repair.copy)
                try json.key("state_lost")
                try json.boolean(repair.isStateLost)
                try json.endObject()
            } else {
                try json.null()
            }
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    fileprivate mutating func object(_ problem: Problem) throws {
        try beginObject()
        try member("code", problem.failure.rawValue)
        try member("message", problem.failure.explanation)
        try member("service", problem.item?.service)
        try member("account", problem.item?.account)
        try member("field", problem.item?.field)
        try member("bucket", problem.bucket)
        try endObject()
    }
}

internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// Something that is wrong with a vault.
struct Problem {
    let failure: FormatFailure
    /// The secret that it is in, where its name could be read.
    let item: SecretName?
    /// The bucket that it is in, where there is one.
    let bucket: UInt8?

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
    /// Something that is not wrong and could be better.
    struct Warning {
        let code: String
        let message: String
    }

    /// What a repair did.
    struct Repair {
        let kept: Int
        let removed: Int
        /// Whether the state was lost, and with it the settings and the proof that the slots are the newest.
        let isStateLost: Bool
        /// Where the damaged file was kept.
        let copy: String
    }

    var problems: [Problem] = []
    var warnings: [Warning] = []
    /// How many secrets were read in whole.
    private(set) var soundItems = 0
    var repair: Repair?

    /// Whether every answer that the vault can give is right.
    var isSound: Bool { problems.isEmpty }

    /// Whether the keys open, so that what is sound can be kept.
    var canBeRepaired: Bool {
        !isSound && problems.allSatisfy { $0.failure.remedy != .restore }
    }

    /// Takes over what a check found.
    mutating func add(_ report: VaultReport) {
        soundItems = report.soundItems
        problems += report.problems.map { Problem($0) }
    }

    /// Looks at the files, before anything is opened.
    mutating func noteFiles(of context: CommandContext) {
        guard (try? context.vaultSource())?.isFile == true else { return }
        let file = context.folders.file
        if let size = FileSystem.size(file + "-wal"), size > 0 {
            warn(
                "log_left_behind",
                "a log lies beside the vault: another process uses it, or one was killed; it is taken in when the vault is closed"
            )
        }
        if FileSystem.exists(file), !FileSystem.isWritable(file) {
            warn("read_only", "the vault file cannot be written")
        }
    }

    /// Looks at the key slots and at what the machine offers.
    mutating func noteMachine(_ slots: [KeySlotDescription], _ context: CommandContext) {
        let standard = KeyDerivationCost.standard
        if slots.contains(where: { $0.kind == .passphrase && $0.cost.isLower(than: standard) }) {
            let change = context.folders.command(
                "passphrase change --kdf-memory \(standard.memoryKiB / 1_024) --kdf-passes \(standard.passes)"
            )
            warn(
                "kdf_below_standard",
                "guessing the passphrase costs less than is usual today: \(change)")
        }
        if !slots.contains(where: { $0.kind == .recoveryCode }) {
            let make = context.folders.command("recovery show-new")
            warn(
                "no_recovery_code",
                "there is no recovery code, so a forgotten passphrase means lost secrets: \(make)")
        }
        if !MemoryLocking.isAvailable {
            warn(
                "memory_not_locked",
                "the system does not let this program keep memory out of swap: raise the limit, ulimit -l"
            )
        }
    }

    private mutating func warn(_ code: String, _ message: String) {
        warnings.append(Warning(code: code, message: message))
    }
}

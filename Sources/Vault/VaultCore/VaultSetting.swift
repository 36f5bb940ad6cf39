internal import SecureStorage

/// A setting of the vault, kept in the sealed state (`Docs/Format.md`, section 6).
///
/// A setting is a row of this table: the encoding, the checks, the commands and the documents follow from it.
public struct VaultSetting: Sendable {
    /// The kind of a value.
    public enum Kind: Sendable, Hashable {
        /// A time in seconds.
        case seconds
        /// A number, also of days.
        case number
        /// 0 for no, 1 for yes.
        case yesNo
        /// The place of a word in this list.
        case choice([String])
    }

    /// The values that relax protection or erase what is kept: a change in this direction requires verification.
    enum Relaxation: Sendable {
        case higher, lower
    }

    /// The number in the state and in the agent's protocol. It never gets another meaning.
    public let number: UInt8
    /// The name as it is typed.
    public let name: String
    /// The kind of its values.
    public let kind: Kind
    /// The value in a new vault, which never changes: the state lacks it.
    public let standard: UInt32
    /// The allowed values.
    public let range: ClosedRange<UInt32>
    /// The direction that requires verification; nil for a setting that protects nothing.
    let relaxation: Relaxation?
    /// The effect of the setting, beginning in lower case and without full stop.
    public let help: String

    private init(
        _ number: UInt8, _ name: String, _ kind: Kind, standard: UInt32,
        in range: ClosedRange<UInt32> = 0...1, relaxedBy relaxation: Relaxation?, _ help: String
    ) {
        self.number = number
        self.name = name
        self.kind = kind
        self.standard = standard
        self.range = range
        self.relaxation = relaxation
        self.help = help
    }

    /// A choice among words, the first of which is that of a new vault.
    private init(_ number: UInt8, _ name: String, _ words: [String], _ help: String) {
        self.init(
            number, name, .choice(words), standard: 0, in: 0...UInt32(words.count - 1),
            relaxedBy: nil, help)
    }

    /// All settings, in the order of `Docs/CommandLine.md`. Their numbers have another order.
    public static let all = [
        verificationWindow, idleLimit, absoluteLimit, requireLockedMemory, requireRollbackRecord,
        verifyWithFingerprint, earlierValues, earlierDays, removedDays, theme, language,
    ]

    /// How long verification lasts after its last use.
    public static let verificationWindow = VaultSetting(
        1, "verification-window", .seconds, standard: 120, in: 1...86_400, relaxedBy: .higher,
        "protected secrets can be read for this time after a verification or a use")
    /// How long an idle session stays unlocked.
    public static let idleLimit = VaultSetting(
        2, "idle-limit", .seconds, standard: 900, in: 1...86_400, relaxedBy: .higher,
        "the vault locks after this time without use")
    /// The longest duration of an unlocked session.
    public static let absoluteLimit = VaultSetting(
        3, "absolute-limit", .seconds, standard: 43_200, in: 1...86_400, relaxedBy: .higher,
        "the vault locks after this time in any case")
    /// Whether to refuse a session if memory cannot be locked.
    public static let requireLockedMemory = VaultSetting(
        4, "require-locked-memory", .yesNo, standard: 0, relaxedBy: .lower,
        "refuse to unlock if the system cannot keep keys out of swap")
    /// Whether to refuse a session if this machine cannot keep a rollback record.
    public static let requireRollbackRecord = VaultSetting(
        5, "require-rollback-record", .yesNo, standard: 0, relaxedBy: .lower,
        "refuse to unlock if this machine cannot keep a rollback record")
    /// The number of earlier values that stay of each secret.
    public static let earlierValues = VaultSetting(
        6, "earlier-values", .number, standard: UInt32(EarlierRetention.standard.values),
        in: 0...100, relaxedBy: .lower,
        "the number of earlier values that are kept of each secret and protected task")
    /// How long each of them stays, in days.
    public static let earlierDays = VaultSetting(
        7, "earlier-days", .number, standard: UInt32(EarlierRetention.standard.days),
        in: 1...3_650, relaxedBy: .lower, "an earlier value is kept for this number of days")
    /// How long removed secrets stay with their earlier values, in days.
    public static let removedDays = VaultSetting(
        8, "removed-days", .number, standard: UInt32(EarlierRetention.standard.removedDays),
        in: 0...3_650, relaxedBy: .lower,
        "secrets and files can be restored for this number of days, and are erased then")
    /// Whether a finger on the reader verifies the owner again while the vault is unlocked.
    public static let verifyWithFingerprint = VaultSetting(
        9, "verify-with-fingerprint", .yesNo, standard: 0, relaxedBy: .higher,
        "a finger on the reader verifies the owner while the vault is unlocked")
    /// The colours of the page.
    public static let theme = VaultSetting(
        10, "theme", ["system", "light", "dark"],
        "the colours of the page in the browser")
    /// The language of the page.
    public static let language = VaultSetting(
        11, "language", ["browser", "en", "uk"],
        "the language of the page in the browser")
}

extension VaultSetting: Hashable {
    /// Whether both are the same setting.
    public static func == (left: VaultSetting, right: VaultSetting) -> Bool {
        left.number == right.number
    }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The setting with this number; nil if there is none.
    public init?(number: UInt8) {
        guard let setting = Self.all.first(where: { $0.number == number }) else { return nil }
        self = setting
    }
}

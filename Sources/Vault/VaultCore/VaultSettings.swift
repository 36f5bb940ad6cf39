public import SecureStorage

/// The settings stored in the sealed state (`Docs/Format.md`, section 6).
public struct VaultSettings: Sendable, Hashable {
    /// The allowed range of every limit, in seconds: one second to a day.
    public static let limitRange: ClosedRange<UInt32> = 1...86_400

    /// How long verification lasts after its last use, in seconds.
    public var verificationWindow: UInt32
    /// How long an idle session stays unlocked, in seconds.
    public var idleLimit: UInt32
    /// The longest duration of an unlocked session, in seconds.
    public var absoluteLimit: UInt32
    /// Whether to refuse a session if memory cannot be locked.
    public var requiresLockedMemory: Bool
    /// Whether to refuse a session if this machine cannot keep a rollback record.
    public var requiresRollbackRecord: Bool
    /// The number of earlier values that stay of each secret, 0 to 100.
    public var earlierValues = UInt32(EarlierRetention.standard.values)
    /// How long each of them stays, in days, 1 to 3,650.
    public var earlierDays = UInt32(EarlierRetention.standard.days)
    /// How long removed secrets stay with their earlier values, in days, 0 to 3,650.
    public var removedDays = UInt32(EarlierRetention.standard.removedDays)

    /// Whether a finger on the reader verifies the owner again while the vault is unlocked.
    public var verifiesWithFingerprint = false

    /// The settings of a new vault: 2 minutes, 15 minutes, 12 hours, neither required, no finger, ``EarlierRetention/standard``.
    public static let standard = VaultSettings(
        verificationWindow: 120, idleLimit: 900, absoluteLimit: 43_200, requiresLockedMemory: false)

    /// Creates settings.
    public init(
        verificationWindow: UInt32, idleLimit: UInt32, absoluteLimit: UInt32,
        requiresLockedMemory: Bool, requiresRollbackRecord: Bool = false
    ) {
        self.verificationWindow = verificationWindow
        self.idleLimit = idleLimit
        self.absoluteLimit = absoluteLimit
        self.requiresLockedMemory = requiresLockedMemory
        self.requiresRollbackRecord = requiresRollbackRecord
    }

    /// Whether these settings permit anything that `other` does not, or erase what it keeps.
    func isWider(than other: VaultSettings) -> Bool {
        earlierValues < other.earlierValues || earlierDays < other.earlierDays
            || removedDays < other.removedDays || verificationWindow > other.verificationWindow
            || idleLimit > other.idleLimit
            || absoluteLimit > other.absoluteLimit
            || (other.requiresLockedMemory && !requiresLockedMemory)
            || (other.requiresRollbackRecord && !requiresRollbackRecord)
            || (verifiesWithFingerprint && !other.verifiesWithFingerprint)
    }

    /// Whether every number is in range.
    public var areAcceptable: Bool {
        [verificationWindow, idleLimit, absoluteLimit].allSatisfy(Self.limitRange.contains)
            && earlierValues <= 100 && (1...3_650).contains(earlierDays) && removedDays <= 3_650
    }

    /// How long earlier versions of secrets stay.
    public var retention: EarlierRetention {
        EarlierRetention(
            values: Int(earlierValues), days: Int(earlierDays), removedDays: Int(removedDays))
    }
}

/// One of the settings, with its number in the agent's protocol.
public enum VaultSetting: UInt8, Sendable, Hashable, CaseIterable {
    /// ``VaultSettings/verificationWindow``.
    case verificationWindow = 1
    /// ``VaultSettings/idleLimit``.
    case idleLimit = 2
    /// ``VaultSettings/absoluteLimit``.
    case absoluteLimit = 3
    /// ``VaultSettings/requiresLockedMemory``, 0 or 1.
    case requiresLockedMemory = 4
    /// ``VaultSettings/requiresRollbackRecord``, 0 or 1.
    case requiresRollbackRecord = 5
    /// ``VaultSettings/earlierValues``.
    case earlierValues = 6
    /// ``VaultSettings/earlierDays``.
    case earlierDays = 7
    /// ``VaultSettings/removedDays``.
    case removedDays = 8
    /// ``VaultSettings/verifiesWithFingerprint``, 0 or 1.
    case verifiesWithFingerprint = 9

    /// Whether the number is 0 or 1.
    package var isFlag: Bool {
        [.requiresLockedMemory, .requiresRollbackRecord, .verifiesWithFingerprint].contains(self)
    }
}

extension VaultSettings {
    /// The number of a setting: seconds, days, a number of values, or a flag; any number except 0 means yes.
    public subscript(setting: VaultSetting) -> UInt32 {
        get {
            switch setting {
            case .verificationWindow: verificationWindow
            case .idleLimit: idleLimit
            case .absoluteLimit: absoluteLimit
            case .requiresLockedMemory: requiresLockedMemory ? 1 : 0
            case .requiresRollbackRecord: requiresRollbackRecord ? 1 : 0
            case .earlierValues: earlierValues
            case .earlierDays: earlierDays
            case .removedDays: removedDays
            case .verifiesWithFingerprint: verifiesWithFingerprint ? 1 : 0
            }
        }
        set {
            switch setting {
            case .verificationWindow: verificationWindow = newValue
            case .idleLimit: idleLimit = newValue
            case .absoluteLimit: absoluteLimit = newValue
            case .requiresLockedMemory: requiresLockedMemory = newValue != 0
            case .requiresRollbackRecord: requiresRollbackRecord = newValue != 0
            case .earlierValues: earlierValues = newValue
            case .earlierDays: earlierDays = newValue
            case .removedDays: removedDays = newValue
            case .verifiesWithFingerprint: verifiesWithFingerprint = newValue != 0
            }
        }
    }
}

/// The security settings that the sealed state carries (`Docs/Format.md`, section 6).
public struct VaultSettings: Sendable, Hashable {
    /// What every limit lies in, in seconds: one second to a day.
    public static let limitRange: ClosedRange<UInt32> = 1...86_400

    /// How long after its last use verification lasts, in seconds.
    public var verificationWindow: UInt32
    /// How long an unlocked session lasts without use, in seconds.
    public var idleLimit: UInt32
    /// How long an unlocked session lasts at most, in seconds.
    public var absoluteLimit: UInt32
    /// Whether a session is refused where memory cannot be locked.
    public var requiresLockedMemory: Bool

    /// What a new vault has: 2 minutes, 15 minutes, 12 hours, not required.
    public static let standard = VaultSettings(
        verificationWindow: 120, idleLimit: 900, absoluteLimit: 43_200, requiresLockedMemory: false)

    /// Makes settings.
    public init(
        verificationWindow: UInt32, idleLimit: UInt32, absoluteLimit: UInt32,
        requiresLockedMemory: Bool
    ) {
        self.verificationWindow = verificationWindow
        self.idleLimit = idleLimit
        self.absoluteLimit = absoluteLimit
        self.requiresLockedMemory = requiresLockedMemory
    }

    /// Whether a session under these settings may do anything that one under `other` may not.
    func isWider(than other: VaultSettings) -> Bool {
        verificationWindow > other.verificationWindow || idleLimit > other.idleLimit
            || absoluteLimit > other.absoluteLimit
            || (other.requiresLockedMemory && !requiresLockedMemory)
    }

    /// Whether every limit is in the range.
    public var areAcceptable: Bool {
        [verificationWindow, idleLimit, absoluteLimit].allSatisfy(Self.limitRange.contains)
    }
}

/// One of the settings, by the number that the agent's protocol gives it.
public enum VaultSetting: UInt8, Sendable, Hashable, CaseIterable {
    /// ``VaultSettings/verificationWindow``.
    case verificationWindow = 1
    /// ``VaultSettings/idleLimit``.
    case idleLimit = 2
    /// ``VaultSettings/absoluteLimit``.
    case absoluteLimit = 3
    /// ``VaultSettings/requiresLockedMemory``, 0 or 1.
    case requiresLockedMemory = 4
}

extension VaultSettings {
    /// The number of a setting: seconds, or 0 and 1; anything but 0 means yes.
    public subscript(setting: VaultSetting) -> UInt32 {
        get {
            switch setting {
            case .verificationWindow: verificationWindow
            case .idleLimit: idleLimit
            case .absoluteLimit: absoluteLimit
            case .requiresLockedMemory: requiresLockedMemory ? 1 : 0
            }
        }
        set {
            switch setting {
            case .verificationWindow: verificationWindow = newValue
            case .idleLimit: idleLimit = newValue
            case .absoluteLimit: absoluteLimit = newValue
            case .requiresLockedMemory: requiresLockedMemory = newValue != 0
            }
        }
    }
}

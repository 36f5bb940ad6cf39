/// The security settings stored in the sealed state (`Docs/Format.md`, section 6).
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

    /// The settings of a new vault: 2 minutes, 15 minutes, 12 hours, not required.
    public static let standard = VaultSettings(
        verificationWindow: 120, idleLimit: 900, absoluteLimit: 43_200, requiresLockedMemory: false)

    /// Creates settings.
    public init(
        verificationWindow: UInt32, idleLimit: UInt32, absoluteLimit: UInt32,
        requiresLockedMemory: Bool
    ) {
        self.verificationWindow = verificationWindow
        self.idleLimit = idleLimit
        self.absoluteLimit = absoluteLimit
        self.requiresLockedMemory = requiresLockedMemory
    }

    /// Whether these settings permit anything that `other` does not.
    func isWider(than other: VaultSettings) -> Bool {
        verificationWindow > other.verificationWindow || idleLimit > other.idleLimit
            || absoluteLimit > other.absoluteLimit
            || (other.requiresLockedMemory && !requiresLockedMemory)
    }

    /// Whether every limit is in range.
    public var areAcceptable: Bool {
        [verificationWindow, idleLimit, absoluteLimit].allSatisfy(Self.limitRange.contains)
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
}

extension VaultSettings {
    /// The number of a setting: seconds, or a flag; any number except 0 means yes.
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

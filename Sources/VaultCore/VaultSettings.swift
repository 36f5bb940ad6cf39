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

    /// Whether every limit is in the range.
    public var areAcceptable: Bool {
        [verificationWindow, idleLimit, absoluteLimit].allSatisfy(Self.limitRange.contains)
    }
}

internal import VaultCore

/// The times of a session's start and uses, and the limits that follow. Times are those of a ``SessionClock``.
struct SessionLimits: Sendable, Hashable {
    /// The longest time until the owner is verified again, unless the window is longer, regardless
    /// of uses of protected secrets.
    static let longestVerification: Duration = .seconds(600)

    /// The time of the unlock.
    private let unlocked: Duration
    /// The time of the last verification.
    private var proved: Duration
    /// The time of the last use of the session.
    private var used: Duration
    /// The time of the last use of a protected secret, or of the last verification.
    private var usedProtected: Duration

    /// A session that begins now, verified.
    init(unlocked now: Duration) {
        unlocked = now
        proved = now
        used = now
        usedProtected = now
    }

    /// Records a successful use.
    mutating func use(isProtected: Bool, at now: Duration) {
        used = max(used, now)
        if isProtected { usedProtected = max(usedProtected, now) }
    }

    /// Records a verification.
    mutating func prove(at now: Duration) {
        proved = now
        use(isProtected: true, at: now)
    }

    /// The end of verification without use of a protected secret.
    func verificationEnd(_ limits: VaultSettings) -> Duration {
        let window = Duration.seconds(Int64(limits[.verificationWindow]))
        return min(usedProtected + window, proved + max(Self.longestVerification, window))
    }

    /// The end of the session without use.
    func idleEnd(_ limits: VaultSettings) -> Duration {
        used + .seconds(Int64(limits[.idleLimit]))
    }

    /// The latest end of the session.
    func absoluteEnd(_ limits: VaultSettings) -> Duration {
        unlocked + .seconds(Int64(limits[.absoluteLimit]))
    }

    /// The end of the session without use, by the first limit that applies.
    func end(_ limits: VaultSettings) -> Duration {
        min(idleEnd(limits), absoluteEnd(limits))
    }
}

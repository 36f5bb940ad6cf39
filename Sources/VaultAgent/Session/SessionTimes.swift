internal import VaultCore

/// When a session began and was used, and what its limits make of that. Times are those of a ``SessionClock``.
struct SessionTimes: Sendable, Hashable {
    /// However often protected secrets are used, the owner is asked again after this time, or after a window that is longer.
    static let longestVerification: Duration = .seconds(600)

    /// When the vault was unlocked.
    private let unlocked: Duration
    /// When the owner was proved last.
    private var proved: Duration
    /// When the session was used last.
    private var used: Duration
    /// When a protected secret was used last, or the owner proved.
    private var usedProtected: Duration

    /// A session that begins now, with a proof.
    init(unlocked now: Duration) {
        unlocked = now
        proved = now
        used = now
        usedProtected = now
    }

    /// Notes a successful use.
    mutating func use(isProtected: Bool, at now: Duration) {
        used = max(used, now)
        if isProtected { usedProtected = max(usedProtected, now) }
    }

    /// Notes a proof of the owner.
    mutating func prove(at now: Duration) {
        proved = now
        use(isProtected: true, at: now)
    }

    /// When verification ends if nothing protected is used.
    func verificationEnd(_ limits: VaultSettings) -> Duration {
        let window = Duration.seconds(Int64(limits.verificationWindow))
        return min(usedProtected + window, proved + max(Self.longestVerification, window))
    }

    /// When the session ends if nothing is used.
    func idleEnd(_ limits: VaultSettings) -> Duration {
        used + .seconds(Int64(limits.idleLimit))
    }

    /// When the session ends at the latest.
    func absoluteEnd(_ limits: VaultSettings) -> Duration {
        unlocked + .seconds(Int64(limits.absoluteLimit))
    }

    /// When the session ends if nothing is used, by whichever limit.
    func end(_ limits: VaultSettings) -> Duration {
        min(idleEnd(limits), absoluteEnd(limits))
    }
}

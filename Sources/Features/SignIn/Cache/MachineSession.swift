public import TextCoding

/// The session of this machine at a server, without the tokens.
public struct MachineSession: Sendable, Hashable {
    /// The account of the session, which may have ended.
    public var account: AccountName
    /// Whether there is a refresh token.
    public var hasRefreshToken = false
    /// When the access token expires; nil if there is none, or if the server did not say.
    public var accessExpires: PointInTime?
    /// Whether the person signed out here. Then only a requested sign-in signs in again.
    public var isSignedOut = false
    /// The server's name of the session, also after its end; nil if it has none.
    public var serverSession: String?
    /// The time of the last success.
    public var lastSuccess: PointInTime?
    /// The latest time that was seen since.
    public var latestTime: PointInTime?
    /// By how many seconds this machine's clock was ahead of the server's when tokens were granted; nil if unknown.
    public var clockDifference: Int64?

    /// Tells whether the person counts as signed in while the server is unreachable.
    public func offline(limit: Duration, at now: PointInTime) -> OfflineAllowance {
        OfflineAllowance(
            lastSuccess: lastSuccess, latestTime: latestTime, limit: limit, at: now)
    }
}

/// Whether a person counts as signed in while the server is unreachable: for a limited time after the last success.
public enum OfflineAllowance: Sendable, Hashable {
    /// Signed in until then.
    case until(PointInTime)
    /// The server never accepted this account on this machine.
    case never
    /// The time is over.
    case over
    /// The clock shows an earlier time than before, so the time left is unknown.
    case clockSetBack

    /// How far a clock may go back, for example when the network corrects it.
    static let tolerance: Duration = .seconds(60)

    /// Decides.
    ///
    /// - Parameters:
    ///   - lastSuccess: The time of the last success.
    ///   - latestTime: The latest time that was seen since.
    ///   - limit: How long the allowance lasts.
    ///   - now: The time.
    public init(
        lastSuccess: PointInTime?, latestTime: PointInTime?, limit: Duration, at now: PointInTime
    ) {
        guard let lastSuccess else {
            self = .never
            return
        }
        let latest = max(lastSuccess, latestTime ?? lastSuccess)
        guard latest <= now.advanced(by: Self.tolerance) else {
            self = .clockSetBack
            return
        }
        let end = lastSuccess.advanced(by: limit)
        self = max(now, latest) < end ? .until(end) : .over
    }
}

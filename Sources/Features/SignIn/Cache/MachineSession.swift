public import TextCoding

/// The session of this machine at a server, without the tokens.
public struct MachineSession: Sendable, Hashable {
    /// The account of the session. The session itself may have ended.
    public var account: AccountName
    /// Whether a refresh token is stored.
    public var hasRefreshToken = false
    /// The expiry of the access token; nil if there is no token, or if the server gave no lifetime.
    public var accessExpires: PointInTime?
    /// Whether the user signed out on this machine. Then only a sign-in by the user starts a new
    /// session.
    public var isSignedOut = false
    /// The server's id of the session, kept after its end; nil if the server gave none.
    public var serverSession: String?
    /// The time of the last successful sign-in or refresh.
    public var lastSuccess: PointInTime?
    /// The latest time seen since the last success.
    public var latestTime: PointInTime?
    /// This machine's clock minus the server's clock when tokens were granted, in seconds; nil if
    /// unknown.
    public var clockDifference: Int64?

    /// Whether the user counts as signed in while the server is unreachable.
    public func offline(limit: Duration, at now: PointInTime) -> OfflineAllowance {
        OfflineAllowance(
            lastSuccess: lastSuccess, latestTime: latestTime, limit: limit, at: now)
    }
}

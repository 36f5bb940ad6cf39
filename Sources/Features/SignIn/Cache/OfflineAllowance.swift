public import TextCoding

/// The time for which a user counts as signed in without the server, after the last success.
public enum OfflineAllowance: Sendable, Hashable {
    /// The user counts as signed in until this time.
    case until(PointInTime)
    /// The server never accepted this account on this machine.
    case never
    /// The time has run out.
    case over
    /// The clock was set back, so the remaining time is unknown.
    case clockSetBack

    /// The tolerated step back of a clock, for example by NTP.
    static let tolerance: Duration = .seconds(60)

    /// Computes the allowance.
    ///
    /// - Parameters:
    ///   - lastSuccess: The time of the last success.
    ///   - latestTime: The latest time seen since the last success.
    ///   - limit: The duration of the allowance.
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

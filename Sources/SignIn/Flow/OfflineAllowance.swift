public import TextCoding

/// Whether somebody counts as signed in while the server cannot be asked: for a limited time after the last success.
public enum OfflineAllowance: Sendable, Hashable {
    /// Yes, until then.
    case until(PointInTime)
    /// The server never accepted this account on this machine.
    case never
    /// The time is over.
    case over
    /// The clock shows an earlier time than it did before, so nobody can say how much time is left.
    case clockSetBack

    /// How far a clock may go back, as one that is corrected by the network does.
    static let tolerance: Duration = .seconds(60)

    /// Decides.
    ///
    /// - Parameters:
    ///   - lastSuccess: When the server accepted the account at last.
    ///   - latestTime: The latest time that was seen since.
    ///   - limit: How long it is allowed.
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

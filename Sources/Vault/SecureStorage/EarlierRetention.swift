/// How long earlier versions stay (`Docs/Format.md`, section 5).
public struct EarlierRetention: Sendable, Hashable {
    /// The number of earlier values of each secret; 0 keeps none.
    public var values: Int
    /// How long each earlier value stays, in days.
    public var days: Int
    /// How long a removed secret stays with its earlier values, in days; 0 removes it at once.
    public var removedDays: Int

    /// Ten values for 90 days, and removed secrets for 30 days.
    public static let standard = EarlierRetention(values: 10, days: 90, removedDays: 30)

    /// Creates a rule.
    public init(values: Int, days: Int, removedDays: Int) {
        self.values = values
        self.days = days
        self.removedDays = removedDays
    }

    /// When a version became an earlier one, and whether the secret was removed then.
    package typealias Move = (time: Int64, isRemoval: Bool)

    /// Decides which earlier versions of one secret stay.
    ///
    /// - Parameters:
    ///   - moves: All earlier versions, the newest revision first.
    ///   - now: The time, in milliseconds since 1970-01-01 UTC; nil if no version is too old.
    /// - Returns: For each version, whether it stays.
    package func stays(_ moves: [Move], now: Int64?) -> [Bool] {
        if let removal = moves.first(where: \.isRemoval) {
            let isKept = Self.isYounger(removal.time, than: removedDays, now)
            return moves.map { _ in isKept }
        }
        return moves.enumerated().map { number, move in
            number < values && Self.isYounger(move.time, than: days, now)
        }
    }

    private static func isYounger(_ time: Int64, than days: Int, _ now: Int64?) -> Bool {
        guard days > 0 else { return false }
        guard let now else { return true }
        // A time after `now` comes from another machine's clock.
        let (age, isTooLarge) = now.subtractingReportingOverflow(time)
        return isTooLarge ? time > now : age < Int64(days) * 86_400_000
    }
}

/// An earlier version of a secret, without its value: from before its value was replaced, or before it was removed.
public struct EarlierSecret: Sendable, Hashable {
    /// The id of the secret, 16 bytes. It stays when the secret is renamed, removed or restored.
    public let id: [UInt8]
    /// The description at that time.
    public let item: SecretItem
    /// The time of the replacement or removal, in milliseconds since 1970-01-01 UTC. Informational only.
    public let moved: Int64

    /// Creates a description; for store implementations.
    public init(id: [UInt8], item: SecretItem, moved: Int64) {
        self.id = id
        self.item = item
        self.moved = moved
    }
}

extension EarlierSecret {
    /// The order of removed secrets: the last removed one first.
    package static func isRemovedLater(_ left: EarlierSecret, _ right: EarlierSecret) -> Bool {
        guard left.moved == right.moved else { return left.moved > right.moved }
        return left.item.name == right.item.name
            ? right.id.lexicographicallyPrecedes(left.id) : left.item.name < right.item.name
    }
}

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
    ///   - now: The time, in milliseconds since 1970-01-01 UTC.
    /// - Returns: For each version, whether it stays.
    package func stays(_ moves: [Move], now: Int64) -> [Bool] {
        if let removal = moves.first(where: \.isRemoval) {
            let isKept = Self.isYounger(removal.time, than: removedDays, now)
            return moves.map { _ in isKept }
        }
        return moves.enumerated().map { number, move in
            number < values && Self.isYounger(move.time, than: days, now)
        }
    }

    private static func isYounger(_ time: Int64, than days: Int, _ now: Int64) -> Bool {
        // A time after `now` comes from another machine's clock.
        let (age, isTooLarge) = now.subtractingReportingOverflow(time)
        return isTooLarge ? time > now : age < Int64(days) * 86_400_000
    }
}

extension SecretName {
    /// The service of the text of protected tasks.
    package static let taskService = reservedPrefix + "task"

    /// The service of files.
    package static let fileService = reservedPrefix + "file"

    /// The service of the senders of messages, with their keys.
    package static let inboxService = reservedPrefix + "inbox"

    /// The service of the tokens of an inbox.
    package static let inboxTokenService = reservedPrefix + "inbox-token"

    /// The service of messages.
    package static let messageService = reservedPrefix + "message"

    /// The service of the keys and heads of the logs of reads.
    package static let readsService = reservedPrefix + "log"

    /// Whether the secret belongs to the inbox. Messages arrive at any time, which must not keep a vault unlocked.
    package var isInboxItem: Bool {
        [Self.inboxService, Self.inboxTokenService, Self.messageService].contains {
            service.hasSameBytes(as: $0)
        }
    }

    /// Whether a store keeps earlier values and the removed secret. Old passwords and tokens of the sign-in are useless.
    package var keepsEarlier: Bool {
        !isReserved || service.hasSameBytes(as: Self.taskService)
            || service.hasSameBytes(as: Self.fileService)
    }
}

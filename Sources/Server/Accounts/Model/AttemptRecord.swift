public import TextCoding

/// The subject of counted guesses: a keyed hash of a name, a known device, or an account; see ``PseudonymKey``. The typed name is not stored.
public struct AttemptKey: Sendable, Hashable {
    /// The size in bytes.
    public static let size = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Reads a key as it is stored; nil for another size.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }
}

/// A wrong password, or one in verification.
public struct Guess: Sendable, Hashable {
    /// The keyed hash of the network.
    public let origin: UInt64
    /// The time of the attempt.
    public let time: PointInTime

    /// Makes a guess.
    public init(origin: UInt64, time: PointInTime) {
        self.origin = origin
        self.time = time
    }
}

/// The guesses of one key.
public struct AttemptRecord: Sendable, Hashable {
    /// The key.
    public let key: AttemptKey
    /// The guesses in the order of their times.
    public let guesses: [Guess]
    /// The end of its effect; the record can then be removed.
    public let expires: PointInTime

    /// Makes a record.
    public init(key: AttemptKey, guesses: [Guess], expires: PointInTime) {
        self.key = key
        self.guesses = guesses
        self.expires = expires
    }
}

/// For a database: 8 bytes of origin and 8 bytes of time for each guess, big-endian.
extension AttemptRecord {
    private static let guessSize = 16

    /// The stored guesses.
    public var storedGuesses: [UInt8] {
        guesses.flatMap { guess in
            [guess.origin, UInt64(bitPattern: guess.time.milliseconds)].flatMap { number in
                (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
            }
        }
    }

    /// Reads guesses; nil for another size.
    public static func guesses(stored bytes: [UInt8]) -> [Guess]? {
        guard bytes.count.isMultiple(of: guessSize) else { return nil }
        return stride(from: 0, to: bytes.count, by: guessSize).map { start in
            func number(_ start: Int) -> UInt64 {
                bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            }
            return Guess(
                origin: number(start),
                time: PointInTime(milliseconds: Int64(bitPattern: number(start + 8))))
        }
    }
}

/// A device that signed in to an account before, identified by a token. Its sign-ins have a separate counter, so a stranger cannot lock its owner out.
public struct KnownDevice: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// The account.
    public let account: AccountID
    /// The time of the last sign-in.
    public let last: PointInTime
    /// Whether the device sent its token again. A client that never does must not displace the devices of others.
    public let isConfirmed: Bool

    /// Makes a record.
    public init(hash: TokenHash, account: AccountID, last: PointInTime, isConfirmed: Bool) {
        self.hash = hash
        self.account = account
        self.last = last
        self.isConfirmed = isConfirmed
    }
}

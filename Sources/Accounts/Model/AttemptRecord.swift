public import TextCoding

/// Whose attempts to sign in are counted: a hash of a name or an address, or of both, so that what somebody typed is not stored.
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

/// What is remembered of attempts that failed.
public struct AttemptRecord: Sendable, Hashable {
    /// Whose they are.
    public let key: AttemptKey
    /// How many failed since the last success.
    public var failures: Int64
    /// From when on the next one is allowed.
    public var next: PointInTime
    /// When the last one was; from a time after that on nothing needs to be remembered.
    public var last: PointInTime

    /// Makes a record.
    public init(key: AttemptKey, failures: Int64, next: PointInTime, last: PointInTime) {
        self.key = key
        self.failures = failures
        self.next = next
        self.last = last
    }
}

/// A place from which somebody signed in to an account: an attacker elsewhere cannot lock its owner out there.
public struct KnownPlace: Sendable, Hashable {
    /// The account.
    public let account: AccountID
    /// The hash of the account and the address.
    public let key: AttemptKey
    /// When somebody last signed in from there.
    public let last: PointInTime

    /// Makes a record.
    public init(account: AccountID, key: AttemptKey, last: PointInTime) {
        self.account = account
        self.key = key
        self.last = last
    }
}

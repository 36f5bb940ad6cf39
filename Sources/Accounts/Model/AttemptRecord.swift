internal import Sealing
public import TextCoding

/// The subject of counted sign-in attempts: a hash of a name, of a network, or of both. The typed name itself is not stored.
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

/// The stored failures of one key.
public struct AttemptRecord: Sendable, Hashable {
    /// The key.
    public let key: AttemptKey
    /// The number of failures since the last success.
    public var failures: Int64
    /// When the next attempt is allowed.
    public var next: PointInTime
    /// When the last attempt was; some time later the record can be removed.
    public var last: PointInTime

    /// Makes a record.
    public init(key: AttemptKey, failures: Int64, next: PointInTime, last: PointInTime) {
        self.key = key
        self.failures = failures
        self.next = next
        self.last = last
    }
}

/// A network from which an account was signed in to. An attacker elsewhere cannot lock its owner out there.
public struct KnownPlace: Sendable, Hashable {
    /// The account.
    public let account: AccountID
    /// The hash of the name and the network.
    public let key: AttemptKey
    /// When the last sign-in from there was.
    public let last: PointInTime

    /// Makes a record.
    public init(account: AccountID, key: AttemptKey, last: PointInTime) {
        self.account = account
        self.key = key
        self.last = last
    }
}

/// Three kinds of keys, which cannot collide.
extension AttemptKey {
    /// The key of a name, with or without an account.
    package init(_ name: EmailAddress) {
        self.init("name", [name.text])
    }

    /// The key of a name at one network: a place.
    package init(_ name: EmailAddress, network: String) {
        self.init("name and network", [name.text, network])
    }

    /// The key of a network.
    package init(network: String) {
        self.init("network", [network])
    }

    private init(_ kind: String, _ parts: [String]) {
        bytes = Blake2b.hash(size: Self.size) { input in
            for part in ["TaskVault attempts", kind] + parts {
                input.feed(UInt64(part.utf8.count))
                input.feed(part)
            }
        }
    }
}

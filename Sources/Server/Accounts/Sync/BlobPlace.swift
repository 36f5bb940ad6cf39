internal import TextCoding

/// A folder of a group's blobs: that of a chain of segments, or one of the four beside them (`Docs/Sync.md`, section 8).
public enum BlobArea: Sendable, Hashable {
    /// The segments of one chain of a device.
    case chain(PushID)
    /// Statements about members, which nobody can remove.
    case members
    /// Messages of joining.
    case mailbox
    /// Blobs of recovery members.
    case recovery
    /// Parts of the contents of files.
    case files

    /// Reads a name: 32 hexadecimal digits in lower case, or one of the four words.
    public init?(_ text: String) {
        switch text {
        case "members": self = .members
        case "mailbox": self = .mailbox
        case "recovery": self = .recovery
        case "files": self = .files
        default:
            guard let id = PushID(text) else { return nil }
            self = .chain(id)
        }
    }

    /// The name.
    public var text: String {
        switch self {
        case .chain(let id): id.text
        case .members: "members"
        case .mailbox: "mailbox"
        case .recovery: "recovery"
        case .files: "files"
        }
    }

    /// The largest blob, in bytes.
    public var maximumSize: Int {
        switch self {
        case .chain: SyncLimits.maximumSize
        case .files: 1_048_848
        case .members: 32_768
        case .mailbox, .recovery: 1_024
        }
    }

    /// Whether it is a chain of segments or has contents of files: a part of the quota is closed to both.
    var isBounded: Bool {
        switch self {
        case .chain, .files: true
        case .members, .mailbox, .recovery: false
        }
    }
}

/// The place of a blob in an account: group, area and name.
public struct BlobPlace: Sendable, Hashable {
    private static let longestName = 80

    /// The group.
    public let group: PushID
    /// The area.
    public let area: BlobArea
    /// The name: 1 to 80 of `a` to `z`, `0` to `9` and hyphens.
    public let name: String

    /// Makes a place; nil for a name of another form.
    public init?(_ group: PushID, _ area: BlobArea, _ name: String) {
        guard (1...Self.longestName).contains(name.utf8.count),
            name.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: byte == UInt8(ascii: "-")
                }
            })
        else { return nil }
        self.group = group
        self.area = area
        self.name = name
    }
}

/// The sum of what the blobs of an account count, in bytes.
public struct SyncUsage: Sendable, Hashable {
    /// The segments, and the contents of files.
    public var chains: Int64 = 0
    /// Statements, messages and recovery blobs.
    public var others: Int64 = 0

    /// Makes a usage.
    public init(chains: Int64 = 0, others: Int64 = 0) {
        self.chains = chains
        self.others = others
    }

    mutating func add(_ size: Int64, in area: BlobArea) {
        if area.isBounded { chains += size } else { others += size }
    }
}

/// The limits of blobs.
public struct SyncLimits: Sendable, Hashable {
    /// The room of an account for its blobs, in bytes; 0 is no limit. ``kept`` of it is closed to segments and files.
    public var quota: Int64 = 256 * 1_048_576

    /// The largest blob, in bytes: a segment.
    public static let maximumSize = 1_114_112
    /// The room that is kept for statements, messages and recovery blobs, in bytes: a full account can still remove a device.
    public static let kept: Int64 = 1_048_576
    /// The number of bytes that a blob counts beside its content, for its row.
    static let overhead: Int64 = 512

    /// The default limits.
    public init() {}

    /// The number of bytes that a blob of a size counts.
    static func count(_ size: Int) -> Int64 { Int64(size) + overhead }

    /// Whether blobs that count `size` more have room in an area.
    func hasRoom(for size: Int64, in area: BlobArea, beside usage: SyncUsage) -> Bool {
        if quota == 0 { return true }
        let others = area.isBounded ? max(usage.others, Self.kept) : usage.others
        return usage.chains + others + size <= quota
    }
}

/// Why a request about blobs is refused. An error of the database is thrown as it is.
public enum BlobError: Error, Sendable, Hashable {
    /// The token is unknown, its session was ended, or its account is disabled.
    case tokenRejected
    /// There is no such blob.
    case missing
    /// The place has other bytes.
    case occupied
    /// The blob is larger than the area permits.
    case tooLarge(limit: Int)
    /// The account has no room for the blob.
    case full
    /// Statements stay.
    case permanent
}

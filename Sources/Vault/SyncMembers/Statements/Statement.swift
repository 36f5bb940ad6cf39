internal import Sealing
internal import SecureStorage
package import Sync

/// A signed statement about the members of a group (`Docs/Sync.md`, section 9). Statements form a set, in which each names what its author
/// had seen.
package struct Statement: Hashable, Sendable {
    /// The format that this program writes.
    package static let currentFormat: UInt32 = 1
    /// The maximum size, in bytes.
    package static let limit = 32_768
    /// The maximum number of statements that one names.
    static let seenLimit = 128
    private static let magic: StaticString = "TVST"

    /// The group; that of a create follows from its bytes.
    package let group: GroupID
    /// The device, or the recovery member, that signed it.
    package let author: DeviceID
    /// The *add* or *create* that made the author a member; ``StatementID/none`` for a create.
    let introduction: StatementID
    /// The clock of its stamp.
    package let clock: UInt64
    /// The statements that the author had seen, without those that they name in turn. Ascending.
    package let seen: [StatementID]
    package let content: StatementContent
    package let bytes: [UInt8]
    /// The hash of ``bytes``.
    package let id: StatementID

    /// The fields before the content.
    struct Origin {
        let group: GroupID
        let author: DeviceID
        let introduction: StatementID
        let clock: UInt64
        let seen: [StatementID]
    }

    /// Signs a statement.
    init(_ content: StatementContent, _ origin: Origin, key: borrowing SigningKeyPair) {
        var writer = ByteWriter()
        writer.magic(Self.magic)
        writer.integer(Self.currentFormat)
        writer.integer(content.kind.rawValue)
        writer.id(origin.group)
        writer.id(origin.author)
        writer.raw(origin.introduction.bytes)
        writer.integer(origin.clock)
        writer.integer(UInt32(origin.seen.count))
        for id in origin.seen { writer.raw(id.bytes) }
        content.write(to: &writer)
        let message = writer.bytes
        self.init(origin, content, message + key.signature(of: message))
        precondition(bytes.count <= Self.limit)
    }

    private init(_ origin: Origin, _ content: StatementContent, _ bytes: [UInt8]) {
        author = origin.author
        introduction = origin.introduction
        clock = origin.clock
        seen = origin.seen
        self.content = content
        self.bytes = bytes
        id = StatementID(unchecked: Blake2b.hash(size: StatementID.size) { $0.feed(bytes) })
        group = content.kind == .create ? .hash("TVGR", bytes) : origin.group
    }

    /// Parses a statement. Signatures are not verified, except that of a create.
    package init(_ bytes: [UInt8]) throws(StatementFailure) {
        guard bytes.count <= Self.limit else { throw .tooLong }
        let statement = try ByteReader.reading(bytes) { (reader) throws(StatementFailure) in
            try Self(bytes, from: &reader)
        }
        if case .create(let keys) = statement.content {
            guard statement.isSigned(by: keys) else { throw .signature }
        }
        self = statement
    }

    private init(_ bytes: [UInt8], from reader: inout ByteReader) throws(StatementFailure) {
        guard reader.magic(Self.magic) == true else { throw .magic }
        guard let format = reader.integer(UInt32.self) else { throw .content }
        guard format > 0 else { throw .format }
        guard format <= Self.currentFormat else { throw .laterFormat }
        guard let kind = reader.integer(UInt8.self).flatMap(StatementContent.Kind.init) else {
            throw .kind
        }
        guard let group = reader.id(of: SyncSubject.Group.self),
            let author = reader.id(of: SyncSubject.Device.self),
            let introduction = reader.statementID(), let clock = reader.clock(),
            let seen = Self.seen(from: &reader),
            let content = StatementContent(kind, from: &reader),
            reader.skip(SigningKeyPair.signatureSize), reader.isAtEnd
        else { throw .content }
        if case .create(let keys) = content {
            guard group == .zero, introduction == .none, seen.isEmpty, author == keys.id else {
                throw .content
            }
        } else {
            guard !seen.isEmpty else { throw .content }
        }
        if case .epoch(let epoch) = content, epoch.group != group { throw .content }
        self.init(
            Origin(
                group: group, author: author, introduction: introduction, clock: clock, seen: seen),
            content, bytes)
    }

    private static func seen(from reader: inout ByteReader) -> [StatementID]? {
        guard let count = reader.integer(UInt32.self), count <= seenLimit else { return nil }
        var seen: [StatementID] = []
        for _ in 0..<count {
            guard let id = reader.statementID(), seen.last.map({ $0 < id }) ?? true else {
                return nil
            }
            seen.append(id)
        }
        return seen
    }

    /// Whether the signature is that of a member key.
    func isSigned(by keys: DeviceKeys) -> Bool {
        SigningKeyPair.isSignature(
            Array(bytes.suffix(SigningKeyPair.signatureSize)),
            of: Array(bytes.dropLast(SigningKeyPair.signatureSize)), by: keys.memberKey)
    }
}

internal import Sealing
internal import SecretMemory
internal import SecureStorage
package import Sync

/// The id of one exchange of messages for joining, 16 random bytes.
package typealias ExchangeID = SyncID<SyncSubject.Exchange>

extension SyncSubject {
    /// One exchange of messages for joining.
    package enum Exchange {}
}

/// The three messages of joining (`Docs/Sync.md`, section 11).
package struct JoinMessage: Hashable, Sendable {
    /// The version of the exchange.
    package static let version: UInt32 = 1
    /// The maximum size of a message, in bytes.
    package static let limit = 1_024
    static let valueSize = 32
    static let hashSize = 32

    /// The number and the content of a message.
    enum Content: Hashable {
        /// The new device commits itself to keys and value.
        case commitment([UInt8])
        /// The member shows its keys, the hash of the group's first statement, and its value.
        case answer(DeviceKeys, create: StatementID, value: [UInt8])
        /// The new device shows its keys, with its consent, and its value.
        case opening(Newcomer, value: [UInt8])
    }

    package let group: GroupID
    package let exchange: ExchangeID
    let content: Content

    /// 1 for the commitment, 2 for the answer, 3 for the opening.
    package var number: UInt8 {
        switch content {
        case .commitment: 1
        case .answer: 2
        case .opening: 3
        }
    }

    /// The device whose keys the message opens; nil for other messages.
    package var newcomer: DeviceID? {
        if case .opening(let newcomer, _) = content { newcomer.id } else { nil }
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVJM")
        writer.integer(Self.version)
        writer.id(group)
        writer.id(exchange)
        writer.integer(number)
        switch content {
        case .commitment(let commitment):
            writer.raw(commitment)
        case .answer(let keys, let create, let value):
            writer.raw(keys.bytes)
            writer.raw(create.bytes)
            writer.raw(value)
        case .opening(let newcomer, let value):
            writer.newcomer(newcomer)
            writer.raw(value)
        }
        return writer.bytes
    }

    /// Parses canonical bytes.
    ///
    /// - Throws: ``JoinFailure/message``, ``JoinFailure/laterVersion``.
    package init(_ bytes: [UInt8]) throws(JoinFailure) {
        self = try ByteReader.reading(bytes) { (reader) throws(JoinFailure) in
            try Self(from: &reader)
        }
    }

    init(_ group: GroupID, _ exchange: ExchangeID, _ content: Content) {
        self.group = group
        self.exchange = exchange
        self.content = content
    }

    private init(from reader: inout ByteReader) throws(JoinFailure) {
        guard reader.magic("TVJM") == true, let version = reader.integer(UInt32.self), version > 0
        else { throw .message }
        guard version <= Self.version else { throw .laterVersion }
        guard let group = reader.id(of: SyncSubject.Group.self),
            let exchange = reader.id(of: SyncSubject.Exchange.self),
            let number = reader.integer(UInt8.self),
            let content = Self.content(number, from: &reader), reader.isAtEnd
        else { throw .message }
        self.init(group, exchange, content)
    }

    private static func content(_ number: UInt8, from reader: inout ByteReader) -> Content? {
        switch number {
        case 1:
            return reader.raw(hashSize).map { .commitment($0) }
        case 2:
            guard let keys = reader.deviceKeys(), let create = reader.statementID(),
                let value = reader.raw(valueSize)
            else { return nil }
            return .answer(keys, create: create, value: value)
        case 3:
            guard let newcomer = reader.newcomer(), newcomer.role == .device,
                let value = reader.raw(valueSize)
            else { return nil }
            return .opening(newcomer, value: value)
        default:
            return nil
        }
    }

    /// The commitment of the new device: `hash(32, no key, "TVJC" ‖ version ‖ role ‖ keys ‖ value)`.
    static func commitment(_ keys: DeviceKeys, _ value: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: hashSize) { hash in
            hash.feed("TVJC")
            hash.feed(version)
            hash.feed(MemberRole.device.rawValue)
            hash.feed(keys.bytes)
            hash.feed(value)
        }
    }
}

/// Everything that both sides must have seen alike, as two times six digits.
struct JoinTranscript {
    /// Those that the new device shows.
    let first: [UInt8]
    /// Those that the member shows.
    let second: [UInt8]

    /// - Parameters:
    ///   - group: The group.
    ///   - create: The hash of the group's first statement.
    ///   - newcomer: The keys and the value of the new device.
    ///   - commitment: Its commitment.
    ///   - member: The keys and the value of the member.
    init(
        _ group: GroupID, _ create: StatementID, newcomer: (keys: DeviceKeys, value: [UInt8]),
        commitment: [UInt8], member: (keys: DeviceKeys, value: [UInt8])
    ) {
        let hash = Blake2b.hash(size: 32) { hash in
            hash.feed("TVJH")
            hash.feed(JoinMessage.version)
            hash.feed(group.bytes)
            hash.feed(create.bytes)
            hash.feed("new device")
            hash.feed(newcomer.keys.bytes)
            hash.feed("member")
            hash.feed(member.keys.bytes)
            hash.feed(commitment)
            hash.feed(newcomer.value)
            hash.feed(member.value)
        }
        first = Self.digits(hash[..<8])
        second = Self.digits(hash[8..<16])
    }

    /// A u64 modulo 1,000,000, as six decimal digits.
    private static func digits(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        var digits: [UInt8] = []
        for _ in 0..<6 {
            digits.insert(UInt8(ascii: "0") + UInt8(number % 10), at: 0)
            number /= 10
        }
        return digits
    }

    /// Whether typed digits are the right ones, in constant time. Spaces are ignored.
    static func isRight(_ typed: String, _ digits: [UInt8]) -> Bool {
        ConstantTime.areEqual(typed.utf8.filter { $0 != UInt8(ascii: " ") }, digits)
    }
}

internal import SecureStorage
package import Sync

/// The sentence of a statement.
package enum StatementContent: Hashable, Sendable {
    /// The first member makes the group.
    case create(DeviceKeys)
    /// A device or a recovery member becomes a member.
    case add(Addition)
    /// A device or a recovery member is a member no more, for ever.
    case remove(Removal)
    /// A member has another name.
    case rename(DeviceID, SealedName)
    /// New keys.
    case epoch(EpochStatement)
    /// Keys of older epochs, for a member that they were not made for.
    case deliver(Delivery)

    /// A new member.
    package struct Addition: Hashable, Sendable {
        package let newcomer: Newcomer
        package let name: SealedName
        /// The heads that the author had, of all chains. What the newcomer gets must reach them.
        package let heads: Heads
    }

    /// The end of a membership.
    package struct Removal: Hashable, Sendable {
        package let member: DeviceID
        /// The last heads of the member's two chains that the author had.
        package let heads: Heads
    }

    /// Keys of epochs for one member.
    package struct Delivery: Hashable, Sendable {
        /// The maximum number of epochs.
        static let limit = 32

        package let member: DeviceID
        /// Three boxes for each epoch, as in an ``EpochStatement``.
        package let boxes: [[UInt8]: [[UInt8]]]
    }

    /// The numbers of the kinds.
    enum Kind: UInt8 {
        case create = 1
        case add = 2
        case remove = 3
        case rename = 4
        case epoch = 5
        case deliver = 6
    }

    var kind: Kind {
        switch self {
        case .create: .create
        case .add: .add
        case .remove: .remove
        case .rename: .rename
        case .epoch: .epoch
        case .deliver: .deliver
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .create(let keys):
            writer.raw(keys.bytes)
        case .add(let addition):
            writer.newcomer(addition.newcomer)
            writer.sealedName(addition.name)
            writer.heads(addition.heads)
        case .remove(let removal):
            writer.id(removal.member)
            writer.heads(removal.heads)
        case .rename(let member, let name):
            writer.id(member)
            writer.sealedName(name)
        case .epoch(let epoch):
            writer.sized(epoch.bytes)
        case .deliver(let delivery):
            writer.id(delivery.member)
            writer.integer(UInt32(delivery.boxes.count))
            let boxes = delivery.boxes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (epoch, boxes) in boxes {
                writer.raw(epoch)
                for box in boxes { writer.raw(box) }
            }
        }
    }

    init?(_ kind: Kind, from reader: inout ByteReader) {
        switch kind {
        case .create:
            guard let keys = reader.deviceKeys() else { return nil }
            self = .create(keys)
        case .add:
            guard let newcomer = reader.newcomer(), let name = reader.sealedName(),
                let heads = reader.heads()
            else { return nil }
            self = .add(Addition(newcomer: newcomer, name: name, heads: heads))
        case .remove:
            guard let member = reader.id(of: SyncSubject.Device.self), let heads = reader.heads(),
                heads.keys.allSatisfy({ $0 == member || $0 == member.secretsChain })
            else { return nil }
            self = .remove(Removal(member: member, heads: heads))
        case .rename:
            guard let member = reader.id(of: SyncSubject.Device.self),
                let name = reader.sealedName()
            else { return nil }
            self = .rename(member, name)
        case .epoch:
            guard let epoch = reader.sized().flatMap({ EpochStatement($0) }) else { return nil }
            self = .epoch(epoch)
        case .deliver:
            guard let delivery = Delivery(from: &reader) else { return nil }
            self = .deliver(delivery)
        }
    }
}

extension StatementContent.Delivery {
    fileprivate init?(from reader: inout ByteReader) {
        guard let member = reader.id(of: SyncSubject.Device.self),
            let count = reader.integer(UInt32.self), (1...UInt32(Self.limit)).contains(count)
        else { return nil }
        var boxes: [[UInt8]: [[UInt8]]] = [:]
        var last: [UInt8] = []
        for _ in 0..<count {
            guard let epoch = reader.raw(EpochKeys.idSize),
                last.lexicographicallyPrecedes(epoch)
            else { return nil }
            var own: [[UInt8]] = []
            for _ in SyncLevel.allCases {
                guard let box = reader.raw(EpochStatement.boxSize) else { return nil }
                own.append(box)
            }
            boxes[epoch] = own
            last = epoch
        }
        self.init(member: member, boxes: boxes)
    }
}

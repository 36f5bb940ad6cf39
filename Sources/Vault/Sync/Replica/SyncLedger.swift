internal import SecureStorage

/// How far this device has applied the chain of segments of one device, itself included.
package struct ChainState: Hashable, Sendable {
    /// The number of the newest applied segment; 0 for none.
    package var number: UInt64 = 0
    /// Its hash.
    package var hash = Head.noHash
    /// The highest format that the author has used.
    package var format: UInt32 = 0
    /// The segments of other devices that the author had seen at its newest segment.
    package var seen = VersionVector()
    /// The author's wall clock at its newest segment, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 = 0
    /// When this device applied it, in milliseconds since 1970-01-01 UTC.
    package var heard: Int64 = 0

    package init() {}

    /// Whether the author, the device of the chain, has seen a segment.
    package func isPast(_ dot: Dot, of device: DeviceID) -> Bool {
        dot.device == device ? dot.number <= number : seen.reaches(dot)
    }
}

/// The state of sync beside records, segments and kept parts. A store saves it in the transaction that changes those.
package struct SyncLedger: Hashable, Sendable {
    package var clock = HybridClock()
    package var chains: [DeviceID: ChainState] = [:]
    /// Objects that came or got a name since the last search for equal names.
    package var unsettled: Set<ObjectID> = []
    /// Restored objects that must be repeated as soon as V is there.
    package var unrepeated: Set<ObjectID> = []
    /// The number of this device's newest segment that the remote was seen to have.
    package var published: UInt64 = 0
    /// For each removed member, the first segment of each chain whose author is known to have known of the removal.
    package var removals: [DeviceID: VersionVector] = [:]
    /// The size of the segments that were written or applied since the newest snapshot, in bytes.
    package var uncovered: UInt64 = 0
    /// The newest own segment that has in the open what is protected since; 0 for none. A snapshot of this device takes its place.
    package var exposed: UInt64 = 0
    /// Devices that were silent for long, until all that came from them is applied: others may have erased what they changed.
    package var late: Set<DeviceID> = []

    package init() {}

    /// The applied segments of all devices but one.
    func seen(without own: DeviceID) -> VersionVector {
        var seen = VersionVector()
        for (device, chain) in chains where device != own { seen[device] = chain.number }
        return seen
    }

    /// The heads of some devices.
    func heads(of devices: some Sequence<DeviceID>) -> Heads {
        var heads: Heads = [:]
        for device in devices {
            if let chain = chains[device], chain.number > 0 {
                heads[device] = Head(number: chain.number, hash: chain.hash)
            }
        }
        return heads
    }

    /// Parses canonical bytes; nil for any other input.
    package init?(_ bytes: [UInt8]) {
        guard let ledger = ByteReader.whole(bytes, { Self.read(from: &$0) }) else { return nil }
        self = ledger
    }

    private static func read(from reader: inout ByteReader) -> SyncLedger? {
        guard reader.magic("TVSL") == true, let clock = reader.integer(UInt64.self),
            let published = reader.integer(UInt64.self),
            let uncovered = reader.integer(UInt64.self),
            let exposed = reader.integer(UInt64.self), let count = reader.integer(UInt32.self)
        else { return nil }
        var ledger = SyncLedger()
        ledger.clock = HybridClock(last: clock)
        ledger.published = published
        ledger.uncovered = uncovered
        ledger.exposed = exposed
        for _ in 0..<count {
            guard let device = reader.id(of: SyncSubject.Device.self),
                let number = reader.integer(UInt64.self), let hash = reader.raw(Head.hashSize),
                let format = reader.integer(UInt32.self), let seen = reader.vector(),
                let time = reader.integer(Int64.self), let heard = reader.integer(Int64.self)
            else { return nil }
            var chain = ChainState()
            chain.number = number
            chain.hash = hash
            chain.format = format
            chain.seen = seen
            chain.time = time
            chain.heard = heard
            ledger.chains[device] = chain
        }
        guard let unsettled = reader.ids(SyncSubject.Object.self),
            let unrepeated = reader.ids(SyncSubject.Object.self),
            let late = reader.ids(SyncSubject.Device.self),
            let removals = reader.list(by: { $0.member }, Self.removal)
        else { return nil }
        ledger.unsettled = unsettled
        ledger.unrepeated = unrepeated
        ledger.late = late
        for (member, known) in removals { ledger.removals[member] = known }
        return ledger
    }

    private static func removal(
        _ reader: inout ByteReader
    ) -> (member: DeviceID, known: VersionVector)? {
        guard let member = reader.id(of: SyncSubject.Device.self), let known = reader.vector()
        else { return nil }
        return (member, known)
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVSL")
        writer.integer(clock.last)
        writer.integer(published)
        writer.integer(uncovered)
        writer.integer(exposed)
        writer.integer(UInt32(chains.count))
        for (device, chain) in chains.sorted(by: { $0.key < $1.key }) {
            writer.id(device)
            writer.integer(chain.number)
            writer.raw(chain.hash)
            writer.integer(chain.format)
            writer.vector(chain.seen)
            writer.integer(chain.time)
            writer.integer(chain.heard)
        }
        writer.ids(unsettled)
        writer.ids(unrepeated)
        writer.ids(late)
        writer.integer(UInt32(removals.count))
        for (member, known) in removals.sorted(by: { $0.key < $1.key }) {
            writer.id(member)
            writer.vector(known)
        }
        return writer.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func ids<Subject>(_ ids: Set<SyncID<Subject>>) {
        integer(UInt32(ids.count))
        for each in ids.sorted() { id(each) }
    }
}

extension ByteReader {
    fileprivate mutating func ids<Subject>(_ subject: Subject.Type) -> Set<SyncID<Subject>>? {
        list(by: { $0 }) { $0.id(of: subject) }.map { Set($0) }
    }
}

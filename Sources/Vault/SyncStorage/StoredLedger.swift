internal import SecureStorage
internal import Sync

extension SyncLedger {
    /// Parses the canonical bytes of `Docs/Sync.md`, section 13; nil for any other input.
    init?(_ bytes: [UInt8]) {
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
    var bytes: [UInt8] {
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

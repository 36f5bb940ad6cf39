import Database
import SecretMemory
import SecureStorage
import Sync
@testable import SyncStorage
import TestSupport
import TextCoding

/// Ids that tests can read.
func object(_ number: UInt8) -> ObjectID {
    ObjectID([UInt8](repeating: number, count: 16)) ?? .zero
}

func device(_ number: UInt8) -> DeviceID {
    DeviceID([UInt8](repeating: number, count: 16)) ?? .zero
}

func subtask(_ number: UInt8) -> SubtaskID {
    SubtaskID([UInt8](repeating: number, count: 16)) ?? .zero
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// This device; the others have other numbers.
let own = device(1)

/// The error of `body`, if it is one of these.
func syncError(_ body: () throws -> Void) -> SyncError? {
    do { try body() } catch { return error as? SyncError }
    return nil
}

func databaseError(_ body: () throws -> Void) -> DatabaseError? {
    do { try body() } catch { return error as? DatabaseError }
    return nil
}

extension StoreKey {
    static func sample(_ number: UInt8) throws -> StoreKey {
        let bytes = [UInt8](repeating: number, count: 32)
        return StoreKey(try SecretBytes(copying: unsafe bytes.span.bytes))
    }

    /// Keys of levels, as one home has them.
    static func samples(_ levels: SyncLevel...) throws -> [SyncLevel: StoreKey] {
        Dictionary(
            uniqueKeysWithValues: try levels.map { ($0, try sample($0.rawValue + 100)) })
    }

    static func all() throws -> [SyncLevel: StoreKey] {
        try samples(.whileUnlocked, .afterVerification)
    }
}

/// The store in a file of a folder.
func open(
    _ folder: String, _ chain: SyncDatabase.Chain = .secrets, device: DeviceID = own,
    keys: [SyncLevel: StoreKey]? = nil, creating: Bool = true
) throws -> SyncDatabase {
    try SyncDatabase.open(
        at: folder + "/sync.db", chain, device: device, keys: try keys ?? StoreKey.all(),
        creating: creating)
}

/// A record of a device, in a segment with the number of its clock.
func version(
    _ object: ObjectID, _ field: RecordField, _ content: [UInt8], _ level: SyncLevel = .list,
    by author: DeviceID = own, clock: UInt64 = 1, seen: [DeviceID: UInt64] = [:]
) -> Version {
    var vector = VersionVector()
    for (device, number) in seen { vector[device] = number }
    return Version(
        RecordKey(object, field, Stamp(clock: clock, device: author)), .open(content), level,
        Origin(dot: Dot(author, clock), seen: vector), applied: 77)
}

extension MirrorTransaction {
    /// Adds a secret record as the replica does.
    @discardableResult
    func add(
        secret text: String, _ object: ObjectID, _ field: RecordField, _ level: SyncLevel,
        by author: DeviceID = own, clock: UInt64 = 1
    ) throws -> Version {
        let bytes = bytes(text)
        let secret = unsafe bytes.span.bytes
        let open = version(object, field, [], level, by: author, clock: clock)
        let content = RecordContent.secret(
            fingerprint: try fingerprint(of: secret, level), size: bytes.count)
        let version = Version(open.key, content, level, open.origin, applied: open.applied)
        try insert(version, secret: secret)
        return version
    }

    func secret(of key: RecordKey) throws -> String {
        var text = ""
        try withSecret(of: key) { text = String(decoding: $0.array, as: UTF8.self) }
        return text
    }
}

/// A part as it came in a segment.
func part(_ level: SyncLevel, number: UInt64, announcing keys: [RecordKey] = []) -> SealedPart {
    let prefix = SegmentPrefix(
        kind: .change, group: .zero, dot: Dot(device(2), number),
        previous: [UInt8](repeating: number == 1 ? 0 : 3, count: 32),
        epoch: [UInt8](repeating: 4, count: 32))
    var seen = VersionVector()
    seen[own] = 9
    return SealedPart(
        level: level, prefix: prefix, seen: seen, blob: bytes("part \(number)"), announced: keys)
}

/// A snapshot that a device announced.
func snapshot(_ device: DeviceID, _ number: UInt64) -> Snapshot? {
    var covered = VersionVector()
    covered[device] = number - 1
    covered[own] = 3
    var writer = ByteWriter()
    writer.raw([UInt8](repeating: 4, count: 32))
    writer.vector(covered)
    writer.integer(UInt32(1))
    writer.raw([UInt8](repeating: 6, count: 64))
    return Snapshot(writer.bytes, at: Dot(device, number))
}

/// A store with something in each table, and all of it.
struct Everything: Equatable {
    var ledger = SyncLedger()
    var hashes: [[UInt8]?] = []
    var outbox: [[UInt8]?] = []
    var snapshots: [Snapshot] = []
    var objects: [ObjectID] = []
    var versions: [[Version]] = []
    var secrets: [String] = []
    var named: [[ObjectID]] = []
    var kept: [[KeptPart]] = []
    var unmirrored: [ObjectID] = []
    var unmirroredKeys: [Set<RecordKey>] = []
    var counterparts: [Counterpart] = []
    var marked: Set<ObjectID> = []
    var note: [UInt8]?

    static let value = RecordKey(object(1), .value, Stamp(clock: 3, device: own))
    static let notes = RecordKey(object(2), .notes, Stamp(clock: 4, device: device(2)))

    /// Texts that no file may have, and texts of the list.
    static let hidden = [
        "UNLOCKED-NAME", "UNLOCKED-LABEL", "UNLOCKED-DETAIL", "UNLOCKED-VALUE", "VERIFIED-NOTES",
        "COUNTERPART-NAME",
    ]
    static let shown = ["LIST-TASK", "LIST-TAG"]

    static func write(to store: SyncDatabase) throws {
        try store.mirrorTransaction { transaction in
            transaction.ledger.clock = HybridClock(last: 5)
            transaction.ledger.chains[device(2)] = ChainState()
            transaction.ledger.unsettled = [object(1), object(9)]
            transaction.ledger.removals[device(4), default: VersionVector()][device(2)] = 1
            try transaction.setHash([UInt8](repeating: 5, count: 32), of: Dot(device(2), 1))
            try transaction.addToOutbox(bytes("segment 2"), number: 2)
            try transaction.addToOutbox(bytes("segment 1"), number: 1)
            for number: UInt64 in [2, 7] {
                if let snapshot = snapshot(device(2), number) { try transaction.set(snapshot) }
            }
            let item = object(1)
            for version in [
                version(item, .create, [1], .whileUnlocked, seen: [device(3): 8, device(2): 7]),
                version(item, .itemName, bytes("UNLOCKED-NAME"), .whileUnlocked),
                version(item, .label, bytes("UNLOCKED-LABEL"), .whileUnlocked),
                version(
                    item, .attribute("UNLOCKED-DETAIL"), bytes("UNLOCKED-VALUE"), .whileUnlocked),
                version(item, .alias(object(3)), [], .whileUnlocked),
                version(object(2), .create, [2]),
                version(object(2), .taskName, bytes("LIST-TASK"), by: device(2)),
                version(object(2), .tag("LIST-TAG"), [1], by: device(2), clock: 2),
            ] { try transaction.insert(version) }
            try transaction.add(secret: "UNLOCKED-VALUE", item, .value, .whileUnlocked, clock: 3)
            try transaction.add(
                secret: "VERIFIED-NOTES", object(2), .notes, .afterVerification, by: device(2),
                clock: 4)
            try transaction.add(
                secret: "VERIFIED-NOTES", object(2), .subtaskName(subtask(7)), .afterVerification)
            try transaction.keep(part(.whileUnlocked, number: 1))
            try transaction.keep(part(.afterVerification, number: 1, announcing: [notes]))
            try transaction.keep(
                part(
                    .afterVerification, number: 2,
                    announcing: [
                        RecordKey(
                            item, .attribute("UNLOCKED-DETAIL"), Stamp(clock: 1, device: own))
                    ]))
            try transaction.set(
                Counterpart(item, name: bytes("COUNTERPART-NAME"), revision: .max, created: -1))
            try transaction.setMarked(object(4), true)
            try transaction.setNote("head", [1, 2])
        }
    }

    init(of store: SyncDatabase) throws {
        self = try store.mirrorTransaction { try Everything(of: $0) }
    }

    init(of transaction: any MirrorTransaction) throws {
        ledger = transaction.ledger
        hashes = try [1, 2].map { try transaction.hash(of: Dot(device(2), $0)) }
        outbox = try (try transaction.outbox() + [3]).map { try transaction.outboxSegment($0) }
        snapshots = try transaction.snapshots()
        objects = try transaction.objects()
        versions = try [1, 2, 3].map { try transaction.versions(of: object($0)) }
        secrets = try [Self.value, Self.notes].map { try transaction.secret(of: $0) }
        named = try ["UNLOCKED-NAME", "LIST-TASK"].map {
            try transaction.objects(named: bytes($0))
        }
        kept = try SyncLevel.allCases.map { try transaction.keptParts($0) }
        unmirrored = try transaction.unmirrored()
        unmirroredKeys = try [1, 2].map { try transaction.unmirrored(of: object($0)) }
        counterparts = try transaction.counterparts()
        marked = try transaction.marked()
        note = try transaction.note("head")
    }
}

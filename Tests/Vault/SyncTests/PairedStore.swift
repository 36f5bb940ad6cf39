import SecretMemory
@testable import Sync
import SyncStorage
import TestSupport
import TextCoding

/// A store in memory and a database that does the same. Their answers are compared.
final class PairedStore: TestStore {
    private let file: String
    private let device: DeviceID
    private var database: SyncDatabase
    private(set) var differences: Set<String> = []

    init(_ path: String, _ device: DeviceID) throws {
        file = path
        self.device = device
        database = try Self.open(path, device)
        try super.init()
    }

    /// All devices have the same keys, so that fingerprints are equal on all, as the model expects.
    private static func open(_ path: String, _ device: DeviceID) throws -> SyncDatabase {
        var keys: [SyncLevel: StoreKey] = [:]
        for level in [SyncLevel.whileUnlocked, .afterVerification] {
            let bytes = [UInt8](repeating: level.rawValue, count: 32)
            keys[level] = StoreKey(try SecretBytes(copying: unsafe bytes.span.bytes))
        }
        return try SyncDatabase.open(
            at: path, .secrets, device: device, keys: keys, creating: true)
    }

    func expect(_ isEqual: Bool, _ operation: String = #function) {
        if !isEqual { differences.insert("the database differs: \(operation)") }
    }

    override func reopen() throws {
        try super.reopen()
        database.close()
        database = try Self.open(file, device)
        try transaction { transaction in
            expect(transaction.ledger == state.ledger)
            for (object, versions) in state.versions {
                _ = try transaction.versions(of: object)
                for (key, version) in versions where version.content.bytes == nil {
                    try transaction.withSecret(of: key) { _ in }
                }
            }
            for (dot, _) in state.hashes { _ = try transaction.hash(of: dot) }
            for number in try transaction.outbox() { _ = try transaction.outboxSegment(number) }
            for level in SyncLevel.allCases { _ = try transaction.keptParts(level) }
        }
    }

    override func transaction<Result>(
        _ body: (any SyncTransaction) throws -> Result
    ) throws -> Result {
        let memory = Transaction(self)
        let result = try database.transaction { stored in
            let result = try body(PairedTransaction(self, memory, stored))
            if memory.state != state { try step() }
            return result
        }
        guard memory.state != state else { return result }
        state = memory.state
        try step()
        return result
    }
}

/// Does each operation in both stores.
private final class PairedTransaction: SyncTransaction {
    private let pair: PairedStore
    private let memory: TestStore.Transaction
    private let stored: any SyncTransaction

    init(_ pair: PairedStore, _ memory: TestStore.Transaction, _ stored: any SyncTransaction) {
        self.pair = pair
        self.memory = memory
        self.stored = stored
    }

    var ledger: SyncLedger {
        get { stored.ledger }
        set {
            stored.ledger = newValue
            memory.ledger = newValue
        }
    }

    private func same<Value: Equatable>(
        _ found: Value, _ expected: Value, _ operation: String = #function
    ) -> Value {
        pair.expect(found == expected, operation)
        return found
    }

    func hash(of dot: Dot) throws -> [UInt8]? {
        same(try stored.hash(of: dot), memory.hash(of: dot))
    }
    func setHash(_ hash: [UInt8], of dot: Dot) throws {
        memory.setHash(hash, of: dot)
        try stored.setHash(hash, of: dot)
    }
    func outbox() throws -> [UInt64] { same(try stored.outbox(), memory.outbox()) }
    func outboxSegment(_ number: UInt64) throws -> [UInt8]? {
        same(try stored.outboxSegment(number), memory.outboxSegment(number))
    }
    func addToOutbox(_ segment: [UInt8], number: UInt64) throws {
        try stored.addToOutbox(segment, number: number)
        try memory.addToOutbox(segment, number: number)
    }
    func removeFromOutbox(_ number: UInt64) throws {
        try stored.removeFromOutbox(number)
        try memory.removeFromOutbox(number)
    }
    func snapshots() throws -> [Snapshot] { same(try stored.snapshots(), memory.snapshots()) }
    func set(_ snapshot: Snapshot) throws {
        try stored.set(snapshot)
        memory.set(snapshot)
    }
    func removeSnapshot(of device: DeviceID) throws {
        try stored.removeSnapshot(of: device)
        memory.removeSnapshot(of: device)
    }

    func objects() throws -> [ObjectID] { same(try stored.objects(), memory.objects()) }
    func recordsSize() throws -> Int { try stored.recordsSize() }
    func contains(_ key: RecordKey) throws -> Bool {
        same(try stored.contains(key), memory.contains(key))
    }
    func versions(of object: ObjectID) throws -> [Version] {
        same(try stored.versions(of: object), memory.versions(of: object))
    }
    func objects(named name: [UInt8]) throws -> [ObjectID] {
        same(try stored.objects(named: name), memory.objects(named: name))
    }
    func insert(_ version: Version) throws {
        try stored.insert(version)
        try memory.insert(version)
    }
    func insert(_ version: Version, secret: RawSpan) throws {
        try stored.insert(version, secret: secret)
        try memory.insert(version, secret: secret)
    }
    func withSecret(of key: RecordKey, _ body: (RawSpan) -> Void) throws {
        var secret: [UInt8] = []
        try memory.withSecret(of: key) { secret = $0.array }
        try stored.withSecret(of: key) { found in
            pair.expect(found.array == secret, "withSecret(of:)")
            body(found)
        }
    }
    func fingerprint(of secret: RawSpan, _ level: SyncLevel) throws -> [UInt8] {
        try stored.fingerprint(of: secret, level)
    }
    func erase(_ keys: [RecordKey]) throws {
        memory.erase(keys)
        try stored.erase(keys)
    }

    // The numbers of kept parts may differ.
    func keptParts(_ level: SyncLevel) throws -> [KeptPart] {
        let parts = try stored.keptParts(level)
        _ = same(parts.map(\.part), memory.keptParts(level).map(\.part))
        return parts
    }
    func keep(_ part: SealedPart) throws {
        memory.keep(part)
        try stored.keep(part)
    }
    func replaceKept(_ part: KeptPart) throws {
        if let other = inMemory(part) {
            memory.replaceKept(KeptPart(sequence: other.sequence, part: part.part))
        }
        try stored.replaceKept(part)
    }
    func removeKept(_ part: KeptPart) throws {
        if let other = inMemory(part) { memory.removeKept(other) }
        try stored.removeKept(part)
    }
    private func inMemory(_ part: KeptPart) -> KeptPart? {
        memory.keptParts(part.part.level).first { $0.part.prefix == part.part.prefix }
    }
}

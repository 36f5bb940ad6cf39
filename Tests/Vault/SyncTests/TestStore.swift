import Foundation
import Sealing
import SecretMemory
import SecureStorage
@testable import Sync
@testable import SyncStorage
import TextCoding

/// A store in memory, or in one file that each commit replaces.
class TestStore: SyncStore {
    /// The whole content. A transaction works on a copy.
    struct State: Equatable {
        var ledger = SyncLedger()
        var hashes: [Dot: [UInt8]] = [:]
        var outbox: [UInt64: [UInt8]] = [:]
        var snapshots: [DeviceID: Snapshot] = [:]
        var versions: [ObjectID: [RecordKey: Version]] = [:]
        var secrets: [RecordKey: [UInt8]] = [:]
        var kept: [KeptPart] = []
        var sequence: UInt64 = 0
    }

    /// The error of a step that a test lets fail.
    struct Crash: Error {}

    var state: State
    let path: String?
    /// The number of steps until one fails; nil for never.
    var stepsLeft: Int?
    /// The steps so far.
    private(set) var steps = 0
    /// Whether a failed transaction leaves nothing behind. Only a control switches it off: records then stay without their heads.
    var isAtomic = true

    init(path: String? = nil) throws {
        self.path = path
        state =
            if let path, let data = FileManager.default.contents(atPath: path) {
                try State([UInt8](data))
            } else {
                State()
            }
    }

    /// Opens the store again, as after a crash.
    func reopen() throws {
        stepsLeft = nil
    }

    /// Counts a step, which fails if its time has come.
    func step() throws {
        steps += 1
        guard let left = stepsLeft else { return }
        stepsLeft = left - 1
        if left <= 1 { throw Crash() }
    }

    func transaction<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        let transaction = Transaction(self)
        do {
            let result = try body(transaction)
            // A transaction that changes nothing has nothing to commit.
            if transaction.state != state {
                try step()
                if let path {
                    try Data(transaction.state.bytes).write(
                        to: URL(filePath: path), options: .atomic)
                }
                state = transaction.state
                try step()
            }
            return result
        } catch {
            if !isAtomic {
                state.versions = transaction.state.versions
                state.secrets = transaction.state.secrets
            }
            throw error
        }
    }

    final class Transaction: SyncTransaction {
        let store: TestStore
        var state: State

        init(_ store: TestStore) {
            self.store = store
            state = store.state
        }

        var ledger: SyncLedger {
            get { state.ledger }
            set { state.ledger = newValue }
        }

        func hash(of dot: Dot) -> [UInt8]? { state.hashes[dot] }
        func setHash(_ hash: [UInt8], of dot: Dot) { state.hashes[dot] = hash }
        func outbox() -> [UInt64] { state.outbox.keys.sorted() }
        func outboxSegment(_ number: UInt64) -> [UInt8]? { state.outbox[number] }
        func addToOutbox(_ segment: [UInt8], number: UInt64) throws {
            try store.step()
            state.outbox[number] = segment
        }
        func removeFromOutbox(_ number: UInt64) throws {
            try store.step()
            state.outbox[number] = nil
        }
        func snapshots() -> [Snapshot] {
            state.snapshots.values.sorted { $0.dot.device < $1.dot.device }
        }
        func set(_ snapshot: Snapshot) { state.snapshots[snapshot.dot.device] = snapshot }
        func removeSnapshot(of device: DeviceID) { state.snapshots[device] = nil }
        func objects() -> [ObjectID] {
            state.versions.filter { !$0.value.isEmpty }.keys.sorted()
        }
        func recordsSize() -> Int {
            state.versions.values.flatMap(\.values).reduce(0) {
                $0 + $1.content.size + $1.field.detail.count + 40
            }
        }
        func contains(_ key: RecordKey) -> Bool { state.versions[key.object]?[key] != nil }
        func versions(of object: ObjectID) -> [Version] {
            (state.versions[object] ?? [:]).values.sorted { $0.key < $1.key }
        }
        func objects(named name: [UInt8]) -> [ObjectID] {
            state.versions.filter { _, versions in
                versions.values.contains { $0.field == .itemName && $0.content.bytes == name }
            }.keys.sorted()
        }
        func insert(_ version: Version) throws {
            try store.step()
            state.versions[version.object, default: [:]][version.key] = version
        }
        func insert(_ version: Version, secret: RawSpan) throws {
            try insert(version)
            state.secrets[version.key] = secret.array
        }
        func withSecret(of key: RecordKey, _ body: (RawSpan) -> Void) throws {
            guard let secret = state.secrets[key] else { throw SyncError.storeDamaged }
            body(unsafe secret.span.bytes)
        }
        func fingerprint(of secret: RawSpan, _ level: SyncLevel) -> [UInt8] {
            Blake2b.hash(size: 16) { $0.feed(secret) }
        }
        func erase(_ keys: [RecordKey]) {
            for key in keys {
                state.versions[key.object]?[key] = nil
                state.secrets[key] = nil
            }
        }
        func keptParts(_ level: SyncLevel) -> [KeptPart] {
            state.kept.filter { $0.part.level == level }
        }
        func keep(_ part: SealedPart) {
            state.sequence += 1
            state.kept.append(KeptPart(sequence: state.sequence, part: part))
        }
        func replaceKept(_ part: KeptPart) {
            state.kept = state.kept.map { $0.sequence == part.sequence ? part : $0 }
        }
        func removeKept(_ part: KeptPart) {
            state.kept.removeAll { $0.sequence == part.sequence }
        }
    }
}

// MARK: The file

extension TestStore.State {
    struct Damaged: Error {}

    init(_ bytes: [UInt8]) throws {
        self.init()
        let isRead = ByteReader.reading(bytes) { reader in read(&reader) && reader.isAtEnd }
        if !isRead { throw Damaged() }
    }

    private mutating func read(_ reader: inout ByteReader) -> Bool {
        guard let ledger = reader.sized().flatMap({ SyncLedger($0) }),
            let hashCount = reader.integer(UInt32.self)
        else { return false }
        self.ledger = ledger
        for _ in 0..<hashCount {
            guard let dot = reader.dot(), let hash = reader.raw(32) else { return false }
            hashes[dot] = hash
        }
        guard let outboxCount = reader.integer(UInt32.self) else { return false }
        for _ in 0..<outboxCount {
            guard let number = reader.integer(UInt64.self), let segment = reader.sized() else {
                return false
            }
            outbox[number] = segment
        }
        guard let snapshotCount = reader.integer(UInt32.self) else { return false }
        for _ in 0..<snapshotCount {
            guard let dot = reader.dot(), let snapshot = reader.sized() else { return false }
            snapshots[dot.device] = Snapshot(snapshot, at: dot)
        }
        guard let count = reader.integer(UInt32.self) else { return false }
        for _ in 0..<count {
            guard let key = reader.key(), let level = reader.level(), let written = reader.level(),
                let origin = reader.origin(), let applied = reader.integer(Int64.self),
                let kind = reader.integer(UInt8.self),
                let bytes = reader.sized(), let secret = reader.sized()
            else { return false }
            let content: RecordContent =
                kind == 0 ? .open(bytes) : .secret(fingerprint: bytes, size: secret.count)
            versions[key.object, default: [:]][key] = Version(
                key, content, level, origin, applied: applied, written: written)
            if kind == 1 { secrets[key] = secret }
        }
        guard let sequence = reader.integer(UInt64.self), let kept = reader.integer(UInt32.self)
        else { return false }
        self.sequence = sequence
        for _ in 0..<kept {
            guard let number = reader.integer(UInt64.self), let level = reader.level(),
                let prefix = reader.sized(), let seen = reader.vector(), let blob = reader.sized(),
                let names = reader.integer(UInt32.self),
                let segment = try? Segment(prefix + [UInt8](repeating: 0, count: 64))
            else { return false }
            let announced = (0..<names).compactMap { _ in reader.key() }
            self.kept.append(
                KeptPart(
                    sequence: number,
                    part: SealedPart(
                        level: level, prefix: segment.prefix, seen: seen, blob: blob,
                        announced: announced)))
        }
        return true
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.sized(ledger.bytes)
        writer.integer(UInt32(hashes.count))
        for (dot, hash) in hashes.sorted(by: { $0.key < $1.key }) {
            writer.dot(dot)
            writer.raw(hash)
        }
        writer.integer(UInt32(outbox.count))
        for (number, segment) in outbox.sorted(by: { $0.key < $1.key }) {
            writer.integer(number)
            writer.sized(segment)
        }
        writer.integer(UInt32(snapshots.count))
        for (_, snapshot) in snapshots.sorted(by: { $0.key < $1.key }) {
            writer.dot(snapshot.dot)
            writer.sized(snapshot.bytes)
        }
        let all = versions.values.flatMap(\.values).sorted { $0.key < $1.key }
        writer.integer(UInt32(all.count))
        for version in all {
            writer.key(version.key)
            writer.integer(version.level.rawValue)
            writer.integer(version.written.rawValue)
            writer.dot(version.origin.dot)
            writer.vector(version.origin.seen)
            writer.integer(version.applied)
            switch version.content {
            case .open(let bytes):
                writer.integer(UInt8(0))
                writer.sized(bytes)
            case .secret(let fingerprint, _):
                writer.integer(UInt8(1))
                writer.sized(fingerprint)
            }
            writer.sized(secrets[version.key] ?? [])
        }
        writer.integer(sequence)
        writer.integer(UInt32(kept.count))
        for kept in kept {
            writer.integer(kept.sequence)
            writer.integer(kept.part.level.rawValue)
            writer.sized(kept.part.prefix.bytes)
            writer.vector(kept.part.seen)
            writer.sized(kept.part.blob)
            writer.integer(UInt32(kept.part.announced.count))
            for key in kept.part.announced { writer.key(key) }
        }
        return writer.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func key(_ key: RecordKey) {
        id(key.object)
        field(key.field)
        stamp(key.stamp)
    }
}

extension ByteReader {
    fileprivate mutating func key() -> RecordKey? {
        guard let object = id(of: SyncSubject.Object.self), let field = field(),
            let stamp = stamp()
        else { return nil }
        return RecordKey(object, field, stamp)
    }

    fileprivate mutating func level() -> SyncLevel? {
        integer(UInt8.self).flatMap(SyncLevel.init)
    }

    fileprivate mutating func origin() -> Origin? {
        guard let dot = dot(), let seen = vector() else { return nil }
        return Origin(dot: dot, seen: seen)
    }
}

import Platform
import Sealing
import SecretMemory
import Synchronization
@testable import Sync
import SyncMembers
import TestSupport

/// A wall clock of a test, which each device can have wrong.
final class TestClock: Sendable {
    private let time: Mutex<Int64>

    init(_ time: Int64 = 1_800_000_000_000) {
        self.time = Mutex(time)
    }

    var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

/// A device of a test: its keys, its store, and its replica, which can be started again.
final class TestDevice {
    let id: DeviceID
    let store: TestStore
    let clock: TestClock
    /// The folder that is the remote of this device.
    let folder: String
    private let seed: [UInt8]
    private unowned let group: TestGroup
    private(set) var replica: Replica
    var level = SyncLevel.afterVerification {
        didSet { replica.epochs = group.keys(upTo: level) }
    }

    init(
        _ id: DeviceID, _ seed: [UInt8], _ group: TestGroup, store: TestStore, folder: String
    ) throws {
        self.id = id
        self.seed = seed
        self.group = group
        self.store = store
        self.folder = folder
        clock = TestClock(group.clock.now)
        replica = try group.replica(id, seed, store, clock, folder)
    }

    /// Starts the replica again over its store, as after a crash.
    func restart() throws {
        try store.reopen()
        replica = try group.replica(id, seed, store, clock, folder)
        replica.epochs = group.keys(upTo: level)
    }

    func signingKey() throws -> SigningKeyPair {
        let seed = seed
        return try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes))
    }

    @discardableResult
    func change(_ drafts: Draft...) throws -> Stamp { try replica.change { _ in drafts } }

    /// Its newest segment.
    var head: Heads {
        store.state.ledger.chains[id].map { [id: Head(number: $0.number, hash: $0.hash)] } ?? [:]
    }

    func state(_ object: ObjectID) throws -> ObjectState? {
        try store.transaction { try $0.state(of: object, rules: group.rules) }
    }

    /// The texts of a field: the current one, then the earlier ones, each with `!` if it is marked.
    func texts(_ object: ObjectID, _ field: RecordField = .value) throws -> [String] {
        guard let field = try state(object)?.fields[field] else { return [] }
        return [try text(field.current)]
            + (try field.earlier.map { try text($0.version) + ($0.isConcurrent ? "!" : "") })
    }

    func text(_ version: Version) throws -> String {
        if let bytes = version.content.bytes { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: store.state.secrets[version.key] ?? [], as: UTF8.self)
    }
}

/// Devices of one group over one folder.
final class TestGroup {
    let id: GroupID
    let folder: String
    let clock = TestClock()
    let random: RandomSource
    let rules: SyncRules
    private(set) var devices: [TestDevice] = []
    private var members: [DeviceID: [UInt8]] = [:]
    private var seeds: [DeviceID: [UInt8]] = [:]
    private let epoch: EpochKeys

    /// Makes the store of a device at a path.
    typealias StoreMaker = (String, DeviceID) throws -> TestStore

    init(
        at folder: String, count: Int, seed: UInt64 = 1, rules: SyncRules = .all,
        inFiles isInFiles: Bool = false, ownFolders: Bool = false, makeStore: StoreMaker? = nil
    ) throws {
        self.folder = folder
        self.rules = rules
        random = .seeded(seed)
        id = .random(from: random)
        epoch = try EpochStatement.make(id, for: [:], random: random).1
        for _ in 0..<count {
            let device = DeviceID.random(from: random)
            let seed = random.bytes(count: 32)
            seeds[device] = seed
            let key = try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes))
            members[device] = key.publicKey
        }
        for (device, seed) in seeds.sorted(by: { $0.key < $1.key }) {
            let place = ownFolders ? "\(folder)/\(device.text)" : folder
            try SafeFolder.create(place)
            let path = "\(folder)/\(device.text).store"
            let store =
                try makeStore?(path, device) ?? TestStore(path: isInFiles ? path : nil)
            devices.append(try TestDevice(device, seed, self, store: store, folder: place))
        }
    }

    var epochID: [UInt8] { epoch.id }

    func keys(upTo level: SyncLevel) -> [[UInt8]: EpochKeys] {
        [epoch.id: epoch.limited(to: level)]
    }

    func replica(
        _ device: DeviceID, _ seed: [UInt8], _ store: TestStore, _ clock: TestClock,
        _ folder: String
    ) throws -> Replica {
        Replica(
            id, device, key: try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes)),
            members: members, epochs: [epoch], store: store,
            remote: FolderRemote(at: folder, group: id, device: device),
            environment: Replica.Environment(now: { clock.now }, random: random, rules: rules))
    }

    /// A device again, over another file.
    func device(_ id: DeviceID, at path: String) throws -> TestDevice {
        try TestDevice(id, seeds[id] ?? [], self, store: TestStore(path: path), folder: folder)
    }

    /// The list's key of the epoch, with other keys for the rest: those of a thief.
    func falseKeys() throws -> EpochKeys {
        let other = try EpochStatement.make(id, for: [:], random: random).1
        var keys: [SyncLevel: LevelKey] = [:]
        for level in SyncLevel.allCases {
            keys[level] = level == .list ? epoch[level] : other[level]
        }
        return EpochKeys(id: epoch.id, keys: keys)
    }

    /// Time passes for all devices.
    func wait(_ milliseconds: Int64) {
        clock.now += milliseconds
        for device in devices { device.clock.now += milliseconds }
    }

    /// Exchanges until all devices have everything.
    func exchangeAll() throws {
        for _ in 0..<3 { for device in devices { _ = try device.replica.exchange() } }
    }

    func object() -> ObjectID { .random(from: random) }
}

extension Replica {
    /// A whole round.
    func exchange() throws -> SyncReport {
        var report = try collect()
        try settle()
        try makeSnapshotIfDue()
        try publish(&report)
        try drop()
        return report
    }

    /// Writes an empty segment, which tells the others how far this device has applied theirs.
    func acknowledge() throws { try change { _ in [] } }
}

extension Draft {
    /// A secret of a test.
    static func secret(
        _ object: ObjectID, _ field: RecordField, _ level: SyncLevel, _ text: String
    ) throws -> Draft {
        let bytes = Array(text.utf8)
        let secret = try SecretBytes(copying: unsafe bytes.span.bytes)
        return Draft(object, field, level, .secret(SecretContent(secret)))
    }

    /// A text of a test.
    static func text(
        _ object: ObjectID, _ field: RecordField, _ text: String, _ level: SyncLevel
    ) -> Draft {
        Draft(object, field, level, Array(text.utf8))
    }

    /// Says whether an object is protected; `level` is that at which it becomes so.
    static func protection(
        _ object: ObjectID, _ isProtected: Bool, _ level: SyncLevel
    ) throws -> Draft {
        guard !isProtected else {
            return Draft(object, .protection, level, RecordContent.flag(true))
        }
        return Draft(object, .protection, .afterVerification, try .notProtected())
    }

    /// The records of a new item.
    static func item(
        _ object: ObjectID, name: String, value: String, isProtected: Bool = false
    ) throws -> [Draft] {
        [
            Draft(object, .create, .whileUnlocked, [ObjectState.Kind.item]),
            text(object, .itemName, name, .whileUnlocked),
            text(object, .label, "label", .whileUnlocked),
            Draft(object, .protection, .whileUnlocked, RecordContent.flag(isProtected)),
            try secret(object, .value, isProtected ? .afterVerification : .whileUnlocked, value),
        ]
    }

    /// The records of a new task.
    static func task(_ object: ObjectID, name: String, due: Int64? = nil) -> [Draft] {
        [
            Draft(object, .create, .list, [ObjectState.Kind.task]),
            text(object, .taskName, name, .list),
        ]
            + (due.map {
                [
                    Draft(
                        object, .due, .list,
                        DueDate(occurrence: $0, isEdited: false, date: []).bytes)
                ]
            } ?? [])
    }
}

extension Replica {
    /// Takes an object out of the trash, in a transaction of its own.
    func restore(_ object: ObjectID) throws {
        try store.transaction { try restore(object, in: $0) }
    }
}

import Foundation
import Platform
import Sealing
import SecretMemory
import SecureStorage
import Sync
import SyncMembers
import SyncMirrors
import SyncStorage
import Synchronization
import TestSupport
import VaultCore

/// A wall clock of a test.
final class SecretTestClock: Sendable {
    private let time: Mutex<Int64>

    init(_ time: Int64 = 1_800_000_000_000) {
        self.time = Mutex(time)
    }

    var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// A time that no other call gives.
    func next() -> Int64 {
        time.withLock { time in
            time += 1
            return time
        }
    }
}

/// Counts steps, and fails at one of them: the process ends there.
final class SecretCrashes: Sendable {
    struct Crash: Error {}

    private let left = Mutex<Int?>(nil)
    private let count = Mutex(0)

    /// The number of steps until the next crash; nil for none.
    var stepsLeft: Int? {
        get { left.withLock { $0 } }
        set { left.withLock { $0 = newValue } }
    }

    var steps: Int { count.withLock { $0 } }

    /// Whether the process ends at this step.
    func isCrash() -> Bool {
        count.withLock { $0 += 1 }
        return left.withLock { left in
            guard let steps = left else { return false }
            left = steps - 1
            return steps <= 1
        }
    }
}

/// A vault whose process can end after a change.
struct CrashingVault: ForwardingStore {
    let base: any SecureStore
    let crashes: SecretCrashes

    private func crash() throws(SecureStoreError) {
        if crashes.isCrash() { throw .unavailable(.failed, detail: "crash") }
    }

    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        let item = try base.save(value, as: name, attributes)
        try crash()
        return item
    }

    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        let item = try base.update(name, to: value, edit, expecting: revision)
        try crash()
        return item
    }

    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        let item = try base.edit(name, edit, expecting: revision)
        try crash()
        return item
    }

    func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try base.remove(name, expecting: revision, permanently: isPermanent)
        try crash()
    }

    func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem] {
        let items = try base.change(changes)
        try crash()
        return items
    }
}

/// A store whose process can end before a commit.
struct CrashingMirrorStore: MirrorStore {
    let base: any MirrorStore
    let crashes: SecretCrashes

    func mirrorTransaction<Result>(
        _ body: (any MirrorTransaction) throws -> Result
    ) throws -> Result {
        try base.mirrorTransaction { transaction in
            let result = try body(transaction)
            if crashes.isCrash() { throw SecretCrashes.Crash() }
            return result
        }
    }

    func transaction<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try mirrorTransaction { try body($0) }
    }
}

/// A secret as a test compares it.
struct SecretView: Hashable, CustomStringConvertible {
    var value: String
    var label = ""
    var isProtected = false
    var extra: [String: String] = [:]

    var description: String { "\(value) \(label) \(isProtected) \(extra)" }
}

/// One home of a test: its vault, its store of sync and its mirror.
final class SecretHome {
    private(set) var id: DeviceID
    let clock: SecretTestClock
    let crashes = SecretCrashes()
    let vault: any SecureStore
    private unowned let group: SecretGroup
    private var seed: [UInt8]
    private var path: String
    /// The store of the device that this home was before, until the first round of the next one.
    private var former: (id: DeviceID, path: String)?
    private(set) var database: SyncDatabase
    private(set) var replica: Replica
    private(set) var mirror: SecretMirror
    var retention: EarlierRetention { didSet { try? open() } }
    /// Whether the owner is verified.
    private(set) var isVerified = true

    init(
        _ id: DeviceID, _ seed: [UInt8], _ group: SecretGroup, _ vault: (any SecureStore)?,
        _ retention: EarlierRetention
    ) throws {
        self.retention = retention
        self.id = id
        self.seed = seed
        self.group = group
        let clock = SecretTestClock(group.clock.now)
        self.clock = clock
        self.vault = vault ?? MemorySecureStore(retention: retention) { clock.now }
        path = group.folder + "/\(id.text).db"
        (database, replica, mirror) = try Self.open(
            id, seed, group, path, self.vault, clock, crashes, retention, verified: true)
    }

    private static func storeKeys(verified isVerified: Bool) throws -> [SyncLevel: StoreKey] {
        var keys = [
            SyncLevel.whileUnlocked: StoreKey(try Samples.secret(Array(repeating: 1, count: 32)))
        ]
        if isVerified {
            keys[.afterVerification] = StoreKey(try Samples.secret(Array(repeating: 2, count: 32)))
        }
        return keys
    }

    private static func open(
        _ id: DeviceID, _ seed: [UInt8], _ group: SecretGroup, _ path: String,
        _ vault: any SecureStore, _ clock: SecretTestClock, _ crashes: SecretCrashes,
        _ retention: EarlierRetention, verified isVerified: Bool
    ) throws -> (SyncDatabase, Replica, SecretMirror) {
        let database = try SyncDatabase.open(
            at: path, .secrets, device: id, keys: storeKeys(verified: isVerified), creating: true)
        let store = CrashingMirrorStore(base: database, crashes: crashes)
        let replica = Replica(
            group.id, id, key: try SigningKeyPair(seed: Samples.secret(seed)),
            members: group.members,
            epochs: [group.epoch.limited(to: isVerified ? .afterVerification : .whileUnlocked)],
            store: store, remote: FolderRemote(at: group.folder, group: group.id, device: id),
            environment: Replica.Environment(now: { clock.now }, random: group.random))
        replica.formerMembers = group.formerMembers
        let mirror = SecretMirror(
            replica, store: store, secrets: CrashingVault(base: vault, crashes: crashes),
            retention: retention, random: group.random, now: { clock.now })
        return (database, replica, mirror)
    }

    /// Opens store and mirror again, as the next process does.
    func open() throws {
        crashes.stepsLeft = nil
        database.close()
        (database, replica, mirror) = try Self.open(
            id, seed, group, path, vault, clock, crashes, retention, verified: isVerified)
    }

    /// The verification ends, or is made again.
    func verify(_ isVerified: Bool) throws {
        self.isVerified = isVerified
        if let vault = vault as? MemorySecureStore {
            if isVerified { vault.unlock() } else { vault.endVerification() }
        }
        if let vault = vault as? UnlockedVault {
            if isVerified {
                try vault.verify(with: TestVault.secret())
            } else {
                vault.endVerification()
            }
        }
        try open()
    }

    var store: any MirrorStore { database }

    /// The home leaves the group, and joins again as another device. Its next round is the first. The others can remove the former device,
    /// and it can note what changed before it leaves.
    func joinAgain(removed isRemoved: Bool = false, capturing isCapturing: Bool = true) throws {
        crashes.stepsLeft = nil
        if former == nil {
            if isCapturing { _ = try mirror.capture() }
            try database.retire()
            former = (id, path)
        }
        database.close()
        (id, seed) = try group.admit(inPlaceOf: id, removed: isRemoved)
        path = group.folder + "/\(id.text).db"
        try open()
    }

    /// The first steps of the first round after ``joinAgain(removed:capturing:)``.
    private func resume() throws {
        guard let former else { return }
        let database = try SyncDatabase.open(
            at: former.path, .secrets, device: former.id,
            keys: Self.storeKeys(verified: false))
        defer { database.close() }
        _ = try replica.collect()
        try replica.settle()
        try mirror.resume(database.former())
    }

    /// The replica of a copy of this home: the same device over a copy of its store.
    func copied() throws -> (SyncDatabase, Replica) {
        database.close()
        let copy = path + ".copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try open()
        let (database, replica, _) = try Self.open(
            id, seed, group, copy, vault, clock, SecretCrashes(), retention, verified: true)
        return (database, replica)
    }

    // MARK: Rounds

    @discardableResult
    func round() throws -> SecretMirrorReport {
        if former != nil, !isVerified { return SecretMirrorReport() }
        try resume()
        var report = try mirror.capture()
        former = nil
        var exchange = try replica.collect()
        try replica.settle()
        report.add(try mirror.apply())
        try replica.makeSnapshotIfDue()
        try replica.publish(&exchange)
        try replica.drop()
        return report
    }

    func close() { database.close() }

    // MARK: The vault

    @discardableResult
    func set(
        _ name: String, _ value: String, label: String? = nil, isProtected: Bool? = nil,
        extra: [String: String]? = nil
    ) throws -> SecretItem {
        let name = try SecretName.test(name)
        let list = extra?.sorted { $0.key < $1.key }.map {
            ExtraAttribute(key: $0.key, text: $0.value)
        }
        let accessClass = isProtected.map { $0 ? AccessClass.afterVerification : .whileUnlocked }
        if try vault.list().contains(where: { $0.name == name }) {
            return try vault.update(
                name, to: Samples.secret(value),
                SecretEdit(label: label, accessClass: accessClass, extra: list), expecting: nil)
        }
        return try vault.save(
            Samples.secret(value), as: name,
            SecretAttributes(
                label: label ?? "", accessClass: accessClass ?? .whileUnlocked, extra: list ?? []))
    }

    func edit(_ name: String, _ edit: SecretEdit) throws {
        try vault.edit(.test(name), edit, expecting: nil)
    }

    func rename(_ name: String, to other: String) throws {
        try edit(name, SecretEdit(name: .test(other)))
    }

    func remove(_ name: String) throws { try vault.remove(.test(name)) }

    /// Restores the secret of this name that was removed last.
    func restore(_ name: String, as other: String? = nil) throws {
        let name = try SecretName.test(name)
        guard let removed = try vault.removed().first(where: { $0.item.name == name }) else {
            throw SecureStoreError.notFound
        }
        try vault.restore(removed: removed.id, as: other.map { try SecretName.test($0) })
    }

    /// The owner's secrets, by name.
    func all() throws -> [String: SecretView] {
        var all: [String: SecretView] = [:]
        for item in try vault.list() where !item.name.isReserved {
            let extra = item.attributes.extra.map { ($0.key, $0.text) }
            all[item.name.service] = SecretView(
                value: try text(vault.value(of: item.name)), label: item.attributes.label,
                isProtected: item.attributes.accessClass == .afterVerification,
                extra: Dictionary(uniqueKeysWithValues: extra))
        }
        return all
    }

    /// The values of a secret, the current one first.
    func values(_ name: String) throws -> [String] {
        let name = try SecretName.test(name)
        var values = [try text(vault.value(of: name))]
        for earlier in try vault.history(of: name) {
            try vault.readEarlier(name, revision: earlier.item.revision) {
                values.append(text($1))
            }
        }
        return values
    }

    /// The marked values of a secret, with ↺ if it has returned; nil if it has no mark.
    func mark(_ name: String) throws -> [String]? {
        guard let mark = try mirror.mark(of: .test(name)) else { return nil }
        return try mark.concurrent.map { try text(mirror.value(of: $0)) }
            + (mark.hasReturned ? ["↺"] : [])
    }

    private func text(_ value: borrowing SecretBytes) -> String {
        String(decoding: Samples.bytes(value), as: UTF8.self)
    }
}

/// Homes of one group over one folder.
final class SecretGroup {
    let id: GroupID
    let folder: String
    let clock = SecretTestClock()
    let random: RandomSource
    private(set) var homes: [SecretHome] = []
    private(set) var members: [DeviceID: [UInt8]] = [:]
    private(set) var formerMembers: Set<DeviceID> = []
    fileprivate let epoch: EpochKeys

    init(
        _ folder: String, count: Int, seed: UInt64 = 1, vaults: [any SecureStore] = [],
        retention: EarlierRetention = .standard
    ) throws {
        self.folder = folder
        random = .seeded(seed)
        id = .random(from: random)
        epoch = try EpochStatement.make(id, for: [:], random: random).1
        var seeds: [(DeviceID, [UInt8])] = []
        for _ in 0..<count { seeds.append(try addMember()) }
        for (index, (device, seed)) in seeds.enumerated() {
            homes.append(
                try SecretHome(
                    device, seed, self, index < vaults.count ? vaults[index] : nil, retention))
        }
    }

    private func addMember() throws -> (DeviceID, [UInt8]) {
        let (device, seed) = (DeviceID.random(from: random), random.bytes(count: 32))
        let key = try SigningKeyPair(seed: Samples.secret(seed))
        members[device] = key.publicKey
        return (device, seed)
    }

    /// Adds a device in the place of another one, which may be removed.
    fileprivate func admit(
        inPlaceOf device: DeviceID, removed isRemoved: Bool
    ) throws -> (DeviceID, [UInt8]) {
        let new = try addMember()
        if isRemoved { formerMembers.insert(device) }
        for home in homes {
            home.replica.members = members
            home.replica.formerMembers = formerMembers
        }
        return new
    }

    /// Runs a body while the others do not know of a home.
    func forgetting(_ home: SecretHome, _ body: () throws -> Void) throws {
        for other in homes where other !== home { other.replica.members[home.id] = nil }
        try body()
        for other in homes { other.replica.members = members }
    }

    /// Rounds until all homes have everything.
    func exchange(_ rounds: Int = 3) throws {
        for _ in 0..<rounds {
            for home in homes {
                wait(10)
                try home.round()
            }
        }
    }

    /// Time passes for all homes.
    func wait(_ milliseconds: Int64 = 1_000) {
        clock.now += milliseconds
        for home in homes { home.clock.now += milliseconds }
    }
}

/// Runs a body with homes that have one secret, `bank`.
func withSecretHomes(
    _ count: Int = 2, _ body: (SecretGroup, [SecretHome]) throws -> Void
) throws {
    try withTemporaryFolder { folder in
        let group = try SecretGroup(folder, count: count)
        try group.homes[0].set("bank", "old", label: "Bank")
        group.wait()
        try group.exchange()
        group.wait()
        try body(group, group.homes)
        for home in group.homes { home.database.close() }
    }
}

extension SecretName {
    static func test(_ service: String) throws -> SecretName {
        try SecretName(service: service, account: "me")
    }
}

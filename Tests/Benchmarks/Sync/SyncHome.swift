internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import SyncMembers
internal import SyncMirrors
internal import SyncStorage
internal import Tasks
internal import TextCoding

/// Homes that share a folder.
final class SyncGroup {
    let folder: String
    fileprivate let id = GroupID.random(from: .system)
    fileprivate let epoch: EpochKeys
    fileprivate var members: [DeviceID: [UInt8]] = [:]
    private let scratch: ScratchFolder
    private(set) var homes: [SyncHome] = []

    /// Makes two homes with empty vaults and lists.
    init(_ name: String, in folder: ScratchFolder) throws {
        scratch = folder
        self.folder = try folder.makeFolder("\(name)-remote")
        epoch = try EpochStatement.make(id, for: [:], random: .system).1
        for number in 0..<2 {
            homes.append(try SyncHome("\(name)-\(number)", self, in: folder))
        }
    }

    func close() {
        for home in homes { home.close() }
    }

    /// The bytes of all segments.
    func remoteBytes() throws -> Int {
        let sizes = try Child.output(of: "find '\(folder)' -type f -printf '%s\\n'")
        return sizes.split(separator: "\n").reduce(0) { $0 + (Int($1) ?? 0) }
    }
}

/// A home in this process: a vault, a list, and their records.
final class SyncHome {
    let vault: BenchmarkVault
    let open: OpenVault
    let tasks: TaskFile
    private let group: SyncGroup
    private let path: String
    private var chains: [SyncDatabase.Chain: (device: DeviceID, seed: [UInt8])] = [:]

    fileprivate init(_ name: String, _ group: SyncGroup, in folder: ScratchFolder) throws {
        self.group = group
        path = try folder.makeFolder(name)
        vault = try BenchmarkVault("\(name).db", in: folder)
        open = try vault.open()
        tasks = try TaskFile("\(path)/tasks.db", count: 0)
        for chain in [SyncDatabase.Chain.list, .secrets] {
            let seed = RandomSource.system.bytes(count: 32)
            let device = DeviceID.random(from: .system)
            let key = try SigningKeyPair(seed: Self.secret(seed))
            group.members[device] = key.publicKey
            chains[chain] = (device, seed)
        }
    }

    private static func secret(_ bytes: [UInt8]) throws -> SecretBytes {
        try SecretBytes(copying: unsafe bytes.span.bytes)
    }

    /// A round of the list.
    func syncList() throws {
        try withReplica(.list) { replica, store in
            let mirror = TaskMirror(
                replica, store, tasks.repository, vault: open.vault, now: { PointInTime.now })
            try mirror.capture()
            var report = try replica.collect()
            try replica.settle()
            try mirror.apply()
            try replica.publish(&report)
            try Self.require(report)
        }
    }

    /// A round of the secrets.
    func syncSecrets() throws {
        try withReplica(.secrets) { replica, store in
            let mirror = SecretMirror(
                replica, store: store, secrets: open.vault,
                now: { PointInTime.now.milliseconds })
            _ = try mirror.capture()
            var report = try replica.collect()
            try replica.settle()
            _ = try mirror.apply()
            try replica.publish(&report)
            try Self.require(report)
        }
    }

    func sync() throws {
        try syncList()
        try syncSecrets()
    }

    private static func require(_ report: SyncReport) throws {
        guard report.waiting.isEmpty, report.ignoredParts.isEmpty else {
            throw BenchmarkFailure("a round waits: \(report)")
        }
    }

    private func withReplica(
        _ chain: SyncDatabase.Chain, _ body: (Replica, SyncDatabase) throws -> Void
    ) throws {
        guard let (device, seed) = chains[chain] else { return }
        var keys: [SyncLevel: StoreKey] = [:]
        for level in [SyncLevel.whileUnlocked, .afterVerification] {
            keys[level] = StoreKey(
                try Self.secret([UInt8](repeating: level.rawValue, count: 32)))
        }
        let name = chain == .list ? "list" : "secrets"
        let store = try SyncDatabase.open(
            at: "\(path)/\(name).db", chain, device: device, keys: keys, creating: true)
        defer { store.close() }
        let others = group.homes.compactMap { $0.chains[chain]?.device }
        let replica = Replica(
            group.id, device, key: try SigningKeyPair(seed: Self.secret(seed)),
            members: group.members.filter { others.contains($0.key) }, epochs: [group.epoch],
            store: store, remote: FolderRemote(at: group.folder, group: group.id, device: device),
            environment: Replica.Environment(
                now: { PointInTime.now.milliseconds }, random: .system))
        try body(replica, store)
    }

    func close() {
        tasks.close()
        open.close()
    }
}

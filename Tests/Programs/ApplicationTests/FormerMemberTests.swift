@testable import Application
import Sealing
import SecretMemory
import Sync
import SyncMembers
import SyncStorage
import Testing
import TestSupport

/// Changes of a removed device, while not everyone has heard of its removal.
@Suite("Former members and partitions") struct FormerMemberTests {
    /// A member of a test, whose knowledge of the removal is its limit.
    private final class Member {
        let id: DeviceID
        let replica: Replica
        let store: SyncDatabase
        let remote: LimitedRemote

        init(_ id: DeviceID, _ replica: Replica, _ store: SyncDatabase, _ remote: LimitedRemote) {
            self.id = id
            self.replica = replica
            self.store = store
            self.remote = remote
        }

        func number(of device: DeviceID) throws -> UInt64 {
            try store.transaction { $0.ledger.chains[device]?.number ?? 0 }
        }
    }

    private func members(_ folder: String, _ random: RandomSource) throws -> [Member] {
        let group = GroupID.random(from: random)
        let epoch = try EpochStatement.make(group, for: [:], random: random).1
        var seeds: [DeviceID: [UInt8]] = [:]
        var keys: [DeviceID: [UInt8]] = [:]
        for _ in 0..<4 {
            let (id, seed) = (DeviceID.random(from: random), random.bytes(count: 32))
            let key = try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes))
            seeds[id] = seed
            keys[id] = key.publicKey
        }
        return try seeds.sorted { $0.key < $1.key }.map { id, seed in
            let store = try SyncDatabase.open(
                at: "\(folder)/\(id.text).db", .list, device: id, keys: [:], creating: true)
            let remote = LimitedRemote(
                FolderRemote(at: folder, group: group, device: id), limits: [:])
            let replica = Replica(
                group, id,
                key: try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes)),
                members: keys, epochs: [epoch], store: store, remote: remote,
                environment: Replica.Environment(now: { 1_800_000_000_000 }, random: random))
            return Member(id, replica, store, remote)
        }
    }

    private func write(_ member: Member, _ random: RandomSource) throws {
        try member.replica.change { _ in
            [Draft(.random(from: random), .create, .list, [2])]
        }
    }

    private func sync(_ member: Member) throws -> SyncReport {
        var report = try member.replica.collectFromMembers()
        try member.replica.publish(&report)
        return report
    }

    @Test("all members apply the same changes of a removed device", arguments: 1...40)
    func histories(_ seed: UInt64) throws {
        try withTemporaryFolder { folder in
            let random = RandomSource.seeded(seed)
            var all = try members(folder, random)
            let removed = all.removeLast()
            defer { for member in all + [removed] { member.store.close() } }
            // The limit of the removal; nil before it. Each member hears of it at its own time.
            var limit: UInt64?
            var highest: UInt64 = 0
            func exchange(_ member: Member) throws {
                let report = try sync(member)
                #expect(
                    !report.waiting.values.contains { if case .needs = $0 { true } else { false } })
            }
            for step in 0..<40 {
                let member = all[Int(random.number(below: 3))]
                switch random.number(below: 6) {
                case 0, 1:
                    // It goes on, because it has not heard of its removal.
                    try write(removed, random)
                    _ = try sync(removed)
                case 2:
                    try write(member, random)
                    highest = max(highest, try member.number(of: removed.id))
                case 3 where step > 10 && limit == nil:
                    limit = try member.number(of: removed.id)
                    member.remote.limits[removed.id] = limit
                case 4:
                    // A partition ends: the statement of the removal comes.
                    if let limit, member.remote.limits[removed.id] == nil {
                        member.remote.limits[removed.id] = limit
                    }
                    try exchange(member)
                default: try exchange(member)
                }
            }
            let counted = limit ?? 0
            for member in all {
                // What a member has seen it names, at the latest when it hears of the removal.
                try write(member, random)
                highest = max(highest, try member.number(of: removed.id))
                if member.remote.limits[removed.id] == nil {
                    member.remote.limits[removed.id] = counted
                }
            }
            for _ in 0..<3 { for member in all { try exchange(member) } }
            for member in all {
                #expect(try member.number(of: removed.id) == max(counted, highest), "seed \(seed)")
            }
        }
    }
}

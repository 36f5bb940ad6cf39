import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("Members of a group")
struct RuleTests {
    @Test("the first device makes a group, and adds others with the keys of all epochs")
    func adding() throws {
        let homes = try group(of: 3, seed: 1)
        try homes[1].write { try $0.newEpoch() }
        let fourth = try TestHome(homes[0].random)
        let heads: Heads = [homes[0].id: Head(number: 5, hash: Head.noHash)]
        try homes[1].add(fourth, name: "phone", heads: heads)
        let state = fourth.state
        #expect(state.invalid.isEmpty)
        #expect(Set(state.members.keys) == Set((homes + [fourth]).map(\.id)))
        #expect(state.members[fourth.id]?.addedBy == homes[1].id)
        #expect(state.members[fourth.id]?.heads == heads)
        let epochs = try state.openEpochs(with: fourth.secrets.all)
        #expect(state.name(of: fourth.id, epochs) == "phone")
        #expect(state.name(of: homes[0].id, epochs) == "desktop")
        #expect(epochs.keys.count == 2)
        #expect(epochs.keys.allSatisfy { $0.isComplete })
        #expect(epochs.sealing == state.usableEpochs.first?.id)
        #expect(epochs.keys.first?.id == epochs.sealing)
        // A locked machine has the list's key alone.
        let locked = try state.openEpochs(with: [fourth.secrets[.list]])
        #expect(locked.sealing == epochs.sealing)
        #expect(locked.keys.allSatisfy { $0[.list] != nil && $0[.whileUnlocked] == nil })
        for chain in SyncChain.allCases {
            #expect(
                Set(state.segmentKeys(of: chain).keys)
                    == Set((homes + [fourth]).map { chain.id(of: $0.id) }))
        }
    }

    @Test("a removed device is out for ever, new keys are made at once, and its heads are kept")
    func removing() throws {
        let homes = try group(of: 3, seed: 2)
        let old = try #require(homes[0].state.usableEpochs.first)
        let laptop = homes[2].id
        let heads: Heads = [
            laptop: Head(number: 9, hash: [UInt8](repeating: 1, count: 32)),
            laptop.secretsChain: Head(number: 4, hash: [UInt8](repeating: 2, count: 32)),
            homes[1].id: Head(number: 1, hash: [UInt8](repeating: 3, count: 32)),
        ]
        try homes[0].remove(laptop, heads: heads)
        let state = homes[0].state
        #expect(Set(state.members.keys) == [homes[0].id, homes[1].id])
        let removed = try #require(state.removed[laptop])
        #expect(removed.removedBy == [homes[0].id])
        #expect(removed.heads == heads.filter { $0.key != homes[1].id })
        let epoch = try #require(state.usableEpochs.first)
        #expect(state.usableEpochs.map(\.id) == [epoch.id])
        #expect(epoch.id != old.id)
        #expect(try homes[1].opens(epoch, in: state))
        #expect(try !homes[2].opens(epoch, in: state))
        // What was written before can still be read.
        #expect(state.epochs[old.id] != nil)
        #expect(throws: GroupError.noMember(laptop)) {
            try homes[0].write {
                try $0.add(Newcomer(homes[2].secrets, as: .device, to: $0.state.group))
            }
        }
        let stranger = try TestHome(homes[0].random).id
        #expect(throws: GroupError.noMember(stranger)) { try homes[0].remove(stranger) }
        homes[2].exchange(with: homes[0])
        #expect(throws: GroupError.noMember(laptop)) { try homes[2].write { try $0.newEpoch() } }
    }

    @Test("what a removed device says later never counts: adding, renaming, keys, removing")
    func removedDevice() throws {
        let homes = try group(of: 4, seed: 3)
        try homes[0].remove(homes[3].id)
        let stranger = try TestHome(homes[0].random)
        try homes[3].add(stranger, name: "stranger")
        try homes[3].write { try $0.rename(homes[1].id, to: "mine") }
        try homes[3].write { try $0.newEpoch() }
        try homes[3].remove(homes[1].id)
        // Nor what the stranger says, whom it added.
        try stranger.remove(homes[2].id)
        try stranger.write { try $0.newEpoch() }
        homes[0].known.formUnion(homes[3].known.union(stranger.known))
        let state = homes[0].state
        #expect(Set(state.members.keys) == Set(homes.prefix(3).map(\.id)))
        let epochs = try state.openEpochs(with: homes[0].secrets.all)
        #expect(state.name(of: homes[1].id, epochs) == nil)
        #expect(state.usableEpochs.count == 1)
        #expect(try !homes[3].opens(#require(state.usableEpochs.first), in: state))
        let failures = Set(state.invalid.values)
        #expect(failures == [.removed])
        // What the others then write does not name it.
        let later = try homes[0].write { try $0.newEpoch() }
        #expect(later.allSatisfy { $0.seen.allSatisfy { state.invalid[$0] == nil } })
    }

    @Test("two that remove each other are both removed, and no other with them")
    func mutual() throws {
        let homes = try group(of: 4, seed: 4)
        try homes[0].remove(homes[1].id)
        try homes[1].remove(homes[0].id)
        try homes[1].remove(homes[2].id)
        homes[0].exchange(with: homes[1])
        let state = homes[0].state
        #expect(Set(state.members.keys) == [homes[2].id, homes[3].id])
        #expect(Set(state.removed.keys) == [homes[0].id, homes[1].id])
        // Both made keys that the other cannot open, but each knows its own.
        #expect(state.usableEpochs.isEmpty)
        homes[2].exchange(with: homes[0])
        try homes[2].write { try $0.newEpoch() }
        #expect(homes[2].state.usableEpochs.count == 1)
    }

    @Test("a ring of removes removes all of its devices")
    func ring() throws {
        let homes = try group(of: 4, seed: 5)
        for index in 0..<3 { try homes[index].remove(homes[(index + 1) % 3].id) }
        for home in homes.prefix(3) { homes[3].known.formUnion(home.known) }
        #expect(Set(homes[3].state.members.keys) == [homes[3].id])
    }

    @Test("a device leaves by removing itself")
    func leaving() throws {
        let homes = try group(of: 2, seed: 6)
        try homes[1].remove(homes[1].id)
        let state = homes[1].state
        #expect(Set(state.members.keys) == [homes[0].id])
        #expect(state.invalid.isEmpty)
        #expect(state.usableEpochs.isEmpty)
    }

    @Test("a statement of the recovery member outranks those of devices")
    func recoveryOutranks() throws {
        let homes = try group(of: 3, seed: 7)
        let code = try RecoveryCode.random(from: homes[0].random)
        var blob: RecoveryBlob?
        try homes[0].write { blob = try $0.addRecoveryMember(code) }
        for home in homes { home.known = homes[0].known }
        let opened = try blob?.open(with: code)
        let secrets = try #require(opened)
        // The thief removes everybody, the recovery member included.
        try homes[2].remove(homes[0].id, homes[1].id, secrets.device)
        #expect(Set(homes[2].state.members.keys) == [homes[2].id])
        // The owner has seen nothing of it, and then all of it.
        for known in [homes[0].known, homes[2].known] {
            let owner = try TestHome(homes[0].random)
            owner.group = homes[0].group
            owner.known = known
            let state = owner.state.ignoringRemoves(by: [homes[2].id])
            #expect(state.members.count == 3)
            var author = GroupAuthor(secrets, state, now: 5_000, random: owner.random)
            try author.remove([homes[2].id], heads: [:])
            try author.add(Newcomer(owner.secrets, as: .device, to: owner.group))
            owner.known.formUnion(author.written)
            owner.known.formUnion(homes[2].known)
            #expect(
                Set(owner.state.members.keys) == Set([homes[0].id, homes[1].id, owner.id]))
            #expect(owner.state.recoveryMembers.keys.contains(secrets.device))
            #expect(try owner.opens(#require(owner.state.usableEpochs.first), in: owner.state))
        }
    }

    @Test("a recovery member whom a removed device made afterwards has no power")
    func falseRecovery() throws {
        let homes = try group(of: 3, seed: 8)
        try homes[0].remove(homes[2].id)
        let code = try RecoveryCode.random(from: homes[2].random)
        var blob: RecoveryBlob?
        try homes[2].write { blob = try $0.addRecoveryMember(code) }
        let opened = try blob?.open(with: code)
        let secrets = try #require(opened)
        try homes[2].write(as: secrets) { try $0.remove([homes[1].id], heads: [:]) }
        homes[0].exchange(with: homes[2])
        #expect(Set(homes[0].state.members.keys) == [homes[0].id, homes[1].id])
        #expect(homes[0].state.recoveryMembers.isEmpty)
    }

    @Test("at most 16 devices; when more join while apart, those that joined first")
    func limit() throws {
        let homes = try group(of: 15, seed: 9)
        let late = try (0..<2).map { _ in try TestHome(homes[0].random) }
        homes[1].now = homes[0].now + 10
        try homes[0].add(late[0])
        try homes[1].add(late[1])
        let refused = try TestHome(homes[0].random)
        #expect(throws: GroupError.full) { try homes[0].add(refused) }
        homes[0].exchange(with: homes[1])
        let state = homes[0].state
        #expect(state.members.count == 16)
        #expect(state.members[late[0].id] != nil)
        #expect(state.members[late[1].id] == nil)
        #expect(state.invalid.isEmpty)
        // The statement of a device that knew of 16.
        let origin = Statement.Origin(
            group: state.group, author: homes[0].id,
            introduction: try #require(state.create), clock: state.clock + 1, seen: state.latest)
        let add = Statement(
            .add(
                StatementContent.Addition(
                    newcomer: Newcomer(refused.secrets, as: .device, to: state.group),
                    name: .none, heads: [:])), origin,
            key: homes[0].secrets[.afterVerification].signing)
        #expect(GroupState(state.group, homes[0].known.union([add])).invalid == [add.id: .full])
        // There is room again after a remove.
        try homes[0].remove(homes[5].id)
        #expect(homes[0].state.members[late[1].id] != nil)
    }

    @Test("a statement waits for those that it has seen")
    func incomplete() throws {
        let homes = try group(of: 2, seed: 10)
        let create = try #require(homes[0].state.create)
        let state = GroupState(homes[0].group, homes[0].known.filter { $0.id != create })
        #expect(state.create == nil)
        #expect(state.members.isEmpty && state.usableEpochs.isEmpty)
        #expect(Set(state.invalid.values) == [.seen])
    }

    @Test("keys, consent and signatures must be those of the member")
    func forged() throws {
        let homes = try group(of: 2, seed: 11)
        let stranger = try TestHome(homes[0].random)
        let state = homes[0].state
        let create = try #require(state.create)
        func failure(
            _ content: StatementContent, by author: TestHome, as id: DeviceID? = nil
        ) -> StatementFailure? {
            let origin = Statement.Origin(
                group: state.group, author: id ?? author.id, introduction: create,
                clock: state.clock + 1, seen: state.latest)
            let statement = Statement(
                content, origin, key: author.secrets[.afterVerification].signing)
            return GroupState(state.group, state.statements.union([statement]))
                .invalid[statement.id]
        }
        let removal = StatementContent.remove(
            StatementContent.Removal(member: homes[1].id, heads: [:]))
        #expect(failure(removal, by: homes[0]) == nil)
        #expect(failure(removal, by: stranger) == .author)
        #expect(failure(removal, by: stranger, as: homes[0].id) == .signature)
        // The author names its introduction, and has not seen it.
        let unseen = Statement(
            .rename(homes[1].id, .none),
            Statement.Origin(
                group: state.group, author: homes[1].id,
                introduction: try #require(state.members[homes[1].id]).introduction,
                clock: state.clock + 1, seen: [create]),
            key: homes[1].secrets[.afterVerification].signing)
        #expect(
            GroupState(state.group, state.statements.union([unseen])).invalid == [
                unseen.id: .author
            ])
        // The introduction of another member is not its own.
        #expect(failure(removal, by: homes[1]) == .author)
        #expect(
            failure(
                .remove(StatementContent.Removal(member: stranger.id, heads: [:])), by: homes[0])
                == .member)
        #expect(failure(.rename(stranger.id, .none), by: homes[0]) == .member)
        // A consent to another group, and one to another role.
        for newcomer in [
            Newcomer(stranger.secrets, as: .device, to: .random(from: stranger.random))
        ] {
            #expect(
                failure(
                    .add(
                        StatementContent.Addition(newcomer: newcomer, name: .none, heads: [:])),
                    by: homes[0]) == .consent)
        }
        // An epoch for one who is no member.
        let keys = [
            homes[0].id: homes[0].secrets.keys,
            stranger.id: stranger.secrets.keys,
        ]
        let epoch = try EpochStatement.make(state.group, for: keys, random: stranger.random).0
        #expect(failure(.epoch(epoch), by: homes[0]) == .member)
    }

    @Test("an epoch that a removed device could open is not used, however its keys reached it")
    func epochs() throws {
        let homes = try group(of: 3, seed: 12)
        // The device that is removed made the keys, without a box for itself.
        let keys = homes.prefix(2).map { ($0.id, $0.secrets.keys) }
        let own = try EpochStatement.make(
            homes[2].group, for: Dictionary(uniqueKeysWithValues: keys), random: homes[2].random
        ).0
        let state = homes[2].state
        let origin = Statement.Origin(
            group: state.group, author: homes[2].id,
            introduction: try #require(state.members[homes[2].id]).introduction,
            clock: state.clock + 1, seen: state.latest)
        homes[2].known.insert(
            Statement(.epoch(own), origin, key: homes[2].secrets[.afterVerification].signing))
        homes[0].exchange(with: homes[2])
        #expect(homes[0].state.usableEpochs.first?.id == own.id)
        // Another got the keys by delivery, and is removed.
        let fourth = try TestHome(homes[0].random)
        try homes[0].add(fourth)
        #expect(try fourth.opens(#require(homes[0].state.usableEpochs.first), in: fourth.state))
        try homes[0].remove(fourth.id)
        #expect(!homes[0].state.usableEpochs.contains { $0.id == own.id })
        #expect(homes[0].state.usableEpochs.count == 1)
        // The author of keys that were made for the others only.
        homes[2].exchange(with: homes[0])
        let later = homes[2].state
        let second = try EpochStatement.make(
            homes[2].group, for: Dictionary(uniqueKeysWithValues: keys), random: homes[2].random
        ).0
        homes[2].known.insert(
            Statement(
                .epoch(second),
                Statement.Origin(
                    group: later.group, author: homes[2].id, introduction: origin.introduction,
                    clock: later.clock + 1, seen: later.latest),
                key: homes[2].secrets[.afterVerification].signing))
        homes[0].exchange(with: homes[2])
        #expect(homes[0].state.usableEpochs.first?.id == second.id)
        try homes[0].remove(homes[2].id)
        let usable = homes[0].state.usableEpochs
        #expect(usable.count == 1)
        #expect(usable.first?.author == homes[0].id)
        #expect(homes[0].state.epochs.keys.contains(second.id))
    }

    @Test("of two epochs made while apart the newer stamp counts, and a member gets what it lacks")
    func concurrentEpochs() throws {
        let homes = try group(of: 2, seed: 13)
        let newcomer = try TestHome(homes[0].random)
        // One adds a device while the other makes new keys.
        try homes[0].add(newcomer)
        homes[1].now = homes[0].now + 10
        try homes[1].write { try $0.newEpoch() }
        homes[0].exchange(with: homes[1])
        newcomer.known = homes[0].known
        let state = homes[0].state
        let newest = try #require(state.usableEpochs.first)
        #expect(newest.author == homes[1].id)
        let opened = try state.openEpochs(with: newcomer.secrets.all)
        #expect(opened.missing == [newest.id])
        #expect(opened.sealing == state.usableEpochs.last?.id)
        // Any member delivers it; twice is harmless.
        try homes[0].write { try $0.deliver() }
        try homes[1].write { try $0.deliver() }
        #expect(try homes[0].write { try $0.deliver() }.isEmpty)
        homes[0].exchange(with: homes[1])
        let delivered = try homes[0].state.openEpochs(with: newcomer.secrets.all)
        #expect(delivered.missing.isEmpty && delivered.failures.isEmpty)
        #expect(delivered.sealing == newest.id)
    }

    @Test("false keys that were delivered are refused, and do not hide right ones")
    func falseDelivery() throws {
        let homes = try group(of: 2, seed: 14)
        let newcomer = try TestHome(homes[0].random)
        homes[1].known = homes[0].known
        try homes[0].write { author in
            try author.add(Newcomer(newcomer.secrets, as: .device, to: author.state.group))
        }
        let right = homes[0].known
        let delivery = try #require(right.first { $0.content.kind == .deliver })
        guard case .deliver(let content) = delivery.content else { return }
        let state = homes[0].state
        let boxes = content.boxes.mapValues { boxes in boxes.map { $0.map { $0 ^ 1 } } }
        let origin = Statement.Origin(
            group: state.group, author: homes[0].id, introduction: try #require(state.create),
            clock: state.clock + 1, seen: state.latest)
        let wrong = Statement(
            .deliver(StatementContent.Delivery(member: newcomer.id, boxes: boxes)), origin,
            key: homes[0].secrets[.afterVerification].signing)
        let both = try GroupState(state.group, right.union([wrong])).openEpochs(
            with: newcomer.secrets.all)
        #expect(both.keys.count == 1 && both.failures.isEmpty)
        #expect(both.keys.allSatisfy { $0.isComplete })
    }

    @Test("a removed device cannot spoil keys by delivering them, nor time by the last clock")
    func spoiling() throws {
        let homes = try group(of: 3, seed: 15)
        let before = homes[2].state
        let verified = homes[2].secrets[.afterVerification]
        let introduction = try #require(before.members[homes[2].id]).introduction
        homes[2].known.insert(
            Statement(
                .rename(homes[2].id, .none),
                Statement.Origin(
                    group: before.group, author: homes[2].id, introduction: introduction,
                    clock: Stamp.limit - 1, seen: before.latest), key: verified.signing))
        homes[0].exchange(with: homes[2])
        try homes[0].remove(homes[2].id)
        let state = homes[0].state
        let usable = try #require(state.usableEpochs.first)
        let boxes = [[UInt8]](
            repeating: [UInt8](repeating: 0, count: EpochStatement.boxSize), count: 3)
        let origin = Statement.Origin(
            group: before.group, author: homes[2].id,
            introduction: introduction, clock: 1, seen: before.latest)
        let spoilers = [
            Statement(
                .deliver(
                    StatementContent.Delivery(member: homes[1].id, boxes: [usable.id: boxes])),
                origin, key: verified.signing),
            Statement(.epoch(usable.statement), origin, key: verified.signing),
        ]
        let spoiled = GroupState(state.group, state.statements.union(spoilers))
        #expect(spoilers.allSatisfy { spoiled.invalid[$0.id] == .removed })
        #expect(spoiled.usableEpochs.map(\.id) == [usable.id])
        #expect(try homes[1].opens(usable, in: spoiled))
    }

    @Test("whoever has an epoch knows of the removals that its author had seen")
    func excluded() throws {
        let homes = try group(of: 3, seed: 17)
        let old = try #require(homes[0].state.usableEpochs.first)
        #expect(old.excluded.isEmpty)
        try homes[0].remove(homes[2].id)
        var state = homes[0].state
        let new = try #require(state.usableEpochs.first)
        #expect(new.excluded == [homes[2].id])
        #expect(state.epochs[old.id]?.excluded == [])
        // One who got the new keys from the removed device may not know.
        let copy = Statement(
            .epoch(new.statement),
            Statement.Origin(
                group: state.group, author: homes[2].id,
                introduction: try #require(homes[2].state.members[homes[2].id]).introduction,
                clock: state.clock + 1, seen: homes[2].state.latest),
            key: homes[2].secrets[.afterVerification].signing)
        state = GroupState(state.group, state.statements.union([copy]))
        #expect(state.usableEpochs.map(\.id) == [new.id])
        #expect(state.epochs[new.id]?.excluded == [])
    }

    @Test("an epoch that two statements carry is that of the earlier one")
    func epochTwice() throws {
        let homes = try group(of: 2, seed: 16)
        let state = homes[0].state
        let keys = homes.map { ($0.id, $0.secrets.keys) }
        let epoch = try EpochStatement.make(
            state.group, for: Dictionary(uniqueKeysWithValues: keys), random: homes[0].random
        ).0
        let copies = try homes.map { home in
            Statement(
                .epoch(epoch),
                Statement.Origin(
                    group: state.group, author: home.id,
                    introduction: try #require(state.members[home.id]).introduction,
                    clock: state.clock + 1, seen: state.latest),
                key: home.secrets[.afterVerification].signing)
        }
        let known = Array(state.statements)
        let digest = StateDigest(GroupState(state.group, known + copies))
        #expect(digest == StateDigest(GroupState(state.group, copies.reversed() + known)))
        #expect(digest.usable.map(\.id).first == epoch.id)
        #expect(digest.usable.count == 2)
        #expect(digest.usable.first?.author == copies.min { $0.id < $1.id }?.author)
    }
}

import Sealing
import SecretMemory
import Sync
@testable import SyncMembers
import Testing
import TestSupport

@Suite("Statements")
struct StatementTests {
    /// One statement of each kind, with all that a group needs to check it.
    private func samples() throws -> (home: TestHome, statements: [Statement]) {
        let home = try TestHome(.seeded(2))
        try home.create()
        let other = try TestHome(home.random)
        let heads: Heads = [other.id: Head(number: 3, hash: [UInt8](repeating: 7, count: 32))]
        try home.add(other, name: "laptop", heads: heads)
        try home.remove(other.id, heads: heads)
        var kinds: [StatementContent.Kind: Statement] = [:]
        for statement in home.known { kinds[statement.content.kind] = statement }
        #expect(kinds.count == 6)
        return (home, kinds.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value))
    }

    @Test("each kind is written and read")
    func canonical() throws {
        for statement in try samples().statements {
            let read = try Statement(statement.bytes)
            #expect(read == statement)
            #expect(read.id.bytes == Blake2b.hash(size: 32) { $0.feed(statement.bytes) })
            #expect(StatementID(text: read.id.text) == read.id)
        }
    }

    @Test("with any changed, missing or added byte, no statement of any kind counts")
    func changed() throws {
        let (home, statements) = try samples()
        for statement in statements {
            let others = home.known.subtracting([statement])
            for index in statement.bytes.indices {
                var bytes = statement.bytes
                bytes[index] ^= 1
                guard let changed = try? Statement(bytes) else { continue }
                let state = GroupState(home.group, others.union([changed]))
                #expect(
                    state.invalid[changed.id] != nil, "\(statement.content.kind), byte \(index)")
            }
            for bytes in [statement.bytes + [0], Array(statement.bytes.dropLast()), []] {
                #expect(throws: StatementFailure.self) { try Statement(bytes) }
            }
        }
    }

    @Test("failures have their names")
    func failures() throws {
        let statement = try samples().statements[2]
        func failure(_ change: (inout [UInt8]) -> Void) -> StatementFailure? {
            var bytes = statement.bytes
            change(&bytes)
            do throws(StatementFailure) {
                _ = try Statement(bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure { $0[0] = 0 } == .magic)
        #expect(failure { $0[4] = 0 } == .format)
        #expect(failure { $0[4] = 2 } == .laterFormat)
        #expect(failure { $0[8] = 0 } == .kind)
        #expect(failure { $0[8] = 7 } == .kind)
        #expect(failure { $0 = Array($0.prefix(100)) } == .content)
        #expect(failure { $0 += [UInt8](repeating: 0, count: Statement.limit) } == .tooLong)
        // A clock from 2^63 on.
        #expect(failure { $0[4 + 4 + 1 + 16 + 16 + 32 + 7] |= 0x80 } == .content)
    }

    @Test("the names of seen statements ascend, and none is named twice")
    func seen() throws {
        let home = try samples().home
        let verified = home.secrets[.afterVerification]
        let create = try #require(home.state.create)
        let ids = home.known.map(\.id).sorted()
        func bytes(_ seen: [StatementID]) -> [UInt8] {
            Statement(
                .remove(StatementContent.Removal(member: home.id, heads: [:])),
                Statement.Origin(
                    group: home.group, author: home.id, introduction: create, clock: 1, seen: seen),
                key: verified.signing
            ).bytes
        }
        #expect(throws: Never.self) { try Statement(bytes(ids)) }
        for seen in [[], [ids[1], ids[0]], [ids[0], ids[0]]] {
            #expect(throws: StatementFailure.content) { try Statement(bytes(seen)) }
        }
    }

    @Test("the group follows from the first statement, and the author from its keys")
    func create() throws {
        let create = try samples().statements[0]
        #expect(
            create.group.bytes
                == Blake2b.hash(size: 16) {
                    $0.feed("TVGR")
                    $0.feed(create.bytes)
                })
        let state = GroupState(.random(from: .seeded(3)), [create])
        #expect(state.create == nil)
        #expect(state.members.isEmpty)
        #expect(state.invalid == [create.id: .group])
    }

    @Test("statements of another group never count")
    func otherGroup() throws {
        let (home, _) = try samples()
        let other = try samples().home
        let foreign = try TestHome(.seeded(4))
        try foreign.create()
        #expect(other.group == home.group)
        let state = GroupState(home.group, home.known.union(foreign.known))
        #expect(foreign.known.allSatisfy { state.invalid[$0.id] == .group })
        #expect(state.members == home.state.members)
    }

    @Test("what a stranger wrote is not kept, nor what lacks its past; what no longer counts is")
    func valid() throws {
        let homes = try group(of: 3, seed: 30)
        let group = homes[0].group
        let (kept, create) = (homes[0].known, try #require(homes[0].state.create))
        let struck = try homes[2].write { try $0.rename(homes[0].id, to: "mine") }
        try homes[0].remove(homes[2].id)
        let forged = Statement(
            .remove(StatementContent.Removal(member: homes[1].id, heads: [:])),
            Statement.Origin(
                group: group, author: homes[0].id, introduction: create, clock: 9, seen: [create]),
            key: homes[1].secrets[.afterVerification].signing)
        let all = homes[0].known.union(struck)
        let state = GroupState(group, all.union([forged]))
        #expect(struck.allSatisfy { state.invalid[$0.id] == .removed })
        #expect(state.invalid[forged.id] == .signature)
        #expect(state.kept == all)
        let first = try homes[1].write { try $0.rename(homes[1].id, to: "one") }
        let second = try homes[1].write { try $0.rename(homes[1].id, to: "two") }
        #expect(GroupState(group, kept.union(second)).kept == kept)
        #expect(GroupState(group, kept.union(first + second)).kept == kept.union(first + second))
    }

    @Test(
        "of a removed member some statements that do not count are kept, however many it writes, and whatever their clocks",
        .timeLimit(.minutes(1)), arguments: [false, true])
    func flood(isChain: Bool) throws {
        let homes = try group(of: 3, seed: 31)
        let group = homes[0].group
        let introduction = try #require(homes[2].state.members[homes[2].id]?.introduction)
        try homes[0].remove(homes[2].id)
        let kept = homes[0].known
        var written: [Statement] = []
        for number in 0..<2_000 {
            written.append(
                Statement(
                    .rename(homes[2].id, .none),
                    Statement.Origin(
                        group: group, author: homes[2].id, introduction: introduction,
                        clock: UInt64(1 << 50 - number),
                        seen: isChain ? [written.last?.id ?? introduction] : [introduction]),
                    key: homes[2].secrets[.afterVerification].signing))
        }
        let state = GroupState(group, kept.union(written))
        #expect(state.members == homes[0].state.members)
        #expect(state.kept.count == kept.count + GroupState.mostOfRemoved)
        #expect(state.kept.isSuperset(of: kept))
        #expect(GroupState(group, state.kept).members == state.members)
    }

    @Test("a name opens under its epoch, for its member only, and has limits")
    func names() throws {
        let home = try TestHome(.seeded(5))
        try home.create("Настільний")
        let epochs = try home.state.openEpochs(with: [home.secrets[.list]])
        #expect(home.state.name(of: home.id, epochs) == "Настільний")
        try home.write { try $0.rename(home.id, to: "tower") }
        #expect(home.state.name(of: home.id, epochs) == "tower")
        let none = OpenedEpochs(keys: [], sealing: nil, failures: [:], missing: [])
        #expect(home.state.name(of: home.id, none) == nil)
        let limit = String(repeating: "x", count: SealedName.limit)
        try home.write { try $0.rename(home.id, to: limit) }
        #expect(home.state.name(of: home.id, epochs) == limit)
        for name in ["", limit + "x", "a\nb", "\u{1b}[2J"] {
            #expect(throws: GroupError.name) { try home.write { try $0.rename(home.id, to: name) } }
        }
        // A member gives its own name's blob to another.
        let other = try TestHome(home.random)
        try home.add(other, name: "laptop")
        let name = try #require(home.state.members[home.id]?.name)
        #expect(name.text(of: other.id, in: home.group, epochs.keys) == nil)
        #expect(name.text(of: home.id, in: home.group, epochs.keys) == limit)
    }
}

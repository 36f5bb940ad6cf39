import Foundation
import SecretMemory
import Sealing
import Sync
@testable import SyncMembers
import Testing
import TestSupport

/// Random histories of members that are apart, and of devices that act on what they knew earlier, as a thief would.
@Suite("Histories of members")
struct HistoryTests {
    /// `TASKVAULT_MEMBER_HISTORIES` has the number of histories for a campaign.
    static let count =
        ProcessInfo.processInfo.environment["TASKVAULT_MEMBER_HISTORIES"].flatMap(UInt64.init)
        ?? 200

    @Test("every order of arrival gives the same members, and the rules hold")
    func histories() throws {
        var removes = 0
        var void = 0
        var recoveries = 0
        for seed in 1...Self.count {
            let history = try History(seed: seed)
            let all = history.all
            let state = GroupState(history.group, all)
            try history.check(state)
            var generator = SeededGenerator(seed: seed)
            let digest = StateDigest(state)
            for _ in 0..<2 {
                let known = all.shuffled(using: &generator)
                #expect(StateDigest(GroupState(history.group, known)) == digest, "seed \(seed)")
            }
            let removing = all.filter { $0.removed != nil }
            removes += removing.count
            void += removing.count { state.invalid[$0.id] != nil }
            recoveries += removing.count { $0.author == history.recovery?.device }
        }
        // The histories have what they are for.
        #expect(removes > Int(Self.count))
        #expect(void > Int(Self.count) / 10)
        #expect(recoveries > Int(Self.count) / 20)
    }
}

/// One random history.
private final class History {
    private(set) var homes: [TestHome]
    private(set) var recovery: DeviceSecrets?
    let group: GroupID
    private let random: RandomSource

    init(seed: UInt64) throws {
        random = .seeded(seed)
        let first = try TestHome(random)
        try first.create()
        group = first.group
        homes = [first]
        if random.number(below: 2) == 0 {
            let code = try RecoveryCode.random(from: random)
            var blob: RecoveryBlob?
            try first.write { blob = try $0.addRecoveryMember(code) }
            recovery = try blob?.open(with: code)
        }
        for _ in 0..<(12 + random.number(below: 12)) { try step() }
    }

    var all: Set<Statement> { homes.reduce(into: []) { $0.formUnion($1.known) } }

    private func pick() -> TestHome { homes[Int(random.number(below: UInt32(homes.count)))] }

    private func step() throws {
        let home = pick()
        let other = pick()
        home.now += Int64(random.number(below: 20))
        do {
            switch random.number(below: 12) {
            case 0, 1, 2:
                let newcomer = try TestHome(random)
                try home.add(newcomer)
                homes.append(newcomer)
            case 3, 4: try home.remove(other.id)
            case 5: try home.write { try $0.newEpoch() }
            case 6: try home.write { try $0.rename(other.id, to: "device") }
            case 7: try home.write { try $0.deliver() }
            case 8:
                if let recovery {
                    try home.write(as: recovery) { try $0.remove([other.id], heads: [:]) }
                }
            case 9:
                if let recovery { try home.remove(recovery.device) }
            default: home.exchange(with: other)
            }
        } catch is GroupError {
            // It is no member any more, or has no keys.
        }
    }

    /// Checks the rules against the definitions, without the code of the module.
    func check(_ state: GroupState) throws {
        var past: [StatementID: Set<StatementID>] = [:]
        let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
        func strikes(_ remove: Statement, _ statement: Statement) -> Bool {
            var next: Statement? = statement
            while let current = next {
                if current.author == remove.removed, current != remove,
                    !seen(remove, &past, byID).contains(current.id)
                {
                    return true
                }
                next = byID[current.introduction]
            }
            return false
        }
        func isThreat(_ remove: Statement, _ other: Statement) -> Bool {
            let outranks =
                remove.author == recovery?.device && other.author != recovery?.device
                && other.removed == recovery?.device
            return strikes(remove, other) && (!strikes(other, remove) || outranks)
        }
        let removes = all.filter { $0.removed != nil }
        let counting = removes.filter { state.invalid[$0.id] == nil }
        #expect(state.invalid.values.allSatisfy { $0 == .removed || $0 == .full })
        for statement in all {
            let strikers = counting.filter { strikes($0, statement) }
            if statement.removed == nil {
                // A removed device's statements beyond what its remover saw never count, and all others do.
                #expect((state.invalid[statement.id] == .removed) == !strikers.isEmpty)
            } else if state.invalid[statement.id] != nil {
                // A remove that does not count was struck by one that does.
                #expect(!strikers.isEmpty)
            } else {
                // One that counts is struck only by one that it strikes, or in a ring.
                let threats = strikers.filter { isThreat($0, statement) }
                #expect(
                    threats.allSatisfy { threat in counting.contains { isThreat($0, threat) } })
            }
        }
        for remove in counting {
            guard let id = remove.removed else { continue }
            #expect(state.members[id] == nil && state.recoveryMembers[id] == nil)
        }
        // No device that is out can open keys that are used.
        for home in homes where state.members[home.id] == nil {
            for epoch in state.usableEpochs { #expect(try !home.opens(epoch, in: state)) }
        }
        // Every member opens the epochs that were made for it.
        for home in homes where state.members[home.id] != nil {
            #expect(try state.openEpochs(with: home.secrets.all).failures.isEmpty)
        }
    }

    private func seen(
        _ statement: Statement, _ past: inout [StatementID: Set<StatementID>],
        _ byID: [StatementID: Statement]
    ) -> Set<StatementID> {
        if let known = past[statement.id] { return known }
        var seen = Set(statement.seen)
        for id in statement.seen {
            if let other = byID[id] { seen.formUnion(self.seen(other, &past, byID)) }
        }
        past[statement.id] = seen
        return seen
    }
}

import Database
import Platform
import SecretMemory
import Sync
@testable import SyncStorage
import TestSupport
import Testing
import TextCoding

/// Each operation, on a store that is opened again after each transaction.
@Suite("A store of sync")
struct ContractTests {
    /// Runs the transactions one after the other, each on a newly opened file.
    private func run(
        _ chain: SyncDatabase.Chain = .secrets,
        _ transactions: ((any MirrorTransaction) throws -> Void)...
    ) throws {
        try withTemporaryFolder { folder in
            for transaction in transactions {
                let store = try open(folder, chain)
                defer { store.close() }
                try store.mirrorTransaction(transaction)
            }
        }
    }

    @Test("keeps everything", arguments: [SyncDatabase.Chain.list, .secrets])
    func everything(chain: SyncDatabase.Chain) throws {
        try withTemporaryFolder { folder in
            let store = try open(folder, chain)
            try Everything.write(to: store)
            let written = try Everything(of: store)
            store.close()
            #expect(written.hashes == [[UInt8](repeating: 5, count: 32), nil])
            #expect(written.outbox == [bytes("segment 1"), bytes("segment 2"), nil])
            #expect(written.snapshots == [snapshot(device(2), 7)])
            #expect(written.objects == [object(1), object(2)])
            #expect(written.versions.map(\.count) == [6, 5, 0])
            #expect(written.secrets == ["UNLOCKED-VALUE", "VERIFIED-NOTES"])
            #expect(written.named == [[object(1)], []])
            #expect(
                written.kept.map { $0.map(\.part) } == [
                    [], [part(.whileUnlocked, number: 1)],
                    [
                        part(.afterVerification, number: 1, announcing: [Everything.notes]),
                        part(
                            .afterVerification, number: 2,
                            announcing: [
                                RecordKey(
                                    object(1), .attribute("UNLOCKED-DETAIL"),
                                    Stamp(clock: 1, device: own))
                            ]),
                    ],
                ])
            #expect(written.unmirrored == [object(2)])
            #expect(written.unmirroredKeys.map(\.count) == [0, 3])
            #expect(written.unmirroredKeys[1].contains(Everything.notes))
            #expect(
                written.counterparts == [
                    Counterpart(
                        object(1), name: bytes("COUNTERPART-NAME"), revision: .max, created: -1)
                ])
            #expect(written.marked == [object(4)])
            #expect(written.note == [1, 2])
            #expect(written.ledger.unsettled == [object(1), object(9)])
            let reopened = try open(folder, chain, creating: false)
            defer { reopened.close() }
            #expect(try Everything(of: reopened) == written)
        }
    }

    @Test("gives the records of an object whole, in their order")
    func versions() throws {
        let versions = [
            version(object(1), .create, [1], .whileUnlocked, seen: [device(3): 8, device(2): 7]),
            version(object(1), .attribute("a"), [], .whileUnlocked, by: device(2), clock: 1 << 62),
            version(object(1), .attribute("b"), bytes("x"), .whileUnlocked),
            version(object(1), .attribute("b"), bytes("y"), .whileUnlocked, by: device(2)),
            version(object(1), .tag("t"), [1], .list),
            version(object(1), RecordField(.max, [0]), bytes("?"), .whileUnlocked),
        ]
        try run(
            .secrets,
            { (transaction) throws in for version in versions { try transaction.insert(version) } },
            { (transaction) throws in
                #expect(try transaction.versions(of: object(1)) == versions)
                for version in versions { #expect(try transaction.contains(version.key)) }
                let other = RecordKey(object(1), .attribute("c"), versions[1].stamp)
                #expect(try !transaction.contains(other))
                #expect(try transaction.versions(of: object(2)) == [])
            })
    }

    @Test("gives a record in the transaction that adds it, and not in that which erases it")
    func changedVersions() throws {
        let versions = [version(object(1), .create, [2]), version(object(1), .done, [0])]
        try run(
            .list,
            { (transaction) throws in
                for index in versions.indices {
                    try transaction.insert(versions[index])
                    #expect(try transaction.versions(of: object(1)) == Array(versions[...index]))
                }
                try transaction.erase([versions[0].key])
                #expect(try transaction.versions(of: object(1)) == [versions[1]])
            })
    }

    @Test("refuses a record that is there")
    func twice() throws {
        try run(
            .secrets,
            { (transaction) throws in
                let first = version(object(1), .attribute("a"), bytes("x"), .whileUnlocked)
                try transaction.insert(first)
                #expect(databaseError { try transaction.insert(first) } == .alreadyExists)
                try transaction.addToOutbox([1], number: 1)
                #expect(
                    databaseError { try transaction.addToOutbox([2], number: 1) } == .alreadyExists)
                #expect(try transaction.outboxSegment(1) == [1])
                try transaction.removeFromOutbox(1)
                try transaction.removeFromOutbox(1)
                #expect(try transaction.outbox().isEmpty)
                try transaction.set(#require(snapshot(device(2), 2)))
                try transaction.removeSnapshot(of: device(2))
                #expect(try transaction.snapshots().isEmpty)
                #expect(try transaction.recordsSize() > 0)
            })
    }

    @Test("erases records, with their names")
    func erase() throws {
        let name = version(object(1), .itemName, bytes("x"), .whileUnlocked, by: device(2))
        let detail = version(object(1), .attribute("a"), bytes("x"), .whileUnlocked)
        let tag = version(object(1), .tag("a"), [1])
        try run(
            .secrets,
            { (transaction) throws in
                for version in [name, detail, tag] { try transaction.insert(version) }
            },
            { (transaction) throws in
                #expect(try transaction.objects(named: bytes("x")) == [object(1)])
                try transaction.erase([name.key, detail.key])
            },
            { (transaction) throws in
                #expect(try transaction.objects(named: bytes("x")) == [])
                #expect(try transaction.versions(of: object(1)) == [tag])
                #expect(try transaction.unmirrored() == [])
            })
    }

    @Test("finds objects by a name, and by an earlier one")
    func names() throws {
        try run(
            .secrets,
            { (transaction) throws in
                for (number, clock, name) in [(2, 1, "a"), (2, 2, "b"), (1, 1, "a")] {
                    try transaction.insert(
                        version(
                            object(UInt8(number)), .itemName, bytes(name), .whileUnlocked,
                            clock: UInt64(clock)))
                }
                try transaction.insert(version(object(3), .itemName, bytes("a"), .list))
                try transaction.insert(version(object(4), .label, bytes("a"), .whileUnlocked))
            },
            { (transaction) throws in
                #expect(
                    try transaction.objects(named: bytes("a")) == [object(1), object(2), object(3)])
                #expect(try transaction.objects(named: bytes("b")) == [object(2)])
            })
    }

    @Test("knows equal secrets, also of two levels")
    func fingerprints() throws {
        try run(
            .secrets,
            { (transaction) throws in
                let first = try transaction.add(secret: "x", object(1), .value, .whileUnlocked)
                let second = try transaction.add(secret: "x", object(2), .value, .whileUnlocked)
                let other = try transaction.add(secret: "y", object(3), .value, .whileUnlocked)
                let verified = try transaction.add(
                    secret: "x", object(4), .value, .afterVerification)
                #expect(first.content == second.content && first.content == verified.content)
                #expect(first.content != other.content)
            })
    }

    @Test("knows the records that came and are not applied")
    func unmirrored() throws {
        let came = version(object(1), .label, bytes("a"), .whileUnlocked, by: device(2))
        let detail = version(object(1), .attribute("k"), [], .whileUnlocked, by: device(2))
        try run(
            .secrets,
            { (transaction) throws in
                for version in [came, detail] { try transaction.insert(version) }
                try transaction.insert(version(object(1), .itemName, bytes("n"), .whileUnlocked))
                try transaction.insert(
                    version(object(2), .label, bytes("a"), .whileUnlocked, by: device(3)))
            },
            { (transaction) throws in
                #expect(try transaction.unmirrored() == [object(1), object(2)])
                #expect(try transaction.unmirrored(of: object(1)) == [came.key, detail.key])
                try transaction.setMirrored(object(1))
                try transaction.setMirrored(object(7))
            },
            { (transaction) throws in
                #expect(try transaction.unmirrored() == [object(2)])
                #expect(try transaction.unmirrored(of: object(1)) == [])
                #expect(try transaction.versions(of: object(1)).count == 3)
            })
    }

    /// This device had erased the object before another one took it out of the trash.
    @Test("counts a record of this device that another one repeats as one that came")
    func repeated() throws {
        try run(
            .secrets,
            { (transaction) throws in
                var chain = ChainState()
                chain.number = 3
                transaction.ledger.chains[own] = chain
                try transaction.insert(version(object(1), .label, [], .whileUnlocked, clock: 3))
                try transaction.insert(version(object(2), .label, [], .whileUnlocked, clock: 4))
                #expect(try transaction.unmirrored() == [object(1)])
            })
    }

    @Test("keeps parts in their order until they are removed")
    func parts() throws {
        try run(
            .list,
            { (transaction) throws in
                for number in UInt64(1)...3 {
                    try transaction.keep(part(.afterVerification, number: number))
                    try transaction.keep(part(.whileUnlocked, number: number))
                }
                var kept = try transaction.keptParts(.afterVerification)[1]
                var changed = kept.part
                changed.announced = [Everything.notes]
                kept = KeptPart(sequence: kept.sequence, part: changed)
                try transaction.replaceKept(kept)
                #expect(try transaction.keptParts(.afterVerification)[1] == kept)
                try transaction.removeKept(try transaction.keptParts(.afterVerification)[0])
                try transaction.keep(part(.afterVerification, number: 4))
                let numbers = try transaction.keptParts(.afterVerification).map(
                    \.part.prefix.dot.number)
                #expect(numbers == [2, 3, 4])
            },
            { (transaction) throws in
                let kept = try transaction.keptParts(.afterVerification).map(\.part)
                #expect(kept.map(\.prefix.dot.number) == [2, 3, 4])
                #expect(kept.map(\.announced) == [[Everything.notes], [], []])
                #expect(try transaction.keptParts(.whileUnlocked).count == 3)
            })
    }

    @Test(
        "finds counterparts by object and by name", arguments: [SyncDatabase.Chain.list, .secrets])
    func counterparts(chain: SyncDatabase.Chain) throws {
        let first = Counterpart(object(1), name: bytes("a"), revision: 1, created: 5)
        let renamed = Counterpart(object(1), name: bytes("b"), revision: 2, created: 5)
        let second = Counterpart(object(2), name: bytes("a"), revision: 1, created: 6)
        try run(
            chain,
            { (transaction) throws in
                try transaction.set(first)
                #expect(databaseError { try transaction.set(second) } == .alreadyExists)
                try transaction.set(renamed)
                try transaction.set(second)
            },
            { (transaction) throws in
                #expect(try transaction.counterparts() == [renamed, second])
                #expect(try transaction.counterpart(of: object(1)) == renamed)
                #expect(try transaction.counterpart(named: bytes("a")) == second)
                #expect(try transaction.counterpart(named: bytes("c")) == nil)
                try transaction.removeCounterpart(of: object(1))
            },
            { (transaction) throws in #expect(try transaction.counterparts() == [second]) })
    }

    @Test("keeps marks and notes")
    func marks() throws {
        try run(
            .list,
            { (transaction) throws in
                for _ in 0..<2 { try transaction.setMarked(object(1), true) }
                try transaction.setMarked(object(2), true)
                try transaction.setMarked(object(3), false)
                try transaction.setNote("a", [1])
                try transaction.setNote("a", [2])
            },
            { (transaction) throws in
                #expect(try transaction.marked() == [object(1), object(2)])
                #expect(try transaction.note("a") == [2])
                #expect(try transaction.note("b") == nil)
                try transaction.setMarked(object(1), false)
            },
            { (transaction) throws in #expect(try transaction.marked() == [object(2)]) })
    }
}

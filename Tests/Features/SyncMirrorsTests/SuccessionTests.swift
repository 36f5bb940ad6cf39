import SecureStorage
import Sync
@testable import SyncMirrors
import SyncStorage
import TestSupport
import Testing

/// A home whose device another one is, too, goes on as a new device.
@Suite("Succession of a copied home")
struct SuccessionTests {
    /// A home whose device a copy is, too, another home, and the new device of the first one, over the same vault.
    private struct Halves {
        let group: SecretGroup
        let clock: SecretTestClock
        let home: SecretHome
        let other: SecretHome
        let next: SecretHome

        /// Time passes for homes and vaults.
        func wait() {
            group.wait()
            clock.now = max(clock.now, group.clock.now)
        }

        func exchange(_ homes: SecretHome...) throws {
            for _ in 0..<3 {
                for home in homes {
                    wait()
                    try home.round()
                }
            }
            wait()
        }
    }

    private func withHalves(_ body: (Halves) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let clock = SecretTestClock()
            let vaults = [0, 1].map { _ in
                MemorySecureStore(retention: .standard) { clock.next() }
            }
            let group = try SecretGroup(
                folder, count: 3, vaults: [vaults[0], vaults[1], vaults[0]])
            let halves = Halves(
                group: group, clock: clock, home: group.homes[0], other: group.homes[1],
                next: group.homes[2])
            for name in ["both", "gone", "late", "quiet"] { try halves.home.set(name, "old") }
            try halves.home.set("protected", "old", isProtected: true)
            try halves.exchange(halves.home, halves.other)
            try body(halves)
            for home in group.homes { home.database.close() }
        }
    }

    private func takeOver(_ home: SecretHome, _ next: SecretHome) throws -> UInt64 {
        let number = try home.replica.lastCommonNumber()
        try home.store.mirrorTransaction { old in
            try next.store.mirrorTransaction { new in
                try next.replica.takeOver(from: home.id, after: number, old, in: new)
            }
        }
        try home.replica.withdraw(after: number)
        home.database.close()
        return number
    }

    private func item(_ home: SecretHome, _ name: String) throws -> ObjectID {
        try home.store.mirrorTransaction { transaction in
            let found = try transaction.objects(named: SecretName.test(name).recordContent)
            return try #require(found.first)
        }
    }

    @Test("sends what it had not sent, with what it had seen then")
    func bothHalvesCount() throws {
        try withHalves { halves in
            let (home, other, next) = (halves.home, halves.other, halves.next)
            let (database, twin) = try home.copied()
            defer { database.close() }
            // The other half: a label, and a value of the same secret.
            let (both, quiet) = (try item(home, "both"), try item(home, "quiet"))
            halves.wait()
            try twin.change { _ in
                [
                    try .secretText(both, .value, .whileUnlocked, "of the twin"),
                    Draft(quiet, .label, .whileUnlocked, Array("twin".utf8)),
                ]
            }
            _ = try twin.exchange()
            // This half, before it sees what the other home wrote meanwhile.
            halves.wait()
            try other.set("late", "of the other home")
            halves.wait()
            try home.set("both", "of this half")
            try home.set("late", "of this half")
            try home.set("new", "one", label: "New", extra: ["key": "text"])
            try home.set("protected", "new", isProtected: true)
            try home.remove("gone")
            _ = try home.mirror.capture()
            try other.round()
            let common = try #require(
                try home.store.transaction { $0.ledger.chains[home.id]?.number })
            #expect(throws: SyncError.self) { try home.round() }
            #expect(try takeOver(home, next) < common)
            try halves.exchange(other, next)
            for home in [other, next] {
                #expect(
                    try home.all() == [
                        "both": SecretView(value: "of this half"),
                        "late": SecretView(value: "of this half"),
                        "quiet": SecretView(value: "old", label: "twin"),
                        "new": SecretView(value: "one", label: "New", extra: ["key": "text"]),
                        "protected": SecretView(value: "new", isProtected: true),
                    ])
                // Neither had seen the other's value: both are marked.
                #expect(try home.mark("both") == ["of the twin"])
                #expect(try home.mark("late") == ["of the other home"])
                #expect(try home.mark("new") == nil)
                #expect(try home.mark("protected") == nil)
            }
            #expect(try Set(next.values("both")) == ["of this half", "of the twin", "old"])
            // The other half goes on as the device that it was.
            _ = try twin.exchange()
            try twin.change { _ in [Draft(quiet, .label, .whileUnlocked, Array("later".utf8))] }
            _ = try twin.exchange()
            try halves.exchange(other, next)
            #expect(try other.all() == next.all())
            #expect(try other.all()["quiet"]?.label == "later")
        }
    }

    @Test("finds the vector of its last common segment, also where that has no records")
    func emptySegments() throws {
        try withHalves { halves in
            let (home, other, next) = (halves.home, halves.other, halves.next)
            // Segments without records, each with another head.
            for number in 0..<3 {
                try other.set("more \(number)", "value")
                try other.round()
                try home.round()
                try home.replica.acknowledge()
                try home.round()
            }
            let (database, twin) = try home.copied()
            defer { database.close() }
            try twin.acknowledge()
            _ = try twin.exchange()
            try home.set("unsent", "value")
            #expect(throws: SyncError.self) { try home.round() }
            _ = try takeOver(home, next)
            let taken = try next.store.transaction { try #require($0.ledger.chains[home.id]) }
            try halves.exchange(other, next)
            let seen = try other.store.transaction { try #require($0.ledger.chains[home.id]) }
            let own = try next.store.transaction { try #require($0.ledger.chains[home.id]) }
            #expect(own.seen == seen.seen && own.hash == seen.hash)
            #expect(taken.number < own.number)
            #expect(try other.all() == next.all())
            #expect(try other.all()["unsent"]?.value == "value")
        }
    }

    @Test("keeps what it looked at, and repeats what it restored")
    func marksAndRestores() throws {
        try withHalves { halves in
            let (home, other, next) = (halves.home, halves.other, halves.next)
            // A marked value, which this half looks at without sending that.
            try other.set("both", "of the other home")
            halves.wait()
            try home.set("both", "of this half")
            try halves.exchange(home, other)
            try home.remove("gone")
            try halves.exchange(home, other)
            #expect(try home.mark("both") == ["of the other home"])
            let (database, twin) = try home.copied()
            defer { database.close() }
            try twin.acknowledge()
            _ = try twin.exchange()
            halves.wait()
            // It also looks at a value of its own that was not sent.
            try home.set("late", "of this half")
            _ = try home.mirror.capture()
            halves.wait()
            try other.set("late", "of the other home")
            try other.round()
            #expect(throws: SyncError.self) { try home.round() }
            #expect(try home.mark("late") == ["of this half"])
            for name in ["both", "late"] { _ = try home.mirror.looked(at: .test(name)) }
            try home.restore("gone")
            #expect(throws: SyncError.self) { try home.round() }
            _ = try takeOver(home, next)
            try halves.exchange(other, next)
            for home in [other, next] {
                #expect(try home.mark("both") == nil)
                #expect(try home.all()["gone"]?.value == "old")
                #expect(try home.mark("late") == nil)
                #expect(try home.all()["late"]?.value == "of the other home")
            }
        }
    }
}

extension Draft {
    fileprivate static func secretText(
        _ object: ObjectID, _ field: RecordField, _ level: SyncLevel, _ text: String
    ) throws -> Draft {
        Draft(object, field, level, .secret(SecretContent(try Samples.secret(text))))
    }
}

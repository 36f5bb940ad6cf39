import SecretMemory
import SecureStorage
import Sync
import SyncMirrors
import SyncStorage
import TestSupport
import Testing
import VaultCore
import VaultStorage

/// Rounds that are interrupted, that lack a key, or that have much to do.
@Suite("Secrets of several homes: rounds")
struct SecretMirrorRoundTests {
    /// Changes of every kind on the first home. Some change the same secrets on the second one.
    private func changeEverything(_ group: SecretGroup, _ homes: [SecretHome]) throws {
        for name in ["a", "b", "c", "d", "e"] { try homes[0].set(name, "value of \(name)") }
        try group.exchange()
        group.wait()
        try homes[1].set("a", "lost")
        group.wait()
        try homes[0].set("a", "second")
        try homes[0].set("a", "third", label: "A")
        try homes[0].remove("b")
        try homes[0].rename("c", to: "x")
        try homes[0].rename("d", to: "c")
        try homes[0].rename("x", to: "d")
        try homes[0].edit("e", SecretEdit(label: "E"))
        try homes[0].set("new", "1")
        try homes[0].set("new", "2", isProtected: true)
        group.wait()
    }

    private func wantsEverything(_ homes: [SecretHome]) throws {
        for home in homes {
            #expect(
                try home.all() == [
                    "bank": SecretView(value: "old", label: "Bank"),
                    "a": SecretView(value: "third", label: "A"),
                    "c": SecretView(value: "value of d"), "d": SecretView(value: "value of c"),
                    "e": SecretView(value: "value of e", label: "E"),
                    "new": SecretView(value: "2", isProtected: true),
                ])
            #expect(Set(try home.values("a")) == ["third", "second", "lost", "value of a"])
            #expect(Set(try home.values("new")) == ["2", "1"])
            #expect(try home.mark("a") == ["lost"])
            #expect(try home.mirror.markedNames() == [.test("a")])
        }
    }

    @Test("a round that ends at any step is continued by the next one", arguments: [0, 1])
    func crashes(place: Int) throws {
        var step = 0
        var isWhole = false
        while !isWhole {
            step += 1
            try withSecretHomes { group, homes in
                try changeEverything(group, homes)
                if place == 1 { try homes[0].round() }
                homes[place].crashes.stepsLeft = step
                do {
                    try homes[place].round()
                    isWhole = true
                } catch {
                    // The process ended.
                }
                try homes[place].open()
                try group.exchange(4)
                try wantsEverything(homes)
                for home in homes { #expect(try home.round() == SecretMirrorReport()) }
            }
        }
        #expect(step > 8)
    }

    @Test("what was restored and removed again is removed everywhere, wherever a round ended")
    func removedAgain() throws {
        var step = 0
        var isWhole = false
        while !isWhole {
            step += 1
            try withSecretHomes { group, homes in
                try homes[0].set("a", "1")
                try group.exchange()
                try homes[0].remove("a")
                try group.exchange()
                try homes[0].restore("a")
                homes[0].crashes.stepsLeft = step
                isWhole = (try? homes[0].round()) != nil
                try homes[0].open()
                try homes[0].remove("a")
                try group.exchange(4)
                #expect(try homes.allSatisfy { try $0.all()["a"] == nil }, "step \(step)")
            }
        }
        #expect(step > 4)
    }

    @Test("more new and changed secrets than are planned together, beside changes of every kind")
    func many() throws {
        try withSecretHomes { group, homes in
            let (old, new) = ((0..<600).map { "old \($0)" }, (0..<600).map { "new \($0)" })
            for name in old { try homes[0].set(name, "1") }
            try changeEverything(group, homes)
            for name in old { try homes[0].set(name, "2") }
            for name in new { try homes[0].set(name, "3") }
            try group.exchange()
            for home in homes {
                let all = try home.all()
                #expect(old.allSatisfy { all[$0] == SecretView(value: "2") })
                #expect(new.allSatisfy { all[$0] == SecretView(value: "3") })
                #expect(all["c"] == SecretView(value: "value of d") && all["b"] == nil)
                #expect(try Set(home.values("old 599")) == ["2", "1"])
            }
        }
    }

    @Test("without verification names, labels and removes are captured; values follow, once")
    func unverifiedCapture() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("bank", "first", label: "Bank", isProtected: true)
            try homes[0].set("gone", "value", isProtected: true)
            group.wait()
            try group.exchange()
            try homes[0].set("bank", "second", label: "changed")
            try homes[0].set("bank", "third")
            try homes[0].set("new", "value", label: "New", isProtected: true)
            try homes[0].remove("gone")
            group.wait()
            try homes[0].verify(false)
            for _ in 0..<2 {
                #expect(try homes[0].round().waiting == [.test("bank"), .test("new")])
            }
            #expect(try homes[0].round().captured == 0)
            try homes[1].round()
            #expect(
                try homes[1].all() == [
                    "bank": SecretView(value: "first", label: "changed", isProtected: true)
                ])
            try homes[0].verify(true)
            #expect(try homes[0].round().captured == 2)
            #expect(try homes[0].round() == SecretMirrorReport())
            try group.exchange()
            #expect(try homes[0].all() == homes[1].all())
            #expect(try homes[1].values("bank") == ["third", "second", "first", "old"])
            #expect(try homes[1].all()["new"]?.value == "value")
        }
    }

    @Test("without verification only what needs none is applied; the rest follows")
    func unverifiedApplication() throws {
        try withSecretHomes { group, homes in
            for name in ["bank", "second", "gone"] {
                try homes[0].set(name, "value", isProtected: true)
            }
            try homes[0].set("plain", "value")
            group.wait()
            try group.exchange()
            try homes[1].verify(false)
            try homes[0].set("bank", "new")
            try homes[0].edit("second", SecretEdit(label: "label"))
            try homes[0].edit("plain", SecretEdit(label: "label"))
            try homes[0].remove("gone")
            try homes[0].set("another", "value", isProtected: true)
            group.wait()
            try group.exchange()
            for _ in 0..<2 {
                #expect(try homes[1].round().waiting == [.test("second"), .test("another")])
            }
            #expect(
                try homes[1].vault.list().map(\.name.service) == ["bank", "plain", "second"])
            #expect(try homes[1].vault.describe(.test("plain")).attributes.label == "label")
            try homes[1].verify(true)
            try group.exchange()
            #expect(try homes[0].all() == homes[1].all())
            #expect(try homes[1].values("bank") == ["new", "value", "old"])
        }
    }

    @Test("an unverified home neither loses nor repeats a change of a protected secret")
    func unverifiedBothSides() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("bank", "first", isProtected: true)
            group.wait()
            try group.exchange()
            try homes[0].set("bank", "mine")
            group.wait()
            try homes[1].set("bank", "theirs")
            group.wait()
            try homes[0].verify(false)
            try group.exchange()
            try homes[0].remove("bank")
            try homes[0].restore("bank")
            try group.exchange()
            try homes[0].verify(true)
            try group.exchange()
            for home in homes {
                #expect(try home.values("bank").first == "mine")
                #expect(Set(try home.values("bank")) == ["mine", "theirs", "first", "old"])
            }
        }
    }

    @Test("a secret that changes during the round is left for the next one")
    func postponed() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("bank", "theirs", label: "theirs")
            try homes[0].set("new", "theirs")
            group.wait()
            try homes[0].round()
            var exchange = try homes[1].replica.collect()
            try homes[1].replica.settle()
            try homes[1].set("bank", "mine")
            try homes[1].set("new", "mine")
            let report = try homes[1].mirror.apply()
            #expect(try report.postponed == [.test("bank"), .test("new")])
            #expect(try homes[1].values("bank") == ["mine", "old"])
            try homes[1].replica.publish(&exchange)
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.all()["bank"] == SecretView(value: "mine", label: "theirs"))
                #expect(Set(try home.values("bank")) == ["mine", "theirs", "old"])
                #expect(Set(try home.values("new")) == ["mine", "theirs"])
                #expect(try home.all()["new"]?.value == "mine")
            }
        }
    }

    @Test(
        "a vault that was put back becomes what the records say, except for what they do not know")
    func putBack() throws {
        try withSecretHomes { group, homes in
            try homes[0].set("kept", "1")
            try homes[0].set("gone", "1")
            try homes[0].set("moved", "1")
            group.wait()
            try group.exchange()
            try homes[0].set("kept", "2", label: "new")
            try homes[0].remove("gone")
            try homes[0].rename("moved", to: "there")
            group.wait()
            try group.exchange()
            let wanted = try homes[1].all()
            // The state before, under later revisions.
            try homes[0].set("kept", "1", label: "")
            try homes[0].restore("gone")
            try homes[0].rename("there", to: "moved")
            try homes[0].remove("bank")
            try homes[0].set("unknown", "x")
            group.wait()
            _ = try homes[0].replica.collect()
            try homes[0].replica.settle()
            _ = try homes[0].mirror.apply(overwriting: true)
            var all = wanted
            all["unknown"] = SecretView(value: "x")
            #expect(try homes[0].all() == all)
            group.wait()
            try group.exchange()
            for home in homes { #expect(try home.all() == all) }
        }
    }

    @Test("a vault in a file and one in memory, both with the largest value")
    func realVault() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            let clock = SecretTestClock()
            let environment = TestVault.environment { clock.now }
            _ = try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            let group = try SecretGroup(folder, count: 2, vaults: [vault])
            let homes = group.homes
            func wait() {
                group.wait()
                clock.now = group.clock.now
            }
            let large = String(repeating: "x", count: SecretLimits.maximumValueSize)
            for number in 0..<9 { try homes[1].set("large \(number)", large) }
            for number in 0..<300 {
                try homes[0].set("s\(number)", "\(number)", isProtected: number % 3 == 0)
            }
            wait()
            try group.exchange()
            #expect(try homes[0].all() == homes[1].all())
            #expect(try homes[0].all().count == 309)
            try homes[0].rename("s0", to: "x")
            try homes[0].rename("s1", to: "s0")
            try homes[0].rename("x", to: "s1")
            try homes[1].rename("s3", to: "y")
            try homes[1].rename("s4", to: "s3")
            try homes[1].rename("y", to: "s4")
            try homes[1].set("s5", "theirs")
            wait()
            try homes[0].set("s5", "mine", isProtected: true)
            try homes[0].remove("s6")
            try homes[1].remove("s7")
            wait()
            try homes[0].verify(false)
            try group.exchange()
            try homes[0].verify(true)
            try group.exchange()
            #expect(try homes[0].all() == homes[1].all())
            for home in homes {
                #expect(try home.all()["s1"] == SecretView(value: "0", isProtected: true))
                #expect(try home.all()["s4"] == SecretView(value: "3", isProtected: true))
                #expect(Set(try home.values("s5")) == ["mine", "theirs", "5"])
                // The value waited for verification, until the other one had been seen: it has no mark.
                #expect(try home.mark("s5") == nil)
                #expect(try home.round() == SecretMirrorReport())
            }
            try homes[1].restore("s6")
            try homes[0].restore("s7")
            wait()
            try group.exchange()
            #expect(try homes[0].all().count == 309)
            #expect(try homes[0].all() == homes[1].all())
        }
    }

    // MARK: Expiry

    private static let day: Int64 = 86_400_000

    /// All that lies in the records of a home.
    private func recordCount(_ home: SecretHome, _ objects: Set<ObjectID>) throws -> Int {
        try home.store.mirrorTransaction { transaction in
            try objects.reduce(0) { try $0 + transaction.versions(of: $1).count }
        }
    }

    private func objects(_ home: SecretHome) throws -> Set<ObjectID> {
        try home.store.mirrorTransaction { Set(try $0.counterparts().map(\.object)) }
    }

    @Test("a removed secret is erased after its days, when all homes have seen its end")
    func erasing() throws {
        try withSecretHomes { group, homes in
            let objects = try objects(homes[0])
            let count = try recordCount(homes[0], objects)
            try homes[0].remove("bank")
            try homes[0].round()
            group.wait(31 * Self.day)
            // The other home has not seen it yet.
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 0)
            #expect(try recordCount(homes[0], objects) == count + 1)
            try group.exchange()
            try homes[1].replica.change { _ in [] }
            try group.exchange()
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 1)
            #expect(try recordCount(homes[0], objects) == 1)
            // There it is in the trash for some more days.
            #expect(try homes[1].mirror.expire(now: group.clock.now) == 0)
            try homes[1].restore("bank")
            try group.exchange()
            for home in homes {
                #expect(try home.all() == ["bank": SecretView(value: "old", label: "Bank")])
                #expect(try home.round() == SecretMirrorReport())
            }
        }
    }

    @Test("a home that is silent for 90 days is not waited for, and brings back whole objects")
    func silence() throws {
        try withSecretHomes { group, homes in
            let objects = try objects(homes[0])
            try homes[1].replica.change { _ in [] }
            try group.exchange()
            try homes[1].set("bank", "old", label: "mine")
            try homes[0].remove("bank")
            try homes[0].round()
            group.wait(91 * Self.day)
            try homes[0].replica.change { _ in [] }
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 0)
            group.wait(Self.day)
            try homes[0].replica.change { _ in [] }
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 1)
            #expect(try recordCount(homes[0], objects) == 1)
            try group.exchange()
            for home in homes {
                #expect(try home.all() == ["bank": SecretView(value: "old", label: "mine")])
            }
        }
    }

    @Test("a home that was removed is not waited for")
    func former() throws {
        try withSecretHomes { group, homes in
            let objects = try objects(homes[0])
            try homes[0].remove("bank")
            try homes[0].round()
            group.wait(31 * Self.day)
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 0)
            homes[0].replica.formerMembers = [homes[1].replica.device]
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 1)
            #expect(try recordCount(homes[0], objects) == 1)
        }
    }

    @Test("earlier values expire by number and by days, when all homes have seen them")
    func earlierValues() throws {
        try withSecretHomes { group, homes in
            for number in 0..<15 {
                try homes[0].set("bank", "\(number)", label: "\(number)")
                group.wait()
                try group.exchange()
            }
            try homes[1].replica.change { _ in [] }
            try group.exchange()
            // The current value and 15 earlier ones, of which ten stay.
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 5)
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 0)
            // Ten values and 15 labels are too old then.
            #expect(try homes[0].mirror.expire(now: group.clock.now + 91 * Self.day) == 25)
            #expect(try homes[0].round() == SecretMirrorReport())
            #expect(try homes[0].values("bank").first == "14")
        }
    }

    @Test("a marked value stays until it was looked at, and for 90 days")
    func markedValues() throws {
        try withSecretHomes { group, homes in
            for home in homes {
                home.retention = EarlierRetention(values: 0, days: 0, removedDays: 0)
            }
            try homes[1].set("bank", "lost")
            group.wait()
            try homes[0].set("bank", "new")
            group.wait()
            try group.exchange()
            for home in homes { try home.replica.change { _ in [] } }
            try group.exchange()
            // The value before both is no marked one.
            #expect(try homes[0].mirror.expire(now: group.clock.now) == 1)
            #expect(try homes[0].mirror.expire(now: group.clock.now + 400 * Self.day) == 0)
            #expect(try homes[0].mark("bank") == ["lost"])
            try homes[0].mirror.looked(at: .test("bank"))
            #expect(try homes[0].mirror.expire(now: group.clock.now + 89 * Self.day) == 0)
            #expect(try homes[0].mirror.expire(now: group.clock.now + 91 * Self.day) == 1)
        }
    }
}

import SecureStorage
import Sync
@testable import SyncMirrors
import TestSupport
import Testing

/// A home that leaves the group and joins it again as another device.
@Suite("Secrets of a home that joins again")
struct SecretMirrorAgainTests {
    @Test("it takes over what the group changed meanwhile", arguments: [false, true])
    func takesOver(isRemoved: Bool) throws {
        try withSecretHomes { group, homes in
            let (first, second) = (homes[0], homes[1])
            for name in ["renamed", "removed", "protected", "same"] { try first.set(name, name) }
            try group.exchange()
            // Later than the changes below, by the clock of this home.
            second.clock.now += 1_000_000
            try second.round()
            try first.set("bank", "new", label: "The bank")
            try first.rename("renamed", to: "other")
            try first.remove("removed")
            try first.edit("protected", SecretEdit(accessClass: .afterVerification))
            try first.set("added", "added")
            try first.round()
            try second.joinAgain(removed: isRemoved)
            try group.exchange()
            for home in homes {
                #expect(try home.all() == first.all())
                #expect(
                    try home.all() == [
                        "bank": SecretView(value: "new", label: "The bank"),
                        "other": SecretView(value: "renamed"),
                        "protected": SecretView(value: "protected", isProtected: true),
                        "same": SecretView(value: "same"), "added": SecretView(value: "added"),
                    ])
                #expect(try home.values("bank") == ["new", "old"])
                #expect(try home.mirror.markedNames().isEmpty)
            }
        }
    }

    @Test("what it changed and did not send is a change of its time")
    func unsentChanges() throws {
        try withSecretHomes { group, homes in
            let (first, second) = (homes[0], homes[1])
            for name in ["mine", "theirs", "alone", "label"] { try first.set(name, "old") }
            try group.exchange()
            group.wait()
            try second.set("theirs", "older")
            try first.set("mine", "older")
            try second.set("alone", "new")
            try first.edit("label", SecretEdit(label: "theirs"))
            _ = try second.mirror.capture()
            group.wait()
            try second.set("mine", "newer")
            try first.set("theirs", "newer")
            try second.set("label", "mine")
            try first.round()
            try second.joinAgain()
            // And one more, while it is no member.
            group.wait()
            try second.set("bank", "outside")
            group.wait()
            try group.exchange()
            for home in homes {
                #expect(try home.values("mine").first == "newer")
                #expect(try Set(home.values("mine")) == ["newer", "older", "old"])
                #expect(try home.values("theirs").first == "newer")
                #expect(try Set(home.values("theirs")) == ["newer", "older", "old"])
                #expect(try home.values("alone") == ["new", "old"])
                #expect(try home.values("bank") == ["outside", "old"])
                #expect(try home.all()["label"] == SecretView(value: "mine", label: "theirs"))
                #expect(try home.mark("mine") == ["older"])
                #expect(try home.mark("theirs") == ["older"])
                #expect(try home.mark("alone") == nil)
                #expect(try home.mark("bank") == nil)
            }
        }
    }

    @Test(
        "a removal that was not sent stays, unless the group changed the secret",
        arguments: [true, false])
    func unsentRemovals(isCapturing: Bool) throws {
        try withSecretHomes { group, homes in
            let (first, second) = (homes[0], homes[1])
            for name in ["removed", "changed", "back"] { try first.set(name, "old") }
            try group.exchange()
            try second.remove("back")
            try group.exchange()
            group.wait()
            for name in ["removed", "changed"] { try second.remove(name) }
            try second.restore("back")
            try first.set("changed", "new")
            try first.round()
            try second.joinAgain(capturing: isCapturing)
            try group.exchange()
            for home in homes {
                #expect(try Set(home.all().keys) == ["bank", "changed", "back"])
                #expect(try home.values("changed") == ["new", "old"])
                #expect(try home.mark("changed") == ["↺"])
                #expect(try home.mark("back") == nil)
                #expect(try home.vault.removed().map(\.item.name.service) == ["removed"])
            }
        }
    }

    @Test("what the others removed and erased goes here, too")
    func erased() throws {
        try withSecretHomes { group, homes in
            let (first, second) = (homes[0], homes[1])
            try first.set("removed", "old")
            try first.set("kept", "old")
            try group.exchange()
            for name in ["removed", "kept"] { try first.remove(name) }
            try first.round()
            try second.joinAgain(removed: true)
            try second.set("kept", "new")
            // The second home has not begun yet, and is not waited for.
            try group.forgetting(second) {
                first.clock.now += 40 * 86_400_000
                #expect(try first.mirror.expire(now: first.clock.now) == 2)
                // A snapshot takes the place of all that was written of them.
                #expect(try first.replica.makeSnapshot())
                for _ in 0..<2 { try first.round() }
            }
            #expect(try first.replica.remote.list(first.id).first?.dot.number ?? 1 > 1)
            second.clock.now = first.clock.now
            try group.exchange()
            for home in homes {
                #expect(try home.all().mapValues(\.value) == ["bank": "old", "kept": "new"])
            }
        }
    }

    @Test(
        "of values that are typed anywhere, the newest one wins", arguments: HistorySeeds.parts(24)
    )
    func newestWins(seeds: Range<UInt64>) throws {
        for seed in seeds {
            var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 3)
            func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
            try withTemporaryFolder { folder in
                let time = SecretTestClock()
                let retention = EarlierRetention(values: 10_000, days: 90, removedDays: 30)
                let group = try SecretGroup(
                    folder, count: 2 + number(2), seed: seed,
                    vaults: (0..<3).map { _ in
                        MemorySecureStore(retention: retention) { time.next() }
                    }, retention: retention)
                let names = ["a", "b", "c"]
                var typed: [String: [String]] = [:]
                for name in names {
                    try group.homes[0].set(name, "first")
                    typed[name] = ["first"]
                }
                try group.exchange()
                for step in 0..<40 {
                    group.wait(Int64(number(5) + 1) * 100)
                    time.now = max(time.now, group.homes[0].clock.now)
                    let home = group.homes[number(group.homes.count)]
                    switch number(10) {
                    case 0..<4:
                        let name = names[number(names.count)]
                        try home.set(name, "v\(step)")
                        typed[name]?.append("v\(step)")
                    case 4: try home.joinAgain(removed: number(2) == 0, capturing: number(2) == 0)
                    default: try home.round()
                    }
                }
                group.wait()
                try group.exchange(4)
                for home in group.homes {
                    for name in names {
                        let values = try home.values(name)
                        #expect(values.first == typed[name]?.last, "seed \(seed) \(name)")
                        #expect(
                            Set(typed[name] ?? []).isSubset(of: values), "seed \(seed) \(name)")
                    }
                }
                for home in group.homes { home.close() }
            }
        }
    }
}

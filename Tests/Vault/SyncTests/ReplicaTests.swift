import Foundation
import Sealing
import SecretMemory
@testable import Sync
import Testing
import TestSupport

@Suite("Replicas")
struct ReplicaTests {
    private func group(
        _ count: Int = 2, _ body: (TestGroup, [TestDevice]) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let group = try TestGroup(at: folder, count: count, inFiles: true)
            try body(group, group.devices)
        }
    }

    private func path(_ group: TestGroup, _ device: TestDevice, _ name: String) -> String {
        "\(group.folder)/\(group.id.text)/\(device.id.text)/\(name)"
    }

    private func item(_ group: TestGroup, _ device: TestDevice, _ name: String) throws -> ObjectID {
        let item = group.object()
        try device.replica.change { _ in try Draft.item(item, name: name, value: name) }
        return item
    }

    @Test("exchange a change once, and say nothing more")
    func exchange() throws {
        try group { group, devices in
            let item = try item(group, devices[0], "bank")
            var report = try devices[0].replica.exchange()
            #expect(report.published == 1)
            report = try devices[1].replica.exchange()
            #expect(report.applied == 1 && report.waiting.isEmpty)
            #expect(try devices[1].texts(item) == ["bank"])
            for device in devices {
                #expect(try device.replica.exchange() == SyncReport())
            }
        }
    }

    @Test("join all items with equal names in one change, also three of a name")
    func manyNames() throws {
        try group(3) { group, devices in
            var items: [[ObjectID]] = []
            for device in devices.prefix(2) {
                items.append(try (0..<50).map { try item(group, device, "name \($0)") })
                var report = SyncReport()
                try device.replica.publish(&report)
            }
            #expect(try devices[2].replica.collect().applied == 100)
            let third = try (0..<10).map { try item(group, devices[2], "name \($0)") }
            try devices[2].replica.settle()
            let written = try devices[2].store.transaction { try $0.outbox().count }
            #expect(written == third.count + 1)
            for number in 0..<50 {
                let all = [items[0][number], items[1][number]] + third.dropFirst(number).prefix(1)
                let state = try devices[2].state(items[0][number])
                #expect(state?.object == all.min())
                #expect(state?.fields[.value].map { 1 + $0.earlier.count } == all.count)
            }
        }
    }

    @Test("have the state of their files after a restart")
    func restart() throws {
        try group { group, devices in
            let item = try item(group, devices[0], "bank")
            devices[1].level = .list
            try group.exchangeAll()
            for device in devices {
                let path = try #require(device.store.path)
                #expect(try TestStore(path: path).state == device.store.state)
            }
            #expect(try devices[0].texts(item) == ["bank"])
        }
    }

    @Test("wait for the segment that another one had seen, and name it")
    func waiting() throws {
        try group(3) { group, devices in
            let item = try item(group, devices[0], "bank")
            _ = try devices[0].replica.exchange()
            _ = try devices[1].replica.exchange()
            try devices[1].change(.secret(item, .value, .whileUnlocked, "new"))
            _ = try devices[1].replica.exchange()
            let place = path(group, devices[0], "1")
            try FileManager.default.moveItem(atPath: place, toPath: group.folder + "/later")
            var report = try devices[2].replica.exchange()
            #expect(report.waiting == [Dot(devices[1].id, 1): .needs(Dot(devices[0].id, 1))])
            #expect(try devices[2].texts(item) == [])
            try FileManager.default.moveItem(atPath: group.folder + "/later", toPath: place)
            report = try devices[2].replica.exchange()
            #expect(report.applied == 2 && report.waiting.isEmpty)
            #expect(try devices[2].texts(item) == ["new", "bank"])
        }
    }

    @Test("wait for a file that is partly copied, and for one that is missing")
    func partlyCopied() throws {
        try group { group, devices in
            let items = try ["a", "b"].map { try item(group, devices[0], $0) }
            _ = try devices[0].replica.exchange()
            let first = path(group, devices[0], "1")
            let whole = try Data(contentsOf: URL(filePath: first))
            for count in [0, 1, 112, 113, 177, whole.count - 1] {
                try whole.prefix(count).write(to: URL(filePath: first))
                let report = try devices[1].replica.exchange()
                let reason = report.waiting[Dot(devices[0].id, 1)]
                #expect(reason == .unreadable(.truncated) || reason == .unreadable(.signature))
                #expect(report.applied == 0)
            }
            try FileManager.default.removeItem(atPath: first)
            #expect(try devices[1].replica.exchange().waiting == [Dot(devices[0].id, 1): .missing])
            // The author puts again what the remote lost.
            #expect(try devices[0].replica.exchange().published == 1)
            #expect(try devices[1].replica.exchange().applied == 2)
            #expect(try devices[1].texts(items[1]) == ["b"])
        }
    }

    @Test("take a copy because of a conflict for the segment, if it is signed")
    func conflictName() throws {
        try group { group, devices in
            let item = try item(group, devices[0], "bank")
            _ = try devices[0].replica.exchange()
            let first = path(group, devices[0], "1")
            try FileManager.default.moveItem(
                atPath: first, toPath: first + ".sync-conflict-20260101-120000-ABCDEFG")
            try Data("garbage".utf8).write(to: URL(filePath: first))
            #expect(try devices[1].replica.exchange().applied == 1)
            #expect(try devices[1].texts(item) == ["bank"])
        }
    }

    @Test("apply no repeated segment twice")
    func repeated() throws {
        try group { group, devices in
            _ = try item(group, devices[0], "bank")
            try group.exchangeAll()
            let state = devices[1].store.state
            let first = path(group, devices[0], "1")
            try FileManager.default.copyItem(atPath: first, toPath: first + ".sync-conflict-1")
            #expect(try devices[1].replica.exchange() == SyncReport())
            #expect(devices[1].store.state == state)
        }
    }

    @Test(
        "refuse a segment of another member under this name, and one without a signature"
    )
    func forged() throws {
        try group(3) { group, devices in
            _ = try item(group, devices[0], "bank")
            _ = try devices[0].replica.exchange()
            try FileManager.default.createDirectory(
                atPath: path(group, devices[1], ""), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: path(group, devices[0], "1"), toPath: path(group, devices[1], "1"))
            let report = try devices[2].replica.exchange()
            #expect(report.applied == 1)
            #expect(report.waiting == [Dot(devices[1].id, 1): .unreadable(.number)])
        }
    }

    @Test("stop at two histories of one device: the copy of a clone")
    func clone() throws {
        try group(3) { group, devices in
            _ = try item(group, devices[0], "a")
            try group.exchangeAll()
            let store = try #require(devices[0].store.path)
            try FileManager.default.copyItem(atPath: store, toPath: store + ".clone")
            _ = try item(group, devices[0], "b")
            _ = try devices[0].replica.exchange()
            _ = try devices[1].replica.exchange()
            // The clone writes under the same number; the file system of another machine does not know the first one yet.
            let number = path(group, devices[0], "2")
            let copy = group.folder + "/first"
            try FileManager.default.moveItem(atPath: number, toPath: copy)
            try FileManager.default.removeItem(atPath: store)
            try FileManager.default.moveItem(atPath: store + ".clone", toPath: store)
            let clone = try group.device(devices[0].id, at: store)
            try clone.change(.text(group.object(), .label, "c", .whileUnlocked))
            _ = try clone.replica.exchange()
            try FileManager.default.moveItem(atPath: copy, toPath: number + ".sync-conflict-1")
            #expect(
                try devices[1].replica.exchange().waiting[Dot(devices[0].id, 2)]
                    == .forked(devices[0].id))
            #expect(
                try devices[2].replica.exchange().waiting[Dot(devices[0].id, 2)]
                    == .forked(devices[0].id))
        }
    }

    @Test("find a clone of themselves at the remote")
    func cloneOfOneself() throws {
        try group { group, devices in
            _ = try item(group, devices[0], "a")
            let store = try #require(devices[0].store.path)
            try FileManager.default.copyItem(atPath: store, toPath: store + ".clone")
            let clone = try group.device(devices[0].id, at: store + ".clone")
            _ = try item(group, devices[0], "b")
            _ = try devices[0].replica.exchange()
            #expect(throws: SyncError.cloned(2)) { try clone.replica.exchange() }
            try clone.change(.text(group.object(), .label, "c", .whileUnlocked))
            #expect(throws: SyncError.cloned(2)) { try clone.replica.exchange() }
        }
    }

    @Test("never go on unnoticed after they were shown different histories")
    func differentHistories() throws {
        try group(3) { group, devices in
            // The folder shows the second device one history of the first, and the third another one.
            _ = try item(group, devices[0], "a")
            let store = try #require(devices[0].store.path)
            try FileManager.default.copyItem(atPath: store, toPath: store + ".fork")
            let fork = try group.device(devices[0].id, at: store + ".fork")
            _ = try item(group, devices[0], "b")
            _ = try devices[0].replica.exchange()
            _ = try devices[1].replica.exchange()
            try devices[1].replica.acknowledge()
            _ = try devices[1].replica.exchange()
            try FileManager.default.removeItem(atPath: path(group, devices[0], "2"))
            try fork.change(.text(group.object(), .label, "c", .whileUnlocked))
            _ = try fork.replica.exchange()
            let report = try devices[2].replica.exchange()
            #expect(report.applied == 2)
            #expect(report.waiting == [Dot(devices[1].id, 1): .forked(devices[0].id)])
        }
    }

    @Test("notice that their own store was put back")
    func putBack() throws {
        try group { group, devices in
            let store = try #require(devices[0].store.path)
            _ = try item(group, devices[0], "a")
            try FileManager.default.copyItem(atPath: store, toPath: store + ".old")
            _ = try item(group, devices[0], "b")
            try group.exchangeAll()
            try devices[1].replica.acknowledge()
            _ = try devices[1].replica.exchange()
            let old = try group.device(devices[0].id, at: store + ".old")
            let report = try old.replica.collect()
            #expect(report.waiting == [Dot(devices[1].id, 1): .ownSegment(2)])
        }
    }

    @Test("keep what they cannot open until the key comes, and let no command write over it")
    func levels() throws {
        try group { group, devices in
            let (safe, task) = (group.object(), group.object())
            devices[1].level = .list
            try devices[0].replica.change { _ in
                try Draft.item(safe, name: "safe", value: "one", isProtected: true)
                    + Draft.task(task, name: "rent")
            }
            try group.exchangeAll()
            #expect(try devices[1].texts(task, .taskName) == ["rent"])
            #expect(try devices[1].state(safe) == nil)
            #expect(devices[1].store.state.secrets.isEmpty)
            try devices[1].change(.text(task, .taskName, "pay rent", .list))
            try group.exchangeAll()
            #expect(try devices[0].texts(task, .taskName) == ["pay rent", "rent"])

            devices[1].level = .whileUnlocked
            try devices[1].replica.applyKept()
            #expect(try devices[1].texts(safe, .label) == ["label"])
            #expect(try devices[1].texts(safe) == [])
            #expect(devices[1].store.state.secrets.isEmpty)
            #expect(throws: SyncError.valueSealed(safe)) {
                try devices[1].change(.secret(safe, .value, .whileUnlocked, "two"))
            }
            // Label, name and remove need no verification.
            try devices[1].change(.text(safe, .label, "new", .whileUnlocked))
            try devices[1].change(Draft(safe, .remove, .whileUnlocked))
            try devices[1].replica.restore(safe)

            devices[1].level = .afterVerification
            try devices[1].change(try .secret(safe, .value, .afterVerification, "two"))
            try group.exchangeAll()
            for device in devices { #expect(try device.texts(safe) == ["two", "one"]) }
        }
    }

    @Test("ignore a part that does not open under U or V, and name it")
    func falsified() throws {
        try group { group, devices in
            // The thief of a locked disk has L and the segment key.
            let thief = devices[0]
            let item = try item(group, thief, "a")
            _ = try thief.replica.exchange()
            let first = try Segment(
                [UInt8](Data(contentsOf: URL(filePath: path(group, thief, "1")))))
            let writer = ChangeWriter(
                group: group.id, epoch: try group.falseKeys(), time: 0, random: group.random)
            let dot = Dot(thief.id, 2)
            let version = Version(
                RecordKey(item, .label, Stamp(clock: Stamp.limit - 9, device: thief.id)),
                .open([1]),
                .whileUnlocked, Origin(dot: dot, seen: VersionVector()), applied: 0)
            let forged = try writer.segment(
                [version], at: dot, after: first.hash, naming: [:], following: 0,
                key: thief.signingKey()
            ) { _, _ in }
            try Data(forged.bytes).write(to: URL(filePath: path(group, thief, "2")))
            let report = try devices[1].replica.exchange()
            #expect(report.applied == 2 && report.ignoredParts == [dot: .partSeal])
            #expect(try devices[1].texts(item, .label) == ["label"])
        }
    }

    @Test("refuse a format below one that the author has used")
    func earlierFormat() throws {
        try group { group, devices in
            _ = try item(group, devices[0], "a")
            _ = try devices[0].replica.exchange()
            try devices[1].store.transaction { transaction in
                var chain = ChainState()
                chain.format = SegmentPrefix.currentFormat + 1
                transaction.ledger.chains[devices[0].id] = chain
            }
            let report = try devices[1].replica.exchange()
            #expect(report.waiting == [Dot(devices[0].id, 1): .invalid(.earlierFormat)])
        }
    }

    @Test("refuse a segment whose epoch is unknown, until its keys come")
    func unknownEpoch() throws {
        try group { group, devices in
            let item = try item(group, devices[0], "a")
            _ = try devices[0].replica.exchange()
            let epochs = devices[1].replica.epochs
            devices[1].replica.epochs = [:]
            let report = try devices[1].replica.collect()
            #expect(report.waiting == [Dot(devices[0].id, 1): .epochMissing])
            #expect(throws: SyncError.epochMissing) { try devices[1].replica.acknowledge() }
            devices[1].replica.epochs = epochs
            _ = try devices[1].replica.exchange()
            #expect(try devices[1].texts(item) == ["a"])
        }
    }

    @Test("apply a change of several segments together, or wait for all of them")
    func largeChange() throws {
        try group { group, devices in
            let item = group.object()
            let large = String(repeating: "x", count: 900_000)
            try devices[0].replica.change { _ in
                [Draft(item, .create, .whileUnlocked, [ObjectState.Kind.item])]
                    + (0..<3).map { Draft.text(item, .attribute("\($0)"), large, .whileUnlocked) }
            }
            #expect(try devices[0].replica.exchange().published == 3)
            let last = path(group, devices[0], "3")
            try FileManager.default.moveItem(atPath: last, toPath: group.folder + "/later")
            let report = try devices[1].replica.exchange()
            #expect(report.applied == 0)
            #expect(report.waiting == [Dot(devices[0].id, 3): .missing])
            #expect(devices[1].store.state.versions.isEmpty)
            try FileManager.default.moveItem(atPath: group.folder + "/later", toPath: last)
            #expect(try devices[1].replica.exchange().applied == 3)
            #expect(try devices[1].state(item)?.fields.count == 4)
        }
    }

    @Test("divide 65,536 changes at once between few segments")
    func manyChanges() throws {
        try group { group, devices in
            let task = group.object()
            try devices[0].replica.change { _ in
                Draft.task(task, name: "many")
                    + (0..<65_536).map {
                        Draft(task, .tag("\($0)"), .list, RecordContent.flag(true))
                    }
            }
            _ = try devices[0].replica.exchange()
            #expect(try devices[1].replica.exchange().applied == 3)
            #expect(try devices[1].state(task)?.tags.count == 65_536)
        }
    }

    @Test(
        "name a device whose clock is ahead, and apply its changes all the same",
        arguments: [915_148_800_000, 2_145_916_800_000] as [Int64])
    func clocks(time: Int64) throws {
        try group { group, devices in
            devices[0].clock.now = time
            let item = try item(group, devices[0], "a")
            _ = try devices[0].replica.exchange()
            let report = try devices[1].replica.exchange()
            #expect(try devices[1].texts(item) == ["a"])
            #expect((report.ahead[devices[0].id] != nil) == (time > group.clock.now))
            // The right clock's change comes after, although its time is earlier.
            try devices[1].change(.secret(item, .value, .whileUnlocked, "b"))
            try group.exchangeAll()
            for device in devices { #expect(try device.texts(item) == ["b", "a"]) }
        }
    }

    @Test("name a wrong clock no longer as soon as it is right", arguments: [0, 1])
    func rightClocks(wrong: Int) throws {
        let day: Int64 = 86_400_000
        try group { group, devices in
            // Of the first, or that of the second, which is behind.
            devices[wrong].clock.now += wrong == 0 ? 3 * day : -3 * day
            _ = try item(group, devices[0], "a")
            for device in devices { _ = try device.replica.exchange() }
            #expect(
                try devices[1].replica.exchange().ahead == [devices[0].id: 3 * day])
            devices[wrong].clock.now = group.clock.now
            if wrong == 0 {
                #expect(try devices[0].replica.collect().ahead == [devices[0].id: 3 * day])
                try devices[0].replica.acknowledge(after: day)
            }
            // It says so once.
            let newest = try devices[0].store.transaction { $0.ledger.chains }
            try devices[0].replica.acknowledge(after: day)
            #expect(try devices[0].store.transaction { $0.ledger.chains } == newest)
            for _ in 0..<2 {
                for device in devices { #expect(try device.replica.exchange().ahead.isEmpty) }
            }
        }
    }

    @Test("continue after a failure at each step, with the same result")
    func crashes() throws {
        func run(failingAt step: Int?) throws -> (steps: Int, texts: [[String]]) {
            try withTemporaryFolder { folder in
                let group = try TestGroup(at: folder, count: 2, inFiles: true)
                let item = group.object()
                let device = group.devices[0]
                device.store.stepsLeft = step
                func trying(_ body: () throws -> Void) throws {
                    do {
                        try body()
                    } catch is TestStore.Crash {
                        try device.restart()
                        // The person sees whether the change was made, and makes it again if not.
                        try body()
                    }
                }
                try trying {
                    guard device.store.state.versions[item] == nil else { return }
                    try device.replica.change { _ in try Draft.item(item, name: "a", value: "one") }
                }
                try trying { _ = try device.replica.exchange() }
                _ = try group.devices[1].replica.exchange()
                try group.devices[1].change(.secret(item, .value, .whileUnlocked, "two"))
                let other = group.object()
                try group.devices[1].replica.change { _ in
                    try Draft.item(other, name: "safe", value: "deep", isProtected: true)
                }
                _ = try group.devices[1].replica.exchange()
                try trying { _ = try device.replica.exchange() }
                let steps = device.store.steps
                device.store.stepsLeft = nil
                try group.exchangeAll()
                return (
                    steps, try group.devices.flatMap { [try $0.texts(item), try $0.texts(other)] }
                )
            }
        }
        let whole = try run(failingAt: nil)
        #expect(whole.texts == [["two", "one"], ["deep"], ["two", "one"], ["deep"]])
        #expect(whole.steps > 15)
        for step in 1...whole.steps {
            #expect(try run(failingAt: step).texts == whole.texts, "step \(step)")
        }
    }

    @Test("name a member whose folder cannot be read, and take the others")
    func unreachable() throws {
        try group(3) { group, devices in
            _ = try item(group, devices[0], "a")
            _ = try devices[0].replica.exchange()
            let other = path(group, devices[1], "")
            try Data().write(to: URL(filePath: String(other.dropLast())))
            let report = try devices[2].replica.collect()
            #expect(report.applied == 1)
            guard case .unreachable = report.waiting[Dot(devices[1].id, 1)] else {
                Issue.record("\(report.waiting)")
                return
            }
        }
    }
}

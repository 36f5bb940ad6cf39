import Foundation
import Platform
import SecretMemory
import TestSupport
import Testing

@testable import Sync

/// Snapshots, dropping, and devices that were away. The names of the tests are those of attacks and promises in `Docs/Sync.md`, section 8.
@Suite("Snapshots")
struct SnapshotTests {
    private static let day: Int64 = 86_400_000

    private func withGroup(
        _ count: Int, inFiles: Bool = false, _ body: (TestGroup) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            try body(TestGroup(at: folder, count: count, inFiles: inFiles))
        }
    }

    private func segments(_ group: TestGroup, _ device: TestDevice) throws -> [UInt64] {
        try device.replica.remote.list(device.id).map(\.dot.number)
    }

    private func path(_ device: TestDevice, _ group: TestGroup, _ name: String) -> String {
        "\(device.folder)/\(group.id.text)/\(device.id.text)/\(name)"
    }

    /// A group of two, of which the first has an item, a task, and a snapshot that the second has seen, so that its segments were dropped.
    /// Any others become members then.
    private func withDropped(
        of count: Int = 2,
        _ body: (TestGroup, _ item: ObjectID, _ task: ObjectID) throws -> Void
    ) throws {
        try withGroup(count) { group in
            let (first, second) = (group.devices[0], group.devices[1])
            let (item, task) = (group.object(), group.object())
            let members = first.replica.members
            for newcomer in group.devices[2...] {
                for device in [first, second] { device.replica.members[newcomer.id] = nil }
            }
            try first.replica.change { _ in
                try Draft.item(item, name: "a", value: "old", isProtected: true)
            }
            try first.replica.change { _ in
                Draft.task(task, name: "milk") + [.text(task, .list, "shop", .list)]
            }
            try first.change(.secret(item, .value, .afterVerification, "new"))
            for device in [first, second] { _ = try device.replica.exchange() }
            try second.change(.text(item, .label, "mine", .whileUnlocked))
            for device in [second, first] { _ = try device.replica.exchange() }
            #expect(try first.replica.makeSnapshot())
            for _ in 0..<2 {
                for device in [first, second] {
                    _ = try device.replica.exchange()
                    try device.replica.acknowledge()
                }
            }
            _ = try first.replica.exchange()
            for device in [first, second] { device.replica.members = members }
            try body(group, item, task)
        }
    }

    private func expectEverything(
        _ device: TestDevice, _ item: ObjectID, _ task: ObjectID,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try device.texts(item) == ["new", "old"], sourceLocation: location)
        #expect(try device.texts(item, .label).first == "mine", sourceLocation: location)
        #expect(try device.texts(task, .taskName) == ["milk"], sourceLocation: location)
        #expect(try device.texts(task, .list) == ["shop"], sourceLocation: location)
    }

    // MARK: Dropping and beginning

    @Test("segments are dropped when a snapshot covers them and all have seen them")
    func dropping() throws {
        try withGroup(2) { group in
            let (first, second) = (group.devices[0], group.devices[1])
            let task = group.object()
            try first.replica.change { _ in Draft.task(task, name: "milk") }
            _ = try first.replica.exchange()
            #expect(try first.replica.makeSnapshot())
            _ = try first.replica.exchange()
            #expect(try segments(group, first) == [1, 2], "the second has seen nothing")
            _ = try second.replica.exchange()
            try second.replica.acknowledge()
            _ = try second.replica.exchange()
            _ = try first.replica.exchange()
            #expect(try segments(group, first) == [2])
            #expect(try first.store.transaction { try $0.outbox() } == [2])
            #expect(try first.store.transaction { try $0.hash(of: Dot(first.id, 1)) } != nil)
            #expect(try segments(group, second) == [1], "no snapshot covers it")
        }
    }

    @Test("without a snapshot, no segment is dropped")
    func noSnapshot() throws {
        try withGroup(2) { group in
            let first = group.devices[0]
            try first.replica.change { _ in Draft.task(group.object(), name: "milk") }
            try group.exchangeAll()
            try group.devices[1].replica.acknowledge()
            group.wait(400 * Self.day)
            try group.exchangeAll()
            #expect(try segments(group, first) == [1])
        }
    }

    @Test("a newcomer begins at a snapshot, and goes on with later segments")
    func newcomer() throws {
        try withDropped(of: 3) { group, item, task in
            let newcomer = group.devices[2]
            #expect(try !segments(group, group.devices[0]).contains(1))
            try group.devices[1].change(.text(task, .list, "market", .list))
            _ = try group.devices[1].replica.exchange()
            let report = try newcomer.replica.exchange()
            #expect(report.waiting == [:])
            #expect(try newcomer.texts(task, .list) == ["market", "shop"])
            try group.devices[1].change(.text(task, .list, "shop", .list))
            try group.exchangeAll()
            let chains = newcomer.store.state.ledger.chains.mapValues(\.number)
            #expect(chains == group.devices[0].store.state.ledger.chains.mapValues(\.number))
            try newcomer.change(.text(item, .label, "mine", .whileUnlocked))
            try group.exchangeAll()
            for device in group.devices {
                #expect(try device.texts(item, .label).first == "mine")
                #expect(try device.texts(item) == ["new", "old"])
            }
        }
    }

    @Test("a newcomer at a snapshot has every record of each field")
    func everyField() throws {
        try withDropped(of: 3) { group, item, task in
            let (first, newcomer) = (group.devices[0], group.devices[2])
            let other = group.object()
            let items: [(RecordField, [UInt8])] = [
                (.remove, []), (.restore, []), (.alias(other), []), (.looked, []),
                (.label, [1]), (.attribute("url"), [1, 2]), (RecordField(4_000_000_000, [9]), [3]),
            ]
            let tasks = (UInt32(32)...58).map { number -> (RecordField, [UInt8]) in
                switch number {
                case 34: (.done, [1])
                case 36: (.due, DueDate(occurrence: 7, isEdited: true, date: [1]).bytes)
                case 37: (.completion(7), [1] + [UInt8](repeating: 2, count: 8))
                case 38: (.tag("home"), [1])
                case 49: (RecordField(49, other.bytes), [1] + [UInt8](repeating: 0, count: 27))
                case 50: (RecordField(50, other.bytes), [1])
                case 51: (RecordField(51, other.bytes), [])
                case 48, 52...54, 56: (RecordField(number, other.bytes), [1])
                default: (RecordField(number), [UInt8(number)])
                }
            }
            try first.replica.change { _ in
                items.map { Draft(item, $0, .whileUnlocked, $1) }
                    + tasks.map { Draft(task, $0, .list, $1) }
            }
            #expect(try first.replica.makeSnapshot())
            _ = try first.replica.exchange()
            #expect(try newcomer.replica.exchange().waiting == [:])
            func records(_ device: TestDevice) -> Set<Version> {
                Set(
                    device.store.state.versions.values.flatMap(\.values).map {
                        Version(
                            $0.key, $0.content, $0.level, $0.origin, applied: 0,
                            written: $0.written)
                    })
            }
            #expect(records(first).count > items.count + tasks.count)
            #expect(records(newcomer).symmetricDifference(records(first)).isEmpty)
            #expect(newcomer.store.state.secrets == first.store.state.secrets)
        }
    }

    @Test("a locked newcomer begins after the verification")
    func locked() throws {
        try withDropped(of: 3) { group, item, task in
            let newcomer = group.devices[2]
            newcomer.level = .whileUnlocked
            let reasons = try newcomer.replica.exchange().waiting.values
            #expect(reasons.contains(.snapshot(.locked)))
            #expect(newcomer.store.state.versions.isEmpty)
            newcomer.level = .afterVerification
            #expect(try newcomer.replica.exchange().waiting == [:])
            try expectEverything(newcomer, item, task)
        }
    }

    @Test("a device that was away for a year begins at a snapshot, and its unsent changes apply")
    func away() throws {
        try withGroup(3) { group in
            let (first, second, away) = (group.devices[0], group.devices[1], group.devices[2])
            let (item, task) = (group.object(), group.object())
            try first.replica.change { _ in try Draft.item(item, name: "a", value: "1") }
            try first.replica.change { _ in Draft.task(task, name: "milk") }
            try group.exchangeAll()
            try away.replica.acknowledge()
            try group.exchangeAll()
            try away.change(.secret(item, .value, .whileUnlocked, "away"))
            try away.change(.text(task, .list, "mine", .list))
            group.wait(365 * Self.day)
            for number in 2..<6 {
                try first.change(.secret(item, .value, .whileUnlocked, "\(number)"))
                group.wait(2 * Self.day)
                try second.change(.text(task, .taskName, "milk \(number)", .list))
                for device in [first, second, first] { _ = try device.replica.exchange() }
            }
            #expect(try first.replica.makeSnapshot())
            for device in [first, second] { _ = try device.replica.exchange() }
            try second.replica.acknowledge()
            for device in [second, first, second] { _ = try device.replica.exchange() }
            let left = try segments(group, first)
            #expect(try #require(left.first) > 3, "the silent member is not waited for: \(left)")
            let report = try away.replica.exchange()
            #expect(report.waiting == [:])
            try group.exchangeAll()
            for device in group.devices {
                #expect(try device.texts(item) == ["5", "4", "3", "2", "away!", "1"])
                #expect(try device.texts(task, .taskName).first == "milk 5")
                #expect(try device.texts(task, .list) == ["mine"])
            }
        }
    }

    @Test("a change by a silent device brings back the whole of what was erased")
    func erasedAndChanged() throws {
        try withGroup(2) { group in
            let (first, silent) = (group.devices[0], group.devices[1])
            let item = group.object()
            try first.replica.change { _ in try Draft.item(item, name: "a", value: "1") }
            try group.exchangeAll()
            try silent.replica.acknowledge()
            try group.exchangeAll()
            try silent.change(.text(item, .label, "still mine", .whileUnlocked))
            try first.change(Draft(item, .remove, .whileUnlocked))
            #expect(try !first.replica.erase(item))
            group.wait(91 * Self.day)
            try first.replica.acknowledge()
            #expect(try !first.replica.erase(item), "one time alone makes nobody silent")
            group.wait(Self.day)
            try first.replica.acknowledge()
            #expect(try first.replica.erase(item))
            #expect(try first.state(item) == nil)
            try group.exchangeAll()
            for device in group.devices {
                #expect(try device.texts(item) == ["1"])
                #expect(try device.texts(item, .label).first == "still mine")
            }
        }
    }

    @Test("a clock that jumps ahead drops and erases nothing that a member lacks")
    func clockJump() throws {
        try withGroup(2) { group in
            let (first, second) = (group.devices[0], group.devices[1])
            let item = group.object()
            try first.replica.change { _ in try Draft.item(item, name: "a", value: "1") }
            try group.exchangeAll()
            try second.replica.acknowledge()
            try group.exchangeAll()
            try first.change(Draft(item, .remove, .whileUnlocked))
            first.clock.now += 366 * Self.day
            try first.replica.acknowledge()
            #expect(try !first.replica.erase(item))
        }
    }

    @Test("the remote holds at most three times the records and the last 90 days")
    func bound() throws {
        try withGroup(2) { group in
            let (first, second) = (group.devices[0], group.devices[1])
            let tasks = (0..<40).map { _ in group.object() }
            let text = String(repeating: "x", count: 4_000)
            var most: Int64 = 0
            for number in 0..<600 {
                let task = tasks[number % tasks.count]
                if number < tasks.count {
                    try first.replica.change { _ in Draft.task(task, name: "milk") }
                }
                try first.change(.text(task, .notes, text + "\(number)", .list))
                // What is replaced expires, as the mirrors do it.
                let old = try first.state(task)?.fields[.notes]?.earlier.map(\.version.key) ?? []
                for device in [first, second] {
                    try device.store.transaction { try $0.erase(old) }
                }
                group.wait(Self.day)
                for device in [first, second] {
                    _ = try device.replica.exchange()
                    try device.replica.acknowledge(after: Self.day)
                }
                most = max(most, try size(of: group))
            }
            let live = Int64(try first.store.transaction { try $0.recordsSize() })
            let days = Int64(90 * (text.utf8.count + 600))
            #expect(most <= 3 * live + days, "\(most) bytes, \(live) live")
            let count = try segments(group, first).count
            #expect(count < 600, "\(count) segments")
        }
    }

    private func size(of group: TestGroup) throws -> Int64 {
        let base = "\(group.devices[0].folder)/\(group.id.text)"
        return try FileSystem.names(in: base).reduce(0) { total, device in
            try FileSystem.names(in: "\(base)/\(device)").reduce(total) {
                $0 + (FileSystem.size("\(base)/\(device)/\($1)") ?? 0)
            }
        }
    }

    @Test("earlier snapshots are deleted, also that of another device")
    func superseded() throws {
        try withDropped { group, _, _ in
            let (first, second) = (group.devices[0], group.devices[1])
            let before = try first.replica.remote.blobs(of: first.id)
            #expect(!before.isEmpty)
            #expect(try first.replica.makeSnapshot())
            _ = try first.replica.exchange()
            let after = try first.replica.remote.blobs(of: first.id)
            #expect(Set(before).isDisjoint(with: after))
            _ = try second.replica.exchange()
            #expect(try second.replica.makeSnapshot())
            for device in [second, first, second, first] { _ = try device.replica.exchange() }
            #expect(try first.replica.remote.blobs(of: first.id).isEmpty)
            #expect(try !first.replica.remote.blobs(of: second.id).isEmpty)
        }
    }

    @Test("a snapshot that the remote lost is made again")
    func lost() throws {
        try withDropped(of: 3) { group, item, task in
            let first = group.devices[0]
            for name in try first.replica.remote.blobs(of: first.id) {
                try first.replica.remote.deleteBlob(name)
            }
            for device in [first, group.devices[2]] { _ = try device.replica.exchange() }
            try expectEverything(group.devices[2], item, task)
        }
    }

    @Test("a segment that the remote lost and that may not be dropped is put again")
    func putAgain() throws {
        try withGroup(2) { group in
            let first = group.devices[0]
            try first.replica.change { _ in Draft.task(group.object(), name: "milk") }
            #expect(try first.replica.makeSnapshot())
            _ = try first.replica.exchange()
            try first.replica.remote.delete("1")
            _ = try first.replica.exchange()
            #expect(try segments(group, first) == [1, 2])
        }
    }

    @Test("what came in the open is at the level after verification, and its segments are dropped")
    func protection() throws {
        try withGroup(2) { group in
            let (first, second) = (group.devices[0], group.devices[1])
            let task = group.object()
            try first.replica.change { _ in Draft.task(task, name: "diagnosis") }
            try group.exchangeAll()
            try first.replica.change { _ in
                [
                    Draft(task, .protection, .list, RecordContent.flag(true)),
                    try .secret(task, .taskName, .afterVerification, "diagnosis"),
                ]
            }
            #expect(first.store.state.ledger.exposed == 1)
            _ = try first.replica.exchange()
            try second.replica.acknowledge()
            _ = try second.replica.exchange()
            _ = try first.replica.exchange()
            #expect(first.store.state.ledger.exposed == 0)
            let left = try segments(group, first)
            #expect(!left.contains(1), "\(left)")
            // Who has L alone finds the text nowhere.
            for name in try first.replica.remote.blobs(of: first.id) {
                let bytes = try #require(try first.replica.remote.blob(name, of: first.id))
                let file = try Segment(bytes)
                let body = try SegmentBody.open(
                    file, try #require(group.keys(upTo: .list)[file.prefix.epoch]),
                    after: try #require(first.store.state.snapshots[first.id]).covered)
                #expect(!body.records.contains { $0.content == Array("diagnosis".utf8) })
            }
        }
    }

    @Test("a newcomer merges what came in the open as those do that had it in the open")
    func levels() throws {
        try withGroup(4) { group in
            let (first, second, third) = (group.devices[0], group.devices[1], group.devices[2])
            let newcomer = group.devices[3]
            let tasks = [group.object(), group.object()]
            try first.replica.change { _ in tasks.flatMap { Draft.task($0, name: "milk") } }
            for device in [first, second, third] { _ = try device.replica.exchange() }
            group.wait(5)
            for task in tasks {
                try first.change(
                    .protection(task, true, .list),
                    try .secret(task, .notes, .afterVerification, "hidden"))
            }
            _ = try first.replica.exchange()
            // The third sees the protection, and ends that of one task. The second has not seen the protection of this task.
            _ = try third.replica.exchange()
            try second.change(.text(tasks[1], .taskName, "open", .list))
            group.wait(5)
            try third.change(.protection(tasks[1], false, .list))
            for device in [second, first] { _ = try device.replica.exchange() }
            // A thief writes in the open what was protected.
            try second.change(.text(tasks[0], .notes, "forged", .list))
            for device in [second, first] { _ = try device.replica.exchange() }
            #expect(try first.replica.makeSnapshot())
            var report = SyncReport()
            try first.replica.publish(&report)
            try first.replica.remote.delete("1")
            #expect(try newcomer.replica.exchange().waiting == [:])
            for device in [third, newcomer, first, second, third] {
                _ = try device.replica.exchange()
            }
            let versions = try newcomer.state(tasks[0])?.fields[.notes]?.current
            #expect(versions?.level == .afterVerification && versions?.written == .list)
            for device in group.devices {
                #expect(try device.texts(tasks[0], .notes) == ["forged", "hidden!"])
                #expect(try device.texts(tasks[1], .taskName) == ["open", "milk"])
                #expect(try device.state(tasks[0])?.isProtected == true)
                #expect(try device.state(tasks[1])?.isProtected == false)
            }
            // What a newcomer repeats is still what it was.
            try newcomer.change(Draft(tasks[0], .remove, .list))
            try newcomer.replica.restore(tasks[0])
            #expect(try newcomer.replica.makeSnapshot())
            try group.exchangeAll()
            for device in group.devices {
                #expect(try device.texts(tasks[0], .notes) == ["forged", "hidden!"])
            }
        }
    }

    @Test(
        "a newcomer whom the others do not know yet begins at a snapshot, and goes on at the next")
    func unknown() throws {
        try withGroup(3) { group in
            let (first, second, newcomer) = (group.devices[0], group.devices[1], group.devices[2])
            for device in [first, second] { device.replica.members[newcomer.id] = nil }
            let task = group.object()
            func write(_ text: String) throws {
                for number in 0..<4 { try first.change(.text(task, .list, "\(number)", .list)) }
                try first.change(.text(task, .list, text, .list))
                for device in [first, second] { _ = try device.replica.exchange() }
                try second.replica.acknowledge()
                for device in [second, first] { _ = try device.replica.exchange() }
            }
            func drop() throws {
                let before = try first.store.transaction { try $0.outbox().first }
                #expect(try first.replica.makeSnapshot())
                for _ in 0..<2 {
                    for device in [first, second] {
                        _ = try device.replica.exchange()
                        try device.replica.acknowledge()
                    }
                }
                _ = try first.replica.exchange()
                #expect(try first.store.transaction { try $0.outbox().first } != before)
            }
            try first.replica.change { _ in Draft.task(task, name: "milk") }
            try write("one")
            // A copy of a segment that stays when it is dropped leads nowhere.
            let file = path(first, group, "1")
            try FileManager.default.copyItem(
                atPath: file, toPath: file + ".sync-conflict-20260101-000000-ABCDEFG")
            try drop()
            newcomer.level = .whileUnlocked
            #expect(try newcomer.replica.exchange().applied == 0)
            newcomer.level = .afterVerification
            #expect(try newcomer.replica.exchange().waiting == [:])
            #expect(try newcomer.texts(task, .list).first == "one")
            try write("two")
            try drop()
            #expect(try newcomer.replica.exchange().waiting == [:])
            #expect(try newcomer.texts(task, .list).first == "two")
        }
    }

    // MARK: Attacks

    @Test("an old snapshot: none is taken that does not reach the heads of the add")
    func old() throws {
        try withDropped(of: 3) { group, _, task in
            let (first, newcomer) = (group.devices[0], group.devices[2])
            try first.change(.text(task, .list, "later", .list))
            newcomer.replica.requiredHeads = first.head
            let reasons = try newcomer.replica.exchange().waiting.values
            #expect(reasons.contains(.snapshot(.behind)))
            #expect(newcomer.store.state.versions.isEmpty)
            #expect(try first.replica.makeSnapshot())
            _ = try first.replica.exchange()
            #expect(try newcomer.replica.exchange().waiting == [:])
            #expect(try newcomer.texts(task, .list).first == "later")
        }
    }

    @Test("an older snapshot is enough if the remote has all that follows")
    func olderWithAllThatFollows() throws {
        try withDropped(of: 3) { group, item, task in
            let (first, newcomer) = (group.devices[0], group.devices[2])
            for text in ["later", "last"] { try first.change(.text(task, .list, text, .list)) }
            _ = try first.replica.exchange()
            let heads = first.head
            newcomer.replica.requiredHeads = heads
            let head = try #require(heads[first.id])
            let file = path(first, group, String(head.number - 1))
            try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
            let reasons = try newcomer.replica.exchange().waiting.values
            #expect(reasons.contains(.snapshot(.behind)))
            #expect(newcomer.store.state.versions.isEmpty)
            try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
            #expect(try newcomer.replica.exchange().waiting == [:])
            #expect(try newcomer.texts(task, .list).first == "last")
        }
    }

    @Test("a cut snapshot is not taken, and named")
    func cut() throws {
        try withDropped(of: 3) { group, item, task in
            let (first, newcomer) = (group.devices[0], group.devices[2])
            let names = try #require(first.store.state.snapshots[first.id]).names
            for isCut in [true, false] {
                let file = path(first, group, try #require(names.last).text)
                let whole = try Data(contentsOf: URL(filePath: file))
                if isCut {
                    try whole.prefix(whole.count / 2).write(to: URL(filePath: file))
                } else {
                    try FileManager.default.removeItem(atPath: file)
                }
                let reasons = try newcomer.replica.exchange().waiting.values
                #expect(reasons.contains(.snapshot(.incomplete)))
                #expect(newcomer.store.state.versions.isEmpty)
                try whole.write(to: URL(filePath: file))
            }
            #expect(try newcomer.replica.exchange().waiting == [:])
            try expectEverything(newcomer, item, task)
        }
    }

    @Test("a cut copy of a segment that was dropped is no obstacle")
    func cutCopy() throws {
        try withDropped(of: 3) { group, item, task in
            let first = group.devices[0]
            let copy = path(first, group, "1.sync-conflict-20260101-000000-ABCDEFG")
            try Data([1, 2, 3]).write(to: URL(filePath: copy))
            #expect(try group.devices[2].replica.exchange().waiting == [:])
            try expectEverything(group.devices[2], item, task)
        }
    }

    @Test("a foreign snapshot is ignored")
    func foreign() throws {
        try withDropped(of: 3) { group, item, task in
            let (first, second, newcomer) = (group.devices[0], group.devices[1], group.devices[2])
            // Files of one device among those of another, which would otherwise come first.
            for name in try first.replica.remote.blobs(of: first.id) {
                try second.replica.remote.putBlob(
                    try #require(try first.replica.remote.blob(name, of: first.id)))
            }
            try second.replica.remote.putBlob([1, 2, 3])
            #expect(try newcomer.replica.exchange().waiting == [:])
            try expectEverything(newcomer, item, task)
        }
    }

    @Test("a snapshot whose segment is missing is ignored")
    func segmentMissing() throws {
        try withDropped(of: 3) { group, _, _ in
            let (first, newcomer) = (group.devices[0], group.devices[2])
            let number = try #require(first.store.state.snapshots[first.id]).dot.number
            try first.replica.remote.delete(String(number))
            let report = try newcomer.replica.exchange()
            #expect(!report.waiting.isEmpty)
            #expect(newcomer.store.state.versions.isEmpty)
            _ = try first.replica.exchange()
            #expect(try newcomer.replica.exchange().waiting == [:])
        }
    }

    @Test("the thief of a locked machine can announce no snapshot")
    func thief() throws {
        try withDropped(of: 3) { group, item, task in
            let (first, second, newcomer) = (group.devices[0], group.devices[1], group.devices[2])
            first.replica.members[newcomer.id] = nil
            for _ in 0..<2 { try first.replica.acknowledge() }
            for device in [first, second] { _ = try device.replica.exchange() }
            let honest = second.replica.epochs
            second.replica.epochs = [group.epochID: try group.falseKeys()]
            try second.store.transaction { transaction in
                for object in try transaction.objects() {
                    try transaction.erase(transaction.versions(of: object).map(\.key))
                }
            }
            #expect(try second.replica.makeSnapshot())
            var report = SyncReport()
            try second.replica.publish(&report)
            second.replica.epochs = honest
            let before = try segments(group, first)
            _ = try first.replica.exchange()
            #expect(try segments(group, first) == before, "nothing is dropped for it")
            _ = try newcomer.replica.exchange()
            try expectEverything(newcomer, item, task)
        }
    }

    @Test("two histories are noticed across a snapshot")
    func forked() throws {
        try withGroup(3) { group in
            let (first, second, away) = (group.devices[0], group.devices[1], group.devices[2])
            let task = group.object()
            try first.replica.change { _ in Draft.task(task, name: "milk") }
            try group.exchangeAll()
            // What was shown to the third is another history than that of the others.
            away.store.state.hashes[Dot(first.id, 1)] = [UInt8](repeating: 7, count: 32)
            try first.change(.text(task, .list, "a", .list))
            #expect(try first.replica.makeSnapshot())
            for _ in 0..<2 {
                for device in [first, second] { _ = try device.replica.exchange() }
                try second.replica.acknowledge()
            }
            try first.replica.remote.delete("1")
            try first.replica.remote.delete("2")
            let reasons = try away.replica.collect().waiting.values
            #expect(reasons.contains(.forked(first.id)))
        }
    }

    // MARK: Crashes

    @Test("a crash at any step of making, publishing and dropping loses nothing")
    func crashes() throws {
        for step in 1..<40 {
            try withGroup(3, inFiles: true) { group in
                let (first, second) = (group.devices[0], group.devices[1])
                let task = group.object()
                try first.replica.change { _ in Draft.task(task, name: "milk") }
                try first.change(.text(task, .list, "shop", .list))
                for device in [first, second] { _ = try device.replica.exchange() }
                try second.replica.acknowledge()
                _ = try second.replica.exchange()
                first.store.stepsLeft = step
                do {
                    #expect(try first.replica.makeSnapshot())
                    _ = try first.replica.exchange()
                } catch is TestStore.Crash {}
                try first.restart()
                _ = try first.replica.exchange()
                #expect(try group.devices[2].replica.exchange().waiting == [:])
                #expect(try group.devices[2].texts(task, .list) == ["shop"])
            }
        }
    }
}

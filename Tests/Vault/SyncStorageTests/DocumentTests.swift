import Database
import Platform
import Sync
@testable import SyncStorage
import TestSupport
import Testing

/// Databases whose rows `Tests/Vectors/sync_stores.py` made from section 13 of `Docs/Sync.md`, and whose schema is that of the page.
@Suite("The document of a store of sync")
struct DocumentTests {
    private func withStore(
        _ chain: SyncDatabase.Chain, _ body: (any MirrorTransaction) throws -> Void
    ) throws {
        let vectors = TestVectors.all(in: "SyncStores") { ($0, $1) }
        let name = chain == .list ? "tasks" : "items"
        let rows = try #require(vectors.first { $0.0 == name }).1
        let schema = Checkout.statements(
            under: "## 13. The database of a device", in: "Docs/Sync.md")
        try withTemporaryFolder { folder in
            let path = folder + "/sync.db"
            let file = try SQLiteConnection(path: path, options: .init(access: .create))
            let lines = rows.split(separator: "\n").map { "\($0);" }
            let pragmas = ["PRAGMA application_id = 1414943577;", "PRAGMA user_version = 1;"]
            try file.run(script: (schema + pragmas + lines).joined(separator: "\n"))
            file.close()
            try #require(unsafe chmod(path, 0o600) == 0)
            let store = try open(folder, chain, device: device(0xA0), creating: false)
            defer { store.close() }
            try store.mirrorTransaction(body)
        }
    }

    private func seen(_ numbers: [DeviceID: UInt64]) -> VersionVector {
        var vector = VersionVector()
        for (device, number) in numbers { vector[device] = number }
        return vector
    }

    private let this = device(0xA0)
    private let other = device(0xB0)

    @Test("describes the chain of items")
    func items() throws {
        try withStore(.secrets) { (transaction) throws in
            let item = object(1)
            let versions = try transaction.versions(of: item)
            #expect(
                versions.map(\.field) == [
                    .create, .alias(object(4)), .value, .value, .itemName, .attribute("url"),
                ])
            #expect(versions[5].content == .open(bytes("https://example.com")))
            #expect(versions[2].stamp == Stamp(clock: 10, device: this))
            #expect(
                versions[3].origin == Origin(dot: Dot(other, 2), seen: seen([this: 1])))
            #expect(versions[3].level == .afterVerification && versions[3].applied == 77)
            #expect(try transaction.secret(of: versions[2].key) == "a value")
            #expect(try transaction.secret(of: versions[3].key) == "a protected value")
            #expect(try transaction.contains(versions[5].key))
            #expect(try transaction.objects(named: bytes("a name")) == [item])
            #expect(try transaction.unmirrored(of: item) == [versions[3].key])
            let counterpart = try transaction.counterpart(named: bytes("example.com"))
            #expect(counterpart?.revision == 7 && counterpart?.name == bytes("example.com"))
            let kept = try transaction.keptParts(.afterVerification)
            #expect(
                kept.map(\.part.announced) == [
                    [RecordKey(item, .attribute("user"), Stamp(clock: 12, device: other))]
                ])
            #expect(try transaction.keptParts(.whileUnlocked).map(\.sequence) == [3])
            #expect(try transaction.marked() == [item])
            #expect(transaction.ledger.unsettled == [item])
        }
    }

    @Test("describes the chain of tasks")
    func tasks() throws {
        try withStore(.list) { (transaction) throws in
            let task = object(2)
            let versions = try transaction.versions(of: task)
            #expect(
                versions.map(\.field) == [
                    .create, .itemName, .tag("a tag"), .subtaskName(subtask(3)),
                ])
            #expect(versions[1].content == .open(bytes("a name")))
            #expect(try transaction.secret(of: versions[3].key) == "a protected subtask")
            #expect(versions[3].level == .afterVerification && versions[3].written == .list)
            #expect(try transaction.objects(named: bytes("a name")) == [task])
            #expect(try transaction.counterpart(of: task)?.name == bytes("a1b2c3"))
            #expect(
                try transaction.keptParts(.afterVerification).map(\.part.announced) == [
                    [RecordKey(task, .notes, Stamp(clock: 12, device: other))]
                ])
            #expect(try transaction.hash(of: Dot(other, 2)) == [UInt8](repeating: 0x22, count: 32))
            #expect(try transaction.outboxSegment(1) == bytes("a segment"))
            let snapshot = try #require(try transaction.snapshots().first)
            #expect(snapshot.dot == Dot(other, 2) && snapshot.covered == seen([this: 1, other: 1]))
            #expect(snapshot.names.map(\.bytes) == [[UInt8](repeating: 0x33, count: 32)])
            #expect(transaction.ledger.uncovered == 900 && transaction.ledger.exposed == 1)
            #expect(transaction.ledger.late == [other])
            #expect(try transaction.note("head") == [1])
            let chain = transaction.ledger.chains[other]
            #expect(chain?.number == 2 && chain?.seen == seen([this: 1]) && chain?.heard == 71)
            #expect(
                transaction.ledger.removals == [
                    device(0xC0): seen([this: 1, other: 2])
                ])
            #expect(transaction.ledger.clock.last == 5 && transaction.ledger.published == 1)
        }
    }
}

import Database
import Foundation
import Platform
import SecretMemory
import Sync
@testable import SyncStorage
import TestSupport
import Testing

@Suite("The file of a store of sync")
struct FileTests {
    private struct Failure: Error {}

    /// Runs a statement on the file, as somebody else might.
    private func change(_ folder: String, _ sql: SQL) throws {
        let pool = try DatabasePool.open(.file(folder + "/sync.db"), .sync)
        defer { pool.close() }
        _ = try pool.write { try $0.change(sql) }
    }

    @Test("a transaction that throws leaves nothing")
    func rollback() throws {
        try withTemporaryFolder { folder in
            let store = try open(folder)
            defer { store.close() }
            try Everything.write(to: store)
            let before = try Everything(of: store)
            #expect(throws: Failure.self) {
                try store.mirrorTransaction { (transaction) throws in
                    transaction.ledger.published = 7
                    try transaction.erase([Everything.value])
                    try transaction.insert(
                        version(object(1), .label, bytes("b"), .whileUnlocked, clock: 9))
                    try transaction.addToOutbox([1], number: 9)
                    try transaction.keep(part(.whileUnlocked, number: 9))
                    try transaction.setMirrored(object(2))
                    try transaction.setNote("head", [])
                    throw Failure()
                }
            }
            #expect(try Everything(of: store) == before)
        }
    }

    @Test("an error of another database in a transaction stays that error")
    func foreignError() throws {
        let store = try SyncDatabase.inMemory(.list, device: own, keys: [:])
        let error = databaseError {
            try store.transaction { _ in throw DatabaseError.damaged(reason: "another file") }
        }
        #expect(error == .damaged(reason: "another file"))
    }

    /// The copy is that of a machine that lost its power, and of a process that was killed.
    @Test("a commit is in the files at once, and a transaction before it is not")
    func crash() throws {
        try withTemporaryFolder { folder in
            let store = try open(folder)
            defer { store.close() }
            func copy(_ name: String) throws -> String {
                let copy = folder + "/" + name
                try SafeFolder.create(copy)
                for file in ["sync.db", "sync.db-wal"] {
                    try TestFile.write(
                        try TestFile.read(folder + "/" + file), to: copy + "/" + file)
                }
                return copy
            }
            try Everything.write(to: store)
            let before = try Everything(of: store)
            let (middle, after) = try store.mirrorTransaction { (transaction) throws in
                // More than the cache has, so that uncommitted pages reach the log.
                for number in UInt8(10)..<60 {
                    try transaction.insert(
                        version(object(number), .notes, [UInt8](repeating: number, count: 300_000)))
                }
                transaction.ledger.published = 7
                return (try copy("middle"), try Everything(of: transaction))
            }
            let end = try copy("end")
            for (copy, expected) in [(middle, before), (end, after)] {
                let store = try open(copy, creating: false)
                defer { store.close() }
                #expect(try Everything(of: store) == expected)
            }
        }
    }

    @Test("that was cut is refused as damaged")
    func truncation() throws {
        try withTemporaryFolder { folder in
            let store = try open(folder)
            try Everything.write(to: store)
            let content = try Everything(of: store)
            store.close()
            let file = try TestFile.read(folder + "/sync.db")
            let lengths =
                [0, 1, 15, 16, 71, 72, 99, 100, 511, 512, 1_024]
                + stride(from: 4_096, to: file.count, by: 4_096).flatMap { [$0 - 1, $0, $0 + 1] }
            let place = folder + "/cut"
            try SafeFolder.create(place)
            for length in lengths {
                try TestFile.write(Array(file[..<length]), to: place + "/sync.db")
                let error = syncError {
                    let store = try open(place, creating: false)
                    defer { store.close() }
                    _ = try Everything(of: store)
                }
                // SQLite reads what is missing of the last page as zeros, as if its rows were removed.
                if error == nil, length > file.count - 4_096 { continue }
                #expect(error == .storeDamaged, "cut to \(length) bytes")
            }
            try TestFile.write(file, to: place + "/sync.db")
            let whole = try open(place, creating: false)
            defer { whole.close() }
            #expect(try Everything(of: whole) == content)
        }
    }

    @Test("with any byte changed is read, or refused as damaged")
    func flippedBytes() throws {
        try withTemporaryFolder { folder in
            let store = try open(folder)
            try Everything.write(to: store)
            store.close()
            let file = try TestFile.read(folder + "/sync.db")
            var refused = 0
            for position in Array(0..<100) + Array(stride(from: 100, to: file.count, by: 61)) {
                var changed = file
                changed[position] ^= 0xff
                try TestFile.write(changed, to: folder + "/sync.db")
                do {
                    let store = try open(folder, creating: false)
                    defer { store.close() }
                    _ = try Everything(of: store)
                } catch SyncError.storeDamaged {
                    refused += 1
                } catch DatabaseError.newerVersion, DatabaseError.earlierBuild {
                    refused += 1
                } catch {
                    Issue.record("byte \(position): \(error)")
                }
            }
            #expect(refused > 100)
        }
    }

    /// A thief of the locked disk writes the file.
    @Test(
        "a sealed content opens in its own row only",
        arguments: [
            "UPDATE records SET content = (SELECT content FROM records WHERE field = 18) WHERE field = 17",
            "UPDATE records SET clock = clock + 1 WHERE field = 18",
            "UPDATE records SET number = number + 1 WHERE field = 18",
            "UPDATE records SET seen = x'00000000' WHERE field = 1",
            "UPDATE records SET applied = 78 WHERE field = 18",
            "UPDATE records SET level = 2 WHERE field = 18",
            "UPDATE records SET object = x'00000000000000000000000000000001' WHERE field = 18",
            "UPDATE records SET fingerprint = x'00' WHERE field = 18",
            "UPDATE records SET fingerprint = NULL WHERE field = 16",
            "UPDATE records SET detail = x'00' WHERE field = 19",
            "UPDATE records SET sealed_detail = content WHERE field = 19",
            "UPDATE counterparts SET revision = 1",
            "UPDATE parts SET names = x'00'",
            "UPDATE state SET ledger = x'00'",
            "UPDATE state SET chain = 1",
            "UPDATE keys SET hash = x'00'",
        ] as [StaticString])
    func exchanged(sql: StaticString) throws {
        try withTemporaryFolder { folder in
            let store = try open(folder)
            try Everything.write(to: store)
            store.close()
            try change(folder, SQL(stringLiteral: sql))
            let error = syncError {
                let store = try open(folder, creating: false)
                defer { store.close() }
                _ = try Everything(of: store)
                try store.transaction { (transaction) throws in
                    _ = try transaction.versions(
                        of: ObjectID([UInt8](repeating: 0, count: 15) + [1]) ?? .zero)
                }
            }
            #expect(error == .storeDamaged)
        }
    }

    @Test("belongs to one chain, one device, and one key for each level")
    func owner() throws {
        try withTemporaryFolder { folder in
            #expect(databaseError { _ = try open(folder, creating: false) } == .notFound)
            try open(folder).close()
            func refusal(_ open: () throws -> SyncDatabase) -> SyncError? {
                syncError { try open().close() }
            }
            #expect(refusal { try open(folder, .list) } == .storeDamaged)
            #expect(refusal { try open(folder, device: device(2)) } == .storeDamaged)
            let other = try [SyncLevel.whileUnlocked: StoreKey.sample(1)]
            #expect(refusal { try open(folder, keys: other) } == .storeDamaged)
            #expect(refusal { try open(folder, keys: [:]) } == nil)
            #expect(refusal { try open(folder) } == nil)
        }
    }

    @Test("has mode 0600, in a folder of its own")
    func mode() throws {
        try withTemporaryFolder { folder in
            let store = try open(folder + "/a/b")
            defer { store.close() }
            try Everything.write(to: store)
            for name in try FileSystem.names(in: folder + "/a/b") {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: folder + "/a/b/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }
    }

    @Test("of a later version is refused")
    func laterVersion() throws {
        try withTemporaryFolder { folder in
            try open(folder).close()
            var file = try TestFile.read(folder + "/sync.db")
            // The field `user version` of an SQLite file.
            file[63] = 2
            try TestFile.write(file, to: folder + "/sync.db")
            #expect(databaseError { _ = try open(folder) } == .newerVersion(2))
        }
    }

    @Test("a ledger is read in its encoding only")
    func ledger() throws {
        var ledger = SyncLedger()
        ledger.clock = HybridClock(last: 77)
        var chain = ChainState()
        chain.number = 3
        chain.hash = [UInt8](repeating: 5, count: 32)
        chain.seen[device(2)] = 4
        ledger.chains[device(1)] = chain
        ledger.unsettled = [object(1)]
        #expect(SyncLedger(ledger.bytes) == ledger)
        #expect(SyncLedger(ledger.bytes + [0]) == nil)
        for count in 0..<ledger.bytes.count {
            #expect(SyncLedger(Array(ledger.bytes[..<count])) == nil)
        }
    }

    @Test("is shared by several processes, one transaction after the other")
    func twoConnections() throws {
        try withTemporaryFolder { folder in
            let (first, second) = (try open(folder, .list), try open(folder, .list))
            defer {
                first.close()
                second.close()
            }
            for (number, store) in [first, second, second, first].enumerated() {
                try store.transaction { (transaction) throws in
                    #expect(transaction.ledger.published == UInt64(number))
                    transaction.ledger.published += 1
                    try transaction.addToOutbox([1], number: UInt64(number))
                }
            }
            #expect(try first.transaction { try $0.outbox() } == [0, 1, 2, 3])
            let waiting = try SyncDatabase.open(
                at: folder + "/sync.db", .list, device: own, keys: [:], lockTimeout: .zero)
            defer { waiting.close() }
            let error = try first.transaction { _ in
                databaseError { try waiting.transaction { _ in } }
            }
            #expect(error == .busy)
        }
    }
}

import Database
import Platform
import SecretMemory
import Sync
@testable import SyncStorage
import TestSupport
import Testing

/// Without the key of a level, and without any key.
@Suite("Levels of a store of sync")
struct LevelTests {
    /// A store with everything, opened again with the keys of some levels.
    private func withStore(
        _ chain: SyncDatabase.Chain, _ levels: [SyncLevel] = [],
        _ body: (any MirrorTransaction) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let writer = try open(folder, chain)
            try Everything.write(to: writer)
            writer.close()
            let keys = try StoreKey.all().filter { levels.contains($0.key) }
            let store = try open(folder, chain, keys: keys, creating: false)
            defer { store.close() }
            try store.mirrorTransaction(body)
        }
    }

    @Test("the list, segments, parts and marks work without keys")
    func locked() throws {
        try withStore(.list) { (transaction) throws in
            #expect(try transaction.hash(of: Dot(device(2), 1)) != nil)
            #expect(try transaction.outbox() == [1, 2])
            #expect(try transaction.keptParts(.afterVerification).count == 2)
            try transaction.keep(part(.whileUnlocked, number: 5))
            #expect(try transaction.marked() == [object(4)])
            #expect(try transaction.counterparts().map(\.name) == [bytes("COUNTERPART-NAME")])
            #expect(try transaction.unmirrored(of: object(2)).count == 3)
            let task = version(object(5), .taskName, bytes("new"))
            try transaction.insert(task)
            #expect(try transaction.versions(of: object(5)) == [task])
            try transaction.erase([Everything.notes])
            #expect(try !transaction.contains(Everything.notes))
        }
    }

    @Test("a protected task is whole without the key of its text")
    func protectedTask() throws {
        try withStore(.list) { (transaction) throws in
            let versions = try transaction.versions(of: object(2))
            #expect(versions.count == 5)
            #expect(versions.contains { $0.field == .subtaskName(subtask(7)) })
            let secret = versions.filter { $0.level == .afterVerification }.map(\.content)
            // Equal texts of one object are known as equal.
            #expect(secret.count == 2 && secret[0] == secret[1] && secret[0].bytes == nil)
            #expect(try transaction.state(of: object(2))?.isProtected == true)
        }
    }

    @Test("the contents of a level need its key")
    func contents() throws {
        try withStore(.secrets) { (transaction) throws in
            let unlocked = SyncError.levelLocked(.whileUnlocked)
            #expect(syncError { _ = try transaction.versions(of: object(1)) } == unlocked)
            #expect(syncError { _ = try transaction.objects(named: []) } == unlocked)
            #expect(syncError { _ = try transaction.counterparts() } == unlocked)
            #expect(syncError { _ = try transaction.counterpart(named: []) } == unlocked)
            #expect(syncError { _ = try transaction.secret(of: Everything.value) } == unlocked)
            #expect(
                syncError { try transaction.insert(version(object(6), .label, [], .whileUnlocked)) }
                    == unlocked)
            let verified = SyncError.levelLocked(.afterVerification)
            #expect(syncError { _ = try transaction.secret(of: Everything.notes) } == verified)
            #expect(
                syncError {
                    try transaction.add(secret: "x", object(6), .value, .afterVerification)
                } == verified)
            // A refused operation does not end the transaction.
            try transaction.setNote("after", [1])
        }
    }

    @Test("an unlocked agent reads all but what needs verification")
    func unverified() throws {
        try withStore(.secrets, [.whileUnlocked]) { (transaction) throws in
            #expect(try transaction.versions(of: object(1)).count == 6)
            #expect(try transaction.secret(of: Everything.value) == "UNLOCKED-VALUE")
            #expect(try transaction.objects(named: bytes("UNLOCKED-NAME")) == [object(1)])
            #expect(try transaction.versions(of: object(2)).count == 5)
            #expect(syncError { _ = try transaction.secret(of: Everything.notes) } != nil)
            #expect(try transaction.keptParts(.afterVerification).count == 2)
        }
    }

    /// The files of a store that is still open, its log included.
    private func files(_ folder: String) throws -> [UInt8] {
        try FileSystem.names(in: folder).flatMap { try TestFile.read(folder + "/" + $0) }
    }

    @Test("the files have texts of the list only", arguments: [SyncDatabase.Chain.list, .secrets])
    func files(chain: SyncDatabase.Chain) throws {
        try withTemporaryFolder { folder in
            let store = try open(folder, chain)
            try Everything.write(to: store)
            try store.mirrorTransaction { (transaction) throws in
                try transaction.removeCounterpart(of: object(1))
                try transaction.erase([Everything.value])
            }
            for isOpen in [true, false] {
                if !isOpen { store.close() }
                let found = try files(folder)
                func has(_ text: String) -> Bool {
                    let text = bytes(text)
                    return found.indices.contains { found[$0...].starts(with: text) }
                }
                for text in Everything.shown { #expect(has(text)) }
                // The chain of the list has names of counterparts and of parts as the list has them.
                let allowed = chain == .list ? ["COUNTERPART-NAME", "UNLOCKED-DETAIL"] : []
                for text in Everything.hidden where !allowed.contains(text) {
                    #expect(!has(text), "\(text)")
                }
            }
        }
    }

    @Test("an equal secret of another object cannot be seen in the file")
    func equalSecrets() throws {
        try withTemporaryFolder { folder in
            let store = try open(folder)
            let values = try store.mirrorTransaction { (transaction) throws in
                try [object(1), object(2)].map {
                    try transaction.add(secret: "same", $0, .value, .whileUnlocked).content
                }
            }
            store.close()
            #expect(values[0] == values[1])
            let locked = try open(folder, keys: [:])
            defer { locked.close() }
            let seen = try locked.mirrorTransaction { (transaction) throws in
                try [object(1), object(2)].map { try transaction.versions(of: $0)[0].content }
            }
            #expect(seen[0] != seen[1])
        }
    }
}

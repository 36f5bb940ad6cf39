import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Earlier values and removed items")
struct EarlierTests {
    private let clock = SettableClock()
    private var environment: VaultEnvironment {
        TestVault.environment(now: { [clock] in clock.now })
    }

    /// A clock that a test sets.
    private final class SettableClock: Sendable {
        private let time = Mutex<Int64>(1_000_000)

        var now: Int64 { time.withLock { $0 } }

        func advance(days: Int64 = 0, hours: Int64 = 0) {
            time.withLock { $0 += (days * 24 + hours) * 3_600_000 }
        }
    }

    private func withVault(
        _ kind: StorageKind = .memory, _ body: (any RecordStorage, UnlockedVault) throws -> Void
    ) throws {
        try kind.withStorage { storage in
            try TestVault.create(in: storage, environment)
            try body(storage, try TestVault.unlock(storage, environment))
        }
    }

    private func revisions(_ storage: any RecordStorage) throws -> [UInt64] {
        try Records(of: storage).earlier.map(\.revision)
    }

    @Test("are the rows themselves, moved with their blobs", arguments: StorageKind.allCases)
    func moved(kind: StorageKind) throws {
        try withVault(kind) { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            let first = try #require(try Records(of: storage).items.first)
            try vault.update(Samples.name, to: Samples.two())
            let second = try #require(try Records(of: storage).items.first)
            try vault.remove(Samples.name)
            let rows = try Records(of: storage).earlier
            #expect(rows.map { ItemRecord($0, tag: first.tag) } == [first, second])
            #expect(rows.allSatisfy { $0.moved.count == 49 })
            let removed = try #require(try vault.removed().first)
            #expect(removed.moved == clock.now)
            try vault.restore(removed: removed.id, as: nil)
            let back = try Records(of: storage)
            #expect(back.items == [second])
            #expect(back.earlier == [rows[0]])
            #expect(try vault.check().problems.isEmpty)
        }
    }

    @Test("are counted in the state, apart from the items", arguments: StorageKind.allCases)
    func counted(kind: StorageKind) throws {
        try withVault(kind) { storage, vault in
            try TestVault.fill(vault, count: 40)
            for index in 0..<30 { try vault.update(TestVault.name(index), to: Samples.one()) }
            for index in 25..<35 { try vault.remove(TestVault.name(index)) }
            let state = try #require(try vault.use { $0.newest?.state })
            #expect(state.itemCount == 30)
            #expect(state.earlierCount == 40)
            let report = try TestVault.unlock(storage, environment).check()
            #expect(report.soundItems == 30 && report.soundEarlier == 40)
            #expect(report.problems.isEmpty && report.unreadItems == 0)
            vault.endVerification()
            #expect(try vault.check().unreadItems > 0)
            #expect(try vault.removed().count == 10)
        }
    }

    @Test("stay for the set number of days, and are erased by a change a day after one that late")
    func days() throws {
        try withVault { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            try TestVault.fill(vault, count: 1)
            try vault.remove(TestVault.name(0))
            clock.advance(days: 29)
            #expect(try vault.removed().count == 1)
            clock.advance(days: 1)
            #expect(try vault.removed().isEmpty, "what is still stored is not shown")
            #expect(try Records(of: storage).earlier.count == 2)
            try TestVault.fillOne(vault, 1)
            #expect(try Records(of: storage).earlier.count == 2)
            clock.advance(days: 1)
            try TestVault.fillOne(vault, 2)
            #expect(try revisions(storage) == [1])
            clock.advance(days: 58)
            #expect(try vault.history(of: Samples.name).count == 1)
            clock.advance(days: 1)
            #expect(try vault.history(of: Samples.name).isEmpty)
            #expect(throws: SecureStoreError.notFound) {
                try vault.restore(Samples.name, toRevision: 1)
            }
            try vault.edit(Samples.name, SecretEdit(label: "l"), expecting: nil)
            #expect(try revisions(storage) == [1])
            clock.advance(days: 1)
            try vault.edit(Samples.name, SecretEdit(label: "m"), expecting: nil)
            #expect(try revisions(storage).isEmpty)
            #expect(try vault.check().problems.isEmpty)
        }
    }

    @Test(
        "stay although the clock of some changes is far ahead, whatever these change",
        arguments: [30, 400, 40_000] as [Int64])
    func clockAhead(days: Int64) throws {
        try withVault { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            try TestVault.fill(vault, count: 2)
            try vault.update(TestVault.name(0), to: Samples.one())
            try vault.remove(TestVault.name(0))
            let (history, removed) = (try vault.history(of: Samples.name), try vault.removed())
            clock.advance(days: days)
            let ahead = try TestVault.unlock(storage, environment)
            try ahead.eraseExpired()
            try TestVault.fillOne(ahead, 2)
            clock.advance(hours: 23)
            try ahead.update(Samples.name, to: Samples.secret("3"))
            try ahead.remove(TestVault.name(1))
            let id = try #require(removed.first?.id)
            #expect(throws: SecureStoreError.notFound) { try ahead.restore(removed: id, as: nil) }
            try ahead.changeSettings { $0[.earlierValues] = 20 }
            let last = try TestVault.unlock(storage, environment)
            try last.eraseExpired()
            clock.advance(days: -days, hours: -22)
            #expect(try vault.history(of: Samples.name).suffix(1) == history[...])
            #expect(try vault.removed().contains(removed[0]))
            try vault.restore(removed: id, as: nil)
            #expect(try vault.history(of: TestVault.name(0)).map(\.item.revision) == [1])
            #expect(try vault.check().problems.isEmpty)
            // Two changes a day apart agree.
            clock.advance(days: days + 91)
            try TestVault.fillOne(ahead, 3)
            clock.advance(days: 1)
            try TestVault.fillOne(ahead, 4)
            #expect(try revisions(storage).isEmpty)
        }
    }

    @Test(
        "stay while changes of a machine with the right clock come between those of one far ahead",
        arguments: [1, 24] as [Int64])
    func twoClocks(hours: Int64) throws {
        try withVault { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            try TestVault.fill(vault, count: 1)
            try vault.remove(TestVault.name(0))
            let ahead = try TestVault.unlock(storage, environment)
            for round in 1...30 {
                try TestVault.fillOne(vault, 2 * round)
                clock.advance(days: 400)
                try TestVault.fillOne(ahead, 2 * round + 1)
                try ahead.eraseExpired()
                clock.advance(days: -400, hours: hours)
            }
            #expect(try Records(of: storage).earlier.count == 2)
            #expect(try vault.check().problems.isEmpty)
            // Without the other machine, two changes a day apart agree.
            clock.advance(days: 401)
            try TestVault.fillOne(ahead, 100)
            clock.advance(days: 1)
            try TestVault.fillOne(ahead, 101)
            #expect(try Records(of: storage).earlier.isEmpty)
        }
    }

    @Test("stay while a change of the right clock lies between two of one far ahead, a day apart")
    func rightClockBetween() throws {
        try withVault { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            let ahead = try TestVault.unlock(storage, environment)
            clock.advance(days: 400)
            try TestVault.fillOne(ahead, 0)
            // The session looked for expired rows an hour ago, and does not again.
            clock.advance(days: -400, hours: 1)
            try TestVault.fillOne(vault, 1)
            clock.advance(days: 400, hours: 23)
            try TestVault.fillOne(ahead, 2)
            #expect(try revisions(storage) == [1])
        }
    }

    @Test("of a removed item stay as long as the item")
    func removedWithHistory() throws {
        try withVault { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            clock.advance(days: 89)
            try vault.remove(Samples.name)
            clock.advance(days: 29)
            try TestVault.fillOne(vault, 1)
            #expect(try revisions(storage) == [1, 2], "the value of 118 days ago stays, too")
            let id = try #require(try vault.removed().first?.id)
            try vault.restore(removed: id, as: nil)
            #expect(try vault.history(of: Samples.name).isEmpty, "of an existing item it does not")
            // Two changes a day apart agree that they are too old.
            for number in 2...3 {
                clock.advance(days: 1)
                try TestVault.fillOne(vault, number)
            }
            #expect(try revisions(storage).isEmpty)
        }
    }

    @Test("are looked for once a day, and by an agent without a change")
    func sweep() throws {
        try withVault { storage, vault in
            try TestVault.fill(vault, count: 2)
            try vault.remove(TestVault.name(0))
            clock.advance(days: 30)
            try TestVault.fillOne(TestVault.unlock(storage, environment), 2)
            clock.advance(hours: 2)
            try TestVault.fillOne(vault, 3)
            clock.advance(hours: 23)
            try TestVault.fillOne(vault, 4)
            #expect(try revisions(storage) == [1], "expired, 23 hours after the last look")
            let before = try Records(of: storage)
            let other = try TestVault.unlock(storage, environment)
            try other.eraseExpired()
            #expect(try revisions(storage).isEmpty)
            let swept = try Records(of: storage)
            try other.eraseExpired()
            try TestVault.unlock(storage, environment).eraseExpired()
            #expect(try Records(of: storage) == swept, "nothing to erase, nothing is written")
            try before.put(into: storage)
            let third = try TestVault.unlock(storage, environment)
            clock.advance(hours: 22)
            try TestVault.fillOne(third, 5)
            #expect(try revisions(storage).isEmpty)
        }
    }

    @Test("are erased with a later change of a session that looked a day ago")
    func sweepAgain() throws {
        try withVault { storage, vault in
            try TestVault.fill(vault, count: 2)
            try vault.remove(TestVault.name(0))
            clock.advance(days: 30)
            try TestVault.fillOne(vault, 2)
            clock.advance(hours: 23)
            try TestVault.fillOne(vault, 3)
            #expect(try revisions(storage) == [1])
            clock.advance(hours: 1)
            try TestVault.fillOne(vault, 4)
            #expect(try revisions(storage).isEmpty)
        }
    }

    @Test("a removed item does not come back when its time is over")
    func tooLate() throws {
        try withVault { _, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.remove(Samples.name)
            let id = try #require(try vault.removed().first?.id)
            clock.advance(days: 30)
            #expect(throws: SecureStoreError.notFound) {
                try vault.restore(removed: id, as: nil)
            }
        }
    }

    @Test("follow the settings at once")
    func settings() throws {
        try withVault { storage, vault in
            try vault.save(Samples.secret("0"), as: Samples.name, SecretAttributes())
            for number in 1...6 {
                try vault.update(Samples.name, to: Samples.secret("\(number)"))
            }
            try vault.changeSettings { $0[.earlierValues] = 2 }
            #expect(try revisions(storage) == [5, 6])
            try vault.changeSettings { $0[.earlierValues] = 0 }
            #expect(try revisions(storage).isEmpty)
            try vault.update(Samples.name, to: Samples.one())
            #expect(try revisions(storage).isEmpty)
            try vault.changeSettings { $0[.earlierValues] = 100 }
            try vault.update(Samples.name, to: Samples.two())
            try vault.remove(Samples.name)
            #expect(try revisions(storage) == [8, 9])
            try vault.changeSettings { $0[.removedDays] = 0 }
            #expect(try revisions(storage).isEmpty)
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            try vault.remove(Samples.name)
            #expect(try revisions(storage).isEmpty)
            #expect(try vault.check().problems.isEmpty)
            for change in [
                { $0[.earlierValues] = 101 }, { $0[.earlierDays] = 0 },
                { $0[.earlierDays] = 3_651 },
                { $0[.removedDays] = 3_651 },
            ] as [@Sendable (inout VaultSettings) -> Void] {
                #expect(throws: VaultError.invalidSettings) { try vault.changeSettings(change) }
            }
        }
    }

    @Test("stay until the owner was verified")
    func erasedByTheOwner() throws {
        try withVault { storage, vault in
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            vault.endVerification()
            for change in [
                { $0[.earlierValues] = 9 }, { $0[.earlierDays] = 89 }, { $0[.removedDays] = 29 },
            ] as [@Sendable (inout VaultSettings) -> Void] {
                #expect(throws: VaultError.store(.notVerified)) {
                    try vault.changeSettings(change)
                }
            }
            #expect(try revisions(storage) == [1])
            try vault.changeSettings { $0[.earlierDays] = 91 }
        }
    }

    @Test("have no old seal left when the class is raised, neither in rows nor in the file")
    func raisedClass() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            try vault.save(Samples.secret("first"), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.secret("second"))
            try vault.update(Samples.name, to: Samples.secret("third"))
            let before = try Records(of: storage)
            let blobs = before.earlier.map(\.value) + before.items.map(\.value)
            #expect(blobs.count == 3)
            let file = try TestFile.read(path) + TestFile.read(path + "-wal")
            #expect(blobs.allSatisfy { file.firstRange(of: $0) != nil })
            // The last one moves in the same step.
            try vault.update(
                Samples.name, to: Samples.secret("fourth"),
                SecretEdit(accessClass: .afterVerification), expecting: nil)
            let after = try Records(of: storage)
            #expect(after.earlier.map(\.accessClass) == [2, 2, 2])
            #expect(after.earlier.map(\.revision) == [1, 2, 3])
            #expect(try storage.eraseOldBytes() == true)
            let erased = try TestFile.read(path) + TestFile.read(path + "-wal")
            for blob in blobs { #expect(erased.firstRange(of: blob) == nil) }
            #expect(try vault.check().problems.isEmpty)
            for (revision, text) in zip(UInt64(1)..., ["first", "second", "third"]) {
                try vault.restore(Samples.name, toRevision: revision)
                #expect(try Samples.bytes(vault.value(of: Samples.name)) == Array(text.utf8))
            }
        }
    }

    /// The way in which a sealed value is erased.
    enum Erasure: CaseIterable {
        case permanentRemoval
        case shorterHistory
        case updateWithoutHistory
        case updateOfWhatKeepsNone
        case raisedClass
        case expiry
    }

    @Test("leave no copy in file and log once a change erased them", arguments: Erasure.allCases)
    func erased(by way: Erasure) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            if way == .updateWithoutHistory { try vault.changeSettings { $0[.earlierValues] = 0 } }
            let message = try SecretName(
                service: SecretName.reservedPrefix + "inbox", account: "message")
            let name = way == .updateOfWhatKeepsNone ? message : Samples.name
            try vault.save(Samples.secret("first"), as: name, SecretAttributes())
            try vault.update(name, to: Samples.secret("second"))
            if way == .expiry { try vault.remove(Samples.name) }
            let before = try Records(of: storage)
            var blobs = before.earlier.map(\.value)
            if way != .shorterHistory { blobs += before.items.map(\.value) }
            let stored = try TestFile.read(path) + TestFile.read(path + "-wal")
            #expect(blobs.allSatisfy { stored.firstRange(of: $0) != nil })
            switch way {
            case .permanentRemoval:
                try vault.remove(Samples.name, expecting: nil, permanently: true)
            case .shorterHistory: try vault.changeSettings { $0[.earlierValues] = 0 }
            case .updateWithoutHistory, .updateOfWhatKeepsNone:
                try vault.update(name, to: Samples.secret("third"))
            case .raisedClass:
                try vault.edit(
                    Samples.name, SecretEdit(accessClass: .afterVerification), expecting: nil)
            case .expiry:
                // Two changes a day apart say that the time is right.
                clock.advance(days: 31)
                try vault.save(
                    Samples.secret("other"), as: SecretName(service: "other", account: "bob"),
                    SecretAttributes())
                clock.advance(days: 1)
                try vault.eraseExpired()
            }
            let left = try TestFile.read(path) + TestFile.read(path + "-wal")
            for blob in blobs { #expect(left.firstRange(of: blob) == nil) }
        }
    }

    @Test(
        "leave the log with the next change or question if the first change could not erase them",
        arguments: [true, false])
    func erasedLater(isChanged: Bool) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = HookedStorage(try VaultDatabase.createFile(at: path))
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            let blob = try #require(try Records(of: storage).items.first).value
            storage.set { $0.eraseFails = true }
            try vault.remove(Samples.name, expecting: nil, permanently: true)
            #expect(try TestFile.read(path + "-wal").firstRange(of: blob) != nil)
            #expect(vault.hasOldValues)
            storage.set { $0.eraseFails = false }
            if isChanged {
                try vault.save(Samples.two(), as: Samples.name, SecretAttributes())
            } else {
                #expect(!vault.hasOldValues)
            }
            let left = try TestFile.read(path) + TestFile.read(path + "-wal")
            #expect(left.firstRange(of: blob) == nil)
        }
    }

    @Test("are sealed again by a rekey and open as before", arguments: StorageKind.allCases)
    func rekey(kind: StorageKind) throws {
        try withVault(kind) { storage, vault in
            try TestVault.fill(vault, count: 9)
            for index in 0..<6 { try vault.update(TestVault.name(index), to: Samples.one()) }
            for index in 3..<8 { try vault.remove(TestVault.name(index)) }
            let history = try (0..<3).map { try vault.history(of: TestVault.name($0)) }
            let removed = try vault.removed()
            let before = try Records(of: storage).earlier
            var steps: [Int] = []
            _ = try TestVault.authenticate(storage, environment).rekey { done, total in
                #expect(total == 4 + 11)
                steps.append(done)
            }
            #expect(steps == Array(1...15))
            let after = try Records(of: storage).earlier
            #expect(after.map(\.itemID) == before.map(\.itemID))
            #expect(after.map(\.revision) == before.map(\.revision))
            for (old, new) in zip(before, after) {
                #expect(old.value != new.value && old.moved != new.moved)
                #expect(old.attributes != new.attributes)
            }
            let fresh = try TestVault.unlock(storage, environment)
            #expect(try (0..<3).map { try fresh.history(of: TestVault.name($0)) } == history)
            #expect(try fresh.removed() == removed)
            #expect(try fresh.check().problems.isEmpty)
            try fresh.restore(TestVault.name(1), toRevision: 1)
            let value = try Samples.bytes(fresh.value(of: TestVault.name(1)))
            #expect(value == Array("value 1".utf8))
        }
    }

    @Test("are made by an import that replaces, and are the same for another session")
    func importedAndShared() throws {
        try withVault { storage, vault in
            try TestVault.fill(vault, count: 300)
            try vault.saveAll(replacing: true) { (save) throws(SecureStoreError) in
                for index in 0..<300 {
                    do {
                        try save(
                            Samples.secret("new \(index)"), TestVault.name(index),
                            SecretAttributes(), nil)
                    } catch {
                        throw SecureStoreError(translating: error)
                    }
                }
            }
            let other = try TestVault.unlock(storage, environment)
            for index in [0, 7, 299] {
                #expect(try other.history(of: TestVault.name(index)).map(\.item.revision) == [1])
            }
            try other.update(TestVault.name(7), to: Samples.one())
            #expect(try vault.history(of: TestVault.name(7)).map(\.item.revision) == [2, 1])
            try vault.remove(TestVault.name(7), expecting: nil, permanently: true)
            #expect(try other.removed().isEmpty)
            #expect(try Records(of: storage).earlier.count == 299)
            #expect(try other.check().problems.isEmpty)
        }
    }

    @Test("are in a backup and come back with it")
    func backup() throws {
        try withTemporaryFolder { folder in
            let source = try VaultDatabase.inMemory()
            try TestVault.create(in: source, environment)
            let vault = try TestVault.unlock(source, environment)
            try vault.save(Samples.one(), as: Samples.name, SecretAttributes())
            try vault.update(Samples.name, to: Samples.two())
            try source.backup(to: folder + "/backup.db")
            let target = try VaultDatabase.inMemory()
            try TestBackup.open(
                folder + "/backup.db", in: folder, with: TestVault.secret(), environment
            ) { backup in
                _ = try VaultFile.install(
                    backup, into: target, keepingOldBesides: nil, environment)
            }
            let restored = try TestVault.unlock(target, environment)
            #expect(try restored.history(of: Samples.name) == vault.history(of: Samples.name))
            try restored.restore(Samples.name, toRevision: 1)
            #expect(try Samples.bytes(restored.value(of: Samples.name)) == [1])
        }
    }
}

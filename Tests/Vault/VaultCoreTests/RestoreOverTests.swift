import Database
import Platform
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A backup that is restored over its own vault.
@Suite("A restore over a vault that opens", .serialized)
struct RestoreOverTests {
    private let records = MemoryRollbackRecords()
    private let machine = MemoryRollbackRecords()
    private var environment: VaultEnvironment { TestVault.environment(rollbackRecords: records) }
    /// Another machine, with a rollback record of its own.
    private var elsewhere: VaultEnvironment { TestVault.environment(rollbackRecords: machine) }

    private func withVault(
        on kind: StorageKind = .sqlite, _ body: (String, any RecordStorage) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            try body(folder, storage)
        }
    }

    private func backup(_ storage: any RecordStorage, _ folder: String) throws {
        try TestBackup.write(
            storage, to: folder + "/backup", authenticatedBy: TestBackup.key(), environment)
    }

    private func restore(
        _ folder: String, over storage: any RecordStorage,
        _ passphrase: String = TestVault.passphraseText,
        with old: String = TestVault.passphraseText
    ) throws -> RestoreOutcome {
        try TestBackup.open(
            folder + "/backup", in: folder, with: TestVault.secret(old), environment
        ) { backup in
            let vault = try TestVault.authenticate(storage, environment, with: passphrase)
            return try VaultFile.restore(
                backup, over: vault, keepingOldBesides: folder + "/vault.db")
        }
    }

    private func state(_ storage: any RecordStorage) throws -> VaultState {
        let vault = try TestVault.authenticate(storage, environment)
        return try #require(vault.session.newest).state
    }

    @Test("is one more commit: header, keys and settings stay, items are those of the backup")
    func commit() throws {
        try withVault { folder, storage in
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 4)
            let contents = try TestVault.contents(of: vault)
            try backup(storage, folder)
            try vault.update(TestVault.name(0), to: Samples.two())
            try vault.update(TestVault.name(0), to: Samples.one())
            try vault.remove(TestVault.name(1))
            try TestVault.fillOne(vault, 9)
            try vault.changeSettings { $0[.idleLimit] = 77 }
            let before = try Records(of: storage)
            let old = try state(storage)
            let outcome = try restore(folder, over: storage)
            #expect(outcome.secrets == 4)
            let kept = try #require(outcome.previousVaultPath)
            #expect(kept == folder + "/vault.db.replaced-1")

            let new = try state(storage)
            #expect(new.counter == old.counter + 1 && new.lineage == old.lineage)
            #expect(new.restoredFrom == 1_000 && new.restoredAt == new.counter)
            #expect(try Records(of: storage).header == before.header)
            #expect(new.settings == old.settings)
            let restored = try TestVault.contents(of: TestVault.unlock(storage, environment))
            #expect(
                Dictionary(
                    restored.map { ($0.name, $1) }, uniquingKeysWith: { left, _ in left })
                    == Dictionary(
                        contents.map { ($0.name, $1) }, uniquingKeysWith: { left, _ in left }))
            // The revision is above both, so that an old revision never comes again.
            let revisions = restored.keys.sorted { $0.name < $1.name }.map(\.revision)
            #expect(revisions == [4, 1, 2, 2])
            #expect(try TestVault.unlock(storage, environment).check().problems.isEmpty)
            // The copy holds what was there.
            let copy = try VaultDatabase.openFile(at: kept, mode: .readOnly)
            defer { copy.close() }
            #expect(try Records(of: copy).items == before.items)
        }
    }

    @Test("is followed by other machines and sessions, which hear of it once")
    func followers() throws {
        try withVault { folder, storage in
            try TestVault.fill(TestVault.unlock(storage, environment), count: 2)
            try backup(storage, folder)
            let session = try TestVault.unlock(storage, environment)
            _ = try TestVault.unlock(storage, elsewhere)
            try TestVault.fillOne(session, 5)
            _ = try restore(folder, over: storage)
            #expect(session.restoredBackup == nil)
            #expect(try session.list().count == 2)
            #expect(session.takeRestoredBackup() == 1_000 && session.takeRestoredBackup() == nil)
            let other = try TestVault.unlock(storage, elsewhere)
            #expect(other.restoredBackup == 1_000)
            #expect(try TestVault.unlock(storage, elsewhere).restoredBackup == nil)
            // The machine that restored it knows.
            #expect(try TestVault.unlock(storage, environment).restoredBackup == nil)
        }
    }

    @Test("keeps keys and secrets that are newer than the backup")
    func newerKeys() throws {
        try withVault { folder, storage in
            try TestVault.fill(TestVault.unlock(storage, environment), count: 3)
            try backup(storage, folder)
            _ = try TestVault.authenticate(storage, environment).changePassphrase(
                to: TestVault.passphrase("another one"), cost: TestVault.cost)
            #expect(throws: VaultError.wrongPassphrase) { try restore(folder, over: storage) }
            #expect(try restore(folder, over: storage, "another one").secrets == 3)
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try TestVault.unlock(storage, environment)
            }
            let vault = try TestVault.unlock(storage, environment, with: "another one")
            #expect(try vault.list().count == 3 && vault.check().problems.isEmpty)
        }
    }

    @Test("keeps the key of a log of reads, without which nobody could read it")
    func log() throws {
        try withVault { folder, storage in
            let vault = try TestVault.unlock(storage, environment)
            let name = try SecretName(
                service: SecretName.readsService, account: "0123", field: "key")
            try backup(storage, folder)
            try vault.save(Samples.two(), as: name, SecretAttributes())
            _ = try restore(folder, over: storage)
            let restored = try TestVault.unlock(storage, environment)
            #expect(try restored.value(of: name).isEqual(to: Samples.two()))
        }
    }

    @Test("brings earlier values and removed items of the backup's time")
    func earlier() throws {
        try withVault { folder, storage in
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 3)
            try vault.update(TestVault.name(0), to: Samples.one())
            try vault.remove(TestVault.name(1))
            let history = try vault.history(of: TestVault.name(0))
            let removed = try vault.removed()
            #expect(history.count == 1 && removed.count == 1)
            try backup(storage, folder)
            try vault.update(TestVault.name(0), to: Samples.two())
            try vault.remove(TestVault.name(2))
            _ = try restore(folder, over: storage)
            let restored = try TestVault.unlock(storage, environment)
            #expect(try restored.history(of: TestVault.name(0)) == history)
            #expect(try restored.removed() == removed)
            #expect(try restored.check().problems.isEmpty)
        }
    }

    @Test("leaves what belongs to a machine, and text of tasks that the backup lacks")
    func ownItems() throws {
        try withVault { folder, storage in
            let vault = try TestVault.unlock(storage, environment)
            func save(_ service: String, _ account: String, _ value: String) throws {
                let name = try SecretName(service: service, account: account)
                if (try? vault.remove(name)) == nil {}
                try vault.save(Samples.secret(value), as: name, SecretAttributes())
            }
            func values() throws -> [String: String] {
                let vault = try TestVault.unlock(storage, environment)
                let items = try vault.list().filter { $0.name.service.hasPrefix("taskvault.") }
                return try Dictionary(
                    uniqueKeysWithValues: items.map { item in
                        (
                            item.name.service.dropFirst(10) + " " + item.name.account,
                            try String(
                                decoding: Samples.bytes(vault.value(of: item.name)), as: UTF8.self)
                        )
                    })
            }
            try save("taskvault.task", "aaaaaa.00000000", "backup")
            try save("taskvault.task", "bbbbbb.00000000", "backup")
            try save("taskvault.session:https://a", "m1", "backup")
            try save("taskvault.session:https://a", "m2", "backup")
            try save("taskvault.backup", "m1", "backup")
            try save("taskvault.backup", "m2", "backup")
            try save("taskvault.sign-in", "settings", "backup")
            try backup(storage, folder)
            try save("taskvault.task", "aaaaaa.00000000", "now")
            try save("taskvault.task", "cccccc.00000000", "now")
            try vault.remove(SecretName(service: "taskvault.task", account: "bbbbbb.00000000"))
            try save("taskvault.session:https://a", "m1", "now")
            try vault.remove(SecretName(service: "taskvault.session:https://a", account: "m2"))
            try save("taskvault.backup", "m1", "now")
            try vault.remove(SecretName(service: "taskvault.backup", account: "m2"))
            try save("taskvault.sign-in", "settings", "now")
            #expect(try restore(folder, over: storage).secrets == 0)
            #expect(
                try values() == [
                    "task aaaaaa.00000000": "backup", "task bbbbbb.00000000": "backup",
                    "task cccccc.00000000": "now", "session:https://a m1": "now",
                    "backup m1": "now", "backup m2": "backup", "sign-in settings": "backup",
                ])
            // In a new lineage no session of that time is left.
            try TestBackup.open(
                folder + "/backup", in: folder, with: TestVault.secret(), environment
            ) { backup in
                _ = try VaultFile.install(
                    backup, into: storage, keepingOldBesides: folder + "/vault.db", environment)
            }
            #expect(
                try values() == [
                    "task aaaaaa.00000000": "backup", "task bbbbbb.00000000": "backup",
                    "backup m1": "backup", "backup m2": "backup", "sign-in settings": "backup",
                ])
        }
    }

    @Test("brings the chunks that files name and the vault lacks, and no other row")
    func chunks() throws {
        try withVault { folder, storage in
            func unnamed() throws -> Int? {
                try TestVault.unlock(storage, environment).check().orphanedChunks
            }
            func found() throws -> [ChunkRecord] {
                var found: [ChunkRecord] = []
                try storage.read { try $0.forEachChunk { found.append($0) } }
                return found
            }
            let vault = try TestVault.unlock(storage, environment)
            let file = try TestFiles.add(TestFiles.content(1, size: 70_000), as: "a", to: vault)
            try TestFiles.write(
                TestFiles.content(2, size: 600_000), to: VaultFiles(vault).replace(file.id))
            let named = try found()
            #expect(try named.count == 12 && unnamed() == 0)
            let large = try #require(named.max { $0.number < $1.number })
            func other(_ version: [UInt8], _ number: Int64) -> ChunkRecord {
                ChunkRecord(version: version, number: number, stored: 5, bytes: [1])
            }
            let junk = [
                other(large.version, large.number + 1),
                other([UInt8](repeating: 0xFF, count: 16), 0),
            ]
            try storage.write { writer in for chunk in junk { try writer.putChunk(chunk) } }
            // More than any row has: one of them made every backup unrestorable.
            let connection = try SQLiteConnection(
                path: folder + "/vault.db", options: .init(access: .readWrite))
            try connection.run(
                script: """
                    INSERT INTO chunks VALUES (zeroblob(16), 0, 0, zeroblob(5000000));
                    INSERT INTO chunks VALUES (zeroblob(16), -1, 0, zeroblob(5000000));
                    INSERT INTO chunks VALUES (zeroblob(5000000), 0, 0, x'00');
                    """)
            connection.close()
            #expect(try unnamed() == 5)
            try backup(storage, folder)
            var damaged = large
            damaged.bytes[9] ^= 1
            var kept = try #require(named.first { $0.version != large.version })
            kept.stored += 1
            try storage.write { writer in
                try writer.removeAllChunks()
                try writer.putChunk(damaged)
                try writer.putChunk(kept)
                try writer.putChunk(other([UInt8](repeating: 0xEE, count: 16), 0))
            }
            _ = try restore(folder, over: storage)
            let expected = named.map {
                $0.version == kept.version && $0.number == kept.number ? kept : $0
            }
            // The one that no file names is swept later, and the damaged one is healed.
            #expect(
                try Set(found())
                    == Set(expected + [other([UInt8](repeating: 0xEE, count: 16), 0)]))
            #expect(try unnamed() == 1)
            // As into the tables of a server.
            try TestBackup.open(
                folder + "/backup", in: folder, with: TestVault.secret(), environment
            ) { backup in
                _ = try VaultFile.install(
                    backup, into: storage, keepingOldBesides: folder + "/vault.db", environment)
            }
            #expect(try Set(found()) == Set(named + junk))
        }
    }

    @Test("leaves protected what is protected now, with all its earlier values")
    func classes() throws {
        try withVault { folder, storage in
            let vault = try TestVault.unlock(storage, environment)
            let names = try (0..<4).map { try SecretName(service: "\($0)", account: "a") }
            let raised = SecretEdit(accessClass: .afterVerification)
            for name in names.prefix(3) {
                try vault.save(Samples.one(), as: name, SecretAttributes())
                try vault.update(name, to: Samples.two())
            }
            try vault.save(
                Samples.one(), as: names[3], SecretAttributes(accessClass: .afterVerification))
            try backup(storage, folder)
            for name in names.prefix(2) { try vault.edit(name, raised, expecting: nil) }
            try vault.remove(names[1])
            try vault.edit(names[3], SecretEdit(accessClass: .whileUnlocked), expecting: nil)
            _ = try restore(folder, over: storage)
            let restored = try TestVault.unlock(storage, environment)
            let classes = try restored.list().sorted { $0.name < $1.name }
                .map(\.attributes.accessClass)
            #expect(
                classes == [
                    .afterVerification, .afterVerification, .whileUnlocked, .afterVerification,
                ])
            for (name, accessClass) in zip(names.prefix(3), classes) {
                let earlier = try restored.history(of: name)
                #expect(earlier.map(\.item.attributes.accessClass) == [accessClass])
            }
            #expect(try restored.check().problems.isEmpty)
        }
    }

    @Test("changes nothing if either is damaged, or another process changes the vault")
    func damaged() throws {
        try withVault { folder, storage in
            try TestVault.fill(TestVault.unlock(storage, environment), count: 3)
            try backup(storage, folder)
            let before = try Records(of: storage)
            let row = try #require(before.items.first)
            try storage.write { try $0.removeItem(tag: row.tag) }
            #expect(throws: VaultError.damaged(.bucketRows)) { try restore(folder, over: storage) }
            try storage.write { try $0.insertItem(row) }
            #expect(try Records(of: storage).state == before.state)
            #expect(try FileSystem.names(in: folder).allSatisfy { !$0.contains("replaced") })
            #expect(try restore(folder, over: storage).secrets == 3)
        }
    }
}

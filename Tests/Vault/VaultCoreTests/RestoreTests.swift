import Foundation
import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Vault files")
struct RestoreTests {
    private let records = MemoryRollbackRecords()

    /// The environment of the machine at a path.
    private func environment(_ path: String) -> VaultEnvironment {
        TestVault.environment(rollbackRecords: records.elsewhere(path))
    }

    /// A vault file with `items` items, closed.
    private func makeVault(
        _ path: String, items: Int, passphrase: String = TestVault.passphraseText
    ) throws {
        _ = try VaultFile.create(
            at: path, environment(path), passphrase: TestVault.passphrase(passphrase),
            cost: TestVault.cost)
        try use(path, passphrase) { try TestVault.fill($0, count: items) }
    }

    private func use<Result>(
        _ path: String, _ passphrase: String = TestVault.passphraseText,
        _ body: (UnlockedVault) throws -> Result
    ) throws -> Result {
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        defer { storage.close() }
        let vault = try TestVault.unlock(storage, environment(path), with: passphrase)
        defer { vault.lock() }
        return try body(vault)
    }

    private func backup(_ path: String, to copy: String) throws {
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        defer { storage.close() }
        try storage.backup(to: copy)
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("appear whole, and never over another")
    func create() throws {
        try withTemporaryFolder { folder in
            try makeVault(folder + "/vault.db", items: 2)
            #expect(try names(in: folder) == ["vault.db"])
            let before = try Data(contentsOf: URL(filePath: folder + "/vault.db"))
            #expect(throws: VaultError.storage(.alreadyExists)) {
                try makeVault(folder + "/vault.db", items: 0)
            }
            #expect(try Data(contentsOf: URL(filePath: folder + "/vault.db")) == before)
            #expect(try names(in: folder) == ["vault.db"])
        }
    }

    @Test("are restored in a new lineage; what was there is kept")
    func restore() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try makeVault(path, items: 3)
            try backup(path, to: folder + "/copy.db")
            try use(path) { vault in
                for index in 3..<9 { try TestVault.fillOne(vault, index) }
            }
            // As a file that is put back by hand, the copy is refused.
            #expect(throws: VaultError.rolledBack(found: 4, seen: 10)) {
                try use(folder + "/copy.db") { _ in }
            }
            #expect(throws: VaultError.storage(.alreadyExists)) {
                _ = try TestBackup.install(
                    folder + "/copy.db", at: path, with: TestVault.secret(), replacing: false,
                    environment(path))
            }
            let outcome = try TestBackup.install(
                folder + "/copy.db", at: path, with: TestVault.secret(), replacing: true,
                environment(path))
            #expect(outcome.secrets == 3)
            let kept = try #require(outcome.previousVaultPath)
            #expect(try names(in: folder) == ["copy.db", "vault.db", "vault.db.replaced-1"])
            #expect(try use(path) { try $0.list().count } == 3)
            // The one that was replaced opens elsewhere, and is refused here.
            #expect(try use(kept) { try $0.list().count } == 9)
            let old = try VaultDatabase.openFile(at: kept, mode: .readOnly)
            defer { old.close() }
            #expect(throws: VaultError.rolledBack(found: 10, seen: 11)) {
                _ = try TestVault.unlock(old, environment(path))
            }
            try use(path) { try TestVault.fillOne($0, 3) }
            #expect(try use(path) { try $0.check().problems.isEmpty })
        }
    }

    @Test("are restored where there is none")
    func restoreElsewhere() throws {
        try withTemporaryFolder { folder in
            try makeVault(folder + "/vault.db", items: 3)
            try backup(folder + "/vault.db", to: folder + "/copy.db")
            let outcome = try TestBackup.install(
                folder + "/copy.db", at: folder + "/new.db", with: TestVault.secret(),
                replacing: false, environment(folder + "/new.db"))
            #expect(outcome.previousVaultPath == nil)
            #expect(try use(folder + "/new.db") { try $0.list().count } == 3)
        }
    }

    @Test("stay as they are when the backup is not sound or not ours")
    func refusedRestore() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try makeVault(path, items: 3)
            try backup(path, to: folder + "/copy.db")
            let before = try Data(contentsOf: URL(filePath: path))
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try TestBackup.install(
                    folder + "/copy.db", at: path, with: TestVault.secret("wrong"),
                    replacing: true, environment(path))
            }
            let storage = try VaultDatabase.openFile(at: folder + "/copy.db", mode: .readWrite)
            let row = try #require(Records(of: storage).items.first)
            try storage.write { writer in
                try writer.removeItem(tag: row.tag)
            }
            storage.close()
            #expect(throws: VaultError.damaged(.bucketRows)) {
                _ = try TestBackup.install(
                    folder + "/copy.db", at: path, with: TestVault.secret(), replacing: true,
                    environment(path))
            }
            try Data("not a vault".utf8).write(to: URL(filePath: folder + "/text"))
            for (file, isFound) in [("text", true), ("nothing", false)] {
                #expect(throws: VaultError.self, "\(isFound)") {
                    _ = try TestBackup.install(
                        folder + "/" + file, at: path, with: TestVault.secret(), replacing: true,
                        environment(path))
                }
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            #expect(try names(in: folder) == ["copy.db", "text", "vault.db"])
        }
    }

    @Test("are not replaced while somebody uses them")
    func busy() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try makeVault(path, items: 1)
            try backup(path, to: folder + "/copy.db")
            let user = try VaultDatabase.openFile(at: path, mode: .readWrite)
            defer { user.close() }
            let vault = try TestVault.unlock(user, environment(path))
            #expect(throws: VaultError.storage(.busy)) {
                _ = try TestBackup.install(
                    folder + "/copy.db", at: path, with: TestVault.secret(), replacing: true,
                    environment(path))
            }
            try TestVault.fillOne(vault, 5)
            #expect(try vault.list().count == 2)
        }
    }

    @Test("take the place of a file that SQLite cannot open")
    func overDamage() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try makeVault(path, items: 3)
            try backup(path, to: folder + "/copy.db")
            try Data("ruins".utf8).write(to: URL(filePath: path))
            let outcome = try TestBackup.install(
                folder + "/copy.db", at: path, with: TestVault.secret(), replacing: true,
                environment(path))
            #expect(try use(path) { try $0.list().count } == 3)
            let kept = try #require(outcome.previousVaultPath)
            #expect(try Data(contentsOf: URL(filePath: kept)) == Data("ruins".utf8))
        }
    }

    /// Leaves the log of a process that was killed beside `path`, whose file is gone, and returns a backup from before.
    private func leaveWALMode(at path: String, in folder: String) throws -> String {
        try makeVault(path, items: 2)
        try backup(path, to: folder + "/copy.db")
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        try TestVault.fillOne(TestVault.unlock(storage, environment(path)), 9)
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: folder + "/log")
        storage.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: folder + "/log", toPath: path + "-wal")
        return folder + "/copy.db"
    }

    @Test("are not put beside the log of another file, which a replacement sets aside")
    func staleLog() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let copy = try leaveWALMode(at: path, in: folder)
            let refused = VaultError.storage(
                .unsafeLocation(path: path + "-wal", reason: "left over from another file"))
            #expect(throws: refused) {
                _ = try VaultFile.create(
                    at: path, TestVault.environment(),
                    passphrase: TestVault.passphrase("brand new"),
                    cost: TestVault.cost)
            }
            #expect(throws: refused) {
                _ = try TestBackup.install(
                    copy, at: path, with: TestVault.secret(), replacing: false, environment(path))
            }
            #expect(!FileManager.default.fileExists(atPath: path))
            let outcome = try TestBackup.install(
                copy, at: path, with: TestVault.secret(), replacing: true, environment(path))
            #expect(outcome.previousVaultPath == nil)
            #expect(FileManager.default.fileExists(atPath: path + ".replaced-1-wal"))
            #expect(try use(path) { try $0.list().count } == 2)
        }
    }

    @Test("are not restored without the log that lies beside the backup")
    func logOfBackup() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            try makeVault(path, items: 2)
            let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
            defer { storage.close() }
            try TestVault.fillOne(TestVault.unlock(storage, environment(path)), 9)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: path + suffix, toPath: folder + "/copy.db" + suffix)
            }
            #expect(
                throws: VaultError.storage(
                    .unsafeLocation(
                        path: folder + "/copy.db-wal",
                        reason: "contains changes that are not in the file"))
            ) {
                _ = try TestBackup.install(
                    folder + "/copy.db", at: folder + "/new.db", with: TestVault.secret(),
                    replacing: false, environment(folder + "/new.db"))
            }
        }
    }

    @Test("are not made in a folder where they could not be opened")
    func unsafeFolder() throws {
        try withTemporaryFolder { folder in
            let shared = folder + "/shared"
            try FileManager.default.createDirectory(
                atPath: shared, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o777])
            #expect(throws: VaultError.self) {
                try makeVault(shared + "/vault.db", items: 0)
            }
            #expect(try names(in: shared).isEmpty)
        }
    }
}

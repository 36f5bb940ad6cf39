import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A backup that is put into a storage which is not a file beside it, as a server's is.
@Suite("A vault in a storage of its own")
struct StorageRestoreTests {
    private let records = MemoryRollbackRecords()
    private var environment: VaultEnvironment { TestVault.environment(rollbackRecords: records) }

    /// A backup of a vault with three secrets, with the vault's passphrase or another.
    private func backup(in folder: String, _ passphrase: String = "backup's own") throws -> String {
        let (path, copy) = (folder + "/made.db", folder + "/backup.db")
        let environment = TestVault.environment(rollbackRecords: records.elsewhere(path))
        _ = try VaultFile.create(
            at: path, environment, passphrase: TestVault.passphrase(passphrase),
            cost: TestVault.cost)
        let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
        defer { storage.close() }
        let vault = try TestVault.unlock(storage, environment, with: passphrase)
        try TestVault.fill(vault, count: 3)
        vault.lock()
        try storage.backup(to: copy)
        return copy
    }

    private func restore(
        _ backup: String, into storage: any RecordStorage, in folder: String, keepingOld: Bool,
        with passphrase: String = "backup's own"
    ) throws -> RestoreOutcome {
        try TestBackup.open(
            backup, in: folder, with: TestVault.secret(passphrase), environment
        ) { backup in
            try VaultFile.install(
                backup, into: storage,
                keepingOldBesides: keepingOld ? folder + "/vault.db" : nil, environment)
        }
    }

    @Test("is filled from a backup, in a new lineage with the backup's passphrase")
    func empty() throws {
        try withTemporaryFolder { folder in
            let backup = try backup(in: folder)
            let storage = try VaultDatabase.inMemory()
            let outcome = try restore(backup, into: storage, in: folder, keepingOld: false)
            #expect(outcome.secrets == 3 && outcome.previousVaultPath == nil)
            let vault = try TestVault.unlock(storage, environment, with: "backup's own")
            #expect(try vault.list().count == 3)
            // The file it came from is of another lineage than the one seen here.
            let old = try VaultDatabase.openFile(at: backup, mode: .readOnly)
            defer { old.close() }
            #expect(throws: VaultError.self) {
                _ = try TestVault.unlock(old, environment, with: "backup's own")
            }
        }
    }

    @Test("is replaced where that is wanted, after a backup of what was there")
    func replaced() throws {
        try withTemporaryFolder { folder in
            let backup = try backup(in: folder)
            let storage = try VaultDatabase.createFile(at: folder + "/there.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            try TestVault.fill(TestVault.unlock(storage, environment), count: 7)
            #expect(throws: VaultError.storage(.alreadyExists)) {
                _ = try restore(backup, into: storage, in: folder, keepingOld: false)
            }
            #expect(try TestVault.unlock(storage, environment).list().count == 7)

            let outcome = try restore(backup, into: storage, in: folder, keepingOld: true)
            #expect(
                outcome.secrets == 3 && outcome.previousVaultPath == folder + "/vault.db.replaced-1"
            )
            let vault = try TestVault.unlock(storage, environment, with: "backup's own")
            #expect(try vault.list().count == 3)
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try TestVault.unlock(storage, environment)
            }
            let kept = try VaultDatabase.openFile(
                at: folder + "/vault.db.replaced-1", mode: .readOnly)
            defer { kept.close() }
            #expect(try TestVault.unlock(kept, TestVault.environment()).list().count == 7)
        }
    }

    @Test("is as it was after a wrong passphrase, or a backup that is none")
    func refused() throws {
        try withTemporaryFolder { folder in
            let backup = try backup(in: folder)
            let storage = try VaultDatabase.inMemory()
            try TestVault.create(in: storage, environment)
            try TestVault.fill(TestVault.unlock(storage, environment), count: 2)
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try restore(
                    backup, into: storage, in: folder, keepingOld: true, with: "another")
            }
            try TestFile.write(Array("not a vault".utf8), to: folder + "/none.db")
            #expect(throws: VaultError.self) {
                _ = try restore(folder + "/none.db", into: storage, in: folder, keepingOld: true)
            }
            #expect(try TestVault.unlock(storage, environment).list().count == 2)
        }
    }
}

import Foundation
import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Rekeying")
struct RekeyTests {
    private let environment = TestVault.environment()

    @Test("seals everything anew and keeps every answer", arguments: StorageKind.allCases)
    func contents(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let oldCode = VaultSecret.recoveryCode(
                try TestVault.create(in: storage, environment))
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 60)
            let contents = try TestVault.contents(of: vault)
            let before = try Self.records(storage)

            var outcome = try TestVault.authenticate(storage, environment).rekey()
            #expect(outcome.oldBytes == (kind == .postgresql ? .unknown : .erased))
            guard let code = outcome.takeCode() else {
                Issue.record("there was a recovery code, so there must be a new one")
                return
            }

            let reopened = try TestVault.unlock(storage, environment)
            #expect(try TestVault.contents(of: reopened) == contents)
            #expect(try reopened.check().problems.isEmpty)
            #expect(
                try TestVault.contents(
                    of: LockedVault(storage, environment).unlock(with: .recoveryCode(code)))
                    == contents)
            #expect(throws: VaultError.wrongRecoveryCode) {
                _ = try LockedVault(storage, environment).unlock(with: oldCode)
            }
            let after = try Self.records(storage)
            #expect(after.count == before.count)
            for row in before {
                #expect(!after.contains { $0.tag == row.tag || $0.value == row.value })
            }
            // A session with the old keys is over.
            #expect(throws: SecureStoreError.locked) { _ = try vault.list() }
        }
    }

    @Test("the keys of an older copy open nothing new")
    func olderCopy() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            try TestVault.fill(TestVault.unlock(storage, environment), count: 3)
            try storage.backup(to: folder + "/copy.db")
            _ = try TestVault.authenticate(storage, environment).rekey()
            let copy = try VaultDatabase.openFile(at: folder + "/copy.db", mode: .readWrite)
            defer { copy.close() }
            let quiet = TestVault.environment()
            #expect(try TestVault.unlock(copy, quiet).list().count == 3)
            // The copy's header over the new rows, and the other way round.
            let old = try copy.read { reader in try reader.header() }
            let new = try storage.read { reader in try reader.header() }
            for (target, header) in [(storage, old), (copy, new)] {
                try target.write { writer in
                    try writer.putHeader(header ?? [])
                }
                #expect(throws: VaultError.damaged(.stateSeal)) {
                    _ = try TestVault.unlock(target, quiet)
                }
            }
        }
    }

    @Test("a damaged vault is left as it is")
    func damaged() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        try TestVault.fill(TestVault.unlock(storage, environment), count: 5)
        let row = try #require(Self.records(storage).first)
        try storage.write { writer in try writer.removeItem(tag: row.tag) }
        let before = try Self.records(storage)
        #expect(throws: VaultError.damaged(.bucketRows)) {
            _ = try TestVault.authenticate(storage, environment).rekey()
        }
        #expect(try Self.records(storage) == before)
    }

    private static func records(_ storage: any RecordStorage) throws -> [ItemRecord] {
        var records: [ItemRecord] = []
        try storage.read { reader in
            try reader.forEachItem { row in records.append(row) }
        }
        return records
    }
}

extension RekeyOutcome {
    fileprivate mutating func takeCode() -> RecoveryCode? { recoveryCode.take() }
}

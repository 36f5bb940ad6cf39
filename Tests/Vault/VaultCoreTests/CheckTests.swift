import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Checking and repairing")
struct CheckTests {
    private let storage: VaultDatabase
    private let environment = TestVault.environment()

    init() throws {
        storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        try TestVault.fill(TestVault.unlock(storage, environment), count: 9)
    }

    @Test("a sound vault is sound; what cannot be read without verification is counted")
    func sound() throws {
        let vault = try TestVault.unlock(storage, environment)
        let report = try vault.check()
        #expect(report.soundItems == 9)
        #expect(report.unreadItems == 0)
        #expect(report.problems.isEmpty)
        vault.endVerification()
        #expect(try vault.check().unreadItems == 3)
        vault.lock()
        #expect(throws: VaultError.store(.locked)) { _ = try vault.check() }
    }

    @Test("file names that do not find one file are told with the ids, and are no damage")
    func fileNames() throws {
        let vault = try TestVault.unlock(storage, environment)
        let ids = try ["a", "b", "c", "d"].map { try TestFiles.add([1], as: $0, to: vault).id }
        #expect(try vault.check().unusableFileNames.isEmpty)
        for (id, label) in zip(ids, ["same", "same", "x/y"]) {
            let name = try SecretName(service: SecretName.fileService, account: id)
            try vault.edit(name, SecretEdit(label: label), expecting: nil)
        }
        let report = try vault.check()
        #expect(report.problems.isEmpty)
        #expect(report.unusableFileNames.map(\.name) == ["same", "x/y"])
        #expect(report.unusableFileNames.map(\.ids) == [ids[..<2].sorted(), [ids[2]]])
    }

    @Test("damage of the file is found, also where no answer needs it")
    func form() throws {
        try withTemporaryFolder { folder in
            let environment = TestVault.environment()
            let path = folder + "/vault.db"
            let made = try VaultDatabase.createFile(at: path)
            try TestVault.create(in: made, environment)
            try TestVault.fill(TestVault.unlock(made, environment), count: 9)
            made.close()
            var bytes = try TestFile.read(path)
            // SQLite's map of the pages.
            for place in 4_096..<8_192 { bytes[place] = 0 }
            try TestFile.write(bytes, to: path)
            for mode in [StorageMode.readOnly, .readWrite] {
                let storage = try VaultDatabase.openFile(at: path, mode: mode)
                defer { storage.close() }
                let vault = try TestVault.unlock(storage, environment)
                let report = try vault.check()
                #expect(report.problems.map(\.failure) == [.fileDamaged])
                #expect(report.soundItems == 9)
                #expect(try vault.list().count == 9)
            }
        }
    }

    @Test("a whole verification forgets what was verified, and misses no chunk")
    func wholeVerification() throws {
        let vault = try TestVault.unlock(storage, environment)
        try TestFiles.add([1, 2], as: "a", to: vault)
        #expect(try vault.list().count == 10)
        try vault.verifyEverything()
        let records = try Records(of: storage)
        var changed = records
        changed.items[4].value[30] ^= 1
        try changed.put(into: storage)
        // The state is the one that was verified.
        #expect(try vault.list().count == 10)
        #expect(throws: VaultError.damaged(.bucketRows)) { try vault.verifyEverything() }
        try records.put(into: storage)
        try vault.verifyEverything()
        #expect(try VaultFiles(vault).incomplete().isEmpty)
        try storage.write { try $0.removeAllChunks() }
        #expect(throws: VaultError.damaged(.chunkMissing)) { try vault.verifyEverything() }
        #expect(try VaultFiles(vault).incomplete() == ["a"])
    }

    @Test("everything that is wrong is found, and named with its item")
    func problems() throws {
        var records = try Records(of: storage)
        let vault = try TestVault.unlock(storage, environment)
        let broken = records.items[4]
        let name = try vault.use { session in try session.open(broken).name }
        records.items[4].value[30] ^= 1
        records.items[6].attributes[30] ^= 1
        try records.put(into: storage)
        let report = try vault.check()
        #expect(report.soundItems == 7)
        #expect(report.problems.contains { $0.failure == .valueSeal && $0.item == name })
        #expect(report.problems.contains { $0.failure == .attributesSeal && $0.item == nil })
        #expect(report.problems.contains { $0.failure == .bucketRows })
    }

    @Test("what one row is wrong in twice over is told once")
    func told() throws {
        var records = try Records(of: storage)
        records.items[4].format = 9
        try records.put(into: storage)
        let problems = try TestVault.unlock(storage, environment).check().problems
        #expect(problems.contains { $0.failure == .rowFormat })
        #expect(Set(problems).count == problems.count)
    }

    @Test("a deleted row is found, with its bucket")
    func deleted() throws {
        var records = try Records(of: storage)
        let gone = records.items.remove(at: 2)
        try records.put(into: storage)
        let report = try TestVault.unlock(storage, environment).check()
        #expect(report.problems.map(\.failure) == [.bucketRows])
        #expect(report.problems.first?.bucket == Int(gone.tag[0]))
    }

    @Test("a tag changed in the file is reported, and other rows are checked", arguments: [0, 255])
    func changedTag(first: UInt8) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            try storage.backup(to: path)
            var tags = try Records(of: storage).items.map(\.tag)
            tags.sort { $0.lexicographicallyPrecedes($1) }
            var bytes = try TestFile.read(path)
            let start = try #require(bytes.firstRange(of: tags[4])?.lowerBound)
            // The rows of the file are no longer in the order of their tags.
            bytes[start] = first
            try TestFile.write(bytes, to: path)
            let file = try VaultDatabase.openFile(at: path, mode: .readOnly)
            defer { file.close() }
            let report = try TestVault.unlock(file, environment).check()
            #expect(report.soundItems >= 4)
            #expect(report.problems.contains { $0.failure == .bucketRows })
        }
    }

    @Test("a repair keeps what opens and makes the vault sound again")
    func repair() throws {
        var records = try Records(of: storage)
        records.items[4].value[30] ^= 1
        records.items.remove(at: 2)
        records.buckets.removeLast()
        records.state[60] ^= 1
        try records.put(into: storage)
        #expect(throws: VaultError.damaged(.stateSeal)) {
            _ = try TestVault.unlock(storage, environment)
        }
        let outcome = try LockedVault(storage, environment)
            .authenticateForRepair(with: TestVault.secret()).repair()
        #expect(outcome == RepairOutcome(kept: 7, removed: 1, isStateLost: true))
        let vault = try TestVault.unlock(storage, environment)
        #expect(try vault.check().problems.isEmpty)
        #expect(try vault.list().count == 7)
        try TestVault.fillOne(vault, 100)
        #expect(try TestVault.unlock(storage, environment).list().count == 8)
    }

    @Test("a repair needs the owner")
    func repairRefused() throws {
        let before = try Records(of: storage)
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try LockedVault(storage, environment)
                .authenticateForRepair(with: TestVault.secret("wrong")).repair()
        }
        #expect(try Records(of: storage) == before)
    }
}

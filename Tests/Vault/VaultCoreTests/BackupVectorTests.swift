@testable import Sealing
import SecretMemory
import Testing
import TestSupport
@testable import VaultCore
@testable import VaultStorage

/// The backups that were made from `Docs/Format.md` by a program of its own.
@Suite("Backup vectors")
struct BackupVectorTests {
    static let files = TestVectors.all(in: "Backups") { try VectorFile(name: $0, text: $1) }

    @Test("give exactly the answer that they name", arguments: files)
    func vector(file: VectorFile) throws {
        try withTemporaryFolder { folder in
            #expect(VectorTests.answer { try open(file, folder) } == file.expected)
        }
    }

    private func open(_ file: VectorFile, _ folder: String) throws -> String {
        let path = folder + "/backup"
        try TestFile.write(file.backup, to: path)
        let environment = VaultEnvironment(
            rollbackRecords: MemoryRollbackRecords(),
            limits: file.isTesting ? .testing : .standard(),
            now: { 0 })
        let locked = try LockedBackup(at: path, environment)
        guard let head = locked.head, let header = locked.header else { return "a vault file" }
        let opened = try header.open(
            with: VectorTests.secret(file, head.headerBytes), environment.limits)
        let staged = try locked.stage(
            head, VaultKeys.backupPair(root: opened.root, header), folder
        ) { _ in }
        let mac = BackupMAC(
            file: try StagedVaultFile.openSource(path), size: staged.size,
            machineID: head.machineID, hash: staged.hash)
        var isAuthenticated = false
        if let key = file.machineKey {
            isAuthenticated = try mac.isValid(under: Samples.secret(key))
        }
        let parts = try staged.parts.sorted { $0.key.rawValue < $1.key.rawValue }
            .filter { isAuthenticated || $0.key == .vault }
            .map { part, path in
                let bytes = try TestFile.read(path)
                let hash = Blake2b.hash(size: 32) { $0.feed(bytes) }
                return VectorFile.Part(kind: part.rawValue, size: bytes.count, hash: hash)
            }
        if file.expected == "opens" {
            #expect(head.time == file.time)
            #expect(head.machineID == file.machine)
            #expect(parts == file.parts)
        }
        return "opens"
    }
}

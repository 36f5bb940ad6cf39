import Foundation
import Sealing
import SecretMemory
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// The same write, made again from the same bytes of a file: the case in which a counter would give a nonce twice.
@Suite("The nonces of a vault that was put back", .waitsForProcesses)
struct NonceTests {
    @Test("are new each time the same is written")
    func snapshot() throws {
        let nonces = try Self.nonces(.system)
        #expect(nonces.count == 40 * 6)
        #expect(Set(nonces).count == nonces.count)
    }

    @Test("would be seen if they came again")
    func control() throws {
        let nonces = try Self.nonces(nil)
        #expect(Set(nonces).count < nonces.count / 10)
    }

    /// Other processes, each with a library and a random source of its own, from the same file.
    @Test("are new in each process")
    func processes() throws {
        try withTemporaryFolder { folder in
            let code = try WriterProcess.makeVault(at: folder + "/vault.db")
            var nonces: [[UInt8]] = []
            for number in 0..<12 {
                let home = "\(folder)/\(number)"
                try VaultLocation.prepareFolder(at: home)
                let path = home + "/vault.db"
                try FileManager.default.copyItem(atPath: folder + "/vault.db", toPath: path)
                let writer = try WriterProcess(
                    ["random", path, "20", "7"], code, printingTo: home + "/log")
                writer.process.waitUntilExit()
                #expect(writer.process.terminationStatus == 0)
                let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
                defer { storage.close() }
                nonces += try Self.nonces(in: Records(of: storage))
            }
            #expect(nonces.count > 12 * 4)
            #expect(Set(nonces).count == nonces.count)
        }
    }

    /// Those of one update and what it seals with it, made 40 times from one snapshot.
    ///
    /// - Parameter random: Nil for a source that begins anew with each snapshot, as a generator with its state in the file would.
    /// - Returns: Six for each time.
    /// - Throws: What the vault throws.
    private static func nonces(_ random: RandomSource?) throws -> [[UInt8]] {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            var storage = try VaultDatabase.createFile(at: path)
            try TestVault.create(in: storage)
            try TestVault.fill(TestVault.unlock(storage), count: 1)
            storage.close()
            let snapshot = try Data(contentsOf: URL(filePath: path))
            var nonces: [[UInt8]] = []
            for _ in 0..<40 {
                try snapshot.write(to: URL(filePath: path))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: path)
                storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
                defer { storage.close() }
                var environment = TestVault.environment()
                environment.random = random ?? .seeded(1)
                let vault = try TestVault.unlock(storage, environment)
                try vault.update(TestVault.name(0), to: Samples.secret("the same again"))
                nonces += try Self.nonces(in: Records(of: storage))
            }
            return nonces
        }
    }

    /// Of state, bucket records, attributes and values, and of what earlier rows do not have from before.
    private static func nonces(in records: Records) -> [[UInt8]] {
        // The first two begin with their record format.
        let sealed =
            ([records.state] + records.buckets.map(\.bytes)).map { $0.dropFirst(4) }
            + records.items.flatMap { [$0.attributes[...], $0.value[...]] }
            + records.earlier.map { $0.moved[...] }
        return sealed.map { Array($0.prefix(24)) }
    }
}

import Foundation
import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Several processes", .waitsForProcesses)
struct ProcessTests {
    /// Enough for the promise; `TASKVAULT_KILLS` asks for more.
    private static let kills = Attack.amount("TASKVAULT_KILLS", ordinary: 40)

    @Test(
        "a writer killed at any moment loses nothing that it acknowledged, and leaves nothing half done"
    )
    func kills() throws {
        try withTemporaryFolder { folder in
            let vault = try WriterVault(at: folder + "/vault.db")
            var random = SeededGenerator()
            let seed = random.seed
            var done = 0
            for kill in 0..<Self.kills {
                let writer = try WriterProcess(["steps", vault.path, "\(done)"], vault.code)
                let acknowledged = try writer.end(
                    after: Int(random.next() % 4), delay: random.next() % 4_000, with: SIGKILL)
                let steps = try vault.steps(
                    acknowledged: acknowledged ?? done, isChecked: kill.isMultiple(of: 20))
                done = try #require(
                    steps, "kill \(kill) of seed \(seed), acknowledged \(acknowledged ?? -1)")
            }
            #expect(done > Self.kills, "the writer must have come to write")
            // Each kill found a number of steps that was acknowledged, or one more.
            Attack.report(["killed": Self.kills, "acknowledged": done, "lost": 0])
        }
    }

    @Test(
        "a writer of files killed at any moment loses none that it acknowledged, and leaves none half done"
    )
    func killsOfFiles() throws {
        try withTemporaryFolder { folder in
            let vault = try WriterVault(at: folder + "/vault.db")
            var random = SeededGenerator()
            let seed = random.seed
            var done = 0
            for kill in 0..<(Self.kills / 4) {
                let writer = try WriterProcess(["files", vault.path, "\(done)"], vault.code)
                let acknowledged = try writer.end(
                    after: Int(random.next() % 4), delay: random.next() % 4_000_000, with: SIGKILL)
                done = try #require(
                    try vault.fileSteps(acknowledged: acknowledged ?? done),
                    "kill \(kill) of seed \(seed), acknowledged \(acknowledged ?? -1)")
            }
            // Each was killed after none to three of its steps.
            #expect(done > Self.kills / 20, "the writer must have come to write")
            try vault.withVault { unlocked in
                // All that a killed writer left of a file.
                var late = TestVault.environment()
                late.now = { 1_000_000 + 86_400_000 }
                let storage = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readWrite)
                defer { storage.close() }
                let swept = try WriterProcess.unlock(storage, vault.code, late)
                try VaultFiles(swept).sweep()
                #expect(try unlocked.check().orphanedChunks == 0)
            }
        }
    }

    @Test("who write at once lose no update")
    func counters() throws {
        try withTemporaryFolder { folder in
            let file = try WriterVault(at: folder + "/vault.db")
            try file.withVault { vault in
                let name = try SecretName(service: "counter", account: "shared")
                try vault.save(Samples.secret("0"), as: name, SecretAttributes())
                let writers = try (0..<4).map { _ in
                    try WriterProcess(["count", file.path, "25"], file.code)
                }
                // This process reads and writes along, with what it verified before the others came.
                for index in 0..<25 { try TestVault.fillOne(vault, index) }
                for writer in writers {
                    writer.process.waitUntilExit()
                    #expect(writer.process.terminationStatus == 0)
                }
                #expect(try Samples.bytes(vault.value(of: name)) == Array("100".utf8))
                #expect(try vault.list().count == 26)
                #expect(try vault.check().problems.isEmpty)
            }
        }
    }
}

import Foundation
import SecureStorage
import TestSupport
import Testing
import VaultStorage

@testable import VaultCore

@Suite("Several processes")
struct ProcessTests {
    /// Enough for the promise; `TASKVAULT_KILLS` asks for more.
    private static let kills =
        ProcessInfo.processInfo.environment["TASKVAULT_KILLS"].flatMap { Int($0) } ?? 200

    @Test(
        "a writer killed at any moment loses nothing that it acknowledged, and leaves nothing half done"
    )
    func kills() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let code = try WriterProcess.makeVault(at: path)
            var random = SeededGenerator()
            let seed = random.seed
            var done = 0
            for kill in 0..<Self.kills {
                let acknowledged = try Self.runAndKill(
                    path, code, first: done, after: Int(random.next() % 4),
                    delay: random.next() % 4_000)
                let storage = try SQLiteRecordStorage.open(at: path, mode: .readWrite)
                defer { storage.close() }
                let vault = try WriterProcess.unlock(storage, code)
                let found = try WriterSteps.contents(of: vault)
                done = try #require(
                    [acknowledged ?? done, (acknowledged ?? done) + 1].first {
                        try found == WriterSteps.model(after: $0)
                    }, "kill \(kill) of seed \(seed), acknowledged \(acknowledged ?? -1)")
                if kill.isMultiple(of: 20) { #expect(try vault.check().problems.isEmpty) }
            }
            #expect(done > Self.kills, "the writer must have come to write")
        }
    }

    @Test("who write at once lose no update")
    func counters() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let code = try WriterProcess.makeVault(at: path)
            let storage = try SQLiteRecordStorage.open(at: path, mode: .readWrite)
            defer { storage.close() }
            let vault = try WriterProcess.unlock(storage, code)
            let name = try SecretName(service: "counter", account: "shared")
            try vault.save(Samples.secret("0"), as: name, SecretAttributes())
            let writers = try (0..<4).map { _ in
                try WriterProcess(["count", path, "25"], code)
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

    /// Runs steps from `first` on and kills the process some time after `after` acknowledgements.
    ///
    /// - Returns: How many steps are acknowledged, or nil if it was killed before the first.
    private static func runAndKill(
        _ path: String, _ code: String, first: Int, after: Int, delay: UInt64
    ) throws -> Int? {
        let writer = try WriterProcess(["steps", path, "\(first)"], code)
        var output = Data()
        while output.count(where: { $0 == 0x0A }) < after {
            let more = writer.output.availableData
            if more.isEmpty { break }
            output += more
        }
        // A moment inside the next step: long enough for some of its system calls, and never the same.
        var spin = delay
        while spin > 0 { spin = spin &- 1 }
        kill(writer.process.processIdentifier, SIGKILL)
        output += try writer.output.readToEnd() ?? Data()
        writer.process.waitUntilExit()
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        return try lines.last.map { try #require(Int($0)) + 1 }
    }
}

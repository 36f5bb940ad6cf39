import Foundation
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Processes that do random things to one vault at once, and what all of them were answered, held against one order of events.
@Suite("Random operations of several processes", .waitsForProcesses)
struct HistoryTests {
    /// Of each process; `TASKVAULT_OPERATIONS` asks for more.
    private static let operations = Attack.amount("TASKVAULT_OPERATIONS", ordinary: 150)
    private static let processes = 10

    @Test("have one history, with every acknowledged change in it")
    func linear() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let code = try WriterProcess.makeVault(at: path)
            let seed = SeededGenerator().seed
            let history = try Self.run(path, code, processes: Self.processes, seed: seed)
            let objection = try history.objection()
            #expect(objection == nil, "seed \(seed)")
            let lines = history.processes.joined().map(\.line)
            #expect(lines.count { $0.counter != nil } > lines.count / 10, "seed \(seed)")
            #expect(lines.count(where: \.isOfBusyVault) < lines.count / 20, "seed \(seed)")

            let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
            defer { storage.close() }
            let vault = try WriterProcess.unlock(storage, code)
            let last = try history.lastState()
            let found = try TestVault.contents(of: vault)
            #expect(
                try RandomOperation.describe(found.keys.sorted { $0.name < $1.name })
                    == RandomOperation.describe(last.list()), "seed \(seed)")
            let values = Dictionary(uniqueKeysWithValues: found.map { ($0.key.name, $0.value) })
            #expect(try values == last.values(), "seed \(seed)")
            #expect(try vault.check().problems.isEmpty, "seed \(seed)")
            Attack.report([
                "processes": Self.processes, "answers": lines.count,
                "commits": lines.count { $0.counter != nil },
                "objections": objection == nil ? 0 : 1,
            ])
        }
    }

    /// The control: what a lost or an old answer looks like is known, and is objected to.
    @Test("are refused a history with a lost update, an old answer or a change that nobody made")
    func control() throws {
        func entry(
            _ process: Int, _ began: UInt64, _ kind: RandomOperation.Kind, _ answer: String,
            _ counter: UInt64? = nil
        ) -> VaultHistory.Entry {
            VaultHistory.Entry(
                process: process, operation: RandomOperation(kind, name: 0),
                line: HistoryLine(began: began, ended: began + 1, counter: counter, answer: answer))
        }
        let saved = "service 0 1 l whileUnlocked"
        let updated = "service 0 2 l whileUnlocked"
        let save = entry(0, 10, .save([1], .whileUnlocked), saved, 2)
        let update = entry(1, 20, .update([2], expecting: 1), updated, 3)
        func objection(_ first: [VaultHistory.Entry], _ second: [VaultHistory.Entry]) throws
            -> String?
        {
            try VaultHistory(processes: [first, second], start: 1).objection()
        }
        #expect(try objection([save, entry(0, 30, .read, "[2]")], [update]) == nil)
        #expect(try objection([save, entry(0, 20, .read, "[1]")], [update]) == nil)
        #expect(try objection([save, entry(0, 20, .read, "[2]")], [update]) == nil)

        #expect(try objection([save, entry(0, 30, .read, "[1]")], [update]) != nil, "old")
        #expect(try objection([save, entry(0, 30, .read, "[3]")], [update]) != nil, "invented")
        #expect(try objection([save, entry(0, 15, .read, "[2]")], [update]) != nil, "early")
        #expect(try objection([save, entry(0, 30, .list, "[]")], [update]) != nil, "lost")
        let again = entry(0, 21, .update([3], expecting: 1), updated, 4)
        #expect(try objection([save, again], [update]) != nil, "both replaced one revision")
        let twice = entry(0, 21, .update([3], expecting: nil), updated, 3)
        #expect(try objection([save, twice], [update]) != nil, "one counter for two")
        let gone = entry(0, 21, .remove(expecting: nil), RandomOperation.removed)
        #expect(try objection([save, gone], [update]) != nil, "acknowledged, never committed")
        let late = entry(1, 5, .update([2], expecting: 1), updated, 3)
        #expect(try objection([save], [late]) != nil, "answered before it could be")
    }

    private static func run(
        _ path: String, _ code: String, processes: Int, seed: UInt64
    ) throws -> VaultHistory {
        let writers = try (0..<processes).map { process in
            try WriterProcess(
                ["random", path, "\(operations)", "\(seed &+ UInt64(process))"], code,
                printingTo: "\(path).\(process).log")
        }
        let entries = try writers.enumerated().map { process, writer in
            writer.process.waitUntilExit()
            #expect(writer.process.terminationStatus == 0, "seed \(seed)")
            let text = try String(contentsOfFile: "\(path).\(process).log", encoding: .utf8)
            var random = SeededGenerator(seed: seed &+ UInt64(process))
            return try text.split(separator: "\n").map { line in
                let operation = RandomOperation(using: &random)
                _ = random.next()
                return VaultHistory.Entry(
                    process: process, operation: operation, line: try #require(HistoryLine(line)))
            }
        }
        #expect(entries.allSatisfy { $0.count == operations }, "seed \(seed)")
        return VaultHistory(processes: entries, start: 1)
    }
}

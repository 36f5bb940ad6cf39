import Foundation
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Copies by backup and synchronisation tools, which know nothing of transactions: the vault's files, one after the other, while
/// somebody writes.
@Suite("A copy taken under writes", .waitsForProcesses)
struct CopyTests {
    /// `TASKVAULT_COPIES` asks for more.
    private static let copies = Attack.amount("TASKVAULT_COPIES", ordinary: 20)
    private static let copiesOfOneVault = 20

    /// Which files are copied, in which order.
    private enum Way: CaseIterable {
        case file, fileThenLog, logThenFile, slowFile, slowFileThenLog, slowLogThenFile

        var suffixes: [String] {
            switch self {
            case .file, .slowFile: [""]
            case .fileThenLog, .slowFileThenLog: ["", "-wal"]
            case .logThenFile, .slowLogThenFile: ["-wal", ""]
            }
        }

        /// Whether the writer comes to write between any two pages.
        var isSlow: Bool {
            switch self {
            case .file, .fileThenLog, .logThenFile: false
            case .slowFile, .slowFileThenLog, .slowLogThenFile: true
            }
        }
    }

    @Test("opens to a state that was committed, or is refused by name")
    func everyWay() throws {
        var opened: [Way: Int] = [:]
        var refused = 0
        var states: Set<Int> = []
        for round in 0..<(Self.copies / Self.copiesOfOneVault) {
            try withTemporaryFolder { folder in
                let path = folder + "/vault.db"
                let code = try WriterProcess.makeVault(at: path)
                let writer = try WriterProcess(["tidy", path, "5"], code)
                defer {
                    kill(writer.process.processIdentifier, SIGKILL)
                    writer.process.waitUntilExit()
                }
                // Before its first step there may be no log.
                #expect(!writer.output.availableData.isEmpty)
                for number in 0..<Self.copiesOfOneVault {
                    let way = Way.allCases[number % Way.allCases.count]
                    let copy = "\(folder)/copy-\(number)"
                    try Self.copy(folder, to: copy, way, while: writer)
                    let mode: StorageMode =
                        number.isMultiple(of: 3) ? .readOnly : .readWrite
                    guard let contents = try Self.contents(copy + "/vault.db", mode, code) else {
                        refused += 1
                        continue
                    }
                    let state = try Self.state(contents)
                    #expect(state != nil, "round \(round), copy \(number), \(way)")
                    opened[way, default: 0] += 1
                    states.insert(state ?? -1)
                }
                #expect(writer.process.isRunning)
            }
        }
        // There were states to be seen, and mixtures to be refused.
        for way in Way.allCases where !way.isSlow { #expect(opened[way, default: 0] > 0, "\(way)") }
        #expect(states.count > Self.copies / 20)
        #expect(refused > Self.copies / 20)
        Attack.report([
            "copies": Self.copies, "opened": opened.values.reduce(0, +), "refused": refused,
            "mixed": 0,
        ])
    }

    private static func copy(
        _ folder: String, to copy: String, _ way: Way, while writer: WriterProcess
    ) throws {
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700]
        )
        let sources = way.suffixes.map { "\(folder)/vault.db\($0)" }
        if way.isSlow {
            for source in sources { try copySlowly(source, into: copy, while: writer) }
        } else {
            let process = try Process.run(
                URL(filePath: "/bin/cp"), arguments: ["-p"] + sources + [copy])
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    /// As a tool that is in no hurry: piece by piece, each after the writer has acknowledged another step.
    private static func copySlowly(
        _ source: String, into folder: String, while writer: WriterProcess
    ) throws {
        let input = try FileHandle(forReadingFrom: URL(filePath: source))
        defer { try? input.close() }
        let target = folder + "/" + URL(filePath: source).lastPathComponent
        _ = FileManager.default.createFile(
            atPath: target, contents: nil, attributes: [.posixPermissions: 0o600])
        let output = try FileHandle(forWritingTo: URL(filePath: target))
        defer { try? output.close() }
        // A file that grows by pages as fast as they are copied would have no end.
        let pages = try input.seekToEnd() / 4_096
        try input.seek(toOffset: 0)
        let size = 4_096 * max(1, Int(pages) / 32)
        while let piece = try input.read(upToCount: size), !piece.isEmpty {
            try output.write(contentsOf: piece)
            #expect(!writer.output.availableData.isEmpty)
        }
    }

    /// Everything in it; nil if it is refused as damaged or as no vault.
    private static func contents(
        _ path: String, _ mode: StorageMode, _ code: String
    ) throws -> [SecretName: [String]]? {
        do {
            let storage = try VaultDatabase.openFile(at: path, mode: mode)
            defer { storage.close() }
            let vault = try WriterProcess.unlock(storage, code)
            let contents = try WriterSteps.contents(of: vault)
            // Links, earlier rows and pages of another commit do not disturb what it holds now, and are told.
            let problems = try vault.check().problems
            #expect(
                problems.allSatisfy {
                    [.fileDamaged, .linkDamaged, .linkMissing, .earlierCount]
                        .contains($0.failure)
                        || $0.bucket ?? 0 >= 256
                }, "\(problems)")
            return contents
        } catch DatabaseError.damaged, DatabaseError.foreign, VaultError.damaged,
            VaultError.storage(.damaged), VaultError.storage(.foreign), SecureStoreError.damaged
        {
            return nil
        }
    }

    /// After how many steps the vault held exactly this; nil if it never did.
    private static func state(_ contents: [SecretName: [String]]) throws -> Int? {
        // The value written last is of one of the last five steps: those after it may have removed the next item again.
        let newest = contents.values.compactMap { fields in
            fields.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }.max()
        let candidates = newest.map { $0 + 1...$0 + 5 } ?? 0...0
        return try candidates.first { try WriterSteps.model(after: $0) == contents }
    }
}

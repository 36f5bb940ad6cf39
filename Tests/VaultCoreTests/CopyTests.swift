import Foundation
import SecureStorage
import TestSupport
import Testing
import VaultStorage

@testable import VaultCore

/// What backup and synchronisation tools make, which know nothing of transactions: the vault's files, one after the other, while
/// somebody writes.
@Suite("A copy taken under writes")
struct CopyTests {
    /// `TASKVAULT_COPIES` asks for more.
    private static let copies =
        ProcessInfo.processInfo.environment["TASKVAULT_COPIES"].flatMap { Int($0) } ?? 200
    private static let copiesOfOneVault = 20

    /// Which files are copied, in which order, and in how large pieces.
    private enum Way: CaseIterable {
        case fileOnly, fileThenLog, logThenFile, inPieces

        var suffixes: [String] {
            switch self {
            case .fileOnly: [""]
            case .fileThenLog, .inPieces: ["", "-wal"]
            case .logThenFile: ["-wal", ""]
            }
        }
    }

    @Test("opens to a state that was committed, or is refused by name")
    func everyWay() throws {
        var opened: [Way: Int] = [:]
        var states: Set<Int> = []
        for round in 0..<(Self.copies / Self.copiesOfOneVault) {
            try withTemporaryFolder { folder in
                let path = folder + "/vault.db"
                let code = try WriterProcess.makeVault(at: path)
                let writer = try WriterProcess(
                    ["steps", path, "0"], code, printingTo: folder + "/log")
                defer {
                    kill(writer.process.processIdentifier, SIGKILL)
                    writer.process.waitUntilExit()
                }
                for number in 0..<Self.copiesOfOneVault {
                    let way = Way.allCases[number % Way.allCases.count]
                    let copy = "\(folder)/copy-\(number)"
                    try Self.copy(folder, to: copy, way)
                    let mode: SQLiteRecordStorage.Mode =
                        number.isMultiple(of: 3) ? .readOnly : .readWrite
                    guard let contents = try Self.contents(copy + "/vault.db", mode, code) else {
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
        // Something was to be seen in the copies, and not always the same.
        for way in Way.allCases { #expect(opened[way, default: 0] > 0, "\(way)") }
        #expect(states.count > Self.copies / 20)
    }

    private static func copy(_ folder: String, to copy: String, _ way: Way) throws {
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700]
        )
        let sources = way.suffixes.map { "\(folder)/vault.db\($0)" }
        if way == .inPieces {
            for source in sources { try copyInPieces(source, into: copy) }
        } else {
            let process = try Process.run(
                URL(filePath: "/bin/cp"), arguments: ["-p"] + sources + [copy])
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    /// As a tool that is in no hurry, page by page: the writer comes between any two of them.
    private static func copyInPieces(_ source: String, into folder: String) throws {
        let target = folder + "/" + URL(filePath: source).lastPathComponent
        let input = try FileHandle(forReadingFrom: URL(filePath: source))
        defer { try? input.close() }
        _ = FileManager.default.createFile(
            atPath: target, contents: nil, attributes: [.posixPermissions: 0o600])
        let output = try FileHandle(forWritingTo: URL(filePath: target))
        defer { try? output.close() }
        while let piece = try input.read(upToCount: 4_096), !piece.isEmpty {
            try output.write(contentsOf: piece)
            sched_yield()
        }
    }

    /// Everything in it; nil if it is refused as damaged or as no vault.
    private static func contents(
        _ path: String, _ mode: SQLiteRecordStorage.Mode, _ code: String
    ) throws -> [SecretName: [String]]? {
        do {
            let storage = try SQLiteRecordStorage.open(at: path, mode: mode)
            defer { storage.close() }
            let vault = try WriterProcess.unlock(storage, code)
            let contents = try WriterSteps.contents(of: vault)
            #expect(try vault.check().problems.isEmpty)
            return contents
        } catch StorageError.damaged, StorageError.foreign, VaultError.damaged,
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

import Foundation
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A vault file beside the log of another time or of another vault.
@Suite("A file with another's log")
struct ForeignLogTests {
    /// The answers of a pair that was asked everything.
    private enum Answer: Equatable {
        case contents([String: [UInt8]])
        case refused
    }

    @Test("gives its own state, that of the log, or none: never a mixture")
    func everyCombination() throws {
        try withTemporaryFolder { folder in
            let pairs = try Self.makePairs(in: folder)
            let own = try pairs.map { try Self.answers($0, log: $0, in: folder) }
            let bare = try pairs.map { try Self.answers($0, log: nil, in: folder) }
            #expect(!own.contains(.refused))
            #expect(own.indices.allSatisfy { own.firstIndex(of: own[$0]) == $0 }, "five states")
            var refused = 0
            for (index, pair) in pairs.enumerated() {
                for (other, log) in pairs.enumerated() where other != index {
                    let answer = try Self.answers(pair, log: log, in: folder)
                    let isPure = [own[index], bare[index], own[other], .refused].contains(answer)
                    #expect(isPure, "file \(index), log \(other)")
                    if answer == .refused { refused += 1 }
                }
            }
            // SQLite takes the log of another time for the file's own: the mixtures were there to be refused.
            #expect(refused > 0)
        }
    }

    /// Files and logs of four moments of one vault, and of another vault with the same passphrase.
    ///
    /// Each file holds a state of its own, and each log only the pages that changed after it.
    private static func makePairs(in folder: String) throws -> [String] {
        var pairs: [String] = []
        func save(_ path: String) throws {
            let pair = "\(folder)/pair-\(pairs.count)"
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: pair + suffix)
            }
            pairs.append(pair)
        }
        try withVault(folder + "/first") { path, storage, vault in
            try update(vault, 0..<6)
            try save(path)
            try update(vault, 3..<9)
            try save(path)
            // From here on the file has what the log had, and the log begins anew.
            #expect(try storage.eraseOldBytes() == true)
            try update(vault, 8..<13)
            try save(path)
            #expect(try storage.eraseOldBytes() == true)
            for index in 0..<4 { try vault.remove(TestVault.name(index)) }
            try save(path)
        }
        try withVault(folder + "/second") { path, _, vault in
            try update(vault, 0..<5)
            try save(path)
        }
        return pairs
    }

    /// Makes values of a size of which a page holds some whole rows.
    private static func update(_ vault: UnlockedVault, _ numbers: Range<Int>) throws {
        for number in numbers {
            try vault.update(
                TestVault.name(number), to: Samples.secret([UInt8](repeating: 7, count: 300)))
        }
    }

    private static func withVault(
        _ home: String, _ body: (String, VaultDatabase, UnlockedVault) throws -> Void
    ) throws {
        try VaultLocation.prepareFolder(at: home)
        let path = home + "/vault.db"
        let storage = try VaultDatabase.createFile(at: path)
        defer { storage.close() }
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        try TestVault.fill(vault, count: 120)
        try update(vault, 0..<120)
        #expect(try storage.eraseOldBytes() == true)
        try body(path, storage, vault)
    }

    /// Opens a combination twice, as closing it moves the log into the file, and asks for everything.
    private static func answers(_ file: String, log: String?, in folder: String) throws -> Answer {
        let home = folder + "/open"
        try VaultLocation.prepareFolder(at: home)
        defer { try? FileManager.default.removeItem(atPath: home) }
        let path = home + "/vault.db"
        try FileManager.default.copyItem(atPath: file, toPath: path)
        if let log { try FileManager.default.copyItem(atPath: log + "-wal", toPath: path + "-wal") }
        let first = answer(path, .readOnly)
        let second = answer(path, .readWrite)
        #expect(first == second)
        return second
    }

    private static func answer(_ path: String, _ mode: StorageMode) -> Answer {
        do {
            let storage = try VaultDatabase.openFile(at: path, mode: mode)
            defer { storage.close() }
            let vault = try TestVault.unlock(storage)
            var contents: [String: [UInt8]] = [:]
            for (item, value) in try TestVault.contents(of: vault) {
                contents["\(item.name.service) \(item.revision)"] = value
            }
            return .contents(contents)
        } catch {
            return .refused
        }
    }
}

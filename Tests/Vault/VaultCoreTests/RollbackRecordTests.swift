import Foundation
import Platform
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Rollback records in files: what a crash, damage and other users can do to them.
@Suite("Files of rollback records")
struct RollbackRecordTests {
    private let storage: VaultDatabase

    init() throws {
        storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
    }

    private func withRollbackRecords(_ body: (FileRollbackRecords, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try body(
                FileRollbackRecords(
                    folder: folder + "/a/b/rollback", place: folder + "/home/vault.db"),
                folder + "/a/b/rollback")
        }
    }

    /// The records of so many commits, one after the other.
    private func makeRecords(_ count: Int) throws -> [RollbackRecord] {
        let records = MemoryRollbackRecords()
        let vault = try TestVault.unlock(storage, TestVault.environment(rollbackRecords: records))
        return try (0..<count).map { index in
            try TestVault.fillOne(vault, index)
            return try #require(try records.read())
        }
    }

    private func file(in folder: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1)
        return try folder + "/" + #require(names.first)
    }

    @Test("keep the record that was written last, in a file of two slots")
    func written() throws {
        let commits = try makeRecords(4)
        try withRollbackRecords { records, folder in
            #expect(try records.read() == nil)
            var last: RollbackRecord?
            for commit in commits {
                #expect(try records.exchange(last, for: commit))
                #expect(try !records.exchange(last, for: commit))
                #expect(try records.exchange(commit, for: commit))
                #expect(try records.read() == commit)
                last = commit
            }
            let path = try file(in: folder)
            #expect(try TestFile.read(path).count == 1_024)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(Array(try TestFile.read(path)[8..<16]) == [3, 0, 0, 0, 0, 0, 0, 0])
            try records.sync()
            // As another process reads it.
            let others = FileRollbackRecords(
                folder: folder, place: folder + "/../../../home/vault.db")
            #expect(try others.read() == last)
            #expect(try others.readElsewhere().isEmpty)
            let elsewhere = FileRollbackRecords(folder: folder, place: "/elsewhere/vault.db")
            #expect(try elsewhere.read() == nil)
            #expect(try elsewhere.readElsewhere() == [try #require(last)])
        }
    }

    @Test("torn at any byte still hold the record before")
    func torn() throws {
        let commits = try makeRecords(4)
        try withRollbackRecords { records, folder in
            try records.replace(with: commits[0])
            try records.replace(with: commits[1])
            let path = try file(in: folder)
            var before = try TestFile.read(path)
            for commit in commits[2...] {
                try records.replace(with: commit)
                let after = try TestFile.read(path)
                let known = try #require(try? RollbackRecordFile.slot(before)).record
                let start = commit == commits[2] ? 0 : 512
                for size in 0...512 {
                    var torn = before
                    torn.replaceSubrange(
                        start..<(start + size), with: after[start..<(start + size)])
                    let found = try RollbackRecordFile.slot(torn)?.record
                    // The last bytes of a slot are zeros in both.
                    #expect(found == known || (size >= 173 && found == commit), "\(size)")
                    // The bytes may arrive from the end, too.
                    torn = after
                    torn.replaceSubrange(
                        start..<(start + size), with: before[start..<(start + size)])
                    let other = try RollbackRecordFile.slot(torn)?.record
                    #expect(other == known || other == commit, "\(size)")
                }
                before = after
            }
            // The first record of all: nothing, or damage.
            for size in 1..<512 {
                #expect(throws: FormatFailure.rollbackRecordDamaged) {
                    _ = try RollbackRecordFile.slot(Array(before[..<size]))
                }
            }
        }
    }

    @Test("that are damaged are refused, and replaced only on the owner's word")
    func damaged() throws {
        let commits = try makeRecords(2)
        try withRollbackRecords { records, folder in
            try records.replace(with: commits[0])
            let path = try file(in: folder)
            let sound = try TestFile.read(path)
            #expect(sound.count == 512)
            var contents = (0..<sound.count).map { index in
                var bytes = sound
                bytes[index] ^= 0x10
                return bytes
            }
            contents += [
                Array(sound.dropLast()), sound + sound + [0], [0],
                [UInt8](repeating: 0, count: 512), [UInt8](repeating: 0, count: 1_024),
                [UInt8](repeating: 7, count: 100_000),
            ]
            for (index, content) in contents.enumerated() {
                try TestFile.write(content, to: path)
                #expect(throws: RollbackRecordError.damaged, "\(index)") { _ = try records.read() }
                #expect(throws: RollbackRecordError.damaged) {
                    _ = try records.exchange(nil, for: commits[1])
                }
                try records.replace(with: commits[1])
                #expect(try records.read() == commits[1])
                #expect(try TestFile.read(path).count <= 1_024)
                try records.retire()
                #expect(try records.read()?.isRetired == true)
            }
            try TestFile.write([], to: path)
            #expect(try records.read() == nil)
            try TestFile.write(sound, to: path)
            #expect(try records.read() == commits[0])
        }
    }

    @Test("of earlier builds and of others are passed over")
    func earlier() throws {
        let commits = try makeRecords(1)
        try withRollbackRecords { records, folder in
            try records.replace(with: commits[0])
            try TestFile.write([1], to: folder + "/lock")
            let name = String(repeating: "a", count: 32)
            try TestFile.write(
                Array("TVMK".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 1, count: 88),
                to: folder + "/" + name)
            let elsewhere = FileRollbackRecords(folder: folder, place: "/elsewhere/vault.db")
            #expect(try elsewhere.readElsewhere() == commits)
        }
    }

    @Test("with the largest sequence are refused to writers, and renewed on the owner's word")
    func largestSequence() throws {
        let commits = try makeRecords(2)
        try withRollbackRecords { records, folder in
            try records.replace(with: commits[0])
            try TestFile.write(
                RollbackRecordFile.bytes(commits[0], sequence: .max), to: file(in: folder))
            #expect(try records.read() == commits[0])
            #expect(throws: RollbackRecordError.damaged) {
                _ = try records.exchange(commits[0], for: commits[1])
            }
            try records.replace(with: commits[1])
            #expect(try records.read() == commits[1])
        }
    }

    @Test("that are removed under a session are written again")
    func removed() throws {
        try withRollbackRecords { records, folder in
            let environment = TestVault.environment(rollbackRecords: records)
            let vault = try TestVault.unlock(storage, environment)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                unsafe unlink(folder + "/" + name)
            }
            #expect(try vault.list().isEmpty)
            #expect(try records.read()?.counter == 1)
            try FileManager.default.removeItem(atPath: folder)
            try TestVault.fillOne(vault, 1)
            #expect(try records.read()?.counter == 2)
        }
    }

    @Test("in a folder that another user can change are refused")
    func unsafeFolder() throws {
        let commits = try makeRecords(1)
        try withRollbackRecords { records, folder in
            try records.replace(with: commits[0])
            unsafe chmod(folder, 0o777)
            let others = FileRollbackRecords(folder: folder, place: "/elsewhere/vault.db")
            #expect(throws: RollbackRecordError.self) { _ = try others.read() }
            #expect(throws: VaultError.self) {
                _ = try TestVault.unlock(storage, TestVault.environment(rollbackRecords: others))
            }
            unsafe chmod(folder, 0o700)
        }
    }

    @Test("in a place that is no folder stop nothing, and are told")
    func noFolder() throws {
        try withTemporaryFolder { folder in
            try Data("in the way".utf8).write(to: URL(filePath: folder + "/rollback"))
            let environment = TestVault.environment(
                rollbackRecords: FileRollbackRecords(
                    folder: folder + "/rollback/here", place: folder + "/vault.db"))
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 1)
            #expect(vault.lock() != nil)
        }
    }

    @Test("are written by one process at a time")
    func exclusive() async throws {
        try await withTemporaryFolder { folder in
            let first = try #require(try makeRecords(1).first)
            let rounds = 200
            await onThreads(4) { thread in
                // Each has a description of its own, as a process has.
                let records = FileRollbackRecords(folder: folder + "/rollback", place: "/vault.db")
                var done = 0
                while done < rounds {
                    guard let known = try? records.read() else {
                        _ = try? records.exchange(nil, for: first)
                        continue
                    }
                    if (try? records.exchange(known, for: known.counted())) == true { done += 1 }
                }
            }
            let records = FileRollbackRecords(folder: folder + "/rollback", place: "/vault.db")
            #expect(try records.read()?.counter == first.counter + UInt64(4 * rounds))
        }
    }
}

extension RollbackRecord {
    /// The record of a made-up next commit.
    fileprivate func counted() -> RollbackRecord {
        RollbackRecord(
            vaultID: vaultID, lineage: lineage, keyEpoch: keyEpoch, counter: counter + 1,
            history: history, digest: digest, backupPublicKey: backupPublicKey)
    }
}

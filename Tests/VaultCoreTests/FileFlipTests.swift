import Foundation
import TestSupport
import Testing
import VaultStorage

@testable import VaultCore

/// Each bit of a vault file, flipped: refused, or without effect; never a wrong or a missing item, never a crash.
@Suite("A flipped bit in the file")
struct FileFlipTests {
    /// Every bit with `TASKVAULT_EXHAUSTIVE=1`, as CI runs it; otherwise the bits of bytes in use, and some of the others.
    private static let isExhaustive =
        ProcessInfo.processInfo.environment["TASKVAULT_EXHAUSTIVE"] == "1"

    private static let workers = 2

    @Test("is refused or has no effect", arguments: 0..<workers)
    func everyBit(worker: Int) throws {
        let found = try Self.flip(worker: worker, of: Self.workers)
        #expect(found[.refused, default: 0] > 1_000, "the flips must reach the vault")
        #expect(found[.unchanged, default: 0] > 100)
        for (answer, count) in found {
            if case .wrong(let how) = answer { Issue.record("\(how), \(count) times") }
        }
    }

    private static func flip(
        worker: Int, of workers: Int
    ) throws -> [VaultUnderAttack.Answer: Int] {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try SQLiteRecordStorage.create(at: path)
            let vault = try VaultUnderAttack(filling: storage)
            storage.close()
            let original = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let handle = try FileHandle(forUpdating: URL(filePath: path))
            defer { try? handle.close() }
            var counts: [VaultUnderAttack.Answer: Int] = [:]
            for offset in original.indices where offset % workers == worker {
                for bit in bits(at: offset, of: original) {
                    try handle.seek(toOffset: UInt64(offset))
                    try handle.write(contentsOf: [original[offset] ^ (1 << bit)])
                    counts[answer(vault, path), default: 0] += 1
                    try restore(original, at: path, handle, offset)
                }
            }
            return counts
        }
    }

    private static func bits(at offset: Int, of file: [UInt8]) -> [UInt8] {
        if isExhaustive { return Array(0..<8) }
        if file[offset] != 0 { return [UInt8(offset % 8)] }
        return offset.isMultiple(of: 61) ? [UInt8(offset / 61 % 8)] : []
    }

    private static func answer(_ vault: VaultUnderAttack, _ path: String) -> VaultUnderAttack.Answer
    {
        guard let storage = try? SQLiteRecordStorage.open(at: path, mode: .readOnly) else {
            return .refused
        }
        defer { storage.close() }
        return vault.answer(storage)
    }

    /// Puts the flipped byte back, and the whole file if SQLite touched anything else.
    private static func restore(
        _ original: [UInt8], at path: String, _ handle: FileHandle, _ offset: Int
    ) throws {
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: [original[offset]])
        for suffix in ["-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        try handle.seek(toOffset: 0)
        if try handle.readToEnd() != Data(original) {
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: original)
            try handle.truncate(atOffset: UInt64(original.count))
        }
    }
}

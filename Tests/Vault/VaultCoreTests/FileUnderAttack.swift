import Platform
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A vault file with known contents, perhaps with a log beside it, which is damaged, asked for everything, and mended, again and again.
struct FileUnderAttack {
    /// The file, and the log beside it or nothing.
    let file: [UInt8]
    let log: [UInt8]
    let vault: VaultUnderAttack
    /// The newest state, as a machine remembers it that saw the vault before.
    let records = MemoryRollbackRecords()

    /// Makes a vault.
    ///
    /// - Parameters:
    ///   - items: How many small ones.
    ///   - values: Sizes of values to be saved beside them.
    ///   - hasLog: Whether what was written last lies in a log beside the file.
    /// - Throws: What the vault throws.
    init(items: Int = 4, values: [Int] = [], hasLog: Bool = false) throws {
        (file, log, vault) = try withTemporaryFolder { [records] folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            let vault = try VaultUnderAttack(filling: storage, items: items, values: values)
            try #require(try storage.eraseOldBytes() == true)
            if hasLog {
                let session = try vault.unlock(
                    storage, TestVault.environment(rollbackRecords: records))
                let before = try TestFile.read(path)
                for index in 0..<3 {
                    try session.update(TestVault.name(index), to: Samples.secret("logged \(index)"))
                }
                session.lock()
                try #require(try TestFile.read(path) == before)
            } else {
                try vault.unlock(storage, TestVault.environment(rollbackRecords: records)).lock()
            }
            let log = hasLog ? try TestFile.read(path + "-wal") : []
            return (try TestFile.read(path), log, try vault.seenAgain(storage))
        }
    }

    /// A copy on the disk.
    final class Copy {
        private let original: FileUnderAttack
        private let path: String
        private let isBelieving: Bool
        private let descriptor: Int32
        private var buffer: [UInt8]

        /// Writes the copy into a folder. One that believes is asked as by a reader without whole-vault integrity, for control.
        init(of original: FileUnderAttack, in folder: String, isBelieving: Bool = false) throws {
            self.original = original
            path = folder + "/vault.db"
            self.isBelieving = isBelieving
            try TestFile.write(original.file, to: path)
            descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
            // One more, to see whether the file became longer.
            buffer = [UInt8](repeating: 0, count: original.file.count + 1)
        }

        deinit { close(descriptor) }

        /// Asks everything of the file and log with these bytes, and puts back what they were.
        func answer(file: [UInt8]? = nil, log: [UInt8]? = nil) throws -> VaultUnderAttack.Answer {
            if let file { try put(file) }
            let log = log ?? original.log
            if !log.isEmpty { try TestFile.write(log, to: path + "-wal") }
            let answer = ask()
            for suffix in ["-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
            // Also if somebody has written who should only have read.
            if try !isOriginal() { try put(original.file) }
            return answer
        }

        /// Over what is there: a file that is emptied first would have to reach the disk each time.
        private func put(_ bytes: [UInt8]) throws {
            guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
                ftruncate(descriptor, off_t(bytes.count)) == 0
            else { throw TestFile.Failure(code: errno) }
        }

        private func isOriginal() throws -> Bool {
            let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw TestFile.Failure(code: errno) }
            return unsafe count == original.file.count && memcmp(buffer, original.file, count) == 0
        }

        private func ask() -> VaultUnderAttack.Answer {
            guard let storage = try? VaultDatabase.openFile(at: path, mode: .readOnly) else {
                return .refused
            }
            defer { storage.close() }
            return isBelieving
                ? original.vault.answerWithoutIntegrity(storage)
                : original.vault.answer(
                    storage, TestVault.environment(rollbackRecords: original.records))
        }
    }

    /// Tries each of some attacks, one after the other: guarded memory makes two threads of a process wait for each other.
    ///
    /// - Returns: How often each answer was given.
    func answers(
        _ count: Int, isBelieving: Bool = false,
        _ attack: (Int, Copy) throws -> VaultUnderAttack.Answer
    ) throws -> [VaultUnderAttack.Answer: Int] {
        try withTemporaryFolder { folder in
            let copy = try Copy(of: self, in: folder, isBelieving: isBelieving)
            var counts: [VaultUnderAttack.Answer: Int] = [:]
            for number in 0..<count { counts[try attack(number, copy), default: 0] += 1 }
            return counts
        }
    }

    /// Expects no wrong answer, and reports.
    static func expectNoneSilent(_ answers: [VaultUnderAttack.Answer: Int], as name: String) {
        var silent = 0
        for case (.wrong(let how), let count) in answers {
            silent += count
            Issue.record("\(how), \(count) times")
        }
        let refused = answers[.refused, default: 0]
        let identical = answers[.unchanged, default: 0]
        Attack.report([
            name: refused + identical + silent, "refused": refused, "identical": identical,
            "silent": silent,
        ])
    }
}

import Sealing
import SecretMemory
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Each bit of a vault file, flipped: refused, or without effect; never a wrong or a missing item, never a crash.
@Suite("A flipped bit", .serialized)
struct FileFlipTests {
    /// `TASKVAULT_FLIPS` asks for more; every bit, if there are no more than that.
    private static let flips = Attack.amount("TASKVAULT_FLIPS", ordinary: 80)
    private static let logFlips = Attack.amount("TASKVAULT_LOG_FLIPS", ordinary: 40)

    @Test("in the file is refused or has no effect")
    func file() throws {
        // 16 pages, so that there are 524,288 bits.
        let attacked = try FileUnderAttack(values: [8_000, 8_000, 8_000, 12_000, 8_000])
        #expect(attacked.file.count >= 1 << 16)
        let bits = Attack.sample(Self.flips, of: attacked.file.count * 8)
        let found = try attacked.answers(bits.count) { number, copy in
            try copy.answer(file: Self.flipping(bits[number], of: attacked.file))
        }
        #expect(found[.refused, default: 0] > bits.count / 4, "the flips must reach the vault")
        #expect(found[.unchanged, default: 0] > bits.count / 50)
        FileUnderAttack.expectNoneSilent(found, as: "bits")
    }

    @Test("in the log is refused or has no effect, if the machine has seen the vault before")
    func log() throws {
        let attacked = try FileUnderAttack(hasLog: true)
        #expect(attacked.log.count > 4_096)
        let bits = Attack.sample(Self.logFlips, of: attacked.log.count * 8)
        let found = try attacked.answers(bits.count) { number, copy in
            try copy.answer(log: Self.flipping(bits[number], of: attacked.log))
        }
        #expect(found[.refused, default: 0] > bits.count / 4, "the flips must reach the vault")
        FileUnderAttack.expectNoneSilent(found, as: "log-bits")
    }

    @Test("in the content of a file is refused or has no effect")
    func contents() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            let code = try Samples.bytes(TestVault.create(in: storage).text())
            let vault = try TestVault.unlock(storage)
            let contents = [
                "a": TestFiles.content(1, size: 150_000), "b": TestFiles.content(2, size: 10),
            ]
            for (name, content) in contents { try TestFiles.add(content, as: name, to: vault) }
            try #require(try storage.eraseOldBytes() == true)
            let file = try TestFile.read(path)
            let copy = folder + "/copy.db"
            var found: [String: Int] = [:]
            for bit in Attack.sample(Self.flips, of: file.count * 8) {
                try TestFile.write(Self.flipping(bit, of: file), to: copy)
                found[Self.read(copy, code, contents), default: 0] += 1
            }
            #expect(found["wrong", default: 0] == 0)
            // Three of four bits are those of chunks.
            #expect(found["refused", default: 0] > Self.flips / 2)
            #expect(found["unchanged", default: 0] > 0)
            Attack.report([
                "file-bits": found.values.reduce(0, +), "refused": found["refused", default: 0],
                "silent": found["wrong", default: 0],
            ])
        }
    }

    /// Reads all files of a vault file.
    private static func read(
        _ path: String, _ code: [UInt8], _ contents: [String: [UInt8]]
    ) -> String {
        do {
            let storage = try VaultDatabase.openFile(at: path, mode: .readOnly)
            defer { storage.close() }
            let secret = VaultSecret.recoveryCode(
                try RecoveryCode(typed: Samples.secret(code)))
            let vault = try LockedVault(storage, TestVault.environment()).unlock(with: secret)
            var isRefused = false
            guard try Set(VaultFiles(vault).list().map(\.name)) == Set(contents.keys) else {
                return "wrong"
            }
            for (name, content) in contents {
                do {
                    let id = try VaultFiles(vault).file(named: name).id
                    if try TestFiles.content(of: id, in: vault) != content { return "wrong" }
                } catch {
                    isRefused = true
                }
            }
            return isRefused ? "refused" : "unchanged"
        } catch {
            return "refused"
        }
    }

    /// The control: where each row is believed that opens, rows go missing without a word.
    @Test("would lose items silently without whole-vault integrity")
    func control() throws {
        // Seven rows in a page: each bit of their number hides some.
        let attacked = try FileUnderAttack(items: 7)
        // The heads of the pages, where SQLite says which rows there are.
        let bits = (0..<attacked.file.count * 8).filter { $0 / 8 % 4_096 < 24 }
        for isBelieving in [true, false] {
            let found = try attacked.answers(bits.count, isBelieving: isBelieving) {
                number, copy in
                try copy.answer(file: Self.flipping(bits[number], of: attacked.file))
            }
            let silent = found.reduce(0) {
                if case .wrong = $1.key { $0 + $1.value } else { $0 }
            }
            #expect(isBelieving == (silent > 0))
            if isBelieving {
                Attack.report(
                    control:
                        "without whole-vault integrity \(silent) of \(bits.count) flips lost an item silently"
                )
            }
        }
    }

    private static func flipping(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        return changed
    }
}

import Testing
import TestSupport
@testable import VaultCore

/// Each bit of a vault file, flipped: refused, or without effect; never a wrong or a missing item, never a crash.
@Suite("A flipped bit", .serialized)
struct FileFlipTests {
    /// `TASKVAULT_FLIPS` asks for more; every bit, if there are no more than that.
    private static let flips = Attack.amount("TASKVAULT_FLIPS", ordinary: 200)
    private static let logFlips = Attack.amount("TASKVAULT_LOG_FLIPS", ordinary: 100)

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

import Testing
import TestSupport
@testable import VaultCore

/// Bytes set, blocks zeroed, exchanged or repeated, the end cut off or something added: refused, or without effect.
@Suite("Damage", .serialized)
struct FileDamageTests {
    /// `TASKVAULT_DAMAGES` asks for more of each kind; all, if there are no more than that.
    private static let damages = Attack.amount("TASKVAULT_DAMAGES", ordinary: 16)
    /// `TASKVAULT_LENGTHS` asks for more lengths; every one, if there are no more than that.
    private static let lengths = Attack.amount("TASKVAULT_LENGTHS", ordinary: damages)

    /// The damage to a place of the file.
    private enum Damage: CaseIterable {
        case zero, ones, random
        case blockZeroed, blockExchanged, blockRepeated
        case pageZeroed, pageExchanged, pageRepeated
        case cut

        /// How many places there are in so many bytes.
        func places(in size: Int) -> Int {
            switch self {
            case .zero, .ones, .random, .cut: size
            case .blockZeroed, .blockExchanged, .blockRepeated: size / 16
            case .pageZeroed: size / 4_096
            case .pageExchanged, .pageRepeated: (size / 4_096) * (size / 4_096)
            }
        }

        /// The file afterwards.
        func apply(at place: Int, to bytes: [UInt8]) -> [UInt8] {
            var changed = bytes
            var random = SeededGenerator(seed: UInt64(place) ^ Attack.round << 32)
            let block = 16
            let page = 4_096
            func copy(_ source: Int, to target: Int, _ size: Int) {
                let end = min(target + size, bytes.count)
                let piece = bytes[source..<min(source + end - target, bytes.count)]
                changed.replaceSubrange(target..<(target + piece.count), with: piece)
            }
            func zero(_ start: Int, _ size: Int) {
                for offset in start..<min(start + size, bytes.count) { changed[offset] = 0 }
            }
            switch self {
            case .zero: changed[place] = 0
            case .ones: changed[place] = 0xFF
            case .random: changed[place] = UInt8(truncatingIfNeeded: random.next())
            case .blockZeroed: zero(place * block, block)
            case .blockExchanged:
                let other = Int(random.next() % UInt64(bytes.count / block)) * block
                copy(place * block, to: other, block)
                copy(other, to: place * block, block)
            case .blockRepeated: copy(place * block, to: (place + 1) * block, block)
            case .pageZeroed: zero(place * page, page)
            case .pageExchanged, .pageRepeated:
                let pages = bytes.count / page
                let (first, second) = (place / pages * page, place % pages * page)
                copy(first, to: second, page)
                if self == .pageExchanged { copy(second, to: first, page) }
            case .cut: changed.removeSubrange(place...)
            }
            return changed
        }
    }

    @Test("to the file is refused or has no effect")
    func file() throws {
        let attacked = try FileUnderAttack(values: [2_000])
        let attacks = Self.attacks(on: attacked.file)
        let found = try attacked.answers(attacks.count) { number, copy in
            try copy.answer(
                file: attacks[number].damage.apply(at: attacks[number].place, to: attacked.file))
        }
        #expect(found[.refused, default: 0] > attacks.count / 10)
        FileUnderAttack.expectNoneSilent(found, as: "damages")
        Self.reportCuts(attacks)
    }

    @Test("to the log is refused or has no effect, if the machine has seen the vault before")
    func log() throws {
        let attacked = try FileUnderAttack(hasLog: true)
        let attacks = Self.attacks(on: attacked.log)
        let found = try attacked.answers(attacks.count) { number, copy in
            try copy.answer(
                log: attacks[number].damage.apply(at: attacks[number].place, to: attacked.log))
        }
        #expect(found[.refused, default: 0] > attacks.count / 10)
        FileUnderAttack.expectNoneSilent(found, as: "log-damages")
        Self.reportCuts(attacks)
    }

    /// The control: a page that is zeroed, exchanged or written over takes its rows along.
    @Test("would lose items silently without whole-vault integrity")
    func control() throws {
        // Enough rows for several pages of them.
        let attacked = try FileUnderAttack(items: 40)
        let attacks = Self.attacks(on: attacked.file, ofEach: max(Self.damages, 300)).filter {
            [.pageExchanged, .pageRepeated].contains($0.damage)
        }
        for isBelieving in [true, false] {
            let found = try attacked.answers(attacks.count, isBelieving: isBelieving) {
                number, copy in
                try copy.answer(
                    file: attacks[number].damage.apply(
                        at: attacks[number].place, to: attacked.file))
            }
            let silent = found.reduce(0) { if case .wrong = $1.key { $0 + $1.value } else { $0 } }
            #expect(isBelieving == (silent > 0))
            if isBelieving {
                Attack.report(
                    control:
                        "without whole-vault integrity \(silent) of \(attacks.count) pages in the place of others lost items silently"
                )
            }
        }
    }

    @Test("that is something added at the end is refused or has no effect")
    func longer() throws {
        for hasLog in [false, true] {
            let attacked = try FileUnderAttack(hasLog: hasLog)
            let bytes = hasLog ? attacked.log : attacked.file
            var random = SeededGenerator(seed: Attack.round)
            var tails = [1, 2, 15, 16, 24, 99, 512, 4_095, 4_096, 4_097, 4_120, 8_192, 65_536]
                .flatMap { size in
                    [[UInt8](repeating: 0, count: size), random.bytes(count: size)]
                }
            // Pages, or a log's whole content, once more.
            tails += stride(from: 0, to: bytes.count - 4_095, by: 4_096).map {
                Array(bytes[$0..<$0 + 4_096])
            }
            tails += [bytes, Array(bytes.dropFirst(32))]
            let found = try attacked.answers(tails.count) { number, copy in
                hasLog
                    ? try copy.answer(log: bytes + tails[number])
                    : try copy.answer(file: bytes + tails[number])
            }
            FileUnderAttack.expectNoneSilent(found, as: "longer")
        }
    }

    /// All of each kind, or some.
    private static func attacks(
        on bytes: [UInt8], ofEach damages: Int = damages
    ) -> [(damage: Damage, place: Int)] {
        Damage.allCases.flatMap { damage in
            let all = damage.places(in: bytes.count)
            // An odd step does not come back to the same page of a pair each time.
            let step = max(1, all / (damage == .cut ? lengths : damages)) | 1
            return stride(from: step == 1 ? 0 : Int(Attack.round) % step, to: all, by: step)
                .map { (damage, $0) }
        }
    }

    private static func reportCuts(_ attacks: [(damage: Damage, place: Int)]) {
        Attack.report(["lengths": attacks.count { $0.damage == .cut }])
    }
}

import Foundation
@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Passphrases")
struct PassphraseTests {
    @Test(
        "are the same in every canonical form",
        arguments: [
            ("caf\u{E9}", "cafe\u{301}"), ("\u{C5}", "\u{212B}"), ("\u{C5}", "A\u{30A}"),
            ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"),
            ("\u{2126}", "\u{3A9}"), ("\u{1D15F}", "\u{1D158}\u{1D165}"),
            ("\u{1113}\u{1168}\u{B0DB}", "\u{1113}\u{1168}\u{1102}\u{1163}\u{11B2}"),
        ])
    func normalForms(first: String, second: String) throws {
        #expect(Array(first.utf8) != Array(second.utf8))
        let passphrase = try Passphrase(typed: Samples.secret(first))
        #expect(try passphrase.isEqual(to: Passphrase(typed: Samples.secret(second))))
        #expect(try passphrase.isEqual(to: passphrase.copy()))
    }

    @Test("of random text are the same in every canonical form, and end nowhere early")
    func randomText() throws {
        let texts = Attack.amount("TASKVAULT_PASSPHRASES", ordinary: 500)
        var random = SeededGenerator(seed: 0x9A55 + Attack.round)
        var (spelled, longer) = (0, 0)
        for _ in 0..<texts {
            let text = Self.text(&random)
            let spellings = text.canonicalSpellings
            let passphrase = try Passphrase(typed: Samples.secret(text))
            for spelling in spellings {
                #expect(
                    try passphrase.isEqual(to: Passphrase(typed: Samples.secret(spelling))),
                    "\(text.unicodeScalars.map(\.value))")
            }
            if Set(spellings.map { Array($0.utf8) }).count > 1 { spelled += 1 }
            for end in ["\n", "\u{0}", " ", "x"] {
                let other = try Passphrase(typed: Samples.secret(text + end))
                let isSame = passphrase.isEqual(to: other)
                #expect(!isSame, "\(text.unicodeScalars.map(\.value))")
                longer += 1
            }
        }
        // Otherwise there was nothing to normalise.
        #expect(spelled > texts / 4)
        Attack.report(["passphrases": texts, "spelled-twice": spelled, "longer": longer])
    }

    /// Characters of scripts with several spellings, marks in any order, and NUL.
    private static func text(_ random: inout SeededGenerator) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x7F, 0xC0...0x24F, 0x300...0x345, 0x390...0x3CE, 0x622...0x64F, 0x1E00...0x1EFF,
            0x1100...0x1175, 0xAC00...0xD7A3, 0x3041...0x309A, 0x1F600...0x1F64F,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 1...24, using: &random) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
            guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) else {
                continue
            }
            text.unicodeScalars.append(scalar)
        }
        return text.isEmpty ? "a" : text
    }

    @Test(
        "differ where a person would see or mean a difference",
        arguments: [
            ("fi", "\u{FB01}"), ("a", "A"), ("a", "a "), ("a", "a\n"), ("a", "a\u{0}"),
            ("1", "\u{FF11}"), ("e", "e\u{301}"), ("a", "\u{FEFF}a"),
        ])
    func differences(first: String, second: String) throws {
        let passphrase = try Passphrase(typed: Samples.secret(first))
        #expect(try !passphrase.isEqual(to: Passphrase(typed: Samples.secret(second))))
    }

    @Test(
        "tell characters that a later Unicode may normalise differently",
        arguments: [
            ("caf\u{E9} \u{1F680} \u{E000} \u{0}", true), ("abcd\u{378}", false),
            ("abcd\u{E0080}", false),
        ])
    func unassigned(text: String, isAssigned: Bool) throws {
        let passphrase = try Passphrase(typed: Samples.secret(text))
        #expect(passphrase.hasAssignedCharactersOnly == isAssigned)
    }

    @Test("keep NUL as a character like others")
    func nul() throws {
        for text in ["\u{0}", "nul\u{0}inside", "\u{0}before", "after\u{0}", "a\u{0}cafe\u{301}"] {
            let passphrase = try Passphrase(typed: Samples.secret(text))
            let expected = Array(text.replacing("e\u{301}", with: "\u{E9}").utf8)
            #expect(Self.bytes(passphrase) == expected)
        }
    }

    @Test(
        "are refused where they are not UTF-8",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0x61, 0xE9, 0x62], [0xF0, 0x9F, 0x94],
        ] as [[UInt8]])
    func encoding(bytes: [UInt8]) throws {
        #expect(throws: SealingError.passphraseEncoding) {
            _ = try Passphrase(typed: Samples.secret(bytes))
        }
        #expect(throws: SealingError.passphraseEncoding) {
            _ = try Passphrase(typed: Samples.secret(Array("before ".utf8) + bytes))
        }
    }

    @Test("have 1 to 1,024 bytes after normalisation, and 16,384 before")
    func length() throws {
        func refusal(_ bytes: [UInt8]) throws -> SealingError? {
            let typed = try Samples.secret(bytes)
            do {
                _ = try Passphrase(typed: typed)
                return nil
            } catch let error as SealingError {
                return error
            }
        }
        let letter = UInt8(ascii: "a")
        #expect(try refusal([]) == .passphraseLength)
        #expect(try refusal([letter]) == nil)
        #expect(try refusal([UInt8](repeating: letter, count: 1_024)) == nil)
        #expect(try refusal([UInt8](repeating: letter, count: 1_025)) == .passphraseLength)
        // 1,536 bytes of jamo become 512 syllables of 3 bytes; 1,020 bytes of U+0958 become 2,040.
        let jamo = Array(String(repeating: "\u{1100}\u{1161}", count: 341).utf8)
        #expect(jamo.count == 2_046)
        #expect(try refusal(jamo) == nil)
        let excluded = Array(String(repeating: "\u{958}", count: 340).utf8)
        #expect(excluded.count == 1_020)
        #expect(try refusal(excluded) == .passphraseLength)
        // What was typed is measured first: only up to 16,384 bytes does anybody look at the encoding.
        #expect(try refusal([UInt8](repeating: 0xFF, count: 16_384)) == .passphraseEncoding)
        #expect(try refusal([UInt8](repeating: 0xFF, count: 16_385)) == .passphraseLength)
    }

    @Test(
        "count Unicode scalars",
        arguments: [
            ("a", 1), ("abc", 3), ("caf\u{E9}", 4), ("cafe\u{301}", 4), ("\u{1F512}", 1),
            ("\u{1F468}\u{200D}\u{1F469}", 3), ("\u{0}\u{0}", 2), ("\u{958}", 2),
        ])
    func scalarCount(text: String, count: Int) throws {
        #expect(try Passphrase(typed: Samples.secret(text)).scalarCount == count)
    }

    private static func bytes(_ passphrase: borrowing Passphrase) -> [UInt8] {
        passphrase.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    }
}

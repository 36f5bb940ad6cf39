import SecretMemory
import TestSupport
import Testing

@testable import VaultSealing

@Suite("Passphrases")
struct PassphraseTests {
    @Test(
        "are the same in every canonical form",
        arguments: [
            ("caf\u{E9}", "cafe\u{301}"), ("\u{C5}", "\u{212B}"), ("\u{C5}", "A\u{30A}"),
            ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"),
            ("\u{2126}", "\u{3A9}"), ("\u{1D15F}", "\u{1D158}\u{1D165}"),
        ])
    func normalForms(first: String, second: String) throws {
        #expect(Array(first.utf8) != Array(second.utf8))
        let passphrase = try Passphrase(typed: Samples.secret(first))
        #expect(try passphrase.isEqual(to: Passphrase(typed: Samples.secret(second))))
        #expect(try passphrase.isEqual(to: passphrase.copy()))
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
            do throws(SealingError) {
                _ = try Passphrase(typed: typed)
                return nil
            } catch {
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

import Accounts
import Foundation
import Testing
import TestSupport

@Suite("The name of an account")
struct EmailAddressTests {
    @Test("is one, however it is spelled", arguments: AccountServiceContract.spellings)
    func spellings(spelling: String) {
        #expect(EmailAddress(spelling)?.text == "owner@example.com")
    }

    @Test(
        "is in one form",
        arguments: [
            ("JOS\u{C9}@example.com", "jos\u{E9}@example.com"),
            ("jose\u{301}@example.com", "jos\u{E9}@example.com"),
            ("a@B\u{DC}CHER.example", "a@b\u{FC}cher.example"),
            ("\u{3A3}\u{3A3}@example.com", "\u{3C3}\u{3C3}@example.com"),
            ("\u{3C2}@example.com", "\u{3C3}@example.com"),
            ("\u{1FB4}@example.com", "\u{3AC}\u{3B9}@example.com"),
            ("\u{3B1}\u{345}\u{301}@example.com", "\u{3AC}\u{3B9}@example.com"),
            ("\u{3B1}\u{301}\u{345}@example.com", "\u{3AC}\u{3B9}@example.com"),
            ("stra\u{DF}e@example.com", "strasse@example.com"),
            ("\u{FB01}x@example.com", "fix@example.com"),
            ("\u{130}x@example.com", "i\u{307}x@example.com"),
            ("\u{FF76}\u{FF9E}@example.com", "\u{30AC}@example.com"),
            ("a@\u{FF11}2.example", "a@12.example"), ("a@localhost", "a@localhost"),
            ("a@LOCALHOST.", "a@localhost"), ("a.b+c@example.com", "a.b+c@example.com"),
            ("o'neil!#$%&*/=?^_`{|}~-@example.com", "o'neil!#$%&*/=?^_`{|}~-@example.com"),
            ("\u{5D0}@example.com", "\u{5D0}@example.com"),
            (
                "a@\u{928}\u{92E}\u{938}\u{94D}\u{924}\u{947}.example",
                "a@\u{928}\u{92E}\u{938}\u{94D}\u{924}\u{947}.example"
            ),
            ("a@123.example", "a@123.example"), ("a@b.c-d", "a@b.c-d"),
        ])
    func form(typed: String, canonical: String) {
        #expect(EmailAddress(typed)?.text == canonical)
        #expect(EmailAddress(canonical)?.text == canonical)
    }

    @Test("has at most 8 combining marks in a row, because normalisation sorts them slowly")
    func marks() {
        func address(_ marks: String) -> EmailAddress? { EmailAddress("a\(marks)b@example.com") }
        #expect(address(String(repeating: "\u{323}", count: 8)) != nil)
        #expect(address(String(repeating: "\u{323}", count: 9)) == nil)
        // Each becomes two marks.
        #expect(address(String(repeating: "\u{344}", count: 4)) != nil)
        #expect(address(String(repeating: "\u{344}", count: 5)) == nil)
        let few = String(repeating: "\u{323}", count: 8)
        #expect(address(few + "c" + few) != nil)
    }

    @Test(
        "is not another person's",
        arguments: [
            ("ab@example.com", "a.b@example.com"), ("a@example.com", "a+b@example.com"),
            ("a@example.com", "\u{430}@example.com"), ("i@example.com", "\u{131}@example.com"),
            ("o@example.com", "0@example.com"), ("e@example.com", "\u{E9}@example.com"),
            ("a@example.com", "a@mail.example.com"), ("a@example.com", "a@example.org"),
            ("a@b\u{FC}cher.example", "a@xn--bcher-kva.example"),
            ("a@example.com", "a@examp1e.com"), ("a-b@example.com", "a_b@example.com"),
            ("a@gmail.com", "a@googlemail.com"),
        ])
    func differences(one: String, other: String) throws {
        let one = try #require(EmailAddress(one))
        let other = try #require(EmailAddress(other))
        #expect(one != other)
        #expect((one < other) != (other < one))
    }

    @Test(
        "is not everything",
        arguments: [
            "", " ", "@", "a", "a@", "@example.com", "a@example", "a@@example.com",
            "a@b@example.com",
            "a@.com", "a@example..com", "a@example.com..", "a@.", "a@-a.com", "a@a-.com",
            "a@exa mple.com", "a b@example.com", "a@exam_ple.com", "a@[192.0.2.1]",
            "a@[IPv6:::1]", "\"a b\"@example.com", "\"a\"@example.com", "\"a@b\"@example.com",
            "a,b@example.com", "a;b@example.com", "a:b@example.com", "<a@example.com>",
            "a\\b@example.com", "a(b)@example.com", "Owner <a@example.com>", "a\u{0}@example.com",
            "a@example.com\u{0}", "a\n@example.com", "a@example.com\nb", "a\u{7F}@example.com",
            "a\u{85}b@example.com", "a\u{AD}@example.com", "a\u{200B}@example.com",
            "a\u{200D}@example.com", "a\u{202E}@example.com", "a@\u{2066}example.com",
            "a@exa\u{200C}mple.com", "\u{FEFF}a@example.com", "a\u{34F}@example.com",
            "a\u{FE0F}@example.com", "a\u{E0061}@example.com", "a\u{115F}@example.com",
            "a\u{FFA0}@example.com", "a\u{A0}b@example.com", "a\u{E000}@example.com",
            "a\u{378}@example.com", "a\u{FFFF}@example.com", "a\u{2028}@example.com",
            "\u{301}a@example.com", "a@\u{338}example.com", "a@example.\u{301}com",
            "a@ex\u{2603}mple.com", "a@example\u{3002}com", "a\u{A8}b@example.com",
            "a@ex\u{2100}mple.com", "a@example.com/b", "a@example.com:25",
        ])
    func refusals(typed: String) {
        #expect(EmailAddress(typed) == nil)
    }

    /// Capital letters that Unicode got in versions 16 and 17.
    @Test(
        "has no letter that the folding does not know, and would know one day",
        arguments: [
            ("\u{10D50}", "\u{10D70}"), ("\u{1C89}", "\u{1C8A}"), ("\u{16EA0}", "\u{16EBB}"),
        ])
    func newLetters(capital: String, small: String) {
        let address = EmailAddress(capital + "@example.com")
        #expect(address == nil || address?.text == small + "@example.com")
    }

    @Test("has at most 254 bytes, and 1,024 as it is typed")
    func sizes() {
        let domain = "@" + String(repeating: "d", count: 60) + ".example"
        let longest = String(repeating: "a", count: 254 - domain.utf8.count)
        #expect(EmailAddress(longest + domain)?.text.utf8.count == 254)
        #expect(EmailAddress(longest + "a" + domain) == nil)
        #expect(EmailAddress(longest + domain + ".")?.text.utf8.count == 254)
        let wide = String(repeating: "\u{FF21}", count: longest.utf8.count)
        #expect(EmailAddress(wide + domain)?.text == longest + domain)
        #expect(EmailAddress("a@example.com" + String(repeating: " ", count: 1_011)) != nil)
        #expect(EmailAddress("a@example.com" + String(repeating: " ", count: 1_012)) == nil)
        #expect(EmailAddress("a@" + String(repeating: "d", count: 63) + ".com") != nil)
        #expect(EmailAddress("a@" + String(repeating: "d", count: 64) + ".com") == nil)
        // One character of three bytes that becomes 18 letters.
        #expect(EmailAddress(String(repeating: "\u{FDFA}", count: 300) + domain) == nil)
    }

    @Test("is read as it is stored only in its one form")
    func stored() {
        #expect(EmailAddress(stored: "a@example.com")?.text == "a@example.com")
        #expect(EmailAddress(stored: "jos\u{E9}@example.com") != nil)
        // Equal as strings are, and other bytes.
        for text in [
            "jose\u{301}@example.com", "A@example.com", " a@example.com", "a@example.com.",
        ] {
            #expect(EmailAddress(stored: text) == nil)
            #expect(EmailAddress(text) != nil)
        }
    }

    @Test("is read as it is stored exactly if it is in its form, by whichever way that is seen")
    func storedTexts() {
        var random = SeededGenerator()
        var counts = [0, 0]
        for _ in 0..<20_000 {
            let parts = (0..<3).map { _ in
                String((0..<(random.next() % 3 + 1)).map { _ in Self.letter(&random) })
            }
            let text = "\(parts[0])@\(parts[1]).\(parts[2])"
            let canonical = EmailAddress(text)?.text.utf8.elementsEqual(text.utf8) ?? false
            counts[canonical ? 1 : 0] += 1
            if (EmailAddress(stored: text) != nil) != canonical { Issue.record("\(text)") }
        }
        #expect(counts.allSatisfy { $0 > 2_000 }, "seed \(random.seed): \(counts)")
        for (label, isStored) in [(63, true), (64, false)] {
            for text in [
                "a@\(String(repeating: "b", count: label)).c",
                "a@c.\(String(repeating: "b", count: label))",
            ] {
                #expect((EmailAddress(stored: text) != nil) == isStored)
                #expect((EmailAddress(text) != nil) == isStored)
            }
        }
    }

    private static func letter(_ random: inout SeededGenerator) -> Character {
        "abcdefgh12345--..@_+A ".randomElement(using: &random) ?? "a"
    }

    @Test("stays as it is when it is brought into its form again: every character that folds")
    func everyCharacter() {
        var count = 0
        // Ideographs and syllables, which are many, and the empty planes only here and there.
        let dense = [UInt32](0...0x33FF) + [UInt32](0xA000...0xABFF) + [UInt32](0xF900...0x1FFFF)
        let sparse = Array(stride(from: UInt32(0x3400), through: 0x10FFFF, by: 61))
        for value in dense + sparse {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for typed in ["x\(scalar)@example.com", "x@y\(scalar).example"] {
                guard let address = EmailAddress(typed) else { continue }
                count += 1
                guard EmailAddress(stored: address.text) != address else { continue }
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
        #expect(count > 50_000)
    }

    @Test("stays as it is when it is brought into its form again, and is that of equal texts")
    func randomTexts() {
        var random = SeededGenerator()
        var count = 0
        for _ in 0..<60_000 {
            let local = Self.text(&random)
            let domain = Self.text(&random)
            let typed = "\(local)@\(domain).\(Self.text(&random))"
            guard let address = EmailAddress(typed) else { continue }
            count += 1
            guard
                EmailAddress(stored: address.text) != address
                    || typed.canonicalSpellings.contains(where: { EmailAddress($0) != address })
            else { continue }
            let scalars = typed.unicodeScalars.map { String($0.value, radix: 16) }
            Issue.record("seed \(random.seed): \(scalars)")
        }
        #expect(count > 2_000)
    }

    /// Letters of many scripts, reordered marks, and characters that fold in several steps.
    private static func text(_ random: inout SeededGenerator) -> String {
        let pieces: [ClosedRange<UInt32>] = [
            0x41...0x7A, 0xC0...0x24F, 0x300...0x345, 0x370...0x3FF, 0x400...0x52F, 0x591...0x5F4,
            0x13A0...0x13FD, 0x1100...0x11FF, 0x1E00...0x1FFF, 0x2070...0x218B, 0x2460...0x24FF,
            0x3040...0x33FF, 0xA640...0xA69F, 0xAB30...0xABBF, 0xAC00...0xAC80, 0xF900...0xFAD9,
            0xFB00...0xFB4F, 0xFB50...0xFDFF, 0xFF01...0xFFEE, 0x1D400...0x1D7FF,
            0x1E900...0x1E943,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<(random.next() % 4 + 1) {
            let range = pieces[Int(random.next() % UInt64(pieces.count))]
            guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random))
            else { continue }
            text.append(scalar)
        }
        return String(text)
    }
}

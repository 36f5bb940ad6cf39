@testable import CommandLine
import SecretMemory
import Testing

@Suite struct VisibleTextTests {
    /// Written by hand from the Unicode charts, apart from what the code asks the standard library.
    static let forbidden: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160,
        0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
        0x3164...0x3164, 0xE000...0xF8FF, 0xFDD0...0xFDEF, 0xFE00...0xFE0F, 0xFEFF...0xFEFF,
        0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x1_D173...0x1_D17A,
        0x1_FFFE...0x1_FFFF, 0xE_0000...0xE_0FFF, 0xF_0000...0x10_FFFF,
    ]

    @Test func noForbiddenScalarSurvives() {
        var isForbidden = [Bool](repeating: false, count: 0x11_0000)
        for range in Self.forbidden {
            for value in range { isForbidden[Int(value)] = true }
        }
        var survivors: [UInt32] = []
        for value in UInt32(0)...0x10_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for survivor in VisibleText.escape(String(scalar)).unicodeScalars
            where isForbidden[Int(survivor.value)] {
                survivors.append(value)
            }
        }
        #expect(survivors == [])
    }

    @Test func everyFormatCharacterIsEscaped() {
        for value in UInt32(0)...0x10_FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory == .format
            else { continue }
            let name = String(value, radix: 16, uppercase: true)
            #expect(VisibleText.escape(String(scalar)) == "\\u{\(name)}")
        }
    }

    @Test(arguments: [
        "", "plain", "back\\slash", "Grüße", "日本語", "e\u{301}", "😀", "עברית", "a\u{A0}b", "~",
    ])
    func ordinaryTextStays(text: String) {
        #expect(VisibleText.escape(text) == text)
    }

    @Test(arguments: [
        ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\nb", "a\\u{A}b"), ("a\tb", "a\\u{9}b"),
        ("\r\n", "\\u{D}\\u{A}"), ("\u{202E}cod.exe", "\\u{202E}cod.exe"), ("\u{7F}", "\\u{7F}"),
        ("a\u{200D}b", "a\\u{200D}b"),
        ("1\u{FE0F}\u{200D}👩", "1\\u{FE0F}\\u{200D}👩"), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{FE0F}"),
        ("\u{2028}", "\\u{2028}"), ("\0", "\\u{0}"),
    ])
    func dangerIsShown(text: String, shown: String) {
        #expect(VisibleText.escape(text) == shown)
    }

    /// Sequences as Unicode lists them, of each kind there is.
    static let emoji = [
        "❤\u{FE0F}", "✔\u{FE0F}", "©\u{FE0F}", "1\u{FE0F}\u{20E3}", "#\u{FE0F}\u{20E3}", "👍🏽", "🇩🇪",
        "👨\u{200D}👩\u{200D}👧\u{200D}👦", "👩🏽\u{200D}🔬", "🕵\u{FE0F}\u{200D}♂\u{FE0F}",
        "🏳\u{FE0F}\u{200D}🌈", "🏴\u{200D}☠\u{FE0F}", "❤\u{FE0F}\u{200D}🔥", "🐈\u{200D}⬛",
        "👨\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨", "👩🏻\u{200D}🤝\u{200D}👨🏿", "⛹🏽\u{200D}♀\u{FE0F}",
    ]

    @Test(arguments: emoji) func emojiStayWhole(text: String) throws {
        #expect(VisibleText.escape(text) == text)
        #expect(VisibleText.escape("a\(text)b\(text)") == "a\(text)b\(text)")
        var output = CollectedOutput()
        try VisibleText.write(
            secret: try makeSecret(Array(text.utf8)), keepingLines: false, to: &output)
        #expect(output.text == text)
    }

    @Test(arguments: [
        // The joiner where it joins nothing, or twice.
        "\u{200D}👩", "👩\u{200D}", "👩\u{200D} ", "👩\u{200D}\u{200D}👩", "👩\u{200D}a", "a\u{200D}👩",
        "1\u{200D}2", "👩\u{200D}1", "👩\u{200D}🏽", "🇩\u{200D}🇪", "👩\u{200D}\u{FE0F}",
        // The selector where it selects nothing, or twice.
        "\u{FE0F}", "a\u{FE0F}", "1\u{FE0F}", "1\u{FE0F}2", "😀\u{FE0F}", "❤\u{FE0F}\u{FE0F}",
        "é\u{FE0F}",
        "1\u{FE0F}\u{200D}👩",
        // Other invisible characters, also within emoji.
        "👩\u{200B}👩", "👩\u{200C}👩", "❤\u{FE0E}", "🏴\u{E0067}\u{E007F}", "👩\u{202E}\u{200D}👩",
    ])
    func invisibleCharactersElsewhereAreShown(text: String) throws {
        let shown = VisibleText.escape(text)
        #expect(shown != text)
        var output = CollectedOutput()
        try VisibleText.write(
            secret: try makeSecret(Array(text.utf8)), keepingLines: false, to: &output)
        #expect(output.text == shown)
    }

    @Test func bytesThatAreNoTextEndAnEmoji() throws {
        let bytes = Array("❤".utf8) + [0xFF] + Array("\u{FE0F}".utf8)
        let shown = unsafe VisibleText.escape(bytes: bytes.span.bytes)
        #expect(shown == "❤\\xFF\\u{FE0F}")
        var output = CollectedOutput()
        try VisibleText.write(secret: try makeSecret(bytes), keepingLines: false, to: &output)
        #expect(output.text == shown)
    }

    @Test func linesAndTabsStayWhereTheyAreAllowed() {
        #expect(
            VisibleText.escape("a\n\tb\r\u{1B}", keepingLines: true) == "a\n\tb\\u{D}\\u{1B}")
    }

    @Test(
        arguments: [
            ([0x61, 0x9F, 0x62], "a\\x9Fb"), ([0xC3], "\\xC3"), ([0xC0, 0x80], "\\xC0\\x80"),
            ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0xF5, 0x80], "\\xF5\\x80"),
            ([0xE2, 0x82], "\\xE2\\x82"), ([0xE2, 0x82, 0xAC], "€"),
            ([0xF4, 0x90, 0x80, 0x80], nil),
            ([0xE0, 0x80, 0xAF], "\\xE0\\x80\\xAF"), ([0xE2, 0x28], "\\xE2("), ([0x00], "\\u{0}"),
            ([0xF0, 0x9F, 0x98, 0x80], "😀"), ([], ""),
        ] as [([UInt8], String?)])
    func bytesThatAreNoTextAreShown(bytes: [UInt8], shown: String?) {
        let expected = shown ?? "\\xF4\\x90\\x80\\x80"
        let result = unsafe VisibleText.escape(bytes: bytes.span.bytes)
        #expect(result == expected)
    }

    @Test func everyScalarIsDecodedAsTheStandardLibraryEncodesIt() {
        let scalars = (UInt32(0)...0x10_FFFF).compactMap { Unicode.Scalar($0) }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        var decoded: [Unicode.Scalar] = []
        let bytes = unsafe text.utf8Span.span.bytes
        var offset = 0
        while offset < bytes.byteCount {
            let (piece, size) = VisibleText.piece(of: bytes, at: offset)
            if case .scalar(let scalar) = piece { decoded.append(scalar) }
            offset += size
        }
        #expect(decoded == scalars)
    }

    @Test(arguments: [0, 1, 4_085, 4_086, 4_087, 4_096, 4_097, 10_000])
    func aSecretIsShownLikeTextAndStaysInGuardedMemory(size: Int) throws {
        let pattern: [UInt8] = [0x61, 0x1B, 0xE2, 0x82, 0xAC, 0xFF, 0x0A]
        let value = (0..<size).map { pattern[$0 % pattern.count] }
        let secret = try makeSecret(value)
        var output = CollectedOutput()
        try VisibleText.write(secret: secret, keepingLines: true, to: &output)
        let shown = unsafe VisibleText.escape(bytes: value.span.bytes, keepingLines: true)
        #expect(output.text == shown)
        #expect(output.secret == output.all)
    }
}

import SecretMemory
@testable import Secrets
import Testing

@Suite("Strength of passphrases")
struct PassphraseStrengthTests {
    @Test(
        "Estimates are in the expected range",
        arguments: [
            ("", 0...0), ("a", 2...7), ("password", 0...2), ("Password", 1...3),
            ("p4ssw0rd", 1...3),
            ("P@$$w0rd", 2...4), ("123456", 0...3), ("qwerty", 0...4), ("letmein", 2...6),
            ("aaaa", 5...12),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 5...12),
            ("abcabcabcabc", 5...20), ("abcd", 5...11), ("qwertyuiop", 1...6),
            ("lkjhgfdsa", 5...12),
            ("zyxwvut", 5...12), ("23456789", 0...10), ("passwordpassword", 2...8),
            ("1990", 5...8), ("03101990", 14...20), ("1990-10-03", 14...22), ("3.10.1990", 14...22),
            ("dragon1990", 8...16), ("Elephant", 12...14), ("elephant12", 16...23),
            ("3l3ph4nt", 12...14), ("elephant-harbor", 24...26), ("elephantharbor", 24...26),
            ("correct horse battery staple", 30...60), ("correcthorsebatterystaple", 1...10),
            ("elephant-harbor-lantern-mosquito-velvet-zebra", 70...76),
            ("xq7#Lm2%Vb9!Rt4&Kw8_", 100...135), ("jxqzvkwpbn", 35...48), ("7391", 8...14),
            ("žluťoučký kůň", 40...100), ("日本語", 25...40), ("日日日日日日", 10...18),
        ] as [(String, ClosedRange<Double>)])
    func table(passphrase: String, expected: ClosedRange<Double>) {
        let bits = Self.bits(passphrase)
        #expect(expected.contains(bits), "\(bits)")
    }

    @Test("Appended random characters and words add up")
    func monotonic() {
        var random = SeededGenerator(seed: 5)
        var passphrase = ""
        var previous = 0.0
        for _ in 0..<40 {
            let drawn = PasswordAlphabet.characters.randomElement(using: &random) ?? 0
            passphrase.unicodeScalars.append(Unicode.Scalar(drawn))
            let bits = Self.bits(passphrase)
            #expect(bits >= previous - 0.001, "\(passphrase)")
            previous = bits
        }
        #expect(previous > 200)
    }

    @Test("Generated secrets are not overestimated")
    func generated() throws {
        // Seeded, because one random password in 10,000 has enough words and rows to fall below any useful limit.
        let generator = SecretGenerator(random: LockedGenerator.source(seed: 11))
        for _ in 0..<50 {
            for recipe in [SecretRecipe.password(), .words()] {
                let secret = try generator.make(recipe)
                let bits = secret.withBytes { PassphraseStrength(of: $0) }.bits
                #expect(bits < recipe.entropyBits + 12 && bits > recipe.entropyBits - 30)
            }
        }
    }

    @Test("Long and hostile input is fast and gives a finite number")
    func hostile() {
        for byte in UInt8.min...UInt8.max {
            #expect(Self.bits([byte]).isFinite)
            #expect(Self.bits([byte, byte, 0xE2, 0x82]).isFinite)
        }
        var random = SeededGenerator(seed: 6)
        let long = (0..<1_024).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(Self.bits(long) > 3_000)
        #expect(Self.bits([UInt8](repeating: 0x61, count: 1_024)) < 12)
    }

    @Test("Patterns fit into the window of the scan")
    func window() {
        #expect(CommonPasswords.entries.allSatisfy { (1..<32).contains($0.count) })
        #expect(CommonPasswords.entries.count > 200)
        #expect(CommonPasswords.everydayWords == CommonPasswords.everydayWords.sorted())
        #expect(CommonPasswords.everydayWords.count > 600)
        #expect(
            !CommonPasswords.everydayWords.contains(where: PassphraseWords.words.containsSorted))
    }

    @Test(
        "The sentence gives the time",
        arguments: [
            (0, 1, "less than a second on one machine with 1 guess a second"),
            (2, 2, "about 1 second on one machine with 2 guesses a second"),
            (11, 10, "about 2 minutes on one machine with 10 guesses a second"),
            (13, 1, "about 1 hour on one machine with 1 guess a second"),
            (22.3, 10, "about 3 days on one machine with 10 guesses a second"),
            (24, 2, "about 2 months on one machine with 2 guesses a second"),
            (30, 2, "about 9 years on one machine with 2 guesses a second"),
            (40, 1, "about 17 thousand years on one machine with 1 guess a second"),
            (50, 1, "about 18 million years on one machine with 1 guess a second"),
            (58, 1, "about 5 billion years on one machine with 1 guess a second"),
            (
                72, 10,
                "more than 10 billion years on one machine with 10 guesses a second"
            ),
            (
                5_000, 10,
                "more than 10 billion years on one machine with 10 guesses a second"
            ),
            (3, 0.25, "about 16 seconds on one machine with 0.25 guesses a second"),
        ] as [(Double, Double, String)])
    func sentence(bits: Double, rate: Double, expected: String) {
        let sentence = PassphraseStrength(bits: bits).sentence(guessesPerSecond: rate)
        #expect(sentence == "guessing it takes " + expected)
    }

    private static func bits(_ text: String) -> Double { bits(Array(text.utf8)) }

    private static func bits(_ bytes: [UInt8]) -> Double {
        PassphraseStrength(of: unsafe bytes.span.bytes).bits
    }
}

import Sealing
import SecretMemory
@testable import Secrets
import Testing
import TestSupport

@Suite("Strength of passphrases")
struct PassphraseStrengthTests {
    @Test(
        "No common choice is strong",
        arguments: [
            ("to be or not to be", .weak), ("To be, or not to be", .weak),
            ("2b0rn0t2b", .fair), ("T0 b3 0r n0t t0 b3!", .weak), ("tobeornottobe", .weak),
            ("correct horse battery staple", .weak), ("CorrectHorseBatteryStaple1", .weak),
            ("correct-horse-battery-staple-2024", .fair), ("Tr0ub4dor&3", .fair),
            ("Sommer2024!", .weak), ("31415926535897932384", .fair),
            ("1qaz2wsx3edc4rfv", .fair), ("password", .weak), ("P@$$w0rd", .weak),
            ("abcd", .weak), ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", .weak),
            ("пароль", .fair), ("日日日日日日", .weak),
            ("xq7#Lm2%Vb9!Rt4&Kw8_", .strong), ("four words rarely mixed", .strong),
            ("elephant-harbor-lantern-mosquito-velvet-zebra", .strong),
        ] as [(String, PassphraseStrength.Level)])
    func level(passphrase: String, expected: PassphraseStrength.Level) throws {
        let strength = try Self.strength(passphrase)
        #expect(strength.level == expected, "\(strength)")
    }

    @Test("The upper bound is said, and that it is rough without libzxcvbn")
    func description() throws {
        #expect(try "\(Self.strength("to be or not to be"))" == "weak (at most 10^3 guesses)")
        #expect(try "\(Self.strength("abcd"))" == "weak (at most 10^1 guesses)")
        #expect(
            try "\(Self.strength("1qaz2wsx3edc4rfv"))" == "fair (at most 10^10 guesses)")
        let rough = ", by its length only: libzxcvbn is not installed)"
        for (passphrase, expected) in [
            ("to be or not to be", "weak (at most 10^3 guesses" + rough),
            ("Sommer2024!", "weak (at most 10^7 guesses" + rough),
            ("four words rarely mixed", "fair (at most 10^12 guesses" + rough),
            (String(repeating: "ab", count: 30), "strong (at most 10^23 guesses" + rough),
        ] {
            #expect(try "\(Self.strength(passphrase, by: nil))" == expected)
        }
    }

    @Test("The library is loaded where it is installed, and nothing else is taken for it")
    func library() {
        #expect(ZxcvbnLibrary.shared != nil)
        #expect(ZxcvbnLibrary(name: "libnothing.so.0") == nil)
        #expect(ZxcvbnLibrary(name: "libsqlite3.so.0") == nil)
    }

    @Test("Generated secrets are strong")
    func generated() throws {
        let generator = SecretGenerator(random: LockedGenerator.source(seed: 11))
        for _ in 0..<50 {
            for recipe in [SecretRecipe.password(), .words()] {
                let secret = try generator.make(recipe)
                let strength = try secret.withBytes { try PassphraseStrength(of: $0) }
                #expect(strength.level == .strong)
            }
        }
    }

    @Test("Long and hostile input is fast and gives a finite number")
    func hostile() throws {
        #expect(try Self.strength([]).level == .weak)
        for byte in UInt8.min...UInt8.max {
            #expect(try Self.strength([byte]).level == .weak)
            #expect(try Self.strength([byte, byte, 0xE2, 0x82]).exponent.isFinite)
        }
        var random = SeededGenerator(seed: 6)
        let long = (0..<1_024).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(try Self.strength(long).level == .strong)
        // NUL ends a text in C.
        #expect(try Self.strength("\0xq7#Lm2%Vb9!Rt4&Kw8_").level == .strong)
    }

    #if os(Linux)
        @Test("libzxcvbn keeps no copy of the passphrase", .endsProcess)
        func memory() async throws {
            await #expect(processExitsWith: .success) {
                let secret = try SecretGenerator().make(.password(length: 40))
                var reversed = try SecretBytes(count: 40)
                secret.withBytes { bytes in
                    reversed.withMutableBytes { target in
                        for index in 0..<40 {
                            target.storeBytes(
                                of: unsafe bytes.unsafeLoad(
                                    fromByteOffset: 39 - index, as: UInt8.self),
                                toByteOffset: index, as: UInt8.self)
                        }
                    }
                }
                let scan = try #require(MemoryScan())
                scan.add(MaskedSecret("forwards", secret))
                scan.add(MaskedSecret("backwards", reversed))
                let before = try #require(try scan.run())
                _ = try secret.withBytes { try PassphraseStrength(of: $0) }
                let after = try #require(try scan.run())
                for name in ["forwards", "backwards"] {
                    #expect(before[name]?.copies == 1)
                    #expect(after[name]?.copies == 1)
                }
            }
        }
    #endif

    private static func strength(
        _ text: String, by library: ZxcvbnLibrary? = .shared
    ) throws -> PassphraseStrength {
        try strength(Array(text.utf8), by: library)
    }

    private static func strength(
        _ bytes: [UInt8], by library: ZxcvbnLibrary? = .shared
    ) throws -> PassphraseStrength {
        try PassphraseStrength(of: unsafe bytes.span.bytes, by: library)
    }
}

import Platform
import SecretMemory
@testable import Secrets
import Testing
import TestSupport

@Suite("Generated secrets")
struct SecretGeneratorTests {
    @Test(
        "The word list: 4,096 distinct sorted words of 3 to 8 letters, none the beginning of another"
    )
    func wordList() {
        let words = PassphraseWords.text.description.split(whereSeparator: \.isWhitespace).map {
            Array($0.utf8)
        }
        #expect(words.count == 4_096)
        #expect(Set(words).count == 4_096)
        #expect(PassphraseWords.words.count == 4_096)
        for word in words {
            #expect((3...8).contains(word.count) && word.allSatisfy { (0x61...0x7A).contains($0) })
        }
        for (word, next) in zip(words, words.dropFirst()) {
            #expect(word.lexicographicallyPrecedes(next) && !next.starts(with: word))
        }
        #expect(
            zip(PassphraseWords.words, words).allSatisfy { packed, word in
                PackedWord(word) == packed
            })
    }

    @Test("The alphabet: 64 distinct characters that are not easily confused")
    func alphabet() {
        #expect(PasswordAlphabet.characters.count == 64)
        #expect(Set(PasswordAlphabet.characters).count == 64)
        #expect(
            !PasswordAlphabet.characters.contains { Array("Il1Oo0|`'\"\\ =+-@,".utf8).contains($0) }
        )
    }

    @Test(
        "Passwords have their length and, from four characters on, every class",
        arguments: [1, 3, 4, 5, 20, 1_024])
    func passwords(length: Int) throws {
        for _ in 0..<20 {
            let password = bytes(of: try SecretGenerator().make(.password(length: length)))
            #expect(password.count == length)
            #expect(password.allSatisfy(PasswordAlphabet.characters.contains))
            for members in PasswordAlphabet.classes where length >= 4 {
                #expect(password.contains(where: members.contains))
            }
        }
    }

    @Test("Passwords are evenly distributed, by position and by class")
    func evenPasswords() throws {
        let generator = SecretGenerator(random: LockedGenerator.source(seed: 42))
        var counts = [UInt8: Int]()
        var firstLetters = [UInt8: Int]()
        let rounds = 20_000
        for _ in 0..<rounds {
            let password = bytes(of: try generator.make(.password(length: 5)))
            for character in password { counts[character, default: 0] += 1 }
            firstLetters[password[0], default: 0] += 1
        }
        // By counting: of the accepted passwords one class has two members, weighted by its size: small letters have
        // (1 + 24/64) of five characters, and so on.
        for members in PasswordAlphabet.classes {
            let share = (1 + Double(members.count) / 64) / Double(members.count)
            for member in members {
                let expected = Double(rounds) * share
                #expect(abs(Double(counts[member] ?? 0) - expected) < 6 * expected.squareRoot())
                let first = Double(firstLetters[member] ?? 0) * 5
                #expect(abs(first - expected) < 6 * (5 * expected).squareRoot())
            }
        }
    }

    @Test("Without symbols there are letters and digits; a PIN has all ten digits")
    func classes() throws {
        var digits: Set<UInt8> = []
        for _ in 0..<50 {
            let plain = bytes(of: try SecretGenerator().make(.lettersAndDigits(length: 3)))
            for members in PasswordAlphabet.classes.dropLast() {
                #expect(plain.count(where: members.contains) == 1)
            }
            digits.formUnion(bytes(of: try SecretGenerator().make(.digits(length: 16))))
        }
        #expect(digits == Set("0123456789".utf8))
        #expect(SecretRecipe.digits(length: 6).entropyBits == 6 * log2(10.0))
        // One of each class, in six orders.
        let three = SecretRecipe.lettersAndDigits(length: 3).entropyBits
        #expect(abs(three - log2(6.0 * 24 * 24 * 8)) < 1e-9)
    }

    @Test("Words come from the list, with hyphens, and each part of the list is drawn")
    func words() throws {
        let generator = SecretGenerator(random: LockedGenerator.source(seed: 7))
        let list = Set(
            PassphraseWords.text.description.split(whereSeparator: \.isWhitespace).map(String.init))
        var drawn: Set<String> = []
        for _ in 0..<1_000 {
            let secret = String(
                decoding: bytes(of: try generator.make(.words(count: 64))), as: UTF8.self)
            let parts = secret.split(separator: "-", omittingEmptySubsequences: false).map(
                String.init)
            #expect(parts.count == 64)
            drawn.formUnion(parts)
        }
        #expect(drawn == list)
        let one = bytes(of: try generator.make(.words(count: 1)))
        #expect(list.contains(String(decoding: one, as: UTF8.self)))
    }

    @Test("The defaults are 20 characters and 6 words")
    func defaults() throws {
        #expect(try SecretGenerator().make(.password()).count == 20)
        let words = bytes(of: try SecretGenerator().make(.words()))
        #expect(words.count { $0 == UInt8(ascii: "-") } == 5)
    }

    @Test("Two secrets differ")
    func distinct() throws {
        let first = try SecretGenerator().make(.password())
        #expect(!first.isEqual(to: try SecretGenerator().make(.password())))
    }

    @Test("Entropy: the logarithm of the number of secrets")
    func entropy() {
        #expect(SecretRecipe.words(count: 6).entropyBits == 72)
        #expect(SecretRecipe.password(length: 3).entropyBits == 18)
        // Four characters: one of each class, in 24 orders.
        let four = 24.0 * 24 * 24 * 8 * 8
        #expect(abs(SecretRecipe.password(length: 4).entropyBits - log2(four)) < 1e-9)
        let twenty = SecretRecipe.password().entropyBits
        #expect(twenty > 119 && twenty < 120)
    }

    @Test("Sizes are 1 to 1,024 characters and 1 to 64 words")
    func range() {
        for size in [-1, 0, 1, 64, 65, 1_024, 1_025, Int.max, Int.min] {
            let recipes = [SecretRecipe.password(length: size), .words(count: size)]
            #expect(recipes.map(\.size) == [size, size])
            #expect(
                recipes.map { $0.allowedSizes.contains($0.size) } == [
                    (1...1_024).contains(size), (1...64).contains(size),
                ])
        }
    }

    @Test("Other sizes end the process", .endsProcess)
    func outOfRange() async {
        await #expect(processExitsWith: .failure) {
            _ = try SecretGenerator().make(.password(length: 1_025))
        }
        await #expect(processExitsWith: .failure) {
            _ = try SecretGenerator().make(.words(count: 0))
        }
    }

    @Test("Guarded numbers are uniform: biased ones are rejected")
    func numbers() throws {
        // Bytes 0, 1, 2, …: the first draws below 2^32 mod bound are rejected.
        let counting = RandomSource { span in
            for index in 0..<span.byteCount {
                span.storeBytes(of: UInt8(index % 256), toByteOffset: index, as: UInt8.self)
            }
        }
        var numbers = try GuardedNumbers(counting)
        // 2^32 mod 3,000,000,000 = 1,294,967,296, which 0x00010203 … 0x4C4D4E4F are below.
        #expect(try numbers.next(below: 3_000_000_000) == 0x5051_5253)
        #expect(try numbers.next(below: 1) == 0)
    }
}
